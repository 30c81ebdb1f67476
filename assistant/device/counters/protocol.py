"""What the GPU worker is asked about counters and answers, and what it asks the process that drives CUPTI: JSON, one object per line."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.device.counters.failure import CountingFailure
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.model.launch import LaunchConfig
from assistant.model.profile import LaunchProfile, Method
from assistant.model.timing import ProfiledTime
from assistant.record import Record

__all__ = [
    "CountersReply",
    "CountersRequest",
    "DurationsReply",
    "DurationsRequest",
    "InstructionPlace",
    "Part",
    "SampledLaunch",
    "SamplingReply",
    "SamplingRequest",
]


class InstructionPlace(Record):
    """A machine instruction, and the user's line that it belongs to, where it was inlined from a header too."""

    symbol: str
    offset_bytes: int
    file: str
    line: int
    """0 where the compiler kept none."""
    opcode: str = ""
    """With modifiers (``LDG.E.128``)."""


class CountersRequest(Record):
    """Count what launches do, on the hardware."""

    image: Image
    cases: tuple[CaseRequest, ...]
    symbols: tuple[str, ...]
    """Mangled names of the kernels in question."""
    places: tuple[InstructionPlace, ...]
    """Instructions of those kernels, in the order of their code."""
    launch_limit: int
    wall_s: float
    cache: Path
    """Keeps the library that drives CUPTI."""
    preferred: Method = Method.NCU
    """``ncu`` or ``cupti``: which is tried first; the other one counts where it cannot."""


class CountersReply(Record):
    """Counters of every launch in order, or none."""

    launches: tuple[LaunchProfile, ...]
    refusals: tuple[CountingFailure, ...] = ()
    """Why ways that were tried before gave nothing, or this one not everything; in that order."""


class Part(StrEnum):
    """What one process of CUPTI's counts."""

    SAMPLED = "sampled"
    """Stalls, and counters of launches as a whole: of as many launches as wanted, one request after another."""
    INSTRUCTIONS = "instructions"
    """Counters by machine instruction: of one launch, once in a process."""
    DURATIONS = "durations"
    """No counters: how long each case's launches take by the GPU's own time stamps, with L2 emptied and without."""
    READY = "ready"
    """Nothing: it answers once it has a context."""


class SamplingRequest(Record):
    """Run cases with CUPTI's counters on."""

    part: Part
    image: Image
    cases: tuple[CaseRequest, ...]
    symbols: tuple[str, ...]
    first_launch: int
    """Launches of the kernels in question before this one are run, but not counted."""
    launch_limit: int
    wall_s: float
    """Limit for all cases together."""
    helpers: Path | None = None
    """The cubin of our own kernels, for ``DURATIONS``."""


class DurationsRequest(Record):
    """How long do the cases' launches take, by a profiler?"""

    image: Image
    helpers: Path
    cases: tuple[CaseRequest, ...]
    cache: Path
    """Keeps the library that drives CUPTI."""
    wall_s: float


class DurationsReply(Record):
    """One time for each case, in order; or none, and why."""

    times: tuple[ProfiledTime, ...]
    failure: str = ""


class SampledLaunch(Record):
    """One launch of a kernel in question; of ``DURATIONS`` all launches of a case, called by the first."""

    kernel: str
    """As the recording calls it."""
    symbol: str
    config: LaunchConfig
    answer: str
    """The helper's lines, of every part that did not fail."""


class SamplingReply(Record):
    """Launches in order; fewer than asked for where something ended the process."""

    launches: tuple[SampledLaunch, ...]
    failures: tuple[str, ...] = ()
    """Each once: which call of CUPTI's or of the driver's failed, and how."""
    is_lost: bool = False
    """The process is of no more use."""
    is_stale: bool = False
    """It took samples for those of code that was unloaded before: another process must look."""
