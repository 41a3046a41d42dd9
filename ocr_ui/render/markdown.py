"""The Markdown of a model's answer as HTML that a page may insert: nothing in it runs, loads or styles.

markdown-it-py reads it with HTML off. What the model writes on purpose is added: tables in HTML, formulas, sup, sub and
br. What would lose or change recognised text is taken away: entities, link definitions, automatic links, indented code,
renumbered lists, stars between letters. At the end everything passes nh3 with a short list of what may stay.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from html import escape
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from ocr_ui.domain.content import PageContent
from ocr_ui.domain.prompt import Task
from ocr_ui.render.formulas import MATHML, FormulaFinder, FormulaSetter, bare_latex, formula_html
from ocr_ui.render.tables import KEPT_TAGS, sanitize_table, table_end
from ocr_ui.render.visible import MAX_SHOWN, cut_notice, reveal_html, spell_out, text_html, well_formed

MAX_LEVEL = 20
"""Quotes and lists within each other; what lies deeper is a plain paragraph."""

CLASSES = {
    "span": {"ocr-invisible", "ocr-bidi", "ocr-space", "ocr-control", "ocr-zero_width", "ocr-address"},
    "code": {"ocr-formula", "ocr-formula-error", "language-mermaid"},
    "div": {"ocr-formula-block", "ocr-lines"},
    "p": {"ocr-notice"},
    "pre": {"ocr-line"},
    "td": {"ocr-left", "ocr-right", "ocr-center"},
    "th": {"ocr-left", "ocr-right", "ocr-center"},
    "mtd": {"ocr-left", "ocr-right"},
    "mtext": {"ocr-bold", "ocr-italic"},
    "mstyle": {"ocr-display", "ocr-compact"},
    "mtable": {"ocr-display"},
    "menclose": {"ocr-box", "ocr-strike"},
}
"""The classes that the HTML of this package has; the style sheet of the page gives them their looks."""

_BLOCKS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "hr", "pre", "div"))
_INLINE = frozenset(("em", "strong", "a", "span", "code", "mark", "bdi"))
_ATTRIBUTES: dict[str, set[str]] = {
    **{tag: set(allowed) for tag, allowed in MATHML.items() if allowed},
    **{tag: {"dir"} for tag in ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "bdi")},
    "p": {"dir", "data-code", "data-shown", "data-all"},
    "ol": {"start"},
    "li": {"dir", "value"},
    "td": {"dir", "colspan", "rowspan"},
    "th": {"dir", "colspan", "rowspan"},
    "a": {"href"},
    "span": {"title"},
    "code": {"data-code", "title"},
    "pre": {"data-line"},
}
_CLEANER = nh3.Cleaner(
    tags=set(_BLOCKS | _INLINE | KEPT_TAGS | set(MATHML)),
    clean_content_tags={"script", "style"},
    attributes=_ATTRIBUTES,
    allowed_classes=CLASSES,
    set_tag_attribute_values={"a": {"target": "_blank"}},
    url_schemes={"http", "https"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
)


def render_markdown(text: str, reveal: bool = False) -> str:
    """Markdown as safe HTML, in time linear in its length. Any string is taken.

    Only the first MAX_SHOWN characters are rendered; a notice says so. Links to http and https stay links, opened
    apart and without a referrer; a picture becomes its description and address.

    Args:
        reveal: invisible characters are shown by their names.
    """
    source, _ = as_read(text)
    env = {"formulas": FormulaSetter(), "reveal": reveal, "finders": {}}
    try:
        html = _MARKDOWN.render(source, env)
    except RecursionError:
        html = _plain(source, reveal)
    return clean_html(html) + cut_notice(text)


def as_read(text: str) -> tuple[str, int]:
    """What is rendered of a text, and where in the text it begins: the first MAX_SHOWN characters without a fence
    around them all, with line feeds put in around tables."""
    shown = well_formed(text[:MAX_SHOWN])
    start, end = _inside_fence(shown)
    return _tables_on_lines_of_their_own(shown[start:end]), start


def tokens_of(source: str) -> list[Token]:
    """The tokens of what `as_read` gives, which must have no line ends but line feeds.

    Formulas have their place in `meta`: "start" and "end", in the source, of one that is a block; "raw", with its
    delimiters, of one in a line.

    Raises:
        RecursionError: quotes and lists are nested too deeply.
    """
    return _MARKDOWN.parse(source, {"finders": {}})


def is_bare_formula(text: str, task: Task) -> bool:
    """The text as a whole is one formula."""
    return task is Task.FORMULA and not re.search(r"\n\s*\n|\$", text)


PLAIN = frozenset((Task.SPOTTING, Task.TEXT, Task.SUBTITLES, Task.FIELDS))


def content_html(content: PageContent, task: Task, reveal: bool = False) -> str:
    """A page as the task calls for: plain lines for plain text, in which `7.` and `#` mean nothing; a formula; Markdown
    for all else."""
    if task in PLAIN:
        return lines_html(content, reveal)
    if is_bare_formula(content.text, task):
        return clean_html(f'<div class="ocr-formula-block">{formula_html(bare_latex(content.text), True)}</div>')
    return render_markdown(content.text, reveal)


_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def lines_html(content: PageContent, reveal: bool = False) -> str:
    """The lines of a page as HTML, one element each, every character as it was read.

    A page without lines shows its text, line by line. `data-line` holds the id of a line.
    """
    lines = [(line.id, line.text) for line in content.lines] or [("", line) for line in content.text.split("\n")]
    shown, left = [], MAX_SHOWN
    for line_id, text in lines:
        if left <= 0:
            break
        mark = f' data-line="{line_id}"' if _ID.fullmatch(line_id) else ""
        shown.append(f'<pre class="ocr-line"{mark}>{text_html(text[:left], reveal)}</pre>')
        left -= len(text) + 1
    notice = cut_notice("\n".join(text for _, text in lines))
    return clean_html(f'<div class="ocr-lines">{"".join(shown)}</div>') + notice


def clean_html(html: str) -> str:
    """The last gate: whatever is not on the short list goes, and what is left looks like code to nobody."""
    return spell_out(_CLEANER.clean(well_formed(html)))


def _plain(source: str, reveal: bool) -> str:
    return "".join(f'<pre class="ocr-line">{text_html(line, reveal)}</pre>' for line in source.split("\n"))


def _inside_fence(text: str) -> tuple[int, int]:
    """Where an answer begins and ends that is one fence of Markdown or HTML as a whole; else the whole of it."""
    match = re.fullmatch(r"\s*```[ \t]*(?:markdown|md|html)[ \t]*\n(.*?)(?:\n```)?\s*", text, re.DOTALL | re.IGNORECASE)
    return match.span(1) if match and "\n```" not in match[1] else (0, len(text))


_TABLE_START = re.compile(r"<table(?=[\s/>])", re.IGNORECASE)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


def _tables_on_lines_of_their_own(text: str) -> str:
    """The model writes tables into the middle of paragraphs; as blocks they need lines of their own."""
    made, position = [], 0
    fences = _fences(text)
    for match in _TABLE_START.finditer(text):
        start = match.start()
        if start < position or _within(fences, start):
            continue
        line = text[text.rfind("\n", 0, start) + 1 : start]
        if line.count("`") % 2:
            continue
        end = table_end(text, start)
        before = "" if re.fullmatch(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*", line) else "\n\n"
        after = "\n\n" if text[end : end + 1] not in ("", "\n") else ""
        made += [text[position:start], before, text[start:end], after]
        position = end
    return "".join(made) + text[position:]


def _fences(text: str) -> list[int]:
    """Offsets at which fenced code begins and ends, in turn."""
    edges: list[int] = []
    opened = ""
    for match in _FENCE.finditer(text):
        if not opened:
            opened = match[1]
            edges.append(match.start())
        elif match[1].startswith(opened):
            opened = ""
            edges.append(match.end())
    return edges


def _within(edges: list[int], position: int) -> bool:
    return bisect_left(edges, position) % 2 == 1


def _table_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """A table in HTML that begins a line."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    if not _TABLE_START.match(state.src, start):
        return False
    if silent:
        return True
    next_line = min(_line_of(state, table_end(state.src, start)) + 1, end_line)
    token = state.push("table_html", "", 0)
    token.content = state.getLines(start_line, next_line, state.blkIndent, False)
    token.map = [start_line, next_line]
    state.line = next_line
    return True


