"""Runs the fuzz targets, one after the other: `python fuzz/run.py [parsing|images ...] --seconds 600`.

Seeds come from the cases of the tests. What a run finds new stays in fuzz/corpus/<target>/; an input that breaks the
product is written to fuzz/crashes/<target>-... and the exit code is not 0: turn it into a test.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
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
MOST_BYTES = {"parsing": 4000, "images": 20_000}


def seeds(target: str) -> list[bytes]:
    """Inputs to start from, small enough to be changed a lot."""
    if target == "images":
        found = [path.read_bytes() for path in sorted((CASES / "upload" / "files").iterdir())]
    else:
        found = [seed for path in sorted((CASES / "parsing").glob("*.json")) for seed in answers(path)]
    return [seed for seed in found if len(seed) <= MOST_BYTES[target]]


def answers(path: Path) -> list[bytes]:
    given = json.loads(path.read_text(encoding="utf-8"))["input"]
    task = {"markdown": "document"}.get(given["task"], given["task"])
    texts = given.get("raws") or ([given["raw"]] if "raw" in given else [])
    return [bytes((TASKS.index(task), 7)) + text.encode("utf-8", "surrogateescape") for text in texts]


def run(target: str, seconds: int) -> int:
    corpus, crashes = HERE / "corpus" / target, HERE / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    for seed in seeds(target):
        (corpus / f"seed-{hashlib.sha256(seed).hexdigest()[:16]}").write_bytes(seed)
    command = [
        *(sys.executable, str(HERE / f"fuzz_{target}.py"), str(corpus), f"-max_total_time={seconds}"),
        *(
            f"-max_len={MOST_BYTES[target]}",
            f"-artifact_prefix={crashes / target}-",
            "-rss_limit_mb=3000",
            "-timeout=20",
        ),
        *((f"-dict={HERE / 'parsing.dict'}",) if target == "parsing" else ()),
    ]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), choices=[*TARGETS, []])
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    options = parser.parse_args()
    share = max(1, options.seconds // len(options.targets))
    return max(abs(run(target, share)) for target in options.targets)


if __name__ == "__main__":
    raise SystemExit(main())
