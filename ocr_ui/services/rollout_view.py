"""Rollouts as plain JSON values, for the page and for programs."""

from __future__ import annotations

from typing import Any

from ocr_ui.domain.page import Page
from ocr_ui.domain.rollout import ALIKE_WITHIN, RIGHT_FROM, WRONG_UP_TO, Answer, Rollout, Spread, Worth
from ocr_ui.scoring.answer_rows import AnswerRow
from ocr_ui.scoring.segments import segments
from ocr_ui.services.blind_pairs import Pair, blind_lines
from ocr_ui.services.reading import Progress
from ocr_ui.services.rollout_batch import BatchProgress
from ocr_ui.services.rollouts import Shown, Step
from ocr_ui.services.view import error_value, note_value
from ocr_ui.storage.records import RolloutRow, StoredJudgement


def step_value(step: Step) -> dict[str, Any]:
    """How far a rollout is: {state, together, seconds, answers: [{state, text, tokens}], rollout, error}."""
    sampling = step.sampling
    error = step.error or (sampling.error if sampling else None)
    return {
        "state": "waiting" if sampling is None else "running" if sampling.rollout is None else "ended",
        "together": sampling.together if sampling else True,
        "seconds": sampling.seconds if sampling else 0.0,
        "answers": [_coming(one) for one in sampling.answers] if sampling else [],
        "rollout": step.rollout_id,
        "error": error_value(error) if error else None,
    }


def _coming(one: Progress) -> dict[str, Any]:
    return {"state": one.state, "text": one.raw, "tokens": one.tokens}


def row_value(row: RolloutRow) -> dict[str, Any]:
    """One line of an item's list of rollouts."""
    return {
        "id": row.id,
        "created_at": row.created_at.isoformat(),
        "person": row.person,
        "engine": row.engine.title,
        "revision": row.engine.revision,
        "answers": row.asked,
        "mark": row.mark,
        "reward": row.reward,
    }


def shown_value(shown: Shown) -> dict[str, Any]:
    """A whole rollout: answers with their rewards, spread, mark, and where they differ."""
    stored, item = shown.stored, shown.item
    value, page = stored.rollout, item.page.page
    return {
        "id": stored.id,
        "item": stored.recognition_id,
        "version": item.correction.correction.version if item.correction else 0,
        "created_at": stored.created_at.isoformat(),
        "person": stored.person,
        "picture": _picture(page),
        **_asked(value),
        "answers": [answer_value(answer) for answer in value.answers],
        "spread": _spread(value.spread),
        "mark": value.mark,
        "thresholds": {"right_from": RIGHT_FROM, "wrong_up_to": WRONG_UP_TO, "alike_within": ALIKE_WITHIN},
        "label": None
        if value.label is None
        else {"version": value.label.version, "judged": value.label.judged, "tokens": value.label.tokens},
        "rows": [_row(row) for row in shown.rows],
        "error": note_value(value.error),
    }


def _asked(value: Rollout) -> dict[str, Any]:
    engine, prompt = value.engine, value.prompt
    return {
        "engine": {
            "name": engine.title,
            "kind": engine.kind,
            "version": engine.version,
            "model": engine.model,
            "revision": engine.revision,
        },
        "template": prompt.template,
        "template_version": prompt.version,
        "prompt": prompt.text,
        "sampling": prompt.sampling,
        "page_sha256": value.page_sha256,
        "asked": value.asked,
        "together": value.together,
        "seconds": value.seconds,
        "picture_tokens": value.picture_tokens,
        "prompt_tokens": value.prompt_tokens,
    }


def answer_value(answer: Answer) -> dict[str, Any]:
    """One answer with its rewards."""
    probable = answer.logprobs
    return {
        "number": answer.number,
        "text": answer.generation.text,
        "finish_reason": answer.generation.finish_reason,
        "outcome": answer.outcome,
        "tokens": answer.generation.tokens,
        "seconds": answer.generation.seconds,
        "logprobs": {"tokens": probable.tokens, "mean": probable.mean, "least": probable.least} if probable else None,
        "reward": answer.reward,
        "rewards": [_worth(worth) for worth in answer.worths],
        "edit_distance": answer.edit_distance,
    }


def _worth(worth: Worth) -> dict[str, Any]:
    return {
        "name": worth.name,
        "rule_version": worth.version,
        "reward": worth.value,
        "reason": worth.reason,
        "code": worth.code,
        "details": worth.details,
    }


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "count": spread.count,
        "mean": spread.mean,
        "std": spread.std,
        "least": spread.least,
        "most": spread.most,
    }


def _picture(page: Page) -> dict[str, Any]:
    return {"url": f"/pictures/{page.sha256}", "width": page.width, "height": page.height, "name": page.name}


def _row(row: AnswerRow) -> dict[str, Any]:
    """Texts in pieces, each marked where it is not as the label has it; null where an answer has no such row."""
    return {
        "label": row.label,
        "texts": [pieces(row.label, text) for text in row.texts],
        "quad": None if row.quad is None else [list(point) for point in row.quad.points],
        "differs": row.differs,
        "place": row.place,
    }


def pieces(label: str | None, text: str | None) -> list[list[Any]] | None:
    """A text in pieces, each marked where it is not as the label has it."""
    if text is None:
        return None
    if label is None:
        return [[text, True]]
    return [[text, False]] if text == label else [list(piece) for piece in segments(label, text)[1]]


def pair_value(pair: Pair | None) -> dict[str, Any]:
    """A blind pair: what the two say, and nothing else of them; {pair: null} where none is left."""
    if pair is None:
        return {"pair": None}
    sides = {"left": blind_lines(pair.left), "right": blind_lines(pair.right)}
    return {"pair": {"token": pair.token, "judged": pair.judged, "total": pair.total, **sides}}


def judged_value(stored: StoredJudgement, sides: tuple[Answer, Answer]) -> dict[str, Any]:
    """Which answers a pair was, once it is judged."""
    left, right = sides
    return {
        "id": stored.id,
        "choice": stored.judgement.choice,
        "left": {"number": left.number, "reward": left.reward},
        "right": {"number": right.number, "reward": right.reward},
    }


def judgement_value(stored: StoredJudgement) -> dict[str, Any]:
    """What somebody said of the answers of a rollout."""
    told = stored.judgement
    return {
        "id": stored.id,
        "created_at": stored.created_at.isoformat(),
        "kind": told.kind,
        "answers": list(told.order),
        "choice": told.choice,
        "person": told.person,
        "blind": told.blind,
        "seconds": told.seconds,
    }


def batch_value(progress: BatchProgress) -> dict[str, Any]:
    """How far a batch is."""
    counts = progress.counts
    return {
        "job": progress.job,
        "total": counts.total,
        "done": counts.done,
        "failed": counts.failed,
        "waiting": counts.waiting,
        "marks": progress.marks,
        "seconds": progress.seconds,
        "running": not progress.ended,
        "error": error_value(progress.error) if progress.error else None,
    }