_OPENERS = {"$$": "$$", "\\[": "\\]"}
_ENVIRONMENT = re.compile(
    r"\\begin\{(equation|align|aligned|alignat|gather|gathered|multline|eqnarray|flalign|split|cases|array"
    r"|[pbBvV]?matrix)(\*?)\}"
)
_AFTER_FORMULA = re.compile(r"[ \t]*(\([^()$\n]{1,20}\))?[ \t]*[.,;:。，；：]?[ \t]*")


def _formula_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """`$$..$$`, `\\[..\\]` or an environment of display mathematics that begins a line and ends one."""
    start = state.bMarks[start_line] + state.tShift[start_line]
    found = _display_formula(state, start)
    if found is None:
        return False
    latex, end = found
    last_line = _line_of(state, end - 1)
    rest = state.src[end : state.eMarks[last_line]] if last_line < end_line else "x"
    if not _AFTER_FORMULA.fullmatch(rest):
        return False
    if silent:
        return True
    token = state.push("formula_block", "", 0)
    token.content = latex if last_line == start_line else _without_prefixes(state, latex, start_line, last_line)
    token.info = rest.strip()
    token.meta = {"start": start, "end": end}
    token.map = [start_line, last_line + 1]
    state.line = last_line + 1
    return True


def _display_formula(state: StateBlock, start: int) -> tuple[str, int] | None:
    """The LaTeX of a display formula at an offset, and where it ends with its delimiters."""
    if state.src.startswith(tuple(_OPENERS), start):
        span = _finder(state).at(start)
        return (span.latex, span.end) if span and span.display else None
    match = _ENVIRONMENT.match(state.src, start)
    if match is None:
        return None
    closing = f"\\end{{{match[1]}{match[2]}}}"
    end = _finder(state).find(closing, match.end())
    return None if end < 0 else (state.src[start : end + len(closing)], end + len(closing))


def _without_prefixes(state: StateBlock, latex: str, start_line: int, last_line: int) -> str:
    """A formula of several lines in a quote or list, without what begins those lines."""
    if state.blkIndent == 0 and state.parentType == "root":
        return latex
    lines = state.getLines(start_line, last_line + 1, state.blkIndent, False).strip()
    for opener, closer in _OPENERS.items():
        if lines.startswith(opener) and closer in lines[2:]:
            return lines[2 : lines.rindex(closer)]
    return lines


def _deep_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """Past MAX_LEVEL everything is one paragraph; markdown-it would leave it out."""
    if state.level < MAX_LEVEL or silent:
        return False
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = state.getLines(start_line, end_line, state.blkIndent, False).strip()
    token.map, token.children = [start_line, end_line], []
    state.push("paragraph_close", "p", -1)
    state.line = end_line
    return True


def _line_of(state: StateBlock, offset: int) -> int:
    return bisect_left(state.eMarks, offset)


def _finder(state: StateBlock | StateInline) -> FormulaFinder:
    """One finder a text, so that nothing is searched twice."""
    finders = state.env["finders"]
    if state.src not in finders:
        finders[state.src] = FormulaFinder(state.src)
    return finders[state.src]


def _formula_inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    span = _finder(state).at(state.pos)
    if span is None or span.end > state.posMax:
        return False
    if not silent:
        token = state.push("formula_inline", "", 0)
        token.content, token.info = span.latex, "display" if span.display else ""
        token.meta = {"raw": state.src[span.start : span.end]}
    state.pos = span.end
    return True


_DOLLARS = re.compile(r"\$+")


def _dollars_inline(state: StateInline, silent: bool) -> bool:
    """Dollars that begin no formula are text, all of a run at once."""
    match = _DOLLARS.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.pending += match[0]
    state.pos = match.end()
    return True


def _bracket_inline(state: StateInline, silent: bool) -> bool:
    """A bracket that cannot begin a link is text at once; markdown-it would look for its partner again and again."""
    if not state.src.startswith(("[", "!["), state.pos):
        return False
    middle = _finder(state).find("](", state.pos)
    if state.level < _LINK_LEVELS and 0 <= middle - state.pos <= _LONGEST_LABEL:
        return False
    if not silent:
        state.pending += state.src[state.pos]
    state.pos += 1
    return True


_LINK_LEVELS, _LONGEST_LABEL = 3, 1_000
_SMALL_HTML = re.compile(r"<br\s{0,3}/?>|<(su[bp])>([^<>]{1,200})</\1>", re.IGNORECASE)


