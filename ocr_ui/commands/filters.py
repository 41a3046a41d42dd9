"""Filters on the command line: `--filter name=value`, as often as one likes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from ocr_ui.errors import BadInput


def add_filter(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--filter",
        action="append",
        default=[],
        metavar="k=v",
        help="only such items: template, engine, model, revision, verdict, state, error_kind, tag, reviewer, "
        "reader, item, job, since, until, text, review (none, one, agreed, disputed, resolved), script, confidence "
        "(below it), agreement or mark (of its rollout: informative, all_right, ...); the same name again is an "
        "alternative",
    )


def read_given(written: Sequence[str]) -> dict[str, Any]:
    """Filters as `ocr_ui.services.dataset.read_filters` takes them. Raises BadInput (`bad_filter_value`)."""
    from ocr_ui.services.dataset import SINGLE

    values: dict[str, Any] = {}
    for one in written:
        name, equals, value = one.partition("=")
        if not equals:
            told = {"name": one[:80], "value": "", "allowed": "name=value"}
            raise BadInput("bad_filter_value", f"The filter {one[:80]!r} has no value.", "Write name=value.", **told)
        if name in SINGLE:
            values[name] = value
        else:
            values.setdefault(name, []).append(value)
    return values
