"""The files for containers: what they name exists, and linters have nothing against them. Nothing is built here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from app import GRACE_SECONDS
from ocr_ui.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
GPU: dict[str, Any] = yaml.safe_load((ROOT / "compose.gpu.yaml").read_text(encoding="utf-8"))
KEY = "./deploy/prometheus.key"
"""Made by whoever installs it."""


def test_hadolint_has_nothing_against_the_dockerfile() -> None:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent)) or shutil.which("hadolint")
    if program is None:
        pytest.skip("hadolint is not installed: pip install -r requirements-dev.txt")
    done = subprocess.run([program, "--no-color", ROOT / "Dockerfile"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_targets_and_the_one_that_spaces_build() -> None:
    stages = re.findall(r"^FROM \S+ AS (\w+)$", DOCKERFILE, re.M)
    assert stages == ["base", "gpu", "cpu"]
    assert COMPOSE["services"]["app"]["build"]["target"] == "cpu"
    assert GPU["services"]["app"]["build"]["target"] == "gpu"
    assert DOCKERFILE.count("USER 1000") == 2


def test_every_setting_that_containers_give_exists() -> None:
    given = set(re.findall(r"OCR_UI_([A-Z_]+)=", DOCKERFILE))
    given |= {name.removeprefix("OCR_UI_") for name in COMPOSE["services"]["app"]["environment"]}
    assert {name.lower() for name in given} <= set(Settings.model_fields)
    assert f"EXPOSE {Settings.model_fields['port'].default}" in DOCKERFILE


def test_settings_reach_the_container_but_for_its_own_places() -> None:
    app = COMPOSE["services"]["app"]
    assert app["env_file"] == ".env"
    fixed = dict(re.findall(r"(OCR_UI_[A-Z_]+)=(\S+)", DOCKERFILE))
    assert fixed.items() <= app["environment"].items()
    assert app["environment"]["OCR_UI_PORT"] == str(Settings.model_fields["port"].default)


def test_what_the_program_reads_goes_into_the_image() -> None:
    """The whole folder is left out but for what is named."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    kept = {line[1:].rstrip("/") for line in lines if line.startswith("!")}
    assert lines[1] == "*"
    settings = Settings(_env_file=None)
    needed = {"app.py", "ocr_ui", settings.prompts_dir.name, settings.examples_dir.name}
    copied = {name for line in re.findall(r"^COPY (?!--)(.*) \./$", DOCKERFILE, re.M) for name in line.split()}
    assert needed | copied <= kept
    assert all((ROOT / name).exists() for name in kept)
    assert ".env" not in kept


def test_compose_mounts_what_is_there_and_pins_what_it_fetches() -> None:
    for service in COMPOSE["services"].values():
        assert re.search(r":v?\d|^ocr-workbench:", service["image"])
        for mount in service.get("volumes", ()):
            source = mount.split(":")[0]
            assert source in COMPOSE["volumes"] or source == KEY or (ROOT / source).is_file(), source
    assert KEY.removeprefix(".") in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


def test_a_container_is_given_the_time_that_draining_takes() -> None:
    seconds = int(COMPOSE["services"]["app"]["stop_grace_period"].removesuffix("s"))
    assert seconds > Settings.model_fields["drain_s"].default + GRACE_SECONDS


def test_prometheus_and_grafana_find_each_other() -> None:
    prometheus = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text(encoding="utf-8"))
    mounts = [mount.split(":") for mount in COMPOSE["services"]["prometheus"]["volumes"]]
    places = {target: source for source, target, *_ in mounts}
    folder = "/etc/prometheus"
    assert places[f"{folder}/{prometheus['rule_files'][0]}"] == "./docs/operations/alerts.yml"
    scrape = prometheus["scrape_configs"][0]
    assert places[scrape["authorization"]["credentials_file"]] == KEY
    assert scrape["static_configs"][0]["targets"] == [f"app:{Settings.model_fields['port'].default}"]
    source = yaml.safe_load((ROOT / "deploy/grafana/datasource.yml").read_text(encoding="utf-8"))
    assert source["datasources"][0]["url"] == "http://prometheus:9090"


def test_the_readme_says_to_a_space_what_it_is_and_still_begins_with_its_name() -> None:
    """Keys and values as https://huggingface.co/docs/hub/spaces-config-reference lists them."""
    _, front, text = (ROOT / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(front)
    assert told["title"] == "OCR Workbench"
    assert (told["sdk"], told["app_port"], told["license"]) == (
        "docker",
        Settings.model_fields["port"].default,
        "apache-2.0",
    )
    colours = {"red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray"}
    assert {told["colorFrom"], told["colorTo"]} <= colours
    assert len(told["short_description"]) <= 60
    known = {"title", "emoji", "colorFrom", "colorTo", "sdk", "app_port", "pinned", "license", "short_description"}
    assert set(told) == known
    assert text.lstrip().startswith("# OCR Workbench\n")