def _html_inline(state: StateInline, silent: bool) -> bool:
    """`<br>`, `<sup>..</sup>`, `<sub>..</sub>`: what the model writes into Markdown for want of a mark for it."""
    match = _SMALL_HTML.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "<" else None
    if match is None:
        return False
    if not silent:
        token = state.push("small_html", match[1].lower() if match[1] else "br", 0)
        token.content = match[2] or ""
    state.pos = match.end()
    return True


def _star_inline(state: StateInline, silent: bool) -> bool:
    """A single star between letters or digits is a star: `2*3*4`."""
    before, after = state.src[state.pos - 1 : state.pos], state.src[state.pos + 1 : state.pos + 2]
    if state.src[state.pos] != "*" or not _is_word(before) or not _is_word(after):
        return False
    if not silent:
        state.pending += "*"
    state.pos += 1
    return True


def _is_word(character: str) -> bool:
    return character.isascii() and character.isalnum()


class _Renderer(RendererHTML):
    """Writes tokens as HTML; `env` holds the FormulaSetter and whether invisible characters are revealed."""

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return reveal_html(tokens[idx].content) if env["reveal"] else escape(tokens[idx].content, quote=False)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<code>{self.text(tokens, idx, options, env)}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        language = tokens[idx].info.split(maxsplit=1)[0].lower() if tokens[idx].info.strip() else ""
        if language in ("math", "latex", "tex") and len(tokens[idx].content) < 2_000:
            return self._block(env["formulas"].html(tokens[idx].content.strip(), True))
        name = ' class="language-mermaid"' if language == "mermaid" else ""
        return f"<pre><code{name}>{self.text(tokens, idx, options, env)}</code></pre>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        token = tokens[idx]
        words = self.renderInlineAsText(token.children or [], options, env)
        address = escape(str(token.attrs.get("src", "")), quote=False)
        return f'{escape(words, quote=False)} <span class="ocr-address">({address})</span>'

    def table_html(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return sanitize_table(tokens[idx].content, env["formulas"]) + "\n"

    def formula_block(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        after = escape(tokens[idx].info, quote=False)
        return self._block(env["formulas"].html(tokens[idx].content, True) + (f" {after}" if after else ""))

    def formula_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return env["formulas"].html(tokens[idx].content, tokens[idx].info == "display")

    def small_html(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        tag = tokens[idx].tag
        return "<br>" if tag == "br" else f"<{tag}>{self.text(tokens, idx, options, env)}</{tag}>"

    @staticmethod
    def _block(html: str) -> str:
        return f'<div class="ocr-formula-block">{html}</div>\n'


_ALIGNMENT = {f"text-align:{side}": f"ocr-{side}" for side in ("left", "right", "center")}
_DIRECTED = frozenset(("paragraph_open", "heading_open", "list_item_open", "td_open", "th_open"))


def _annotate(state: Any) -> None:
    """Blocks take their direction from their text, list items keep their numbers; no styles, no titles of links."""
    for token in state.tokens:
        if token.type in _DIRECTED:
            token.attrSet("dir", "auto")
        if token.type == "list_item_open" and token.info.isdigit():
            token.attrSet("value", str(int(token.info)))
        if name := _ALIGNMENT.get(str(token.attrs.pop("style", ""))):
            token.attrSet("class", name)
        for child in token.children or ():
            if child.type == "link_open":
                child.attrs.pop("title", None)


def _parser() -> MarkdownIt:
    parser = MarkdownIt(
        "commonmark", {"html": False, "breaks": True, "maxNesting": 2 * MAX_LEVEL}, renderer_cls=_Renderer
    )
    parser.enable("table").disable(["code", "reference", "html_block", "html_inline", "autolink", "entity"])
    parser.block.ruler.before("table", "deep", _deep_block)
    around = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "table_html", _table_block, around)
    parser.block.ruler.before("fence", "formula_block", _formula_block, around)
    parser.inline.ruler.before("escape", "formula_inline", _formula_inline)
    parser.inline.ruler.before("escape", "dollars", _dollars_inline)
    parser.inline.ruler.before("escape", "small_html", _html_inline)
    parser.inline.ruler.before("emphasis", "star", _star_inline)
    parser.inline.ruler.before("link", "bracket", _bracket_inline)
    parser.core.ruler.push("annotate", _annotate)
    parser.validateLink = _is_web_address
    return parser


def _is_web_address(url: str) -> bool:
    return re.match(r"https?://[^\s/?#]", url, re.IGNORECASE) is not None


_MARKDOWN = _parser()
