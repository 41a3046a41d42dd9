"""Drift by day: what came in, under what it was read, how sure the model was, how often people had to correct it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from ocr_ui.domain.access import Action
from ocr_ui.domain.version import VERSION
from ocr_ui.errors import BadInput, StoreFailed
from ocr_ui.scoring.shifts import LEAST, Tried, shifts, tried
from ocr_ui.services.access import needs
from ocr_ui.services.conditions import reading_settings
from ocr_ui.services.engine_entries import engine_entries
from ocr_ui.settings import Settings
from ocr_ui.storage.drift import COLUMNS
from ocr_ui.storage.records import StoredConfiguration
from ocr_ui.storage.store import Store

log = logging.getLogger(__name__)

DAYS, MOST_DAYS = 90, 366
DATA, CONFIGURATION, MODEL, AFTERWARDS = GROUPS = ("data", "configuration", "model", "post_processing")
"""In the order in which one would look for the cause of a change."""
MEASURES = {"layout": DATA, "size": DATA, "script": DATA, "confidence": MODEL, "corrected": AFTERWARDS}
"""What is followed, in the order of GROUPS. Size is in megapixels, confidence that of the least sure part of a page,
corrected the share of the judged pages that were not right as they were read."""
KINDS = ("layout", "script", "corrected")
"""Measures whose values are kinds; the others are numbers."""
QUIET_DAYS = 3
"""A value is a change where it was not used on so many days before."""
NEAR = (timedelta(days=-3), timedelta(days=1))
"""Changes of the configuration that are told beside a shift, by their day from its."""
_SPREAD = {"low": 0.25, "median": 0.5, "high": 0.75}


class DriftWatch:
    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._settings = store, settings

    async def configured(self) -> None:
        """Notes what the program runs under from now on. A store that cannot be written costs the note alone."""
        settings = {one.name: reading_settings(one.settings) for one in engine_entries(self._settings)}
        try:
            await asyncio.to_thread(self._store.drift.configured, VERSION, settings)
        except StoreFailed as error:
            log.warning("Drift will not say what the program runs under: %s", error)

    @needs(Action.READ)
    async def look(self, days: int = DAYS, template: str = "") -> dict[str, Any]:
        """The last days up to today, by days of UTC; plain JSON values.

        - `days`: those with readings, `pages` the readings of each.
        - `measures`: by the names of MEASURES, a list for each kind (its count on each day) or for `low`, `median` and
          `high` (quartiles, None on a day without values).
        - `marks`: what changed when: `day`, `group`, `what` (template, settings, engine, model, revision, version,
          program), `name`, `before`, `now`.
        - `shifts`: `measure`, `group`, `day`, `before` and `now` (shares by kind, or the median), `psi`, `p`,
          `pages_before`, `pages_now` (documents, of one page as a rule).
        - `events`: days on which something shifted, the newest first: indices of its `shifts` and of the `marks` near
          it, and in `first` the group where one would look first, "" where nothing that is known has changed.
        - `too_few`: measures that nothing can be told of, with how many documents there are; a side needs `least`.
        - `pending`: readings, by an older version, whose kind of page and writing are still being worked out.

        Raises:
            BadInput: `bad_drift_days` (details: value, most).
        """
        if not 1 <= days <= MOST_DAYS:
            hint = f"Choose from 1 to {MOST_DAYS} days."
            raise BadInput("bad_drift_days", f"{days} days cannot be looked at.", hint, value=days, most=MOST_DAYS)
        return await asyncio.to_thread(self._look, days, template)

    def _look(self, days: int, template: str) -> dict[str, Any]:
        until = datetime.now(UTC) + timedelta(minutes=1)
        since = datetime.combine(until.date() - timedelta(days=days - 1), datetime.min.time(), UTC)
        frame = _frame(self._store.drift.readings(since, until, template))
        marks = _marks(frame, self._store.drift.configurations(), since)
        units = {measure: _units(frame, measure) for measure in MEASURES}
        found = [
            one
            for measure, unit in units.items()
            for one in tried(measure, unit["day"].to_numpy(), unit["value"].to_numpy())
        ]
        told = [_told(one, units[one.measure]) for one in shifts(found)]
        told.sort(key=lambda one: (one["day"], GROUPS.index(one["group"])))
        there = {one.measure for one in found}
        listed = sorted(frame["day"].unique().tolist())
        return {
            "since": since.date().isoformat(),
            "until": until.date().isoformat(),
            "days": [date.fromordinal(day).isoformat() for day in listed],
            "pages": frame.groupby("day").size().reindex(listed).astype(int).tolist(),
            "measures": {measure: _series(frame, measure, listed) for measure in MEASURES},
            "marks": marks,
            "shifts": told,
            "events": _events(told, marks),
            "too_few": {measure: len(unit) for measure, unit in units.items() if measure not in there},
            "least": LEAST,
            "pending": int(frame["layout"].isna().sum()),
        }


def _frame(rows: Sequence[tuple[Any, ...]]) -> pd.DataFrame:
    """A row for each reading, with the measures of it."""
    frame = pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)
    frame["day"] = np.array([at.date().toordinal() for at in frame["at"]], dtype=int)
    frame["size"] = frame["width"].astype(float) * frame["height"].astype(float) / 1e6
    frame["confidence"] = frame["confidence"].astype(float)
    wrong = (frame["verdict"] == "wrong") | (frame["edit_distance"].fillna(0).astype(float) > 0)
    frame["corrected"] = np.where(frame["verdict"].isna(), None, np.where(wrong, "corrected", "right"))
    return frame


def _units(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """A row for each document and day with `day` and `value`: its pages are alike, so that they count as one."""
    there = frame[["day", "document", measure]].dropna().rename(columns={measure: "value"})
    if measure not in KINDS:
        means = there.astype(float).groupby(["day", "document"])["value"].mean().reset_index()
        return means.astype({"day": int})[["day", "value"]]
    counted = there.groupby(["day", "document", "value"]).size().reset_index(name="pages")
    most = counted.sort_values("pages", ascending=False, kind="stable").drop_duplicates(["day", "document"])
    return most[["day", "value"]].sort_values("day", kind="stable")


def _series(frame: pd.DataFrame, measure: str, days: list[int]) -> dict[str, list[Any]]:
    there = frame[["day", measure]].dropna()
    if measure in KINDS:
        counts = there.groupby(["day", measure]).size().unstack(fill_value=0).reindex(days, fill_value=0)
        return {str(kind): counts[kind].astype(int).tolist() for kind in counts.columns}
    by_day = there.astype(float).groupby("day")[measure]
    spread = {name: by_day.quantile(share).reindex(days) for name, share in _SPREAD.items()}
    return {name: [None if np.isnan(one) else one for one in values.tolist()] for name, values in spread.items()}


def _told(one: Tried, units: pd.DataFrame) -> dict[str, Any]:
    before = units[(units["day"] >= one.first) & (units["day"] < one.day)]["value"]
    now = units[(units["day"] >= one.day) & (units["day"] <= one.last)]["value"]
    return {
        "measure": one.measure,
        "group": MEASURES[one.measure],
        "day": date.fromordinal(one.day).isoformat(),
        "before": _summary(before, one.measure),
        "now": _summary(now, one.measure),
        "psi": one.psi,
        "p": one.p,
        "pages_before": one.before,
        "pages_now": one.after,
    }


def _summary(values: pd.Series[Any], measure: str) -> Any:
    if measure in KINDS:
        return {str(kind): float(share) for kind, share in values.value_counts(normalize=True).items()}
    return float(values.median())


def _marks(frame: pd.DataFrame, configurations: Sequence[StoredConfiguration], since: datetime) -> list[dict[str, Any]]:
    named = frame.assign(reader=frame["engine_name"].where(frame["engine_name"] != "", frame["engine"]))
    found = [
        *_used(named, CONFIGURATION, "template", "template", "template_version"),
        *_used(named.assign(all=""), MODEL, "engine", "all", "reader"),
        *_used(named, MODEL, "model", "reader", "model"),
        *_used(named, MODEL, "revision", "reader", "revision"),
        *_used(named, MODEL, "version", "reader", "engine_version"),
        *(one for one in _configured(configurations) if one["day"] >= since.date().isoformat()),
    ]
    return sorted(found, key=lambda one: (one["day"], GROUPS.index(one["group"]), one["what"], one["name"]))


def _used(frame: pd.DataFrame, group: str, what: str, key: str, value: str) -> Iterator[dict[str, Any]]:
    """Days on which a value came into use that was not used on the QUIET_DAYS before, by what has it."""
    for name, rows in frame.groupby(key):
        days = rows.groupby("day")[value].agg(set)
        for place in range(1, len(days)):
            before = set().union(*days.iloc[max(0, place - QUIET_DAYS) : place])
            day, old = date.fromordinal(int(days.index[place])), ", ".join(sorted(before))
            for new in sorted(days.iloc[place] - before):
                yield _mark(day, group, what, str(name), old, new)


def _configured(configurations: Sequence[StoredConfiguration]) -> Iterator[dict[str, Any]]:
    """What was another from one start of the program to the next."""
    for old, new in pairwise(configurations):
        day = new.created_at.date()
        if old.program != new.program:
            yield _mark(day, AFTERWARDS, "program", "", old.program, new.program)
        for engine in sorted(old.settings.keys() & new.settings.keys()):
            for key, now in sorted(new.settings[engine].items()):
                then = old.settings[engine].get(key)
                if then != now:
                    yield _mark(day, CONFIGURATION, "settings", f"{engine}: {key}", str(then), str(now))


def _mark(day: date, group: str, what: str, name: str, before: str, now: str) -> dict[str, Any]:
    return {"day": day.isoformat(), "group": group, "what": what, "name": name, "before": before, "now": now}


def _events(told: Sequence[dict[str, Any]], marks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Shifts of neighbouring days together, with the marks near them; the newest first."""
    events: list[dict[str, Any]] = []
    last: date | None = None
    for number, one in enumerate(told):
        day = date.fromisoformat(one["day"])
        if last is None or day - last > NEAR[1] - NEAR[0]:
            events.append({"day": one["day"], "shifts": []})
        events[-1]["shifts"].append(number)
        last = day
    for event in events:
        days = [date.fromisoformat(told[number]["day"]) for number in event["shifts"]]
        first, end = min(days) + NEAR[0], max(days) + NEAR[1]
        near = [n for n, mark in enumerate(marks) if first <= date.fromisoformat(mark["day"]) <= end]
        causes = {marks[n]["group"] for n in near} | {told[n]["group"] for n in event["shifts"]} & {DATA}
        event.update(marks=near, first=next((group for group in GROUPS if group in causes), ""))
    return events[::-1]
