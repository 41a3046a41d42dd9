"""`python -m ocr_ui doctor`: what limits the speed, what is here, what is set, and what is broken."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ocr_ui.commands.output import print_json, print_text
from ocr_ui.domain.counted import counted
from ocr_ui.settings import Settings

if TYPE_CHECKING:
    from ocr_ui.services.doctor import Check

BROKEN = 3
SECONDS = 5.0
LOCAL = ("127.0.0.1", "0.0.0.0", "::", "")  # noqa: S104 - addresses that a server may listen on
SHOWN = 12
"""Characters of a hash that are enough to tell one from another."""


def add_doctor(commands: Any) -> None:
    command = commands.add_parser(
        "doctor",
        help="say what limits the speed, and what on this machine is broken",
        description="Asks the running service, where it answers, what limits the speed now; without URL that of this "
        "machine, which is looked over as well: data folder, disk, database, port, card, engines, clock. Changes "
        "nothing. Exit code: 0 nothing is broken, 1 the URL is no such service, 3 something is broken.",
    )
    command.add_argument("url", nargs="?", default="", metavar="URL", help="of a service; without it, of this machine")
    command.add_argument("--key", default="", metavar="KEY", help="an API key of a reviewer; - reads it from stdin")
    command.add_argument("--json", action="store_true", help="one JSON object instead of the text")
    command.set_defaults(run=doctor)


def doctor(arguments: argparse.Namespace, settings: Settings) -> int:
    from ocr_ui.services.conditions import conditions
    from ocr_ui.services.doctor import changed_settings, checks, python_says, weights_of

    key = sys.stdin.readline().strip() if arguments.key == "-" else arguments.key
    # The certificate of one's own service may be for another name than this machine's own.
    service = _service(arguments.url or _own_address(settings), key, known=not arguments.url)
    if arguments.url and service is None:
        sys.stderr.write(f"{arguments.url} is not a service that can be asked.\n")
        return 1
    found: list[Check] = _of_service(service) if service else []
    told: dict[str, Any] = {"service": service}
    if not arguments.url:
        found += checks(settings, running=service is not None)
        told |= {
            "machine": conditions(settings),
            "python": python_says(),
            "weights": weights_of(settings),
            "settings": changed_settings(settings),
        }
    told["checks"] = [asdict(one) for one in found]
    if arguments.json:
        print_json(told)
    else:
        print_text("\n".join(_lines(told)))
    return BROKEN if any(one.verdict == "broken" for one in found) else 0


def _own_address(settings: Settings) -> str:
    host = "127.0.0.1" if settings.host in LOCAL else settings.host
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.port}"


def _service(url: str, key: str, known: bool) -> dict[str, Any] | None:
    """How a running service is; None where none answers. `monitor` is absent where it may not be seen.

    Args:
        known: it is this machine's own: its certificate is taken as it is.
    """
    import httpx

    from ocr_ui.client import with_scheme

    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with httpx.Client(base_url=with_scheme(url), headers=headers, timeout=SECONDS, verify=not known) as client:
            ready = client.get("/readyz")
            body = ready.json()
            monitor = client.get("/v1/monitor")
            told = {"url": url, "ready": ready.status_code == 200, **{"store": "", **body}}
            if monitor.status_code == 200:
                return {**told, "monitor": monitor.json()}
            return {**told, "refused": monitor.json()["error"]["message"]}
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, KeyError, TypeError):
        return None


def _of_service(service: Mapping[str, Any]) -> list[Check]:
    from ocr_ui.services.doctor import Check, Verdict

    state = Verdict.FINE if service["ready"] else Verdict.BROKEN
    says = f"{service['url']} is {service['state']}."
    found = [Check("service", state, f"{says} {service['store']}".strip())]
    for engine in service.get("engines", ()):
        if engine["message"]:
            verdict = Verdict.BROKEN if engine["state"] == "dead" else Verdict.ODD
            found.append(Check(f"engine {engine['name']} as it runs", verdict, engine["message"]))
    return found


def _lines(told: Mapping[str, Any]) -> Iterator[str]:
    yield from _speed(told["service"])
    if "machine" in told:
        yield ""
        yield from _machine(told)
    yield ""
    for one in told["checks"]:
        yield f"{one['verdict'].value:9}{one['name']}: {one['says']}"
        if one["hint"]:
            yield f"{'':9}-> {one['hint']}"


def _speed(service: Mapping[str, Any] | None) -> Iterator[str]:
    if service is None:
        yield "No service answers: nothing is known of its speed."
        return
    monitor = service.get("monitor")
    if monitor is None:
        yield f"{service['url']}: {service['refused']} Give a reviewer's key with --key."
        return
    now, verdict = monitor["now"], monitor["verdict"]
    yield f"{verdict['message']} {verdict['hint']}".strip()
    seconds = now["seconds"] or {}
    latency = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    yield (
        f"  engine {monitor['engine']}: {now['waiting']} waiting, {now['running']} being read, "
        f"{now['pages_per_minute']:.1f} pages a minute{', ' if latency else ''}{latency}"
    )
    for one in monitor["findings"]:
        yield f"  {one['name']}: {one['measure'] or 'not known here'} ({one['state']})"
    for one in monitor["errors"]:
        yield f"  {counted(one['count'], 'error')} {one['code']} ({one['where']}) in 20 minutes"


def _machine(told: Mapping[str, Any]) -> Iterator[str]:
    machine = told["machine"]
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items())
    yield f"program {machine['program']}, Python {told['python']}, {machine['system']}"
    yield f"packages: {packages}"
    for card in machine["cards"]:
        yield f"card: {card['name']}, driver {card['driver']}"
    for engine, files in told["weights"].items():
        for name, sha256 in files.items():
            yield f"weights of {engine}: {name} {sha256[:SHOWN]}"
    if not told["weights"]:
        yield "weights: none here"
    for name, value in told["settings"].items():
        yield f"setting: {name}={value}"
    if not told["settings"]:
        yield "settings: all as they come"
