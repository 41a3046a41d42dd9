"""The parts of the vLLM engine that need no vLLM: versions, folder of the model, memory, drafts, check at the start."""

from __future__ import annotations

import asyncio
import json
import os
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace as Told
from typing import Any

import numpy as np
import pytest
from fakes import SOON

from ocr_ui.engines import vllm_check, vllm_embedded, vllm_memory, vllm_model, vllm_start, vllm_versions
from ocr_ui.engines.asking import check_prompt, messages, sampling_for
from ocr_ui.engines.base import EngineLoad
from ocr_ui.engines.runs import Ended, Places, Run
from ocr_ui.engines.vllm_check import Step
from ocr_ui.engines.vllm_figures import Figures
from ocr_ui.engines.vllm_model import FoundModel
from ocr_ui.errors import BadInput, EngineDead
from ocr_ui.settings import Settings

HUNYUAN = {
    "model_type": "hunyuan_vl",
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_size": 1024,
    "vision_config": {},
}


def settings(**changes: Any) -> Settings:
    return Settings(_env_file=None, **changes)


def find(folder: Path, **changes: Any) -> FoundModel:
    return vllm_model.find_model(settings(model=str(folder), **changes), lambda *_: None, threading.Event())


def model_folder(path: Path, config: dict[str, Any] | None = HUNYUAN, weights: int = 100) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    if config is not None:
        (path / "config.json").write_text(json.dumps(config))
    if weights:
        (path / "model.safetensors").write_bytes(b"0" * weights)
    return path


# Versions


@pytest.mark.parametrize(("text", "numbers"), [("0.25.1+cu130", (0, 25, 1)), ("0.32.0", (0, 32, 0)), ("dev", ())])
def test_release_of_a_version(text: str, numbers: tuple[int, ...]) -> None:
    assert vllm_versions.release(text) == numbers


def test_untried_versions_need_a_yes() -> None:
    vllm_versions.check_tried("0.25.1", allow_untested=False)
    vllm_versions.check_tried("0.31.0", allow_untested=True)
    with pytest.raises(EngineDead, match="OCR_UI_ALLOW_UNTESTED_VLLM=1") as caught:
        vllm_versions.check_tried("0.31.0", allow_untested=False)
    assert caught.value.code == "vllm_untested"


def test_the_pinned_version_was_tried() -> None:
    pins = (Path(__file__).parents[2] / "requirements.txt").read_text()
    (pinned,) = [line.split("==")[1] for line in pins.splitlines() if line.startswith("vllm==")]
    assert pinned in vllm_versions.TRIED


# The model's folder


def test_a_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    assert find(folder) == FoundModel(folder)


@pytest.mark.parametrize(
    ("config", "weights", "code"),
    [
        (None, 1, "model_without_config"),
        ({"model_type": "llama"}, 1, "model_without_vision"),
        (HUNYUAN, 0, "model_without_weights"),
    ],
)
def test_a_wrong_folder_is_refused(tmp_path: Path, config: dict[str, Any] | None, weights: int, code: str) -> None:
    folder = model_folder(tmp_path / "model", config, weights)
    with pytest.raises(EngineDead) as caught:
        find(folder)
    assert caught.value.code == code
    assert str(folder) in str(caught.value)


def test_broken_config_is_no_config(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model")
    (folder / "config.json").write_text("{")
    with pytest.raises(EngineDead) as caught:
        vllm_model.read_config(folder)
    assert caught.value.code == "model_without_config"


def test_random_weights_need_no_files(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "model", weights=0)
    assert find(folder, load_format="dummy").folder == folder


def test_a_path_without_a_folder_is_no_name_on_the_hub(tmp_path: Path) -> None:
    with pytest.raises(EngineDead) as caught:
        find(tmp_path / "gone")
    assert caught.value.code == "model_folder_missing"


# Memory


def test_the_cache_of_the_real_model() -> None:
    assert vllm_memory.cache_bytes_per_token(HUNYUAN) == 98_304
    nested = {"text_config": {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 128}}
    assert vllm_memory.cache_bytes_per_token(nested) == 2 * 2 * 2 * 4 * 32


def test_a_card_that_is_large_enough(tmp_path: Path) -> None:
    plan = vllm_memory.plan(model_folder(tmp_path / "m"), None, settings(), (16 * 2**30, 15 * 2**30))
    plan.check()
    assert plan.pages_at_once == int((0.85 * 16 * 2**30 - 100 - 1.5e9) // (98_304 * 4096))


def test_the_vision_part_is_told_apart(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", weights=0)
    spans = {
        "model.embed": (0, 600),
        "vit.patch": (600, 900),
        "model.visual.merge": (900, 1000),
        "model.vit_like": (0, 0),
    }
    header = json.dumps({name: {"data_offsets": span} for name, span in spans.items()} | {"__metadata__": {}}).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + b"0" * 1000)
    plan = vllm_memory.plan(folder, None, settings(), (16 * 2**30, 16 * 2**30))
    assert plan.vision == 400
    assert plan.shares.weights + plan.shares.vision == plan.weights == vllm_model.weight_bytes(folder)


def test_weight_files_that_are_no_such_files_have_no_vision_part(tmp_path: Path) -> None:
    assert vllm_model.vision_bytes(model_folder(tmp_path / "m")) == 0


def test_a_list_of_weights_names_what_is_missing(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m")
    names = {"a": "model.safetensors", "b": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    with pytest.raises(EngineDead, match=r"lacks weights: model-2\.safetensors\.") as caught:
        find(folder)
    assert caught.value.code == "model_without_weights"


@pytest.mark.parametrize(
    ("card", "share", "remedy"),
    [
        (4.0e9, 0.85, "OCR_UI_MAX_MODEL_LEN=8960"),
        (4.0e9, 0.5, "OCR_UI_GPU_MEMORY_UTILIZATION=0.78"),
        (2.0e9, 0.85, "OCR_UI_ENGINE=rapidocr"),
    ],
)
def test_a_card_without_room_says_how_much_is_missing_and_what_helps(
    tmp_path: Path, card: float, share: float, remedy: str
) -> None:
    folder = model_folder(tmp_path / "m", weights=1_000_000_000 if remedy.startswith("OCR_UI_MAX") else 100)
    own = settings(gpu_memory_utilization=share)
    plan = vllm_memory.plan(folder, None, own, (int(card), int(card)))
    with pytest.raises(EngineDead) as caught:
        plan.check()
    assert caught.value.code == "too_little_gpu_memory"
    assert plan.missing == 16384 * 98_304 - plan.cache
    assert float(caught.value.details["missing"]) == pytest.approx(plan.missing / 1e9, abs=0.05)
    assert remedy in str(caught.value)
    name, value = remedy.removeprefix("OCR_UI_").lower().split("=")
    if name != "engine":
        mended = settings(**{"gpu_memory_utilization": share, name: float(value)})
        vllm_memory.plan(folder, None, mended, (int(card), int(card))).check()


def test_a_card_that_others_use_says_how_much_they_leave(tmp_path: Path) -> None:
    plan = vllm_memory.plan(model_folder(tmp_path / "m"), None, settings(), (140 * 10**9, 60 * 10**9))
    with pytest.raises(EngineDead, match=r"OCR_UI_GPU_MEMORY_UTILIZATION=0\.42") as caught:
        plan.check()
    assert caught.value.code == "gpu_memory_taken"
    assert caught.value.details["missing"] == "59.0"


README_FILES = [Path(__file__).parents[2] / name for name in ("README.md", "README.zh.md")]


@pytest.mark.parametrize("readme", README_FILES, ids=lambda path: path.name)
def test_the_profile_of_the_readme_fits_a_card_of_16_gb(tmp_path: Path, readme: Path) -> None:
    lines = readme.read_text(encoding="utf-8").partition("# 16 GB\n")[2].partition("```")[0].split()
    given = dict(line.removeprefix("OCR_UI_").lower().split("=") for line in lines)
    assert set(given) >= {"gpu_memory_utilization", "max_model_len", "max_num_seqs", "max_num_batched_tokens"}
    own = settings(**given)
    folder = model_folder(tmp_path / "m", weights=0)
    for path, size in ((folder, 2_100_000_000), (folder / "dflash", 750_000_000)):
        path.mkdir(exist_ok=True)
        with (path / "model.safetensors").open("wb") as file:
            file.truncate(size)  # takes no room on the disk
    total = 15_360 * 2**20  # the smallest that is sold as 16 GB
    plan = vllm_memory.plan(folder, folder / "dflash", own, (total, total - 10**9))
    plan.check()
    assert plan.pages_at_once >= own.max_num_seqs
    assert own.engine_pixels / 1024 * 1.1 < own.max_num_batched_tokens, "a picture is encoded in one step"


# Drafts


@pytest.mark.parametrize(
    ("dflash", "version", "draft", "cuda", "reason"),
    [
        ("auto", "0.25.1", True, "13.0", ""),
        ("off", "0.25.1", True, "13.0", "OCR_UI_DFLASH=off"),
        ("auto", "0.25.0", True, "13.0", "vLLM 0.25.0 is older"),
        ("auto", "0.25.1", False, "13.0", "there is no draft model"),
        ("auto", "0.25.1", True, "12.8", "torch is built for CUDA 12.8"),
        ("auto", "0.25.1", True, "", "torch is built for CUDA none"),
    ],
)
def test_when_drafts_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dflash: str, version: str, draft: bool, cuda: str, reason: str
) -> None:
    monkeypatch.setattr(vllm_start, "cuda_of_torch", lambda: cuda)
    if draft:
        model_folder(tmp_path / "dflash")
    folder, said = vllm_start.draft_model(tmp_path, settings(dflash=dflash), version)
    assert (said.text if said else "").startswith(reason)
    assert (said is None) is (reason == "")
    assert folder == (None if reason else tmp_path / "dflash")


def test_drafts_that_must_be_had_and_cannot(tmp_path: Path) -> None:
    with pytest.raises(EngineDead) as caught:
        vllm_start.draft_model(tmp_path, settings(dflash="on"), "0.25.1")
    assert caught.value.code == "no_draft_model"


def test_settings_reach_vllm(tmp_path: Path) -> None:
    own = settings(gpu_memory_utilization=0.3, max_num_seqs=7, quantization="fp8", mm_processor_cache_gb=2)
    arguments = vllm_start.engine_arguments(tmp_path, tmp_path / "dflash", own)
    assert arguments["gpu_memory_utilization"] == 0.3
    assert arguments["max_num_seqs"] == 7
    assert arguments["quantization"] == "fp8"
    assert arguments["mm_processor_cache_gb"] == 2
    assert arguments["speculative_config"]["num_speculative_tokens"] == 15
    assert "speculative_config" not in vllm_start.engine_arguments(tmp_path, None, own)
    assert arguments["kv_cache_dtype"] == "auto"
    other = settings(kv_cache_dtype="fp8", draft_tokens=4)
    arguments = vllm_start.engine_arguments(tmp_path, tmp_path / "dflash", other)
    assert arguments["kv_cache_dtype"] == "fp8"
    assert arguments["speculative_config"]["num_speculative_tokens"] == 4


def test_a_cache_in_fp8_holds_twice_the_pages() -> None:
    assert vllm_memory.cache_bytes_per_token(HUNYUAN) == 98_304
    assert vllm_memory.cache_bytes_per_token(HUNYUAN, "fp8") == 49_152


# Model runner


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Callable[[], str | None]:
    """What vLLM is told about its model runner; nothing to begin with, and it is the version that V2 was tried with."""
    monkeypatch.delenv(vllm_start.RUNNER, raising=False)
    monkeypatch.setattr(vllm_versions, "installed", lambda: "0.25.1+cu130")
    return lambda: os.environ.get(vllm_start.RUNNER)


def test_an_engine_on_a_card_is_made_with_runner_v2(runner: Callable[[], str | None]) -> None:
    with vllm_start.runner_of_choice(settings(), on_card=True) as chosen:
        assert (chosen, runner()) == (True, "1")
    assert runner() is None, "another engine may want another"


@pytest.mark.parametrize(("version", "on_card"), [("0.25.1", False), ("0.32.0", True)])
def test_where_v2_was_not_tried_vllm_chooses(
    runner: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch, version: str, on_card: bool
) -> None:
    monkeypatch.setattr(vllm_versions, "installed", lambda: version)
    with vllm_start.runner_of_choice(settings(), on_card=on_card) as chosen:
        assert (chosen, runner()) == (False, None)


@pytest.mark.parametrize(("asked", "told"), [("v1", "0"), ("v2", "1")])
def test_a_runner_that_is_asked_for_is_taken(runner: Callable[[], str | None], asked: str, told: str) -> None:
    own = settings(model_runner=asked)
    vllm_start.prepare_process(own)
    with vllm_start.runner_of_choice(own, on_card=True) as chosen:
        assert (chosen, runner()) == (False, told)
    assert runner() is None, "another engine may want another"


def test_a_runner_named_in_the_environment_is_taken(
    runner: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(vllm_start.RUNNER, "0")
    with vllm_start.runner_of_choice(settings(), on_card=True) as chosen:
        assert (chosen, runner()) == (False, "0")


async def test_where_v2_does_not_start_v1_is_tried(
    runner: Callable[[], str | None], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    tried, asked = [], []

    def card() -> tuple[int, int]:
        asked.append(threading.current_thread())
        return 1, 1

    def make(folder: Path, *_: Any) -> Any:
        tried.append(runner())
        if runner() == "1":
            raise vllm_start.did_not_start(TypeError("two arguments are missing"), folder)
        return Told(renderer=Told(get_tokenizer=lambda: Told(added_tokens_decoder={})))

    monkeypatch.setattr(vllm_memory, "card_memory", card)
    monkeypatch.setattr(vllm_embedded, "make_llm", make)
    monkeypatch.setattr(vllm_embedded, "stat_logger", lambda *_: None)
    await vllm_embedded.VllmEngine(settings())._make(tmp_path, None)
    assert (tried, runner()) == (["1", None], None)
    assert threading.main_thread() not in asked, "the driver answers late: the page must not wait for it"
    (line,) = [record.getMessage() for record in caplog.records]
    assert line == "vLLM did not start with model runner V2, so V1 is tried: two arguments are missing"


FRAMED = """1 validation error for ModelConfig
  Value error, User-specified max_model_len (16384) is greater than the derived max_model_len. [type=value_error, x]
    For further information visit https://errors.pydantic.dev/2.12/v/value_error"""


@pytest.mark.parametrize(
    ("said", "code", "reason", "setting"),
    [
        (
            "\nNo available memory for the cache blocks.\nmore",
            "engine_out_of_memory",
            "No available memory for the cache blocks",
            "OCR_UI_MAX_MODEL_LEN",
        ),
        (
            FRAMED,
            "engine_did_not_start",
            "User-specified max_model_len (16384) is greater than the derived max_model_len",
            "OCR_UI_MAX_MODEL_LEN",
        ),
        ("Unknown model type.", "engine_did_not_start", "Unknown model type", "OCR_UI_MODEL"),
        ("", "engine_did_not_start", "RuntimeError", "OCR_UI_MODEL"),
    ],
)
def test_the_reason_of_a_failed_start_is_told(tmp_path: Path, said: str, code: str, reason: str, setting: str) -> None:
    error = vllm_start.did_not_start(RuntimeError(said), tmp_path)
    assert (error.code, error.details["reason"]) == (code, reason)
    assert setting in error.hint


# The check at the start


def answer(*tokens: int, other: int = 99, gap: float = 5.0) -> list[Step]:
    return [Step(token, {token: -0.01, other: -0.01 - gap}) for token in tokens]


def test_pictures_of_the_check_have_one_size_and_differ() -> None:
    pictures = vllm_check.check_pictures()
    assert {picture.shape for picture in pictures} == {(640, 480, 3)}
    assert all(picture.flags.c_contiguous and picture.dtype == np.uint8 for picture in pictures)
    assert len({picture.tobytes() for picture in pictures}) == len(pictures)


def test_the_same_answers_pass() -> None:
    answers = [answer(1, 2), answer(3)]
    assert vllm_check.mixed_up(answers, answers) == []
    assert vllm_check.tells_apart(answers)


def test_exchanged_answers_are_noticed() -> None:
    assert vllm_check.mixed_up([answer(1, 2), answer(3)], [answer(3), answer(1, 2)]) == [0, 1]


def test_a_near_tie_may_fall_either_way() -> None:
    alone = [[*answer(1), Step(2, {2: -0.69, 3: -0.70}), *answer(7)]]
    together = [[*answer(1), Step(3, {3: -0.69, 2: -0.70}), *answer(8)]]
    assert vllm_check.mixed_up(alone, together) == []
    clear = [[*answer(1), Step(3, {3: -0.1, 2: -4.0}), *answer(8)]]
    assert vllm_check.mixed_up(alone, clear) == [0]


def test_random_weights_that_like_all_tokens_alike_are_no_mix_up() -> None:
    flat = [Step(1, {1: -11.70, 2: -11.71})]
    assert vllm_check.mixed_up([flat], [[Step(8, {8: -11.70, 9: -11.71})]]) == []


def test_the_same_token_with_another_certainty_is_noticed() -> None:
    sure, unsure = [Step(1, {1: -0.01, 2: -5.0})], [Step(1, {1: -0.6, 2: -0.9})]
    assert vllm_check.mixed_up([sure], [unsure]) == [0]


def test_a_shorter_answer_is_noticed() -> None:
    assert vllm_check.mixed_up([answer(1, 2)], [answer(1)]) == [0]


def test_answers_that_are_all_alike_say_nothing() -> None:
    assert not vllm_check.tells_apart([answer(1, 2)] * 3)


# Asking


def test_the_order_of_a_question() -> None:
    system, user = messages("Read", {"type": "image"})
    assert system == {"role": "system", "content": ""}
    assert user["content"] == [{"type": "image"}, {"type": "text", "text": "Read"}]


def test_official_sampling_and_overrides() -> None:
    official = sampling_for({}, settings(max_new_tokens=7, token_logprobs=False))
    assert official == {
        "temperature": 0,
        "top_p": 1,
        "top_k": -1,
        "repetition_penalty": 1.08,
        "max_tokens": 7,
        "logprobs": False,
    }
    assert sampling_for({"temperature": 0.7, "seed": 3}, settings())["temperature"] == 0.7
    with pytest.raises(BadInput, match="temprature"):
        sampling_for({"temprature": 0.7}, settings())


def test_marks_of_the_model_in_a_prompt_are_refused() -> None:
    check_prompt("What is <b>?", ["<｜hy_User｜>"])
    with pytest.raises(BadInput) as caught:
        check_prompt("a<｜hy_User｜>b", ["<｜hy_User｜>"])
    assert caught.value.details["token"] == "<｜hy_User｜>"


# Runs


async def test_a_run_gives_up_waiting_when_it_is_ended() -> None:
    run, never = Run("r"), asyncio.Event()
    waiting = asyncio.create_task(run.unless_ended(never.wait()))
    await asyncio.sleep(0)
    run.end("aborted")
    run.end("timeout")
    with pytest.raises(Ended):
        await waiting
    assert run.reason == "aborted", "the first reason stays"


async def test_a_run_that_waits_too_long_has_timed_out() -> None:
    run = Run("r")
    with pytest.raises(Ended):
        await run.unless_ended(asyncio.Event().wait(), 0.01)
    assert run.reason == "timeout"


@pytest.mark.parametrize("how", ["end", "cancel"])
async def test_a_place_is_given_back_however_the_wait_ends(how: str) -> None:
    places, held = Places(1), []
    run = Run("r")

    async def take() -> None:
        async with run.place(places):
            pass

    await places.take(1, held)
    waiting = asyncio.create_task(take())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    places.give_back(held)  # the place is free for the waiting task at the very moment it is ended
    run.end("aborted") if how == "end" else waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(places.take(1, held), SOON)


async def test_who_wants_many_places_waits_for_them_before_whoever_comes_later() -> None:
    places, first = Places(4), []
    await places.take(2, first)
    order: list[str] = []

    async def take(name: str, count: int) -> None:
        async with Run(name).place(places, count):
            order.append(name)

    tasks = [asyncio.create_task(take("many", 99)), asyncio.create_task(take("few", 1))]
    await asyncio.sleep(0.05)
    assert order == [], "places are left for one, but many came first"
    places.give_back(first)
    await asyncio.wait_for(asyncio.gather(*tasks), SOON)
    assert order == ["many", "few"], "whoever wants more than there are gets all"


def test_the_start_reads_the_smallest_example_within_the_limit(tmp_path: Path) -> None:
    name, page = vllm_check.smallest_example(Settings().examples_dir, 4_194_304)
    assert (name, page.shape) == ("film_still.jpg", (720, 1280, 3))
    _, small = vllm_check.smallest_example(Settings().examples_dir, 100_000)
    assert 90_000 < small.shape[0] * small.shape[1] <= 100_500
    (tmp_path / "broken.png").write_bytes(b"no picture")
    assert vllm_check.smallest_example(tmp_path, 4_194_304)[0] == "a number", "a start needs no examples"


# What vLLM tells of itself


def test_what_vllm_tells_adds_up_and_the_moment_is_as_told_last() -> None:
    figures = Figures()
    assert figures.load(places=8, held=0, before=0) == EngineLoad(places=8)
    drafted = Told(num_drafts=4, num_accepted_tokens_per_pos=[3, 1], num_draft_tokens=8, num_accepted_tokens=4)
    ended = Told(queued_time=0.5, prefill_time=1.0, decode_time=2.0)
    step = Told(num_preempted_reqs=1, num_generation_tokens=10, num_prompt_tokens=100, finished_requests=[ended, ended])
    figures.take(0, Told(num_waiting_reqs=3, kv_cache_usage=0.75, spec_decoding_stats=drafted), step)
    figures.take(1, Told(num_waiting_reqs=1, kv_cache_usage=0.25, spec_decoding_stats=None), None)
    figures.take(0, None, step)
    told = figures.load(places=8, held=6, before=2)
    assert (told.running, told.waiting, told.cache) == (2, 6, 0.75)
    assert (told.preemptions, told.tokens, told.prompt_tokens) == (2, 20, 200)
    assert (told.queued_seconds, told.picture_seconds, told.answer_seconds) == (2.0, 4.0, 8.0)
    assert (told.drafts, told.drafts_rejected, told.draft_tokens, told.draft_tokens_accepted) == (4, 1, 8, 4)
    idle = figures.load(places=8, held=0, before=0)
    assert (idle.running, idle.waiting, idle.cache, idle.tokens) == (0, 0, 0.0, 20)
