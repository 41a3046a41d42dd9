"""HunyuanOCR inside this process: vLLM's AsyncLLM behind the engine interface."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ocr_ui.domain.counted import counted
from ocr_ui.domain.prompt import Task
from ocr_ui.domain.recognition import EngineName
from ocr_ui.engines import draft_watch, vllm_check, vllm_memory, vllm_versions
from ocr_ui.engines.asking import SAMPLING, check_picture, check_prompt, over_budget, sampling_for
from ocr_ui.engines.base import (
    Capabilities,
    DraftReason,
    EngineEvent,
    EngineLoad,
    EngineRequest,
    EngineState,
    Health,
    MemoryShares,
    Phase,
    Share,
    Started,
    closed,
)
from ocr_ui.engines.memory_failures import is_memory_failure, out_of_memory
from ocr_ui.engines.runs import Ended, Places, Run, Said
from ocr_ui.engines.vllm_drafts import Drafts
from ocr_ui.engines.vllm_figures import Figures, stat_logger
from ocr_ui.engines.vllm_model import find_model
from ocr_ui.engines.vllm_questions import Questions
from ocr_ui.engines.vllm_start import (
    FailureNote,
    did_not_start,
    make_llm,
    no_more_requests,
    prepare_process,
    runner_of_choice,
)
from ocr_ui.errors import BadInput, EngineBusy, EngineDead, EngineFailed, WorkbenchError
from ocr_ui.settings import Settings

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

log = logging.getLogger(__name__)

WATCH_SECONDS = 0.25
PROBE_SECONDS = 15.0
CHECK_TOKENS = 12
EXAMPLE_TOKENS = 512
WARM_TOKENS = 32
PAUSE_A_RUN, LONGEST_PAUSE = 0.001, 0.03
"""Seconds from one look at an answer to the next, for each page that is being read, and the most. vLLM joins what comes
meanwhile: handed over token by token, many pages at once would keep the event loop busier than the card."""
MODEL_ENDS = frozenset({"stop", "length"})
"""Reasons of vLLM's for which an answer ends by itself."""
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0
"""Seconds before the first restart of a dead engine, doubled each time, and the most."""


