"""The GPU worker's timing operations: ``time`` and ``peaks``. Keeps the kit and the self-test's result from one request to the next."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.device.left import stored
from assistant.device.replay_case import ReplayCase, read_case
from assistant.device.staging import Pristine
from assistant.device.timing.case import CaseTimer, Tools
from assistant.device.timing.copies import Copies
from assistant.device.timing.gate import GatedQueue, Span
from assistant.device.timing.kit import Kit
from assistant.device.timing.nvml import Sensor
from assistant.device.timing.peaks import measure_peaks
from assistant.device.timing.selftest import self_test
from assistant.device.timing.stages import ApartCopies, Side, StagedCopies
from assistant.device.timing.warm import warm_up
from assistant.disk.gpu_lease import GpuBusyError
from assistant.errors import CannotAnswerError
from assistant.model.timing import CaseTiming, LaunchIdentity, MeasuredPeaks, PairTiming, SelfTest, TimedDevice, TimedResult, TimingOptions
from assistant.record import Record

__all__ = ["PeaksRequest", "TimeRequest", "TimedCase", "peaks", "time_pairs"]

_FILL = 0xAB
"""What poisoned buffers hold, as in replays."""
_WARM_CLOCKS = 2_000_000
"""A millisecond at 2 GHz."""
_WARM_CALLS = 4
_COOL_S = 0.2
"""A GPU that did nothing of ours for this long is warmed up again: idle clocks fall within less on an H200."""


class TimedCase(Record):
    """One case as either version is started on it; the contents are A's."""

    a: CaseRequest
    b: CaseRequest
    shape: str
    weight: float


class TimeRequest(Record):
    """Time two programs' launches against each other."""

    a: Image
    b: Image
    helpers: Path
    """The cubin of ``helpers.cu`` and ``kit.cu``."""
    compiler: str
    """That made both images, for the method line."""
    cases: tuple[TimedCase, ...]
    options: TimingOptions
    peaks: MeasuredPeaks | None
    """Peaks of this device, where they are known; else they are measured."""
    out: Path
    """Receives ``blobs/<sha256>``: what timed calls left where it differs from what untimed ones leave."""


class PeaksRequest(Record):
    helpers: Path


class Timekeeper:
    """What stays between requests: kit, sensor, self-test."""

    def __init__(self, state: GpuState, helpers: Path) -> None:
        self.kit = Kit(state.driver, lambda name: state.helper(helpers, name))
        self.sensor = Sensor.open(state.facts.uuid)
        self.tools = Tools(time.monotonic, self.sensor.is_held_down)
        release = self.sensor.driver_version()
        self.driver_version = f"{release} (CUDA {state.facts.driver_version})" if release else f"for CUDA {state.facts.driver_version}"
        self._self_test: SelfTest | None = None

    def warm(self) -> None:
        """Bring the clocks to where work keeps them."""
        with closing(GatedQueue(self.kit)) as queue:
            spin = self.kit.spin(_WARM_CLOCKS)
            spans = (Span(work=lambda: self.kit.driver.launch(spin)),) * _WARM_CALLS

            def start() -> None:
                queue.times(spans)

            warm_up(start, time.monotonic, self.sensor.sm_clock_hz)

    def self_test(self, seed: int) -> SelfTest:
        """Made once; again where it failed, as another program may have been in the way."""
        if self._self_test is None or not self._self_test.has_passed:
            self._self_test = self_test(self.kit, self.tools, seed)
        return self._self_test


def time_pairs(state: GpuState, request: TimeRequest) -> PairTiming:
    """Timings of the cases, in order; fewer than were asked for where the GPU did not come back from somebody else in time.

    Raises DeviceError, CannotAnswerError where a case cannot be run or timed, and GpuBusyError where none was timed.
    """
    keeper = state.part(Timekeeper, lambda: Timekeeper(state, request.helpers))
    keeper.warm()
    before = keeper.sensor.state()
    tested = keeper.self_test(request.options.seed)
    found = request.peaks or measure_peaks(keeper.kit, state.facts.uuid, keeper.driver_version)
    cases = _in_turn(state, keeper, request)
    device = TimedDevice(state.facts.name, state.facts.uuid, keeper.driver_version, request.compiler, before, keeper.sensor.state())
    return PairTiming(cases, device, tested, found, request.out / "blobs")


def peaks(state: GpuState, request: PeaksRequest) -> MeasuredPeaks:
    keeper = state.part(Timekeeper, lambda: Timekeeper(state, request.helpers))
    keeper.warm()
    return measure_peaks(keeper.kit, state.facts.uuid, keeper.driver_version)


def _in_turn(state: GpuState, keeper: Timekeeper, request: TimeRequest) -> tuple[CaseTiming, ...]:
    """Each case's timing, up to where the GPU is kept by another process; waiting processes get it before each case."""
    timings: list[CaseTiming] = []
    for case in request.cases:
        try:
            is_cool = state.lease.offer()
        except GpuBusyError:
            if not timings:
                raise
            break
        if is_cool:
            keeper.warm()
        timings.append(_time_case(state, keeper, request, case))
    return tuple(timings)


def _time_case(state: GpuState, keeper: Timekeeper, request: TimeRequest, timed: TimedCase) -> CaseTiming:
    start_s = time.monotonic()
    a, b = read_case(timed.a), read_case(timed.b)
    try:
        with ExitStack() as stack:
            images = (stack.enter_context(state.fresh(request.a)), stack.enter_context(state.fresh(request.b)))
            copies = _copies(keeper.kit, ((images[0], a), (images[1], b)), request.options, stack)
            if time.monotonic() - start_s > _COOL_S:
                keeper.warm()
            timer = CaseTimer(keeper.kit, copies, request.options, keeper.tools)
            timing = timer.run(timed.shape, timed.weight)
    except ValueError as error:
        raise CannotAnswerError(str(error), "keep the kernel's name and parameters") from error
    if not timing.blocks:
        raise CannotAnswerError("the host is too slow to queue calls before they start", "end other programs on this machine")
    odd = tuple(TimedResult(version, stored(left, request.out / "blobs")) for version, left in timer.results)
    return replace(timing, odd_results=odd, a_launches=_launches(a), b_launches=_launches(b))


def _copies(kit: Kit, sides: tuple[Side, Side], options: TimingOptions, stack: ExitStack) -> Copies:
    order = random.Random(options.seed)  # noqa: S311 places, no secret

    def staged(case: ReplayCase, sides: tuple[Side, Side]) -> StagedCopies:
        pristine = stack.enter_context(closing(Pristine(kit.driver, case, _FILL)))
        return stack.enter_context(closing(StagedCopies(kit, pristine, sides, order)))

    if not options.is_apart:
        return staged(sides[0][1], sides)
    return ApartCopies(*(staged(side[1], (side, side)) for side in sides))


def _launches(case: ReplayCase) -> tuple[LaunchIdentity, ...]:
    return tuple(LaunchIdentity(launch.kernel, launch.config) for launch in case.launches)
