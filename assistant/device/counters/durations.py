"""How long recorded launches take by the GPU's own time stamps: a second opinion on what the timing says, made by other means.

It runs in the process that drives CUPTI (``sampling``), and is asked for by the worker (``profiled_times``). Example::

    profiled_times(state, request).times[0].most_s     # 3.1e-05
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import pairwise
from random import Random
from statistics import median

from assistant.device.counters.cupti import CuptiRuns
from assistant.device.counters.protocol import DurationsReply, DurationsRequest, Part, SampledLaunch, SamplingRequest
from assistant.device.counters.sampler import Launch, Profilers
from assistant.device.driver import Driver, PreparedLaunch
from assistant.device.gpu_protocol import CaseRequest
from assistant.device.gpu_state import GpuState
from assistant.device.replay import wait_for
from assistant.device.replay_case import read_case
from assistant.device.staging import Pristine, Stage
from assistant.device.timing.kit import Kit
from assistant.model.timing import ProfiledTime

__all__ = ["get_ready_to_time", "profiled_times", "time_cases"]

_CALLS = 3
"""On each set of buffers, with L2 emptied and again without."""
_SETS = 8
_SETS_WALL_S = 1.0
"""A case whose calls take long is timed on fewer sets."""
_MOST_MEMORY_SHARE = 0.25
"""Share of the free memory that all sets together take: other processes may need some."""
_WARM_S = 0.4
"""Work before anything is timed: an H200 leaves its idle clocks in less."""
_SPIN_CLOCKS = 2_000_000
_FILL = 0xAB
_STATES = ("cold", "warm")
_OWN = "kernelopt_"
"""How the names of our own kernels begin."""


def profiled_times(state: GpuState, request: DurationsRequest) -> DurationsReply:
    """The worker's operation."""
    reply = _runs(state).sample(request.cache, _asked(request))
    times = tuple(time for launch in reply.launches if (time := _profiled(launch.answer)) is not None)
    if len(times) != len(request.cases) or reply.failures:
        return DurationsReply((), "; ".join(reply.failures) or "CUPTI gave no time stamps")
    return DurationsReply(times)


def get_ready_to_time(state: GpuState, request: DurationsRequest) -> None:
    """Start the process that ``profiled_times`` asks."""
    _runs(state).get_ready(request.cache, _asked(request))


def _runs(state: GpuState) -> CuptiRuns:
    return state.part(CuptiRuns, lambda: CuptiRuns(os.environ, state.facts.name))


def _asked(request: DurationsRequest) -> SamplingRequest:
    return SamplingRequest(Part.DURATIONS, request.image, request.cases, (), 0, len(request.cases), request.wall_s, request.helpers)


def time_cases(state: GpuState, profilers: Profilers, request: SamplingRequest) -> Iterator[SampledLaunch]:
    """Per case and set of buffers a line with the nanoseconds of all the case's launches for each call, behind ``cold`` or ``warm``.

    Raises as ``sampling.sample`` says.
    """
    assert request.helpers is not None, "its kernels empty L2"
    helpers = request.helpers
    kit = state.part(Kit, lambda: Kit(state.driver, lambda name: state.helper(helpers, name)))
    end_s = time.monotonic() + request.wall_s
    _warm_up(kit)
    for asked in request.cases:
        yield _timed(state, profilers, request, asked, kit, end_s)


def _timed(state: GpuState, profilers: Profilers, request: SamplingRequest, asked: CaseRequest, kit: Kit, end_s: float) -> SampledLaunch:
    case, driver = read_case(asked), state.driver
    began_s, lines, random = time.monotonic(), list[str](), Random(1)  # noqa: S311 - no secrets
    with (
        state.fresh(request.image) as image,
        closing(Pristine(driver, case, _FILL)) as pristine,
        ExitStack() as sets,  # kept to the end, so that each lies elsewhere
    ):
        free_bytes, _ = driver.memory()
        set_count = min(_SETS, int(free_bytes * _MOST_MEMORY_SHARE) // max(1, case.size_bytes))
        while not lines or (len(lines) < set_count and time.monotonic() - began_s < _SETS_WALL_S):
            stage = sets.enter_context(closing(Stage(driver, pristine, (image,), random)))  # of which each puts its buffers elsewhere
            launches = stage.launches(image, case)
            calls = [_call(driver, stage, launches, (kit.sweep,) if is_cold else (), end_s) for is_cold in (True, False)]
            lines.append(
                "".join(_line(profilers, call, word) for _ in range(_CALLS) for call, word in zip(calls, _STATES, strict=True)) + "\n"
            )
    return SampledLaunch(case.launches[0].kernel, "", case.launches[0].config, "".join(lines))


def _call(driver: Driver, stage: Stage, launches: Sequence[PreparedLaunch], before: Sequence[PreparedLaunch], end_s: float) -> Launch:
    """One call on the first contents, behind ``before``."""

    def started(each: Sequence[PreparedLaunch]) -> None:
        for launch in each:
            driver.launch(launch)

    def prepare() -> None:
        stage.restore()
        started(before)
        wait_for(driver, end_s)

    return Launch("", prepare, lambda: started(launches), lambda: wait_for(driver, end_s))


def _line(profilers: Profilers, call: Launch, word: str) -> str:
    fields = (line.split("\t") for line in profilers.durations(call).splitlines())
    durations_ns = [int(words[2]) for words in fields if words[0] == "kernel" and not words[1].startswith(_OWN)]
    return f"{word} {sum(durations_ns)} " if durations_ns else ""


def _warm_up(kit: Kit) -> None:
    began_s, spin = time.monotonic(), kit.spin(_SPIN_CLOCKS)
    while time.monotonic() - began_s < _WARM_S:
        kit.driver.launch(spin)
        kit.driver.synchronize()


def _profiled(answer: str) -> ProfiledTime | None:
    """None where a call has no time stamps."""
    medians_s = list[float]()
    sets = [line.split() for line in answer.splitlines()]
    for words in sets:
        for state in _STATES:
            times_s = [int(ns) * 1e-9 for word, ns in pairwise(words) if word == state]
            if len(times_s) != _CALLS:
                return None
            medians_s.append(median(times_s))
    method = f"CUPTI on {len(sets)} sets of buffers"
    return ProfiledTime(min(medians_s), max(medians_s), 2 * _CALLS * len(sets), method) if medians_s else None
