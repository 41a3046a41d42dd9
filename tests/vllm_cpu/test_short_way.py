"""Pictures as bytes and the lean vision tower against what they stand in for."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from ocr_ui.engines import vision_tower, vllm_check
from ocr_ui.engines.picture_bytes import numbers_of, resized, rows_of
from ocr_ui.engines.vision_tower import Tower, Unfit
from ocr_ui.engines.vllm_pictures import Pictures, Sizes, Unlike, as_it_is, by_torch
from ocr_ui.engines.vllm_questions import THREADS, Questions
from ocr_ui.settings import Settings
from tests.vllm_cpu.tiny_engine import tiny_settings

pytestmark = pytest.mark.vllm


# Resizing


@pytest.mark.parametrize("seed", range(60))
def test_a_picture_becomes_what_pillow_makes_of_it(seed: int) -> None:
    noise = np.random.default_rng(seed)
    high, wide, to_high, to_wide = (int(side) for side in noise.integers(1, 160, 4))
    pixels = noise.integers(0, 256, (high, wide, 3), dtype=np.uint8)
    if seed % 3 == 0:
        pixels = (pixels > 127).astype(np.uint8) * 255  # edges overshoot
    whole = Image.fromarray(pixels).resize((to_wide, to_high), Image.Resampling.BICUBIC)
    assert np.array_equal(resized(torch.from_numpy(pixels), to_high, to_wide).numpy(), np.asarray(whole))


def test_a_picture_of_the_right_size_stays_as_it_is() -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (32, 64, 3), dtype=np.uint8)
    assert np.array_equal(resized(torch.from_numpy(pixels), 32, 64).numpy(), pixels)


def test_pictures_that_come_together_are_what_they_are_alone() -> None:
    noise = np.random.default_rng(0)
    pages = [noise.integers(0, 256, (high, wide, 3), dtype=np.uint8) for high, wide in ((32, 48), (50, 20), (16, 16))]
    grids = [(1, 2, 3), (1, 4, 2), (1, 1, 1)]
    table = torch.rand(3, 256)
    together = numbers_of(
        torch.cat([rows_of(page) for page in pages]), [page.shape[:2] for page in pages], grids, table, 16
    )
    alone = [
        numbers_of(rows_of(page), [page.shape[:2]], [grid], table, 16) for page, grid in zip(pages, grids, strict=True)
    ]
    assert torch.equal(together, torch.cat(alone))


def test_each_colour_has_its_own_numbers() -> None:
    pixels = np.zeros((16, 32, 3), np.uint8)
    pixels[3, 17] = (1, 2, 3)
    table = torch.arange(768.0).view(3, 256)
    numbers = numbers_of(rows_of(pixels), [(16, 32)], [(1, 1, 2)], table, 16).view(2, 3, 16, 16)
    assert numbers[1, :, 3, 1].tolist() == [1, 258, 515]
    assert numbers[0].unique().tolist() == [0, 256, 512]


# The sizes at which pictures are read


@pytest.mark.parametrize("seed", range(40))
def test_a_picture_is_read_at_the_size_that_transformers_takes(seed: int) -> None:
    from transformers.models.hunyuan_vl.image_processing_hunyuan_vl import smart_resize

    high, wide = (int(side) for side in np.exp(np.random.default_rng(seed).uniform(3, 8.5, 2)))
    expected = smart_resize(high, wide, factor=32, min_pixels=512 * 512, max_pixels=2048 * 2048)
    assert Sizes(16, 2, 512 * 512, 2048 * 2048).of(high, wide) == expected


# Against vLLM's own preparation


@pytest.fixture(scope="module")
def renderer(tiny_model: Path) -> Any:
    """vLLM's, without an engine."""
    os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
    from vllm import AsyncEngineArgs
    from vllm.renderers import renderer_from_config

    from ocr_ui.engines.vllm_start import engine_arguments

    arguments = engine_arguments(tiny_model, None, tiny_settings(tiny_model))
    return renderer_from_config(AsyncEngineArgs(**arguments).create_engine_config())