class VllmEngine:
    """vLLM in this process; its workers are processes of their own.

    The page answers while the engine starts: everything slow happens in a thread. A dead or silent engine is noticed
    and made anew; requests that were running fail with `engine_died`, those that waited for their turn are kept.

    Attributes:
        description: what runs: version, model, model class, model runner, attention backend, memory, drafts.

    Raises:
        EngineDead: vLLM is not installed, or a version that was never tried.
    """

    capabilities = Capabilities(
        tasks=frozenset(Task),
        takes_prompt=True,
        gives_confidence=True,
        holds_form=True,
        varies=True,
        answers_together=True,
    )

    def __init__(self, settings: Settings) -> None:
        version = vllm_versions.installed()
        vllm_versions.check_tried(version, settings.allow_untested_vllm)
        self.name = EngineName("vllm", version, settings.model)
        self._description: dict[str, str] = {"vllm": version, "model": settings.model}
        self._settings = settings
        self._health = Health(EngineState.LOADING, Phase.WAITING)
        self._memory: MemoryShares | None = None
        self._closing = threading.Event()
        self._llm: AsyncLLM | None = None
        self._note = FailureNote()
        self._drafts: Drafts | None = None
        self._figures = Figures()
        self._special: dict[int, str] = {}
        self._questions: Questions | None = None
        self._runs: dict[str, Run] = {}
        self._places = Places(settings.max_num_seqs)
        self._serving = asyncio.Event()
        self._was_ready = False
        self._last_token = 0.0
        self._watcher: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Finds the model, loads it, checks that pictures are told apart, and reads an example.

        Raises:
            EngineDead: it cannot be made here; the message names the setting or the command that helps.
        """
        self._health = Health(EngineState.LOADING, Phase.WAITING)  # it may be a later try
        try:
            await self._load()
        except Exception as error:
            failure = self._failure(error)
            self._health = Health(EngineState.DEAD, problems=(failure,), memory=self._memory)
            await self._drop()
            raise failure from error
        self._watcher = asyncio.create_task(self._watch())

    @property
    def description(self) -> dict[str, str]:
        return {**self._description, "drafts": str(self._drafts)} if self._drafts else self._description

    def health(self) -> Health:
        if self._health.state is EngineState.READY and self._drafts:
            return replace(self._health, drafts=self._drafts.told())
        return self._health

    def running(self) -> int:
        """Requests that vLLM holds now, those in its own queue included."""
        return self._llm.output_processor.get_num_unfinished_requests() if self._llm else 0

    def load(self) -> EngineLoad:
        """See `EngineLoad`; of what vLLM told after its last step."""
        before = sum(not run.working for run in self._runs.values())
        return self._figures.load(self._settings.max_num_seqs, self.running(), before)

    def is_idle(self) -> bool:
        return not self._runs

    async def generate(self, request: EngineRequest) -> AsyncGenerator[EngineEvent, None]:
        """See `Engine.generate`; raises as `samples`."""
        async with aclosing(self.samples(request, 1)) as events:
            async for _, event in events:
                yield event

    async def samples(self, request: EngineRequest, n: int) -> AsyncGenerator[tuple[int, EngineEvent], None]:
        """See `SamplingEngine.samples`. Waits for n of `max_num_seqs` places before `Started`.

        Raises:
            BadInput: a prompt, picture or sampling that the model does not take.
            EngineBusy: still loading for the first time.
            EngineFailed: this request failed; it can be repeated.
            EngineDead: the engine was given up.
        """
        self._refuse_unless_serving()
        sampling = sampling_for(request.sampling, self._settings)
        run = self._runs[request.id] = Run(request.id)
        answers = [Said() for _ in range(n)]
        try:
            async with run.place(self._places, n):
                await run.unless_ended(self._until_serving())
                for index in range(n):
                    yield index, Started()
                async with aclosing(self._answer(request, run, {**sampling, "n": n}, answers)) as events:
                    async for event in events:
                        yield event
                self._forget_example()
        except Ended:
            pass
        finally:
            self._runs.pop(request.id, None)
        for index, said in enumerate(answers):
            if not said.told:
                yield index, said.end(run.reason or "aborted", run.seconds)

    async def abort(self, request_id: str) -> None:
        if run := self._runs.get(request_id):
            await self._end(run, "aborted")

    async def close(self) -> None:
        self._closing.set()
        if self._watcher:
            self._watcher.cancel()
            with suppress(asyncio.CancelledError):
                await self._watcher
        self._health = closed()
        self._serving.set()
        await self._drop()
        self._note.drop()

    # Loading

    async def _load(self) -> None:
        loop = asyncio.get_running_loop()
        self._phase(Phase.FINDING)
        prepare_process(self._settings)
        self._note.begin()

        def tell(phase: Phase, share: Share | None) -> None:
            with suppress(RuntimeError):  # the loop has ended: nobody is left to be told
                loop.call_soon_threadsafe(self._phase, phase, share)

        found = await asyncio.to_thread(find_model, self._settings, tell, self._closing)
        folder = found.folder
        self.name = replace(self.name, revision=found.commit)
        self._description["revision"] = found.commit or "a local folder"
        log.info("model: %s, revision: %s", self._settings.model, self._description["revision"])
        self._phase(Phase.MEMORY)
        self._drafts = await asyncio.to_thread(Drafts, folder, self._settings, self.name)
        await asyncio.to_thread(self._check_memory, folder, self._drafts.folder)
        no_more_requests()
        if self._drafts.unmeasured:
            await self._time_without_drafts(folder)
        self._phase(Phase.LOADING)
        await self._make_with_drafts(folder)
        if self._drafts.undecided:
            self._phase(Phase.TIMING)
            await self._read_examples()
            if not self._drafts.decide():
                await self._drop()
                self._phase(Phase.LOADING)
                await self._make(folder, None)
        self._description |= await self._describe()
        self._phase(Phase.CHECKING)
        await self._questions.shorten(self._settings, self._check_answer)
        self._description |= self._questions.told
        await self._check_pictures()
        for name, value in self.description.items():
            log.info("%s: %s", name.replace("_", " "), value)
        self._phase(Phase.WARMING)
        problem = await self._warm_up()
        state = EngineState.DEGRADED if problem else EngineState.READY
        self._health = Health(state, problems=(problem,) if problem else (), memory=self._memory)
        self._was_ready = True
        self._serving.set()

    async def _describe(self) -> dict[str, str]:
        try:
            return (await self._llm.collective_rpc("describe_reader"))[0]
        except Exception as error:  # only told to people: no reason to refuse to read
            log.warning("what runs cannot be told: %r", error)
            return {"model_class": "unknown"}

    async def _time_without_drafts(self, folder: Path) -> None:
        """Once for this model, card and version: what drafts save can only be told against the time without them."""
        self._phase(Phase.TIMING)
        await self._make(folder, None)
        await self._read_examples()
        self._drafts.keep_without()
        await self._drop()

    async def _make_with_drafts(self, folder: Path) -> None:
        try:
            await self._make(folder, self._drafts.folder)
        except EngineDead as error:
            if not (self._drafts.folder and self._drafts.may_do_without):
                raise
            reason = error.details.get("reason", error.message)
            why = DraftReason("not_started", f"vLLM did not start with them: {reason}", {"reason": reason})
            self._drafts.do_without(why)
            await self._make(folder, None)

    async def _read_examples(self) -> None:
        """Reads example pages alone and several at once, for the time that it takes."""
        pages = await asyncio.to_thread(vllm_check.example_pages, self._settings.examples_dir)
        prepared = [await self._render(vllm_check.PROMPT, page) for page in pages]
        for load in [load for load in draft_watch.LOADS[:3] if load <= self._settings.max_num_seqs]:
            many = (prepared * load)[: 2 * load]
            places = asyncio.Semaphore(load)
            await asyncio.gather(*[self._in_its_place(places, one) for one in many])

    async def _in_its_place(self, places: asyncio.Semaphore, prepared: Any) -> None:
        async with places:
            await self._read_example(prepared, EXAMPLE_TOKENS)

    async def _warm_up(self) -> EngineFailed | None:
        """Reads the beginning of an example as a person's page is read; gives what is wrong where that fails.

        Raises:
            EngineFailed: the engine ended with it.
        """
        folder, most = self._settings.examples_dir, self._settings.engine_pixels
        name, page = await asyncio.to_thread(vllm_check.smallest_example, folder, most)
        wait = self._settings.first_token_timeout
        try:
            async with asyncio.timeout(wait):
                await self._read_example(await self._render(vllm_check.PROMPT, page), WARM_TOKENS)
        except TimeoutError:
            problem = vllm_check.example_not_read(name, f"no answer in {wait:g} s")
        except Exception as error:  # whatever it is: the engine runs, and other pages may do better
            if self._llm is None or self._llm.errored:
                raise died(self._note.read()) from error
            known = error if isinstance(error, WorkbenchError) else refused(error, self._settings)
            problem = vllm_check.example_not_read(name, known.message)
        else:
            return None
        log.error("%s", problem)
        return problem

    async def _read_example(self, prepared: Any, tokens: int) -> None:
        from ocr_ui.engines.vllm_stream import parameters

        params = parameters({**SAMPLING, "max_tokens": tokens})
        async for _ in self._llm.generate(prepared, params, f"example-{uuid.uuid4().hex}"):
            pass

    async def _make(self, folder: Path, draft: Path | None) -> None:
        on_card = await asyncio.to_thread(vllm_memory.card_memory) is not None
        with runner_of_choice(self._settings, on_card) as chosen:
            try:
                await self._make_now(folder, draft)
            except EngineDead as error:
                if not chosen or error.code != "engine_did_not_start":
                    raise
                log.warning("vLLM did not start with model runner V2, so V1 is tried: %s", error.details["reason"])
            else:
                return
        await self._make_now(folder, draft)

    async def _make_now(self, folder: Path, draft: Path | None) -> None:
        watched = stat_logger(self._figures, lambda: self._drafts.watch)
        making = asyncio.ensure_future(asyncio.to_thread(make_llm, folder, draft, self._settings, watched))
        try:
            self._llm = await asyncio.shield(making)
        except asyncio.CancelledError:
            # A thread cannot be stopped: what it makes is taken down as soon as it is there.
            making.add_done_callback(lambda made: made.exception() or made.result().shutdown())
            raise
        tokenizer = self._llm.renderer.get_tokenizer()
        self._questions = Questions(self._llm)
        self._special = {i: t.content for i, t in tokenizer.added_tokens_decoder.items() if t.special}

    def _failure(self, error: Exception) -> WorkbenchError:
        return error if isinstance(error, WorkbenchError) else did_not_start(error, Path(self._settings.model))

    def _phase(self, phase: Phase, share: Share | None = None) -> None:
        if self._health.state is not EngineState.LOADING:
            return  # told by a thread that has not heard yet that this was given up
        began = self._health.since if phase is self._health.phase else time.monotonic()
        if phase is not self._health.phase:
            log.info("vLLM: %s", phase.value)
        self._health = Health(EngineState.LOADING, phase, self._health.problems, share, self._memory, since=began)

    def _check_memory(self, folder: Path, draft: Path | None) -> None:
        card = vllm_memory.card_memory()
        if card is None:
            self._description["memory"] = "no NVIDIA card"
            return
        plan = vllm_memory.plan(folder, draft, self._settings, card)
        self._memory = plan.shares
        self._description["memory"] = str(plan)
        log.info("memory: %s", plan)
        plan.check()

    async def _check_pictures(self) -> None:
        """Reads different pictures alone, then all at once, and compares. The first reading also warms the engine up.

        Raises:
            EngineDead: an answer changed: this vLLM mixes up pictures.
        """
        pictures = vllm_check.check_pictures()
        alone = [await self._check_answer(await self._render(vllm_check.PROMPT, picture)) for picture in pictures]
        prepared = [await self._render(vllm_check.PROMPT, picture) for picture in pictures]
        together = await asyncio.gather(*[self._check_answer(one) for one in prepared])
        if wrong := vllm_check.mixed_up(alone, together):
            raise EngineDead(
                "pictures_mixed_up",
                f"vLLM {self.name.version} mixes up pictures that are read at once ({len(wrong)} of {len(pictures)}).",
                f"{vllm_versions.INSTALL} brings a version that does not.",
                version=self.name.version,
            )
        told_apart = vllm_check.tells_apart(alone)
        self._description["picture_check"] = "passed" if told_apart else "no two answers differ: it says nothing"

    async def _check_answer(self, prepared: Any) -> list[vllm_check.Step]:
        from vllm import SamplingParams

        params = SamplingParams(temperature=0, max_tokens=CHECK_TOKENS, logprobs=5)
        steps: list[vllm_check.Step] = []
        async for output in self._llm.generate(prepared, params, f"check-{time.monotonic_ns()}"):
            answer = output.outputs[0]
            steps = [
                vllm_check.Step(token, {t: p.logprob for t, p in found.items()})
                for token, found in zip(answer.token_ids, answer.logprobs, strict=True)
            ]
        return steps

    async def _drop(self) -> None:
        llm, self._llm = self._llm, None
        if self._questions is not None:
            self._questions.close()
        if llm is not None:
            await asyncio.to_thread(llm.shutdown)

    # Reading

    def _refuse_unless_serving(self) -> None:
        if self._health.state is EngineState.DEAD:
            raise EngineDead(
                "engine_dead", "The engine is not running.", self._health.message, reason=self._health.message
            )
        if not self._was_ready:
            raise EngineBusy("engine_loading", "The engine is still loading.", "Try again in a moment.")

    async def _until_serving(self) -> None:
        """Waits for an engine that lives: what has not begun is kept while a dead one is made anew."""
        self._refuse_unless_serving()
        if self._llm is None or self._llm.errored:
            self._serving.clear()
        await self._serving.wait()
        self._refuse_unless_serving()

    async def _render(self, prompt: str, pixels: Any) -> Any:
        """The question as vLLM wants it."""
        if self._llm is None:
            raise died()
        return await self._questions.prepare(prompt, pixels)

    async def _answer(
        self, request: EngineRequest, run: Run, sampling: dict[str, Any], answers: list[Said]
    ) -> AsyncGenerator[tuple[int, EngineEvent], None]:
        """What comes of each answer, its end only where the model ended it; `answers` holds the rest."""
        from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

        from ocr_ui.engines.vllm_stream import REFUSALS, delta, parameters

        params = parameters(sampling)
        check_prompt(request.prompt, self._special.values())
        check_picture(request.pixels)
        run.work()
        try:
            prepared = await run.unless_ended(self._render(request.prompt, request.pixels))
            if self._llm is None:
                raise died()
            async with aclosing(self._llm.generate(prepared, params, request.id)) as outputs:
                async for output in outputs:
                    for answer in output.outputs:
                        said = answers[answer.index]
                        if answer.token_ids:
                            run.token()
                            self._last_token = run.last
                            event = delta(answer, self._special)
                            said.add(event.text, event.tokens)
                            yield answer.index, event
                        if answer.finish_reason in MODEL_ENDS:
                            yield answer.index, said.end(answer.finish_reason, run.seconds)
                    if run.reason:
                        break
                    if not output.finished:
                        await asyncio.sleep(self._pause())
        except EngineDeadError as error:
            self._serving.clear()
            raise died(self._note.read()) from error
        except EngineGenerateError as error:
            reason = repr(error.__cause__)
            if is_memory_failure(reason):
                raise out_of_memory(reason) from error
            raise EngineFailed("generation_failed", "The engine failed.", "Read it again.", reason=reason) from error
        except RuntimeError as error:
            # Rendering while the engine goes down: its threads are gone already; or without memory to prepare in.
            raise died(repr(error)) from error
        except REFUSALS as error:
            raise refused(error, self._settings) from error

    def _forget_example(self) -> None:
        """A page was read to its end: that an example was not is no trouble any more."""
        if any(problem.code == vllm_check.EXAMPLE_NOT_READ for problem in self._health.problems):
            self._health = Health(EngineState.READY, memory=self._memory)

    def _pause(self) -> float:
        return min(LONGEST_PAUSE, PAUSE_A_RUN * len(self._runs))

    async def _end(self, run: Run, reason: str) -> None:
        run.end(reason)
        if self._llm is not None and run.working:
            await self._llm.abort(run.id)

    # Watching

    async def _watch(self) -> None:
        """Ends runs that are silent for too long, and makes a dead engine anew."""
        going = True
        while going:
            await asyncio.sleep(WATCH_SECONDS)
            if self._llm is None or self._llm.errored:
                going = await self._restart(
                    EngineFailed("engine_process_ended", "The engine's process ended.", "It is being restarted.")
                )
            elif await self._end_silent_runs() and await self._is_silent():
                going = await self._restart(
                    EngineFailed(
                        "engine_silent",
                        "The engine gave no sign of life.",
                        "Where that happens on large pages, raise OCR_UI_SILENCE_TIMEOUT.",
                    )
                )
            self._drafts.judge()

    async def _end_silent_runs(self) -> bool:
        """Were there any? Each ends as timed out, its text kept."""
        now = time.monotonic()
        silent = [
            run
            for run in self._runs.values()
            if run.working and not run.reason and now - run.last > self._longest_silence(run)
        ]
        for run in silent:
            await self._end(run, "timeout")
        return bool(silent)

    def _longest_silence(self, run: Run) -> float:
        return self._settings.silence_timeout if run.begun else self._settings.first_token_timeout

    async def _is_silent(self) -> bool:
        """Is the whole engine silent? Where no page gets tokens, a bare text must get one."""
        if time.monotonic() - self._last_token < self._settings.silence_timeout:
            return False
        slow = EngineFailed("engine_slow", "A page took too long.", "The engine is being checked.")
        self._health = Health(EngineState.DEGRADED, problems=(slow,), memory=self._memory)
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._probe()
        except Exception as error:  # whatever it is: no answer
            log.warning("the engine does not answer: %r", error)
            return True
        self._health = Health(EngineState.READY, memory=self._memory)
        return False

    async def _probe(self) -> None:
        from vllm import SamplingParams

        name = f"probe-{time.monotonic_ns()}"
        async with aclosing(
            self._llm.generate({"prompt": vllm_check.PROMPT}, SamplingParams(max_tokens=1), name)
        ) as outputs:
            async for _ in outputs:
                pass

    async def _restart(self, reason: EngineFailed) -> bool:
        """Makes the engine anew, waiting longer after each failure. False where it was given up."""
        self._serving.clear()
        log.error("%s Restarting it.", reason)
        for attempt in range(self._settings.engine_restarts):
            self._health = Health(EngineState.LOADING, Phase.RESTARTING, (reason,), memory=self._memory)
            await self._drop()
            await asyncio.sleep(min(LONGEST_WAIT, FIRST_WAIT * 2**attempt))
            try:
                await self._load()
            except Exception as error:
                log.error("restart %d failed: %s", attempt + 1, self._failure(error))
            else:
                return True
        await self._drop()
        given_up = EngineDead(
            "engine_given_up",
            f"{reason.message} Restarting it failed {counted(self._settings.engine_restarts, 'time')}.",
            "The log shows why. Start the product again.",
            times=self._settings.engine_restarts,
        )
        self._health = Health(EngineState.DEAD, problems=(given_up,))
        self._serving.set()
        return False


def died(reason: str = "") -> EngineFailed:
    """What is told of a request that ran when the engine ended; `reason` is what its worker noted before, if any."""
    if is_memory_failure(reason):
        return out_of_memory(reason)
    return EngineFailed(
        "engine_died", "The engine stopped while it read this page.", "It is being restarted; read the page again."
    )


def refused(error: Exception, settings: Settings) -> WorkbenchError:
    """What vLLM's refusal of a request means for a person."""
    text = str(error)
    if over_budget(text):
        return BadInput(
            "picture_over_budget",
            "The picture and the prompt are too large for the engine's settings.",
            "Raise OCR_UI_MAX_MODEL_LEN and OCR_UI_MAX_NUM_BATCHED_TOKENS, or lower OCR_UI_ENGINE_PIXELS.",
            max_model_len=settings.max_model_len,
            engine_pixels=settings.engine_pixels,
        )
    return BadInput("refused_by_engine", f"The engine refused the page: {text}", "Try a smaller picture.", reason=text)
