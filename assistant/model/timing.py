"""Timings of two versions on a GPU as they were taken, and the state of the device meanwhile; what they mean is judged elsewhere.

One *call* starts the launches of a case once. One *slot* times a few calls of one version; four slots, ABBA or BAAB, are one *block*.
Example::

    Block("ABBA", (10.1e-6, 9.0e-6, 9.1e-6, 10.0e-6)).a_s     # (1.01e-05, 1e-05)
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from assistant.model.launch import LaunchConfig
from assistant.record import Record


class TimingOptions(Record):
    """How two versions are timed."""

    seed: int
    """Seed of the order of the blocks and of the calls that are checked; never shown to a planner."""
    half_width_ratio: float = 0.003
    """Blocks are added until A against A is known to this, or the time is up."""
    least_block_count: int = 20
    fewest_block_count: int = 5
    """Taken also where the time is up before."""
    wall_s: float = 15.0
    """A shape."""
    is_fresh: bool = False
    """In a process that has timed nothing before: confirmations."""
    is_apart: bool = False
    """Each version on contents of its own, where its launches are not those of the other's recording; else both on A's."""


class Block(Record):
    """Four slots taken one after the other; seconds a call, the same method's empty kernel subtracted."""

    order: str
    """``ABBA`` or ``BAAB``."""
    times_s: tuple[float, ...]
    """As taken, one for each letter of ``order``."""

    @property
    def a_s(self) -> tuple[float, ...]:
        """Times of A, in the order taken."""
        return tuple(time_s for letter, time_s in zip(self.order, self.times_s, strict=True) if letter == "A")

    @property
    def b_s(self) -> tuple[float, ...]:
        return tuple(time_s for letter, time_s in zip(self.order, self.times_s, strict=True) if letter == "B")


class GpuState(Record):
    """What NVML says of the device at one moment; None where it does not say."""

    sm_clock_hz: float | None = None
    memory_clock_hz: float | None = None
    temperature_c: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    throttle_reasons: tuple[str, ...] = ()
    """NVML's names of what holds the clocks down (``sw_power_cap``); an idle GPU's ``gpu_idle`` is left out."""


class LaunchIdentity(Record):
    """Which launch it was that a call started."""

    kernel: str
    """Demangled instance."""
    config: LaunchConfig

    def __str__(self) -> str:
        return f"{self.kernel}, grid {self.config.grid}, block {self.config.block}"


class TimedResult(Record):
    """What one timed call left."""

    version: str
    """``A`` or ``B``."""
    after: tuple[tuple[int, str], ...]
    """(buffer id, sha256 of its contents, which names the file in ``PairTiming.blobs``)."""


class ProfiledTime(Record):
    """What a profiler says that one call takes. A time of ours is held against it, and no verdict is made from it."""

    least_s: float
    most_s: float
    """Least and most of the medians on several sets of buffers, with L2 emptied before each call and with what the call before left in it:
    where buffers lie changes the time of, say, atomics on a few words."""
    count: int
    """Calls in all."""
    method: str


class CaseTiming(Record):
    """One shape's timings of both versions."""

    shape: str
    weight: float
    blocks: tuple[Block, ...]
    method: str
    """``graph``: slots are graphs of ``calls_per_slot`` calls; ``events``: each call between two events of its own."""
    calls_per_slot: int
    launches_per_call: int
    empty_s: float
    """A call of empty kernels by the same method, which was subtracted from each time."""
    copy_count: int
    """Sets of buffers that the calls went through in turn."""
    is_restored: bool
    """Whether the buffers were given their first contents again before each slot, outside the timed span."""
    stop: str
    """``width``: A against A is known well enough; ``time``: the shape's time was up."""
    seconds: float
    """That the shape took in all."""
    late_block_count: int = 0
    """Dropped, as the host did not queue them in time."""
    hot_block_count: int = 0
    """Dropped, as heat or the power supply held the GPU's clocks down meanwhile."""
    checked_count: int = 0
    """Timed calls whose results were compared, bit by bit, with an untimed call's."""
    odd_results: tuple[TimedResult, ...] = ()
    """What timed calls left where it differs from what an untimed call of that version leaves: to be judged by its values."""
    notes: tuple[str, ...] = ()
    """What could not be done as it should, in words."""
    unchecked_versions: tuple[str, ...] = ()
    """``A`` and ``B`` where a timed call left something else that is too large to be looked at."""
    a_launches: tuple[LaunchIdentity, ...] = ()
    """What a timed call of A started, as its worker saw it."""
    b_launches: tuple[LaunchIdentity, ...] = ()
    profiled: ProfiledTime | None = None
    """Profiled time of A; None where no profiler could be asked."""
    cold_call_count: int | None = None
    """Calls of a slot that find none of their data in L2; the others may find what an earlier call on the same buffers left there. None
    where it is not known."""
    added_half_width_s: float = 0.0
    """Of the 95 % interval of what is in every time and was timed elsewhere, as fills are; 0: nothing was."""


class SelfTest(Record):
    """Comparisons whose answers are known, made before the first real one."""

    same_ratio: float
    """A kernel against itself."""
    slowed_ratio: float
    """Against a copy that runs 5 % longer."""
    failures: tuple[str, ...]
    """What came out wrong, in words; empty when the timing can be believed."""
    seconds: float

    @property
    def has_passed(self) -> bool:
        return not self.failures


class MeasuredPeaks(Record):
    """The most that one device was seen to do."""

    device_uuid: str
    driver_version: str
    dram_bytes_per_s: float
    """The best of reading, and of reading and writing, more than L2 holds several times."""
    l2_bytes_per_s: float
    """Reading again and again what fits into L2."""
    fp32_per_s: float
    """Fused multiply-adds, counted for each thread."""
    fp64_per_s: float
    half2_per_s: float
    """Fused multiply-adds on pairs of halves."""
    method: str


class TimedDevice(Record):
    """What the timings were taken on."""

    name: str
    uuid: str
    driver_version: str
    compiler: str
    before: GpuState = field(default_factory=GpuState)
    after: GpuState = field(default_factory=GpuState)


class PairTiming(Record):
    """Both versions on every shape that has weight."""

    cases: tuple[CaseTiming, ...]
    device: TimedDevice
    self_test: SelfTest | None = None
    """Self-test of the worker that took them; None where it was not made."""
    peaks: MeasuredPeaks | None = None
    blobs: Path | None = None
    """Folder of the contents that ``TimedResult`` names."""
