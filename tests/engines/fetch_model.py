"""Finds the model that the environment names, as the product does, in a process of its own; says as JSON what came."""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from ocr_ui.engines.base import Phase, Share
from ocr_ui.errors import EngineDead
from ocr_ui.settings import Settings


def main() -> int:
    # The hub's client takes its settings from the environment when it is imported.
    from ocr_ui.engines.vllm_model import find_model

    told: list[Any] = []

    def tell(phase: Phase, share: Share | None) -> None:
        told.append([phase.value, share and share.done, share and share.total])
        print(f"{phase.value} {share and share.done}", file=sys.stderr, flush=True)

    try:
        found = find_model(Settings(_env_file=None), tell, threading.Event())
        print(json.dumps({"folder": str(found.folder), "commit": found.commit, "told": told}))
    except EngineDead as error:
        print(json.dumps({"code": error.code, "said": str(error), "details": error.details, "told": told}))
    return 0
