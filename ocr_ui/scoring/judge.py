"""Translations and answers to questions, scored by a judge model on any OpenAI-compatible server.

Off unless an address is set. What the judge is asked stands in `prompts/judge/`, a file for each task.
"""

from __future__ import annotations

import http.client
import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ocr_ui.domain.reward import Reward, RewardTask
from ocr_ui.errors import BadInput
from ocr_ui.settings import Settings, is_address

BEST = {RewardTask.TRANSLATION: 5.0, RewardTask.VQA: 1.0}
"""Highest score that a judge may give; the lowest is 0."""

TRIES = 2
LONGEST_REPLY = 1_000_000

_BLANK = re.compile(r"\{\{(question|reference|response)\}\}")
_OBJECT = re.compile(r"\{[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Judge:
    """One server and model.

    Attributes:
        url: address that ends in ``/v1``.
        seconds: longest wait for one answer.
        prompts: folder with a file for each task.
    """

    url: str
    model: str
    prompts: Path
    key: str = field(default="", repr=False)
    seconds: float = 60.0

    @classmethod
    def from_settings(cls, settings: Settings) -> Judge | None:
        """None where no address is set. Raises BadInput (`bad_judge_url`)."""
        url = settings.judge_url.strip().rstrip("/")
        if not url:
            return None
        if not is_address(url):
            raise BadInput(
                "bad_judge_url",
                f"{url!r} is no address of a server.",
                "Set OCR_UI_JUDGE_URL to http://HOST/v1.",
                url=url,
            )
        key = settings.judge_key.get_secret_value()
        return cls(url, settings.judge_model, settings.prompts_dir / "judge", key, settings.judge_seconds)

    def score(self, task: RewardTask, response: str, reference: str, question: str = "") -> Reward:
        """What the judge thinks, 0..1. A server that fails gives no value and says why.

        Raises:
            BadInput: `no_judge_prompt`.
        """
        asked = self._prompt(task, {"response": response, "reference": reference, "question": question})
        reason = ""
        for _ in range(TRIES):
            try:
                reply = self._ask(asked)
            except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
                reason = _why(error)
                continue
            found = verdict(reply, BEST[task])
            if found is not None:
                return _told(task, *found)
            reason = f"no score in its answer: {reply.strip()[:200]!r}"
        return Reward("judge", None, f"The judge gave no score: {reason}.", "judge_failed", {"reason": reason})

    def _prompt(self, task: RewardTask, values: dict[str, str]) -> str:
        file = self.prompts / f"{task.value}.md"
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(
                "no_judge_prompt", f"Cannot read {file}: {error}.", "Put the file back.", file=str(file)
            ) from error
        return _BLANK.sub(lambda blank: values[blank[1]], text)

    def _ask(self, asked: str) -> str:
        body = {
            "model": self.model,
            "messages": [{"role": "user", "content": asked}],
            "temperature": 0,
            "max_tokens": 2048,
        }
        head = {"Content-Type": "application/json", **({"Authorization": f"Bearer {self.key}"} if self.key else {})}
        request = urllib.request.Request(  # noqa: S310 - the scheme was checked
            f"{self.url}/chat/completions", json.dumps(body).encode(), head
        )
        with urllib.request.urlopen(request, timeout=self.seconds) as answer:  # noqa: S310
            said: Any = json.loads(answer.read(LONGEST_REPLY))
        return str(said["choices"][0]["message"]["content"] or "")


def verdict(reply: str, best: float) -> tuple[float, str] | None:
    """Score and reason of the last JSON object with a score within 0 and `best`; None where there is none."""
    for found in reversed(_OBJECT.findall(reply)):
        try:
            value = json.loads(found)
            number = float(value["score"])
        except (ValueError, LookupError, TypeError):
            continue
        if 0 <= number <= best:
            return number, str(value.get("reason", ""))
    return None


def stretched(score: float) -> float:
    """A translation's 0..5 as 0..1, in three straight pieces: most of the range is given to scores from 2 to 4."""
    if score <= 2:
        return score * 0.1
    return 0.2 + (score - 2) * 0.3 if score <= 4 else 0.8 + (score - 4) * 0.2


def _told(task: RewardTask, number: float, said: str) -> Reward:
    value = stretched(number) if task is RewardTask.TRANSLATION else float(number >= 0.5)
    reason = f"The judge gave {number:g} of {BEST[task]:g}. {said}".strip()
    return Reward("judge", value, reason, "judged", {"score": number, "best": BEST[task], "said": said})


def _why(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        return f"the server answered {error.code} {error.reason}"
    if isinstance(error, OSError):
        return str(getattr(error, "reason", None) or error)
    return f"the server's answer is not that of a chat ({type(error).__name__})"