@pytest.fixture(scope="module")
def text(renderer: Any) -> str:
    from ocr_ui.engines.asking import messages

    return renderer.get_tokenizer().apply_chat_template(
        messages(vllm_check.PROMPT, {"type": "image"}), tokenize=False, add_generation_prompt=True
    )


@pytest.fixture(scope="module")
def ask(renderer: Any) -> Callable[[str, np.ndarray], Any]:
    from ocr_ui.engines.vllm_stream import prompt

    how = renderer.default_chat_tok_params.with_kwargs(add_special_tokens=False)
    return lambda text, pixels: renderer.render_cmpl([prompt(text, pixels)], how)[0]


def test_how_this_version_resizes_is_found_out(renderer: Any, text: str, ask: Any) -> None:
    assert Pictures(renderer, text, ask, by_content=False)._resize is by_torch


def test_a_version_that_resizes_as_pillow_does_leaves_it_to_the_worker(renderer: Any, text: str, ask: Any) -> None:
    """As vLLM's own processor up to 0.28: what it gets is resized before, so that it changes nothing."""
    sizes = Pictures(renderer, text, ask, by_content=False)._sizes

    def ask_older(text: str, pixels: np.ndarray) -> Any:
        high, wide = sizes.of(*pixels.shape[:2])
        return ask(text, np.array(Image.fromarray(pixels).resize((wide, high), Image.Resampling.BICUBIC)))

    pictures = Pictures(renderer, text, ask_older, by_content=False)
    assert pictures._resize is as_it_is
    pixels = np.random.default_rng(0).integers(0, 256, (70, 50, 3), dtype=np.uint8)
    (element,) = pictures.prepare(text, pixels)["mm_kwargs"]["image"]
    assert element["pixel_values"].data.numel() == pixels.size
    assert element["picture_size"].data.tolist() == [70, 50]


@pytest.mark.parametrize("part", ["numbers", "tokens", "place", "grid", "more"])
def test_a_version_that_prepares_in_another_way_is_noticed(renderer: Any, text: str, ask: Any, part: str) -> None:
    def ask_other(text: str, pixels: np.ndarray) -> Any:
        own = ask(text, pixels)
        (element,), (place,) = own["mm_kwargs"]["image"], own["mm_placeholders"]["image"]
        if part == "numbers":
            element["pixel_values"].data[-1, -1] += 0.25
        elif part == "tokens":
            own["prompt_token_ids"][-1] += 1
        elif part == "place":
            own["mm_placeholders"] = {"image": [type(place)(place.offset - 1, place.length, place.is_embed)]}
        elif part == "grid":
            element["image_grid_thw"].data[0] = 2
        else:
            element["pixel_mask"] = element["pixel_values"]
        return own

    with pytest.raises(Unlike):
        Pictures(renderer, text, ask_other, by_content=False)


def test_a_picture_has_one_name_where_answers_are_kept_and_else_its_own(renderer: Any, text: str, ask: Any) -> None:
    pixels = np.zeros((64, 64, 3), np.uint8)
    other = pixels.reshape(32, 128, 3)
    kept = Pictures(renderer, text, ask, by_content=True)
    names = [kept.prepare(text, one)["mm_hashes"]["image"][0] for one in (pixels, pixels.copy(), other)]
    assert names[0] == names[1] != names[2]
    fresh = Pictures(renderer, text, ask, by_content=False)
    assert fresh.prepare(text, pixels)["mm_hashes"] != fresh.prepare(text, pixels)["mm_hashes"]


@pytest.mark.parametrize(
    "pixels",
    [
        np.zeros((64, 64), np.uint8),
        np.zeros((64, 64, 4), np.uint8),
        np.zeros((64, 64, 3)),
        np.zeros((0, 9, 3), np.uint8),
    ],
)
def test_what_would_end_the_worker_is_refused_before(renderer: Any, text: str, ask: Any, pixels: np.ndarray) -> None:
    with pytest.raises(ValueError, match="a picture of"):
        Pictures(renderer, text, ask, by_content=False).prepare(text, pixels)


