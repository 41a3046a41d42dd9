"""The dashboard and the alerts speak of figures that the product exports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from fakes import ScriptedEngine
from fastapi.testclient import TestClient
from live import rest_app
from prometheus_client.metrics import Counter, Histogram, MetricWrapperBase

from ocr_ui import metrics
from ocr_ui.services.engines import Engines
from ocr_ui.settings import Settings

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "operations"
DASHBOARD = json.loads((FOLDER / "grafana.json").read_text(encoding="utf-8"))
RULES = [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]
SELECTOR = re.compile(r"\b((?:ocr_ui|process)_\w+)(?:\{([^}]*)\})?")
ADDED = {"instance"}
"""Labels that Prometheus adds."""


def exported() -> dict[str, set[str]]:
    """The labels of every series, by its name."""
    found = {}
    for metric in vars(metrics).values():
        if isinstance(metric, MetricWrapperBase):
            suffixes = ["_total"] if isinstance(metric, Counter) else [""]
            more = {"le"} if isinstance(metric, Histogram) else set()
            for suffix in ["_bucket", "_sum", "_count"] if more else suffixes:
                found[metric._name + suffix] = {*metric._labelnames, *more}
    for one in metrics.LOOKED.values():
        found[one.name + ("_total" if one.counts else "")] = set(one.labels)
    return found


def panels() -> list[dict[str, Any]]:
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


QUERIES = [target["expr"] for panel in panels() for target in panel["targets"]] + [rule["expr"] for rule in RULES]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), allowed_hosts="testserver", turn_pages=False)
    with TestClient(rest_app(settings, Engines({"scripted": ScriptedEngine([])}))) as client:
        return client.get("/metrics").text


@pytest.mark.parametrize("query", QUERIES)
def test_every_figure_of_a_query_is_exported_with_its_labels(query: str, text: str) -> None:
    known = exported()
    used = SELECTOR.findall(query)
    assert used
    for name, selector in used:
        family = re.sub(r"_(total|bucket|sum|count)$", "", name)
        assert f"# TYPE {family} " in text or f"# TYPE {family}_total " in text, name
        if name.startswith("process_"):
            continue
        labels = known[name] | ADDED
        asked = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector or ""))
        assert asked <= labels, name
    grouped = {one.strip() for part in re.findall(r"(?:by|on) \(([^)]*)\)", query) for one in part.split(",")}
    assert grouped <= ADDED.union(*(known.get(name, set()) for name, _ in used))


def test_every_figure_stands_on_the_dashboard() -> None:
    shown = {re.sub(r"_(bucket|sum|count)$", "", name) for query in QUERIES for name, _ in SELECTOR.findall(query)}
    assert {re.sub(r"_(bucket|sum|count)$", "", name) for name in exported()} - shown == set()


def test_legends_name_labels_that_their_queries_keep() -> None:
    for panel in panels():
        for target in panel["targets"]:
            kept = {"card", "name", "instance"}.union(
                *(re.split(r",\s*", part) for part in re.findall(r"by \(([^)]*)\)", target["expr"]))
            )
            assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept, panel["title"]


def test_each_alert_says_what_it_is_about() -> None:
    about = ("gpu", "memory", "queue", "quantile", "errors", "drafts_rejected", "preemptions")
    text = " ".join(f"{rule['alert'].lower()} {rule['expr']}" for rule in RULES)
    assert [word for word in about if word not in text] == []
    for rule in RULES:
        assert rule["for"]
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"]["summary"]
    written = (FOLDER.parent / "operations.md").read_text(encoding="utf-8")
    assert [rule["alert"] for rule in RULES if rule["alert"] not in written] == []


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool")
def test_prometheus_itself_takes_the_alerts() -> None:
    checked = subprocess.run(["promtool", "check", "rules", FOLDER / "alerts.yml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr
