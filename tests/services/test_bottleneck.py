from __future__ import annotations

from dataclasses import replace

import pytest

from ocr_ui.services.bottleneck import LOOKS, WORDS, Runs, Seen, State, findings, in_words, verdict

AT_ITS_LIMIT = Seen(
    Runs.CARD, at_work=64, running=60, waiting=4, places=64, busy=0.97, drafts=100, picture=0.3, preparing=0.02
)


def said(seen: Seen) -> str:
    return verdict(seen, findings(seen)).code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({}, "card_full"),
        ({"at_work": 0}, "nothing"),
        ({"busy": 0.4, "preparing": 0.5}, "card_idle"),
        ({"busy": 0.4, "at_work": 80}, "card_idle"),
        ({"busy": 0.4, "running": 1, "waiting": 0, "at_work": 1}, "batch_not_full"),
        ({"running": 20, "waiting": 0}, "batch_not_full"),
        ({"running": 20, "waiting": 10}, "batch_held"),
        ({"preemptions": 3}, "preemptions"),
        ({"drafts_rejected": 21}, "drafts_rejected"),
        ({"drafts_rejected": 20}, "card_full"),
        ({"picture": 0.6}, "picture_share"),
        ({"busy": None, "drafts": 0, "picture": None, "places": 0}, "card_full"),
    ],
)
def test_each_limit_of_a_card_is_told(changes: dict, code: str) -> None:
    assert said(replace(AT_ITS_LIMIT, **changes)) == code


def test_the_first_in_the_order_of_looking_is_the_one_that_is_said() -> None:
    seen = replace(
        AT_ITS_LIMIT, busy=0.1, preparing=0.9, running=3, waiting=0, preemptions=2, drafts_rejected=90, picture=0.9
    )
    mends = [{"busy": 0.9}, {"running": 50}, {"preemptions": 0}, {"drafts_rejected": 0}, {"picture": 0.1}]
    order = ["card_idle", "batch_not_full", "preemptions", "drafts_rejected", "picture_share"]
    for number, mended in enumerate(mends):
        assert [one.code for one in findings(seen) if one.state is State.LIMITS] == order[number:]
        assert said(seen) == order[number]
        seen = replace(seen, **mended)
    assert said(seen) == "card_full"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"processors": 0.95, "waiting": 3}, "processors_busy"),
        ({"processors": 0.5, "waiting": 3}, "pages_wait"),
        ({"processors": None, "waiting": 3}, "pages_wait"),
        ({"processors": 0.5, "waiting": 0}, "keeps_up"),
        ({"at_work": 0, "processors": 0.95}, "nothing"),
    ],
)
def test_each_limit_of_the_processors_is_told(changes: dict, code: str) -> None:
    assert said(replace(Seen(Runs.PROCESSORS, at_work=4, running=1, places=1), **changes)) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"processors": 0.95}, "processors_busy"), ({}, "readings_wait"), ({"running": 4}, "keeps_up")],
)
def test_each_limit_of_an_engine_elsewhere_is_told(changes: dict, code: str) -> None:
    assert said(replace(Seen(Runs.SERVER, at_work=4, running=1), **changes)) == code


def test_what_is_not_known_is_not_called_fine() -> None:
    states = {one.code: one.state for one in findings(Seen(Runs.CARD, at_work=1))}
    unknown = {"card_idle", "batch_not_full", "drafts_rejected", "picture_share"}
    assert {code for code, state in states.items() if state is State.UNKNOWN} == unknown


def test_words_name_what_was_seen() -> None:
    lines = list(in_words(replace(AT_ITS_LIMIT, preemptions=3)))
    assert lines[0] == "The cache for pages is too small: 3 pages were put back and begun again."
    assert lines[1].startswith("Lower OCR_UI_MAX_NUM_SEQS")
    assert "  card at work: 97% (fine)" in lines
    assert "  pages put back: 3 (limits)" in lines
    assert next(in_words(Seen(Runs.CARD))) == WORDS["nothing"][1]


def test_every_look_has_its_words_filled() -> None:
    for runs, looks in LOOKS.items():
        changes = {"processors": 0.9, "drafts_rejected": 90, "waiting": 9, "running": 1, "busy": 0.1, "picture": 0.9}
        for look in looks:
            found = look(replace(AT_ITS_LIMIT, runs=runs, preparing=0.9, preemptions=1, **changes))
            assert found.message
            assert "{" not in found.message
            assert found.measure


def test_what_is_in_order_says_nothing() -> None:
    assert {one.message + one.hint for one in findings(AT_ITS_LIMIT)} == {""}
