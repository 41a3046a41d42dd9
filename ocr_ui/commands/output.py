"""What commands write: the result on standard output, and files."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ocr_ui.errors import BadInput


def print_json(value: Any) -> None:
    # Escaped lone surrogates are the one thing that UTF-8 cannot carry as they are.
    print_text(json.dumps(value, ensure_ascii=False).encode("utf-8", errors="backslashreplace").decode())


def print_text(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8", errors="replace") + b"\n")
        sys.stdout.buffer.flush()
    except OSError as error:
        # What is still in the buffer goes nowhere: Python would complain of it once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise BadInput(
            "unwritable_file",
            f"Cannot write to standard output: {error.strerror}.",
            "Choose a place that can be written.",
        ) from error


def write_file(path: Path, text: str) -> None:
    """Raises BadInput (`unwritable_file`)."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise BadInput(
            "unwritable_file", f"Cannot write {path}: {error.strerror}.", "Choose a place that can be written."
        ) from error
