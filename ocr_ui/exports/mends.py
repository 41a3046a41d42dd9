"""What stands in the way of scoring an item's label, and its page without it. Pure: nothing is stored here.

A mend is offered where the label that is written of it has the problem no more. Where no program can know what is
right, `BY_HAND` says what a person can do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ocr_ui.domain.content import Field, PageContent, Table, TextLine
from ocr_ui.domain.prompt import Task, split_values, written_list
from ocr_ui.domain.reward import OF_TASK, LabelProblem
from ocr_ui.exports import label_text
from ocr_ui.exports.label_text import Said
from ocr_ui.exports.reasons import NoLabel, Reason
from ocr_ui.parsing import dispatch, spotting_format
from ocr_ui.parsing.coordinates import POINT
from ocr_ui.parsing.spotting_format import Shape
from ocr_ui.scoring import labels

BY_HAND: dict[str, str] = {
    "all_illegible": "Leave it out, or type a line that can be read after all.",
    "field_twice": "Rename or delete one of the two.",
    "label_coordinates": "Take the coordinates out of the text.",
    "label_empty": "Type what the page says, or judge it wrong and leave it out.",
    "label_line_break": "Type a blank where the line breaks.",
    "label_lines_unread": "Look for the line whose box or text is odd, and type or draw it again.",
    "label_no_fields": "Read the page again with the names of its fields.",
    "label_no_object": "Read the page again with the names of its fields.",
    "label_only_json": "Rewards take this label as JSON; supervised formats leave it out. Type the line otherwise.",
    "label_polygon": "Draw the box of the line again.",
    "label_shape_unknown": "Give each line a box: select it and press G.",
    "label_table_attributes": "Write each table as <table> alone.",
    "label_text_like_coordinates": "Rewards take this label as JSON; supervised formats leave it out. Type the text "
    "so that it does not end like a box.",
    "layout_corrected": "Leave it out: only layouts that the model had right can be learned from.",
    "line_without_box": "Select the line and press G to give it a box, or delete it.",
    "no_fields": "Read the page again with the names of its fields.",
    "no_task": "Read the page with a template of one of the known tasks.",
    "tables_apart": "Write as many tables into the text as there are beside it.",
}
"""By the code of a problem; `NoLabel`'s codes are problems too."""

_POINTS = re.compile(POINT)
_COMMA_OF_BOX = re.compile(r"([)）])\s*[,，、]\s*(?=[(（])")

Mend = Callable[[Said], PageContent | None]


def problems(said: Said) -> tuple[LabelProblem, ...]:
    """All that is wrong with the label of a page, what matters most first, each with the page without it."""
    return tuple(replace(one, hint=BY_HAND.get(one.code, ""), content=_mended(one, said)) for one in _found(said))


def _found(said: Said) -> Sequence[LabelProblem]:
    try:
        task = label_text.task_of(said.recognition)
        text = label_text.write(said, reward=True)
    except NoLabel as error:
        return [_problem(error.reason)]
    shape = [one] if task is Task.SPOTTING and (one := _not_in_its_shape(said)) else []
    return [*labels.problems(OF_TASK[task], text), *shape]


def _problem(reason: Reason) -> LabelProblem:
    return LabelProblem(reason.code, f"Left out of training: {reason}.", details=reason.details)


def _mended(problem: LabelProblem, said: Said) -> PageContent | None:
    mend = MENDS.get(problem.code)
    content = mend(said) if mend else None
    if content is None or content == said.content:
        return None
    after = {one.code for one in _found(replace(said, content=content))}
    return content if problem.code not in after else None


# ---- Lines with boxes


def _not_in_its_shape(said: Said) -> LabelProblem | None:
    """The first line that the shape of the model's answer cannot hold: rewards take JSON then, imitation does not."""
    for number, line in enumerate(said.content.lines, 1):
        if line.text.strip() and (reason := _shape_problem(line, said)):
            details = {"line": number, "text": line.text[:80], "shape": said.shape.value}
            if _POINTS.search(line.text):
                message = f"The text {line.text[:80]!r} looks like coordinates: JSON can hold it, this shape cannot."
                return LabelProblem("label_text_like_coordinates", message, details=details)
            message = f"Line {number} ({line.text[:80]!r}) cannot be written in the model's shape: {reason}."
            return LabelProblem("label_only_json", message, details=details)
    return None


