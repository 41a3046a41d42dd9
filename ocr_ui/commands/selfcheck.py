"""`python -m ocr_ui selfcheck URL`: does a running service read what it must, and refuse what it must?"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocr_ui.commands.output import print_json, print_text
from ocr_ui.settings import Settings

if TYPE_CHECKING:
    from ocr_ui.client import Client
    from ocr_ui.services.selfcheck import Check

RIGHT, WRONG, NOT_POSSIBLE = "right", "wrong", "not possible"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Attributes:
    verdict: right, wrong, or not possible on this engine.
    reason: in words.
    seconds: until the answer was there.
    """

    name: str
    verdict: str
    reason: str
    seconds: float = 0.0


def add_selfcheck(commands: Any) -> None:
    command = commands.add_parser(
        "selfcheck",
        help="try a running service with known pages and bad files",
        description="Sends five pages whose text is known and five inputs that must be refused to a running service, "
        "and says of each whether the answer was right. The pages stand in its dataset afterwards, under the name "
        "selfcheck. Exit code: 0 nothing was wrong, 1 there is no service, 3 something was wrong.",
    )
    command.add_argument("url", metavar="URL", help="of the service, such as http://localhost:7860")
    command.add_argument("--key", default="", metavar="KEY", help="an API key; - reads it from standard input")
    command.add_argument("--engine", default="", metavar="NAME", help="an engine of the service; its default without")
    command.add_argument("--seconds", type=float, default=120.0, metavar="S", help="longest wait for one answer (120)")
    command.add_argument("--examples", type=Path, metavar="DIR", help="where the product's example pictures are")
    command.add_argument("--json", action="store_true", help="one JSON object instead of the table")
    command.set_defaults(run=selfcheck)


def selfcheck(arguments: argparse.Namespace, settings: Settings) -> int:
    import httpx

    from ocr_ui.client import Client, Refused
    from ocr_ui.services.selfcheck import checks

    asked = checks(arguments.examples or settings.examples_dir)
    key = sys.stdin.readline().strip() if arguments.key == "-" else arguments.key
    try:
        with Client(arguments.url, key, timeout=arguments.seconds) as client:
            engine, able = _engine(client, arguments.engine, arguments.seconds)
            verdicts = [_verdict(client, check, engine, able) for check in asked]
    except (httpx.TransportError, httpx.InvalidURL, httpx.UnsupportedProtocol, Refused, _NotOurs) as error:
        sys.stderr.write(f"{arguments.url} is not a service that can be checked: {error}\n")
        return 1
    _print(arguments.url, engine, verdicts, arguments.json)
    return 3 if any(one.verdict == WRONG for one in verdicts) else 0


class _NotOurs(Exception):
    """What answers there is another program."""


def _engine(client: Client, asked: str, seconds: float) -> tuple[str, Mapping[str, list[str]]]:
    """The engine that is checked, once it is loaded or `seconds` are over, and by each template's name the engines that
    can do it."""
    end = time.monotonic() + seconds
    try:
        while True:
            states = {one["name"]: one["state"] for one in client.engines()}
            engine = asked or next(iter(states), "")
            if states.get(engine) != "loading" or time.monotonic() > end:
                break
            time.sleep(0.5)
        able = {one["name"]: one["engines"] for one in client.templates()}
    except (ValueError, LookupError, TypeError) as error:
        raise _NotOurs("it does not answer as the OCR Workbench does") from error
    if engine not in states:
        raise _NotOurs(f"it has no engine {engine!r}; there are: {', '.join(states) or 'none'}")
    return engine, able


def _verdict(client: Client, check: Check, engine: str, able: Mapping[str, list[str]]) -> Verdict:
    if check.task is not None and engine not in able.get(check.template, []):
        return Verdict(check.name, NOT_POSSIBLE, f"{engine} cannot do {check.template}")
    begun = time.perf_counter()
    right, reason = _tried(check, lambda: client.read(check.file, check.template, engine=engine, person="selfcheck"))
    return Verdict(check.name, RIGHT if right else WRONG, reason, round(time.perf_counter() - begun, 3))


def _tried(check: Check, read: Callable[[], dict[str, Any]]) -> tuple[bool, str]:
    import httpx

    from ocr_ui.client import Refused

    try:
        return check.judged(read())
    except Refused as error:
        right, reason = check.refused(error.status, error.code)
        return right, reason if right else f"{reason}: {error}"
    except httpx.TransportError as error:
        return False, f"no answer: {type(error).__name__} {error}".strip()
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        return False, f"the answer has another form than docs/rest.md says: {type(error).__name__}"


def _print(url: str, engine: str, verdicts: list[Verdict], as_json: bool) -> None:
    counts = Counter(one.verdict for one in verdicts)
    if as_json:
        told = {name.replace(" ", "_"): counts[name] for name in (RIGHT, WRONG, NOT_POSSIBLE)}
        print_json({"url": url, "engine": engine, **told, "checks": [asdict(one) for one in verdicts]})
        return
    wide = max(len(one.name) for one in verdicts)
    for one in verdicts:
        print_text(f"{one.name:{wide}}  {one.verdict:12}  {one.seconds:7.2f} s  {one.reason}")
    print_text(f"{engine}: {', '.join(f'{counts[name]} {name}' for name in (RIGHT, WRONG, NOT_POSSIBLE))}")