# Questions


class Llm:
    """An engine that answers every question alike, with vLLM's renderer."""

    def __init__(self, renderer: Any, errored: bool = False) -> None:
        self.renderer, self.errored = renderer, errored

    async def collective_rpc(self, method: str, **given: Any) -> list[Any]:
        return [method]


async def same_answer(prepared: Any) -> list[Any]:
    return []


async def test_pictures_that_wait_while_the_engine_goes_down_fail_and_are_not_cancelled(renderer: Any) -> None:
    """A cancelled one would end the task that waits for it, such as a whole batch, without a word."""
    questions = Questions(Llm(renderer))
    await questions.shorten(Settings(_env_file=None), same_answer)
    working, go_on = threading.Event(), threading.Event()
    prepare = questions._pictures.prepare

    def slowly(text: str, pixels: np.ndarray) -> Any:
        working.set()
        assert go_on.wait(30)
        return prepare(text, pixels)

    questions._pictures.prepare = slowly
    many = [
        asyncio.ensure_future(questions.prepare("OCR", np.zeros((64, 64, 3), np.uint8))) for _ in range(2 * THREADS)
    ]
    await asyncio.to_thread(working.wait, 30)
    questions.close()
    go_on.set()
    ends = await asyncio.gather(*many, return_exceptions=True)
    assert {type(end) for end in ends} == {dict, RuntimeError}
    with pytest.raises(RuntimeError):
        await questions.prepare("OCR", np.zeros((64, 64, 3), np.uint8))


@pytest.mark.parametrize("errored", [False, True])
async def test_a_version_that_fails_otherwise_keeps_its_own_preparation(renderer: Any, errored: bool) -> None:
    async def refuse(prepared: Any) -> list[Any]:
        raise KeyError("another layout")

    questions = Questions(Llm(renderer, errored))
    if errored:
        with pytest.raises(KeyError):
            await questions.shorten(Settings(_env_file=None), refuse)
        return
    await questions.shorten(Settings(_env_file=None), refuse)
    assert questions.told["pictures"] == "vLLM's own preparation"
    assert "multi_modal_data" not in await questions.prepare("OCR", np.zeros((64, 64, 3), np.uint8))


# The vision tower


class Linear(torch.nn.Linear):
    """As vLLM's, which give their bias apart."""

    tp_size = 1
    quant_method = type("UnquantizedLinearMethod", (), {})()

    def forward(self, x: Any) -> Any:
        return super().forward(x), None


WIDTH, HEADS = 32, 4


def attend(query: Any, key: Any, value: Any, **how: Any) -> Any:
    """FlashAttention's rule for one picture: shape (patches, heads, width of a head)."""
    assert how["cu_seqlens_q"].tolist() == [0, len(query)]
    assert not how["causal"]
    parts = [part.transpose(0, 1) for part in (query, key, value)]
    return torch.nn.functional.scaled_dot_product_attention(*parts, scale=how["softmax_scale"]).transpose(0, 1)


