"""A process that drives CUPTI; the GPU worker starts it (``child_commands.sampling_command``).

A process of its own, with its own context: CUPTI's hooks would stay in every launch that the worker times later, and a launch that costs
the context costs the worker nothing. It reads requests line by line and ends with its input, or with its context.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NoReturn

from assistant.build.symbols import symbol_for
from assistant.device.counters.durations import time_cases
from assistant.device.counters.library import Helper
from assistant.device.counters.protocol import Part, SampledLaunch, SamplingReply, SamplingRequest
from assistant.device.counters.sampler import Launch, Profilers, StaleSamplesError
from assistant.device.driver import DeviceError, Driver, PreparedLaunch
from assistant.device.gpu_protocol import CaseRequest
from assistant.device.gpu_state import GpuState
from assistant.device.opening import open_driver
from assistant.device.replay import LaunchesTimedOut, wait_for
from assistant.device.replay_case import PlacedLaunch, ReplayCase, read_case
from assistant.device.staging import Pristine, Stage
from assistant.errors import CannotAnswerError
from assistant.serialize import dumps, loads

__all__ = ["sample", "serve"]

_FILL = 0xAB
_SEED = 1


def sample(state: GpuState, profilers: Profilers, request: SamplingRequest) -> SamplingReply:
    """Counters of the launches of the named kernels, in the order of the cases; those before a failure are kept."""
    launches: list[SampledLaunch] = []
    try:
        if request.part is Part.DURATIONS:
            launches += time_cases(state, profilers, request)
        elif request.part is not Part.READY:
            _sample_cases(state, profilers, request, launches)
        reply = SamplingReply(())
    except DeviceError as error:
        reply = SamplingReply((), (str(error),), is_lost=error.is_sticky)
    except LaunchesTimedOut:
        reply = SamplingReply((), (f"the launches did not end within {request.wall_s:g} s",), is_lost=True)
    except StaleSamplesError:
        reply = SamplingReply((), (), is_lost=True, is_stale=True)
    except (CannotAnswerError, ValueError) as error:
        reply = SamplingReply((), (str(error),))
    return replace(reply, launches=tuple(launches), failures=(*reply.failures, *profilers.failures()))


def _sample_cases(state: GpuState, profilers: Profilers, request: SamplingRequest, launches: list[SampledLaunch]) -> None:
    end_s = time.monotonic() + request.wall_s
    skipped = request.first_launch
    for asked in request.cases:
        if len(launches) == request.launch_limit:
            return
        case = _Case(state, request, asked, end_s)
        wanted, skipped = case.wanted[skipped:], max(0, skipped - len(case.wanted))
        chosen = wanted[: request.launch_limit - len(launches)]
        if chosen:
            count = _instructions if request.part is Part.INSTRUCTIONS else _stalls_and_whole
            with case.contents() as pristine:
                launches += count(profilers, case, pristine, chosen)


def _instructions(profilers: Profilers, case: _Case, pristine: Pristine, chosen: list[int]) -> list[SampledLaunch]:
    with case.runnable(pristine, chosen) as launches:
        return [case.sampled(at, profilers.instructions(launch)) for at, launch in zip(chosen, launches, strict=True)]


def _stalls_and_whole(profilers: Profilers, case: _Case, pristine: Pristine, chosen: list[int]) -> list[SampledLaunch]:
    """The code is loaded twice: for stalls it must be while they are sampled, which takes the counters that the other part needs."""
    with case.runnable(pristine, chosen) as launches:
        longest_s = max(case.duration_s(launch) for launch in launches)
        wholes = [profilers.whole(launch) for launch in launches]
    with profilers.sampling(longest_s), case.runnable(pristine, chosen) as launches:
        stalls = [profilers.stalls(launch, case.code) for launch in launches]
    return [case.sampled(at, "".join(lines)) for at, lines in zip(chosen, zip(stalls, wholes, strict=True), strict=True)]


class _Case:
    """One case, and how its launches in question are run."""

    def __init__(self, state: GpuState, request: SamplingRequest, asked: CaseRequest, end_s: float) -> None:
        self._state = state
        self._image = request.image
        self._end_s = end_s
        self._case: ReplayCase = read_case(asked)
        self._symbols = [symbol_for(launch.kernel, request.image.every_kernel) for launch in self._case.launches]
        self.wanted = [at for at, symbol in enumerate(self._symbols) if symbol in request.symbols]
        """Places of the launches of the kernels in question."""

    @property
    def code(self) -> str:
        """Identity of what is loaded."""
        return hashlib.sha256(b"".join(unit.cubin.read_bytes() for unit in self._image.units)).hexdigest()

    def contents(self) -> closing[Pristine]:
        return closing(Pristine(self._state.driver, self._case, _FILL))

    @contextmanager
    def runnable(self, pristine: Pristine, chosen: list[int]) -> Generator[list[Launch]]:
        """The chosen launches, with the code loaded for this once."""
        driver = self._state.driver
        with ExitStack() as owned:
            image = owned.enter_context(self._state.fresh(self._image))
            stage = owned.enter_context(closing(Stage(driver, pristine, (image,), Random(_SEED))))  # noqa: S311 - no secrets
            prepared = stage.launches(image, self._case)
            yield [self._repeatable(self._symbols[at] or "", stage, prepared[: at + 1]) for at in chosen]

    def sampled(self, at: int, answer: str) -> SampledLaunch:
        launch: PlacedLaunch = self._case.launches[at]
        return SampledLaunch(launch.kernel, self._symbols[at] or "", launch.config, answer)

    def duration_s(self, launch: Launch) -> float:
        """Duration of a run without counters."""
        driver = self._state.driver
        launch.prepare()
        start, end = driver.create_event(), driver.create_event()
        try:
            driver.record(start)
            launch.run()
            driver.record(end)
            launch.wait()
            return driver.elapsed_s(start, end)
        finally:
            driver.destroy_event(start)
            driver.destroy_event(end)

    def _repeatable(self, symbol: str, stage: Stage, launches: tuple[PreparedLaunch, ...]) -> Launch:
        """The last of the launches, on what those before it leave."""
        driver: Driver = self._state.driver
        *before, last = launches

        def prepare() -> None:
            stage.restore()
            for launch in before:
                driver.launch(launch)
            wait_for(driver, self._end_s)

        return Launch(symbol, prepare, lambda: driver.launch(last), lambda: wait_for(driver, self._end_s))


def serve(library: Path) -> NoReturn:
    """Answer standard input's lines on a private copy of standard output until the input or the context ends; then end."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a kernel prints is no answer
    helper = Helper(library)
    state = GpuState(open_driver("auto", 0))
    profilers = Profilers(helper, state.facts.clock_hz)
    for line in sys.stdin:
        reply = sample(state, profilers, loads(SamplingRequest, line.encode()))
        replies.write(dumps(reply) + "\n")
        replies.flush()
        if reply.is_lost:
            break
    os._exit(0)  # the driver's own clean-up would wait for a kernel that never ends
