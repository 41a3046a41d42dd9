"""What rollouts and judgements give a trainer of preferences: answers, and which of two is the better one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.preference import why_no_pair
from ocr_ui.domain.rollout import Choice, Judgement, Kind, Rollout
from ocr_ui.storage.records import ComparedReadings

Pairs = tuple[tuple[str, str], ...]


def sampled_answers(
    found: Iterable[tuple[Rollout, list[Judgement]]], own: str = "", compared: Iterable[ComparedReadings] = ()
) -> tuple[tuple[str, ...], Pairs]:
    """The texts of whole answers, each once, and (better, worse) of them by the majority of what people said.

    Of what one person said of a pair the newest counts, once. A tie, "both bad", a pair on which as many people say the
    one as the other, and answers that say the same give no pair.

    Args:
        own: what the model answered in the item itself.
        compared: what was said of the item's reading beside others of its picture. Those that are no answers to the
            same question give nothing, and each pair is given once: with the item whose reading is the better one.
    """
    texts: dict[str, None] = {}
    said_last: dict[tuple[str, frozenset[str]], tuple[str, str] | None] = {}
    for rollout, judgements in found:
        said = {
            answer.number: text
            for answer in rollout.answers
            if answer.outcome in ("complete", "cut") and (text := storable(answer.generation.text).strip())
        }
        texts |= dict.fromkeys(said.values())
        for judgement in judgements:
            said_last |= {(judgement.person, both): pair for both, pair in _opinions(judgement, said).items()}
    sampled = {both for _, both in said_last}
    for one in compared:
        if not why_no_pair(one.left, one.right):
            left, right = (storable(side.generation.text).strip() for side in (one.left, one.right))
            pair = {Choice.LEFT: (left, right), Choice.RIGHT: (right, left)}.get(one.preference.choice)
            said_last[one.preference.person, frozenset((left, right))] = pair
    votes = Counter(pair for pair in said_last.values() if pair)
    stated = sorted(pair for pair, count in votes.items() if count > votes[pair[::-1]])
    here = storable(own).strip()
    return tuple(texts), tuple(pair for pair in stated if frozenset(pair) in sampled or pair[0] == here)


def _opinions(judgement: Judgement, said: dict[int, str]) -> dict[frozenset[str], tuple[str, str] | None]:
    """What a judgement says of two texts: (better, worse), None where neither is."""
    found: dict[frozenset[str], tuple[str, str] | None] = {}
    if judgement.kind is Kind.PAIR and all(number in said for number in judgement.order):
        found[frozenset(said[number] for number in judgement.order)] = None
    stated = {(said[a], said[b]) for a, b in judgement.pairs(tuple(said)) if a in said and b in said}
    return found | {frozenset(pair): None if pair[::-1] in stated else pair for pair in stated}
