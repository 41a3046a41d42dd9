"""Runs the fuzz targets, one after the other: `python fuzz/run.py [parsing|images ...] --seconds 600`.

Seeds are the cases of the tests and fuzz/found-<target>.txt, what earlier runs found worth keeping (one input a line,
base64). What a run finds new stays in fuzz/corpus/<target>/; `--pack` writes it to the file, to be committed. An input
that breaks the product is written to fuzz/crashes/<target>-... and the exit code is not 0: turn it into a test.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
CASES = HERE.parent / "tests" / "cases"
TARGETS = ("parsing", "images")
TASKS = [
    "spotting",
    "text",
    "fields",
    "translate",
    "qa",
    "document",
    "table",
    "formula",
    "chart",
    "layout",
    "subtitles",
]
TURN_SECONDS = 120
MOST_PACKED = 200
MOST_BYTES = {"parsing": 4000, "images": 20_000}


def seeds(target: str) -> list[bytes]:
    """Inputs to start from, small enough to be changed a lot."""
    if target == "images":
        found = [path.read_bytes() for path in sorted((CASES / "upload" / "files").iterdir())]
    else:
        found = [seed for path in sorted((CASES / "parsing").glob("*.json")) for seed in answers(path)]
    kept = HERE / f"found-{target}.txt"
    found += [base64.b64decode(line) for line in kept.read_text().split()] if kept.exists() else []
    return [seed for seed in found if len(seed) <= MOST_BYTES[target]]


def pack(target: str) -> None:
    """Keeps what the corpus has beyond the cases, small inputs only."""
    inputs = {path.read_bytes() for path in (HERE / "corpus" / target).glob("[0-9a-f]*")}
    lines = sorted(base64.b64encode(data).decode() for data in inputs if 0 < len(data) <= MOST_PACKED)
    (HERE / f"found-{target}.txt").write_text("\n".join(lines) + "\n")


def answers(path: Path) -> list[bytes]:
    given = json.loads(path.read_text(encoding="utf-8"))["input"]
    task = {"markdown": "document"}.get(given["task"], given["task"])
    texts = given.get("raws") or ([given["raw"]] if "raw" in given else [])
    return [bytes((TASKS.index(task), 7)) + text.encode("utf-8", "surrogateescape") for text in texts]


def run(target: str, seconds: int, seed: int) -> int:
    """One process after another: decoders keep memory of damaged files, which would end a long run."""
    until = time.monotonic() + seconds
    while (left := int(until - time.monotonic())) > 0:
        if code := one_turn(target, min(TURN_SECONDS, left), seed):
            return code
    return 0


def one_turn(target: str, seconds: int, seed: int) -> int:
    corpus, crashes = HERE / "corpus" / target, HERE / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    for start in seeds(target):
        (corpus / f"seed-{hashlib.sha256(start).hexdigest()[:16]}").write_bytes(start)
    command = [
        *(sys.executable, str(HERE / f"fuzz_{target}.py"), str(corpus), f"-max_total_time={seconds}"),
        *(
            f"-max_len={MOST_BYTES[target]}",
            f"-artifact_prefix={crashes / target}-",
            "-rss_limit_mb=3000",
            "-timeout=20",
            f"-seed={seed}",
        ),
        *((f"-dict={HERE / 'parsing.dict'}",) if target == "parsing" else ()),
    ]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="target", help=f"{' or '.join(TARGETS)}; all without one")
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    parser.add_argument("--seed", type=int, default=0, help="the same one tries the same; 0 something new each time")
    parser.add_argument("--pack", action="store_true", help="write what was found to fuzz/found-<target>.txt, and end")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    options.targets = options.targets or list(TARGETS)
    if options.pack:
        for target in options.targets:
            pack(target)
        return 0
    share = max(1, options.seconds // len(options.targets))
    return max(abs(run(target, share, options.seed)) for target in options.targets)


if __name__ == "__main__":
    raise SystemExit(main())