def _shape_problem(line: TextLine, said: Said) -> str:
    if said.shape is Shape.JSON:
        return ""
    if "\n" in line.text:
        return "it has a line break"
    return spotting_format.problem(said.placed(line), said.shape, said.size, upright=True)


def _fit_the_shape(said: Said) -> PageContent | None:
    """Each text that the answer's shape cannot hold, changed by no more than a blank or a comma."""
    return _with_lines(said.content, [replace(line, text=_fitting(line, said)) for line in said.content.lines])


def _fitting(line: TextLine, said: Said) -> str:
    if not line.text.strip() or not _shape_problem(line, said):
        return line.text
    one_line = " ".join(line.text.split("\n")) if "\n" in line.text else line.text
    tries = (one_line, one_line.strip(), _COMMA_OF_BOX.sub(r"\1 ", one_line.strip()))
    return next((text for text in tries if not _shape_problem(replace(line, text=text), said)), line.text)


def _boxes_of_the_model(said: Said) -> PageContent | None:
    """The box that the model gave to the same line or, where it has none of that id, to the same text."""
    read = said.recognition.content.lines
    by_id = {line.id: line.quad for line in read if line.id}
    by_text = {line.text: line.quad for line in read}
    lines = [
        line if line.quad else replace(line, quad=by_id.get(line.id) or by_text.get(line.text))
        for line in said.content.lines
    ]
    return _with_lines(said.content, lines)


def _with_lines(content: PageContent, lines: Sequence[TextLine]) -> PageContent:
    text = "\n".join(line.text for line in lines) if _follows(content) else content.text
    return replace(content, lines=tuple(lines), text=text)


def _follows(content: PageContent) -> bool:
    """The text is nothing but the lines."""
    return bool(content.text) and content.text.rstrip() == "\n".join(line.text for line in content.lines).rstrip()


# ---- Texts and tables


def _everywhere(change: Callable[[str], str]) -> Mend:
    def mend(said: Said) -> PageContent:
        content = said.content
        lines = [replace(line, text=change(line.text)) for line in content.lines]
        changed = _with_lines(content, [line for line in lines if line.text.strip() or _was_blank(line, content)])
        text = changed.text if _follows(content) else change(content.text)
        tables = content.tables
        if tables != said.recognition.content.tables:  # else the text is the label, and they are not
            tables = tuple(_table(table, change) for table in tables)
        return replace(changed, text=text, tables=tables)

    return mend


def _was_blank(line: TextLine, content: PageContent) -> bool:
    return any(line.id == before.id and not before.text.strip() for before in content.lines)


def _table(table: Table, change: Callable[[str], str]) -> Table:
    return replace(table, html=change(table.html), grid=tuple(tuple(map(change, row)) for row in table.grid))


# ---- Fields


def _fields_of_text(said: Said) -> PageContent | None:
    """The fields that stand in the text in whatever notation; else the names asked for, absent."""
    names = _asked_for(said)
    text = said.content.text or "\n".join(line.text for line in said.content.lines)
    read = dispatch.parse(Task.FIELDS, text, said.stored_size, field_names=names).fields if text.strip() else ()
    fields = read or tuple(Field(name, None) for name in names)
    return replace(said.content, fields=fields) if fields else None


def _asked_for(said: Said) -> list[str]:
    """The names of the list that stands in the prompt."""
    prompt = said.recognition.prompt
    lists = [names for typed in prompt.variables.values() if (names := split_values(typed))]
    return next((names for names in lists if written_list(names) in prompt.text), [])


def _each_name_once(said: Said) -> PageContent:
    """The first value of each name; the others stay beside it, as those of an answer that gave a name twice do."""
    fields: dict[str, Field] = {}
    for field in said.content.fields:
        first = fields.setdefault(field.name, field)
        if first is field:
            continue
        if first.value is None:
            fields[field.name] = replace(field, alternatives=first.alternatives + field.alternatives)
        elif field.value is not None and field.value != first.value:
            fields[field.name] = replace(first, alternatives=(*first.alternatives, field.value))
    return replace(said.content, fields=tuple(fields.values()))


MENDS: dict[str, Mend] = {
    "field_twice": _each_name_once,
    "label_coordinates": _everywhere(labels.without_coordinates),
    "label_only_json": _fit_the_shape,
    "label_table_attributes": _everywhere(labels.without_attributes),
    "label_text_like_coordinates": _fit_the_shape,
    "line_without_box": _boxes_of_the_model,
    "no_fields": _fields_of_text,
}
