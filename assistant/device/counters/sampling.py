"""A process that drives CUPTI: ``python -m assistant.device.counters.sampling LIBRARY``; the GPU worker starts it.

A process of its own, with its own context: CUPTI's hooks would stay in every launch that the worker times later, and a launch that costs
the context costs the worker nothing. It reads requests line by line and ends with its input, or with its context.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from random import Random

from assistant.build.symbols import symbol_for
from assistant.device.counters.library import Helper
from assistant.device.counters.protocol import Part, SampledLaunch, SamplingReply, SamplingRequest
from assistant.device.counters.sampler import InstructionCounter, Launch, LaunchCounter, StallSampler
from assistant.device.driver import DeviceError, Driver, PreparedLaunch
from assistant.device.gpu_state import GpuState
from assistant.device.opening import open_driver
from assistant.device.replay import LaunchesTimedOut, wait_for
from assistant.device.replay_case import read_case
from assistant.device.staging import Pristine, Stage
from assistant.errors import CannotAnswerError
from assistant.serialize import dumps, loads

__all__ = ["sample"]


_PR_SET_PDEATHSIG = 1
"""prctl(2): signal for a child whose parent dies."""
_FILL = 0xAB
_SEED = 1


def sample(state: GpuState, helper: Helper, request: SamplingRequest) -> SamplingReply:
    """Counters of the launches of the named kernels, in the order of the cases."""
    counter = InstructionCounter(helper) if request.part is Part.INSTRUCTIONS else StallSampler(helper, state.facts.clock_hz)
    launches: list[SampledLaunch] = []
    reply = SamplingReply(())
    try:
        _sample_cases(state, counter, request, launches)
    except DeviceError as error:
        reply = SamplingReply((), (str(error),), is_lost=error.is_sticky)
    except LaunchesTimedOut:
        reply = SamplingReply((), (f"the launches did not end within {request.wall_s:g} s",), is_lost=True)
    except (CannotAnswerError, ValueError) as error:
        reply = SamplingReply((), (str(error),))
    if not reply.is_lost:
        counter.close()
    return replace(reply, launches=tuple(launches), failures=(*reply.failures, *counter.failures))


def _sample_cases(state: GpuState, counter: LaunchCounter, request: SamplingRequest, launches: list[SampledLaunch]) -> None:
    """Adds to ``launches`` one by one, so that those before a failure are kept."""
    driver = state.driver
    end_s = time.monotonic() + request.wall_s
    seen = 0
    for asked in request.cases:
        case = read_case(asked)
        with ExitStack() as owned:
            image = owned.enter_context(state.fresh(request.image))
            pristine = owned.enter_context(closing(Pristine(driver, case, _FILL)))
            stage = owned.enter_context(closing(Stage(driver, pristine, (image,), Random(_SEED))))  # noqa: S311 - no secrets
            prepared = stage.launches(image, case)
            for at, launch in enumerate(case.launches):
                symbol = symbol_for(launch.kernel, request.image.kernels)
                if symbol is None or symbol not in request.symbols:
                    continue
                seen += 1
                if seen <= request.first_launch:
                    continue
                answer = counter.counted(_repeatable(driver, stage, prepared[: at + 1], end_s))
                launches.append(SampledLaunch(launch.kernel, symbol, launch.config, answer))
                if len(launches) == request.launch_limit:
                    return


def _repeatable(driver: Driver, stage: Stage, launches: tuple[PreparedLaunch, ...], end_s: float) -> Launch:
    """The last of the launches, on what those before it leave."""
    *before, last = launches

    def prepare() -> None:
        stage.restore()
        for launch in before:
            driver.launch(launch)
        wait_for(driver, end_s)

    def run() -> None:
        driver.launch(last)

    def wait() -> None:
        wait_for(driver, end_s)

    return Launch(prepare, run, wait, _duration_s(driver, prepare, run, wait))


def _duration_s(driver: Driver, prepare: Callable[[], None], run: Callable[[], None], wait: Callable[[], None]) -> float:
    prepare()
    start, end = driver.create_event(), driver.create_event()
    try:
        driver.record(start)
        run()
        driver.record(end)
        wait()
        return driver.elapsed_s(start, end)
    finally:
        driver.destroy_event(start)
        driver.destroy_event(end)


def main(arguments: list[str]) -> int:
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a kernel prints is no answer
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    helper = Helper(Path(arguments[0]))
    state = GpuState(open_driver("auto", 0))
    for line in sys.stdin:
        reply = sample(state, helper, loads(SamplingRequest, line.encode()))
        replies.write(dumps(reply) + "\n")
        replies.flush()
        if reply.is_lost:
            break
    os._exit(0)  # the driver's own clean-up would wait for a kernel that never ends


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
