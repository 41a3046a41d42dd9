"""Any reward function in verl's form, run as it is: in a process of its own, within a time limit, its failures told.

The process stays for the next answer, as it would in a trainer, since a function may take long to load. It ends with
whatever it started when a call takes too long, and is made anew for the next.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

from ocr_ui.domain.reward import Reward
from ocr_ui.errors import BadInput
from ocr_ui.scoring import versions

CHILD = Path(__file__).with_name("reward_child.py")
START_SECONDS = 120.0
"""Loading a function may take long: kits import their libraries first."""
SHOWN = 600
"""Characters of what a function printed that are shown where it fails."""

_LONGEST_ANSWER = 100_000
_PIECES = 50
"""Of at most 4 KiB, of what it printed: so many are kept, and more than a pipe holds."""
_OUR_KEYS = ("OCR_UI_API_KEY", "OCR_UI_JUDGE_KEY")


class RewardFile:
    """One function of a file, asked again and again. Safe for threads; one call at a time.

    Args:
        where: ``path.py:function``; without a function ``compute_score``.
        seconds: longest time of a call.

    Raises:
        BadInput: `reward_file_missing`.
    """

    def __init__(self, where: str, seconds: float) -> None:
        path, self.function = split(where)
        if not path.is_file():
            raise BadInput(
                "reward_file_missing",
                f"There is no file {path} with a reward function.",
                "Name it as path.py:compute_score.",
                file=str(path),
            )
        self.path, self._seconds = path.resolve(), seconds
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self.version = ""
        """Checksum of the file whose code answered last."""

    @property
    def name(self) -> str:
        return f"{self.path.name}:{self.function}"

    def score(self, task: str, response: str, reference: str, extra: dict[str, Any] | None = None) -> Reward:
        """Never raises: what the function does wrong is the reason of a reward without a value."""
        question = {
            "data_source": task,
            "solution_str": response,
            "ground_truth": reference,
            "extra_info": {"task_type": task, "question": "", "img_path": [], **(extra or {})},
        }
        with self._lock:
            try:
                child = self._started()
                return self._told(child, child.ask(question, self._seconds))
            except _Failed as failure:
                return self._failed(failure)

    def close(self) -> None:
        """Ends the process; a call that is under way is told that it ended."""
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            self._end()

    def _started(self) -> _Child:
        """The process; a new one where the file has changed since it was loaded."""
        version = versions.of_file(self.path)
        if version != self.version:
            self._end()
        if self._child is None:
            self.version = version
            self._child = _Child(self.path, self.function)
            self._child.wait_until_ready()
        return self._child

    def _told(self, child: _Child, answer: dict[str, Any]) -> Reward:
        if "error" in answer:
            return self._reward(
                None, "reward_file_failed", f"failed: {answer['error']}{shown(child.printed())}", reason=answer["error"]
            )
        value, said = answer["reward"], answer["said"]
        spoken = f" It says: {said}" if said else ""
        if value is None:
            return self._reward(None, "reward_file_none", f"gave no value.{spoken}", said=said)
        return self._reward(value, "reward_file", f"gave {value:g}.{spoken}", value=value, said=said)

    def _failed(self, failure: _Failed) -> Reward:
        printed = self._child.printed() if self._child else ""
        self._end()
        details = {"seconds": self._seconds, "reason": failure.reason, "printed": printed[-SHOWN:]}
        return self._reward(None, failure.code, f"{failure.reason}{shown(printed)}", **details)

    def _reward(self, value: float | None, code: str, reason: str, /, **details: Any) -> Reward:
        return Reward(self.name, value, f"{self.name} {reason}", code, {"file": self.name, **details})

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None


def split(where: str) -> tuple[Path, str]:
    """Path and function of ``path.py:function``."""
    path, colon, function = where.rpartition(":")
    if colon and function.isidentifier():
        return Path(path), function
    return Path(where), "compute_score"


def shown(printed: str) -> str:
    return f" It printed: {printed[-SHOWN:]}" if printed else ""


class _Failed(Exception):
    """Told as a reward without a value, never raised further."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class _Child:
    """The process, its questions, its answers, and the last of what it printed."""

    def __init__(self, path: Path, function: str) -> None:
        self._answers, theirs = os.pipe()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter; the file is what we are asked to run
                [sys.executable, str(CHILD), str(path), function, str(theirs)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs],
                cwd=path.parent,
                env={name: value for name, value in os.environ.items() if name not in _OUR_KEYS},
                start_new_session=True,
            )
        finally:
            os.close(theirs)
        self._unread = b""
        self._printed: deque[str] = deque(maxlen=_PIECES)
        self._taking = threading.Lock()
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def wait_until_ready(self) -> None:
        answer = self._receive(START_SECONDS)
        if "error" in answer:
            raise _Failed("reward_file_not_loaded", f"cannot be loaded: {answer['error']}.")

    def ask(self, question: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Raises _Failed: it took too long, ended, or answered nonsense."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - opened above
        self._printed.clear()
        sender = threading.Thread(target=_send, args=(stdin, json.dumps(question).encode() + b"\n"), daemon=True)
        sender.start()  # a function that never reads must not hold us up
        return self._receive(seconds)

    def printed(self) -> str:
        """The last of what it printed until now, also what nobody has taken yet."""
        with suppress(OSError, ValueError):
            for _ in range(_PIECES):
                if not (self._can_take(0) and self._take()):
                    break
        with self._taking:
            return "".join(self._printed).strip()

    def kill(self) -> None:
        """With all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def end(self) -> None:
        self.kill()
        self._process.wait()
        os.close(self._answers)
        with self._taking:  # its number may be another's at once, whose print would be taken
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError, ValueError):
                    stream.close()  # type: ignore[union-attr]

    def _receive(self, seconds: float) -> dict[str, Any]:
        until = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                raise _Failed("reward_file_timeout", f"took longer than {seconds:g} seconds and was ended.")
            data = os.read(self._answers, 65_536)
            if not data:
                raise _Failed("reward_file_ended", f"ended its process{self._exit()}.")
            self._unread += data
            if len(self._unread) > _LONGEST_ANSWER:
                raise _Failed("reward_file_ended", "wrote into what is ours.")
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            return dict(json.loads(line))
        except (ValueError, TypeError) as error:
            raise _Failed("reward_file_ended", "wrote into what is ours.") from error

    def _exit(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(5)
            return f" (exit code {code})" if code >= 0 else f" (signal {-code})"
        return ""

    def _drain(self) -> None:
        with suppress(OSError, ValueError):
            while self._can_take(None) and self._take():
                pass

    def _can_take(self, seconds: float | None) -> bool:
        return bool(select.select([self._process.stdout], [], [], seconds)[0])

    def _take(self) -> bool:
        """Takes a piece of what it printed, if one is there still; False at the end."""
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - opened above
        with self._taking:
            if self._can_take(0):
                data = os.read(stdout.fileno(), 4096)
                self._printed.append(data.decode("utf-8", errors="replace"))
                return bool(data)
        return True


def _send(stdin: Any, data: bytes) -> None:
    with suppress(OSError, ValueError):
        stdin.write(data)
        stdin.flush()
