"""Where a page goes that was read with little confidence: rules by template and kind of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from ocr_ui.domain.calibration import LINE, field_part
from ocr_ui.domain.content import PageContent
from ocr_ui.errors import BadInput

KINDS = ("any", "line", "text", "amount", "date", "number")
"""any: all that the page says; line: running text; the others: fields of that kind."""
REVIEW, AGAIN = "review", "again"
THEN = (REVIEW, AGAIN)
BETTER, BOTH = "better", "both"
KEEP = (BETTER, BOTH)
UNSURE = "unsure"
"""The tag of items that a rule sends to review."""
STRAIGHT, AGAIN_REVIEW, AGAIN_FAILED = "straight", "again_review", "again_failed"
MOST_RULES = 20
NONE: Mapping[str, float] = MappingProxyType({})
"""Nothing was measured."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What is done with a page whose least sure part of a kind is below a confidence.

    Attributes:
        below: 0..1; a page without a confidence of that kind is not below.
        then: one of THEN.
        template: the rule is for pages read with it; "" for any.
        kind: one of KINDS.
        engine: that reads the page again, where `then` says so.
        keep: of the two readings the better one, or both beside each other; one of KEEP.
        measured: where a threshold was measured for a part of the page that still counts, it stands in for `below`.
    """

    below: float
    then: str
    template: str = ""
    kind: str = "any"
    engine: str = ""
    keep: str = BETTER
    measured: bool = True

    def applies(self, template: str, content: PageContent, measured: Mapping[str, float] = NONE) -> bool:
        """Args: measured: thresholds by part, of the template and of the engine that has read the page."""
        if self.template not in ("", template):
            return False
        limits = measured if self.measured else NONE
        return any(least < limits.get(part, self.below) for part, least in _least(content, self.kind).items())


def _least(content: PageContent, kind: str) -> dict[str, float]:
    """By part, the least confidence of what belongs to a kind."""
    found: dict[str, float] = {}
    for part, confidence in content.confidences:
        if kind == "any" or part == (LINE if kind == "line" else field_part(kind)):
            found[part] = min(confidence, found.get(part, confidence))
    return found


def least_confidence(content: PageContent, kind: str) -> float | None:
    """That of the least sure part of a kind; None where there is none, or the engine gives none."""
    return min(_least(content, kind).values(), default=None)


def first_that(
    rules: Iterable[Rule], then: str, template: str, content: PageContent, measured: Mapping[str, float] = NONE
) -> Rule | None:
    """The first rule of a kind of action that a page falls under."""
    return next((rule for rule in rules if rule.then == then and rule.applies(template, content, measured)), None)


def is_better(first: PageContent, second: PageContent, kind: str) -> bool:
    """Is the second reading the one to keep? Also where its engine gives no confidence: it was asked because the first
    was not sure."""
    one, other = least_confidence(first, kind), least_confidence(second, kind)
    return other is None or one is None or other > one


def read_rules(values: Iterable[Any]) -> tuple[Rule, ...]:
    """Rules from plain values. Raises BadInput (`bad_rule`; details: number, reason)."""
    listed = list(values)
    if len(listed) > MOST_RULES:
        raise _bad(MOST_RULES + 1, f"at most {MOST_RULES} rules")
    return tuple(_read(number, value) for number, value in enumerate(listed, 1))


def rule_value(rule: Rule) -> dict[str, Any]:
    """What `read_rules` reads back."""
    return asdict(rule)


def _read(number: int, value: Any) -> Rule:
    if not isinstance(value, Mapping):
        raise _bad(number, "not an object")
    unknown = set(value) - set(Rule.__slots__)
    if unknown:
        raise _bad(number, f"unknown {', '.join(sorted(map(str, unknown)))[:80]}")
    try:
        below = float(value["below"])
    except (KeyError, TypeError, ValueError):
        raise _bad(number, "below: 0 to 1") from None
    measured = value.get("measured", True)
    if not isinstance(measured, bool):
        raise _bad(number, "measured: true or false")
    rule = Rule(below, *(str(value.get(name) or default) for name, default in _TEXTS), measured)
    _check(number, rule)
    return rule


_TEXTS = (("then", ""), ("template", ""), ("kind", "any"), ("engine", ""), ("keep", BETTER))


def _check(number: int, rule: Rule) -> None:
    if not 0 <= rule.below <= 1:
        raise _bad(number, "below: 0 to 1")
    for name, allowed in (("then", THEN), ("kind", KINDS), ("keep", KEEP)):
        if getattr(rule, name) not in allowed:
            raise _bad(number, f"{name}: {', '.join(allowed)}")


def _bad(number: int, reason: str) -> BadInput:
    return BadInput("bad_rule", f"Rule {number} cannot be used: {reason}.", "Mend it.", number=number, reason=reason)
