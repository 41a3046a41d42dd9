"""`python -m ocr_ui calibrate`: how far the confidences of a template can be trusted, from corrected pages."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from ocr_ui.commands.output import print_json
from ocr_ui.settings import Settings


def add_calibrate(commands: Any) -> None:
    command = commands.add_parser(
        "calibrate",
        help="from which confidence on lines, cells and fields need not be looked at",
        description="Works out from pages that people corrected or judged right how often what has a confidence is "
        "right, and the threshold that misses no more of the mistakes than is allowed.",
    )
    command.add_argument("--template", required=True, metavar="NAME", help="the template whose pages are looked at")
    command.add_argument(
        "--miss-rate", type=float, default=0.05, metavar="SHARE", help="of the mistakes that may be missed (0.05)"
    )
    command.add_argument("--list", action="store_true", help="measure nothing: what was measured, and what is stale")
    command.add_argument("--person", default="", metavar="NAME", help="who measures")
    command.set_defaults(run=calibrate)


def calibrate(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.calibrate import Calibrator
    from ocr_ui.services.thresholds import Thresholds
    from ocr_ui.storage.store import Store

    with Store.open(settings) as store:
        calibrator = Calibrator(store, Thresholds(store, settings))
        if arguments.list:
            found = asyncio.run(calibrator.list(arguments.template))
        else:
            found = asyncio.run(calibrator.measure(arguments.template, arguments.miss_rate, arguments.person))
    print_json({"thresholds": [one.to_dict() for one in found]})
    return 0
