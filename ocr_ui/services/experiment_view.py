"""Experiments as plain JSON values, for the page and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ocr_ui.domain.experiment import Arm
from ocr_ui.domain.rollout import Choice
from ocr_ui.scoring.contest import FEWEST
from ocr_ui.scoring.shares import Apart, Share
from ocr_ui.services.blind_pairs import blind_lines
from ocr_ui.services.experiment_pairs import ArmPair
from ocr_ui.services.experiments import Result, Shown, Side
from ocr_ui.services.view import page_value


def experiment_value(shown: Shown) -> dict[str, Any]:
    stored = shown.stored
    value = stored.experiment
    return {
        "id": stored.id,
        "name": value.name,
        "created_at": stored.created_at.isoformat(),
        "person": stored.person,
        "ended_at": stored.ended_at and stored.ended_at.isoformat(),
        "ended_by": stored.ended_by,
        "running": stored.ended_at is None,
        "stale": shown.stale,
        "gone": shown.gone,
        "share": value.share,
        "arms": {
            "A": {"template": value.template, "version": value.version, "engine": value.engine},
            "B": {"template": value.other_template, "version": value.other_version, "engine": value.other_engine},
        },
        "fewest": FEWEST,
        "result": shown.result and _result(shown.result),
    }


def _result(result: Result) -> dict[str, Any]:
    blind = result.blind
    return {
        "arms": {arm.value: _side(side) for arm, side in result.sides.items()},
        "wrong": _apart(result.rates),
        "cer": _apart(result.cer),
        "blind": {
            "better": _share(blind.better),
            "worse": blind.better.of - blind.better.count,
            "tie": blind.ties,
            "both_bad": blind.both_bad,
            "people": blind.people,
            "verdict": blind.verdict,
        },
    }


def _side(side: Side) -> dict[str, Any]:
    bounds = side.cer_interval
    return {
        "pictures": side.pictures,
        "judged": side.wrong.of,
        "accepted": side.accepted,
        "wrong": _share(side.wrong),
        "characters": side.characters,
        "cer": side.cer if side.cer is None or bounds is None else [side.cer, *bounds],
    }


def _share(share: Share) -> dict[str, Any]:
    return {**asdict(share), "value": share.value}


def _apart(apart: Apart | None) -> dict[str, Any] | None:
    return None if apart is None else asdict(apart)


def arm_pair_value(pair: ArmPair | None) -> dict[str, Any]:
    """What both readings say, and nothing that tells whose they are: {"pair": {token, picture, left, right, ...}}."""
    if pair is None:
        return {"pair": None}
    picture = page_value(pair.page, 0)
    del picture["id"]
    return {
        "pair": {
            "token": pair.token,
            "picture": picture,
            "left": blind_lines(pair.left),
            "right": blind_lines(pair.right),
            "judged": pair.judged,
            "total": pair.total,
        }
    }


def arm_judged_value(choice: Choice, arms: tuple[Arm, Arm]) -> dict[str, Any]:
    return {"choice": choice.value, "left": arms[0].value, "right": arms[1].value}
