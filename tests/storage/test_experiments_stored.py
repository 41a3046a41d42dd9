"""Experiments and preferences on both databases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored import ANN, BO, add_item, content, open_store

from ocr_ui.domain.experiment import Arm, Experiment
from ocr_ui.domain.preference import Preference
from ocr_ui.domain.review import State, Verdict
from ocr_ui.domain.rollout import Choice
from ocr_ui.errors import Conflict, NotFound

pytestmark = pytest.mark.both_databases

VALUE = Experiment("one", "full_text", "0" * 12, "", "full_text", "0" * 12, "other", 0.25, "salt")


def test_an_experiment_is_kept_from_its_start_to_its_end(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        number = store.experiments.add(VALUE, ANN)
        assert store.experiments.running("full_text").experiment == VALUE
        assert store.experiments.running("other") is None
        with pytest.raises(Conflict):
            store.experiments.add(replace(VALUE, name="two"))
        store.experiments.set_share(number, 0.5)
        store.experiments.end(number, BO)
        kept = store.experiments.get(number)
        assert (kept.experiment.share, kept.person, kept.ended_by) == (0.5, "Ann", BO.name)
        assert store.experiments.running("full_text") is None
        with pytest.raises(NotFound):
            store.experiments.end(99)


def test_readings_verdicts_and_what_is_hidden(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        number = store.experiments.add(VALUE)
        items = [add_item(store, content("Total 12.50"), shade=shade) for shade in range(4)]
        for item, arm, shadow in zip(items, "ABBA", (False, False, False, True), strict=True):
            store.experiments.note(number, item, Arm(arm), "asked", shadow)
        assert store.experiments.hidden(items) == dict.fromkeys(items, "full_text")
        store.corrections.add(items[1], 0, content("Total 12.80"), ANN)
        for item, verdict in ((items[0], Verdict.RIGHT), (items[1], Verdict.WRONG), (items[2], Verdict.WRONG)):
            version = store.reviews.get(item).latest_version
            before = store.reviews.get(item).review
            judged = replace(before, verdict=verdict, state=State.SUBMITTED, correction_version=version)
            store.reviews.set(item, judged)
        found = store.experiments.verdicts(number)
        assert [(one.arm, one.wrong, one.distance) for one in found] == [
            ("A", False, 0),
            ("B", True, 0),
            ("B", True, None),
        ]
        assert [one.id for one in store.experiments.readings(number) if one.shadow] == items[3:]
        assert list(store.experiments.hidden(items)) == items[3:]


def test_preferences_are_added_once_a_key_and_go_with_their_readings(tmp_path: Path) -> None:
    with open_store(tmp_path) as store:
        one, other, third = (add_item(store, shade=shade) for shade in range(3))
        said = [Preference(one, two, Choice.LEFT, "Ann", True, 1.5) for two in (other, third)]
        for _ in range(2):
            store.preferences.add(said, "a-key-of-it")
        assert [told.preference for told in store.preferences.of_item(one)] == said
        assert store.preferences.any()
        store.erasing.erase([other])
        assert [told.preference for told in store.preferences.of_item(one)] == said[1:]