class Visual:
    """A tower of two layers with the names of vLLM's, worked out module by module."""

    device, dtype = torch.device("cpu"), torch.float32

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.embeddings = torch.nn.Module()
        self.embeddings.patch_embedding = torch.nn.Conv2d(3, WIDTH, 4, 4)
        self.embeddings.forward = lambda x, grids: self.embeddings.patch_embedding(x.view(-1, 3, 4, 4)).view(
            1, -1, WIDTH
        )
        self.layers = [self.block() for _ in range(2)]
        self.perceive = lambda x, size: x * size[0]

    def block(self) -> Any:
        attention = SimpleNamespace(
            qkv=Linear(WIDTH, 3 * WIDTH),
            o_proj=Linear(WIDTH, WIDTH),
            num_attention_heads_per_partition=HEADS,
            hidden_size_per_attention_head=WIDTH // HEADS,
            attn=SimpleNamespace(scale=0.3, _fa_version=3, attn_backend=SimpleNamespace(name="FLASH_ATTN")),
        )
        mlp = SimpleNamespace(dense_h_to_4h=Linear(WIDTH, 48), dense_4h_to_h=Linear(48, WIDTH), act_fn=torch.nn.GELU())
        norms = {name: torch.nn.LayerNorm(WIDTH) for name in ("input_layernorm", "post_attention_layernorm")}
        return SimpleNamespace(self_attn=attention, mlp=mlp, **norms)

    def read_by_vllm(self, x: Any, grids: Any) -> list[Any]:
        states = self.embeddings(x, grids)[0].split([high * wide for _, high, wide in grids])
        return [self.read(part, grid) for part, grid in zip(states, grids, strict=True)]

    def read(self, x: Any, grid: Any) -> Any:
        for block in self.layers:
            attention, mlp = block.self_attn, block.mlp
            heads = [
                part.view(-1, HEADS, WIDTH // HEADS) for part in attention.qkv(block.input_layernorm(x))[0].chunk(3, -1)
            ]
            bounds = torch.tensor([0, len(x)])
            seen = attend(*heads, cu_seqlens_q=bounds, softmax_scale=0.3, causal=False).reshape(-1, WIDTH)
            x = x + attention.o_proj(seen)[0]
            hidden = mlp.act_fn(mlp.dense_h_to_4h(block.post_attention_layernorm(x))[0])
            x = x + mlp.dense_4h_to_h(hidden)[0]
        return self.perceive(x, grid[1:])


def test_a_lean_tower_gives_what_the_modules_give() -> None:
    """FlashAttention runs on cards alone: torch's attention stands in for it here, on both sides."""
    visual = Visual()
    grids = [[1, 3, 4], [1, 2, 2]]
    x = torch.randn(16, 48)
    with torch.inference_mode():
        lean = Tower(visual, attend)(x, grids)
        for mine, its in zip(lean, visual.read_by_vllm(x, grids), strict=True):
            assert torch.allclose(mine, its, atol=1e-6)


def test_a_tower_that_differs_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vision_tower, "CHECKED", ((1, 3, 4), (1, 2, 2)))
    visual = Visual()
    tower = Tower(visual, attend)
    visual.layers[1].mlp.dense_h_to_4h = Linear(WIDTH, 48)
    with pytest.raises(Unfit, match="differs"):
        tower.check()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda block: setattr(block.mlp.dense_4h_to_h, "quant_method", object()), "quantized"),
        (lambda block: setattr(block.self_attn.qkv, "tp_size", 2), "shared"),
        (lambda block: setattr(block.self_attn.attn.attn_backend, "name", "TORCH_SDPA"), "TORCH_SDPA"),
    ],
)
def test_a_tower_of_another_kind_is_left_to_vllm(change: Callable[[Any], None], why: str) -> None:
    visual = Visual()
    change(visual.layers[1])
    with pytest.raises(Unfit, match=why):
        Tower(visual, attend)


def test_a_tower_that_fails_in_another_way_is_left_to_vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    from ocr_ui.engines import worker_extension

    def fail(*_: Any) -> None:
        raise AssertionError("heads of another width")

    monkeypatch.setattr("vllm.v1.attention.backends.fa_utils.flash_attn_varlen_func", attend, raising=False)
    monkeypatch.setattr(worker_extension, "hunyuan_vision", SimpleNamespace(HunYuanVisionTransformer=Visual))
    monkeypatch.setattr(worker_extension, "Tower", fail)
    worker = worker_extension.Extension()
    worker.model_runner = SimpleNamespace(get_model=lambda: SimpleNamespace(visual=Visual()))
    assert worker.lean_tower() == "vLLM's own: AssertionError('heads of another width')"
