"""What rollouts and judgements give a trainer of preferences: answers, and which of two is the better one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ocr_ui.domain.exact_json import storable
from ocr_ui.domain.rollout import Judgement, Rollout

Pairs = tuple[tuple[str, str], ...]


def sampled_answers(found: Iterable[tuple[Rollout, list[Judgement]]]) -> tuple[tuple[str, ...], Pairs]:
    """The texts of whole answers, each once, and (better, worse) of them by the majority of what people said.

    A tie, "both bad", a pair on which as many people say the one as the other, and answers that say the same give no
    pair.
    """
    texts: dict[str, None] = {}
    votes: Counter[tuple[str, str]] = Counter()
    for rollout, judgements in found:
        said = {
            answer.number: text
            for answer in rollout.answers
            if answer.outcome in ("complete", "cut") and (text := storable(answer.generation.text).strip())
        }
        texts |= dict.fromkeys(said.values())
        for judgement in judgements:
            pairs = {(said[a], said[b]) for a, b in judgement.pairs(tuple(said)) if a in said and b in said}
            votes.update(pair for pair in pairs if pair[0] != pair[1])
    preferred = sorted(pair for pair, count in votes.items() if count > votes[pair[::-1]])
    return tuple(texts), tuple(preferred)
