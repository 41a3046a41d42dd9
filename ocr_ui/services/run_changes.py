"""What is different between two runs of the log besides their results, in the order in which one would look for a
cause: what was asked, with which settings, of which model, by which software, on which machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SAME_MACHINE = ("processor", "memory_bytes", "system", "python", "program")


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[dict[str, str]]:
    """Each difference of two of `told_setup`: `what` it is, and how it was `before` and is `now`, "" for absent."""
    names = dict.fromkeys((*now, *before))
    found = ({"what": name, "before": before.get(name, ""), "now": now.get(name, "")} for name in names)
    return [one for one in found if one["before"] != one["now"]]


def told_setup(
    competitor: Mapping[str, Any], config: Mapping[str, Any], conditions: Mapping[str, Any]
) -> dict[str, str]:
    """All that a competitor's result depends on, each by a name with dots.

    Args:
        competitor: template_version, sampling, engine and engine_name as a run's configuration has them.
        config: of the run. conditions: of its result, empty where it has none.
    """
    name = competitor.get("engine_name", "")
    own = {**conditions.get("engines", {}).get(name, {}), **config.get("settings", {}).get(name, {})}
    engine = competitor.get("engine", {})
    told: dict[str, Any] = {
        "template": competitor.get("template_version", ""),
        **_named("sampling", competitor.get("sampling", {})),
        **_named("normalization", config.get("normalization", {})),
        "at_once": config.get("at_once", ""),
        **_named("settings", {**conditions.get("settings", {}), **own}),
        **_named("engine", {name: engine.get(name, "") for name in ("kind", "model", "revision", "version")}),
        **_named("package", conditions.get("packages", {})),
        "rules": config.get("rules", ""),
        **{name: conditions.get(name, "") for name in _SAME_MACHINE},
        "cards": ", ".join(f"{card['name']} (driver {card['driver']})" for card in conditions.get("cards", ())),
    }
    return {name: str(value) for name, value in told.items() if value not in ("", None)}


def _named(group: str, values: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{group}.{name}": value for name, value in values.items()}
