"""OpenAI's own client against the product, which runs the tiny model on the real vLLM."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from live import live, until

from app import create_app
from tests.vllm_cpu.tiny_engine import BOOK, CARDS, LONG, png_of, tiny_settings

pytestmark = pytest.mark.vllm
NAME = "news/translate"


@pytest.fixture(scope="module")
def url(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = tiny_settings(tiny_model, data_dir=tmp_path_factory.mktemp("chat") / "data", engine="vllm")
    with live(create_app(settings)) as url:
        until(lambda: httpx.get(f"{url}/readyz", timeout=60).status_code == 200, 600)
        yield url


def ask(url: str, name: str, **more: Any) -> Any:
    client = openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
    entry = BOOK[name]
    image = "data:image/png;base64," + base64.b64encode(png_of(entry.image)).decode()
    parts = [{"type": "image_url", "image_url": {"url": image}}, {"type": "text", "text": entry.prompt}]
    messages = [{"role": "system", "content": ""}, {"role": "user", "content": parts}]
    return client.chat.completions.create(model="vllm", messages=messages, temperature=0, **more)


def test_the_answer_is_the_model_s(url: str) -> None:
    whole = ask(url, NAME)
    assert whole.choices[0].message.content == BOOK[NAME].answer
    assert whole.choices[0].finish_reason == "stop"
    assert "".join(c.choices[0].delta.content or "" for c in ask(url, NAME, stream=True)) == BOOK[NAME].answer


def test_a_limit_cuts_it_and_tokens_have_probabilities(url: str) -> None:
    choice = ask(url, LONG, max_tokens=5, logprobs=True).choices[0]
    assert choice.finish_reason == "length"
    assert len(choice.logprobs.content) == 5
    assert "".join(one.token for one in choice.logprobs.content) == choice.message.content


def test_the_same_over_our_own_route(url: str) -> None:
    entry = BOOK[CARDS[0]]
    form = {"template": "full_text_plain", "options": json.dumps({"prompt": entry.prompt})}
    value = httpx.post(f"{url}/v1/ocr", files={"file": ("a.png", png_of(entry.image))}, data=form, timeout=60).json()
    assert value["text"] == entry.answer
    assert value["tokens"] > 0
