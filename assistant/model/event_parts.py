"""What events carry: a kernel's launches and resources, a profile's lines and findings, a verdict and a speed.

They have no name and no job of their own: they lie within an event of ``events``.
"""

from __future__ import annotations

from assistant.model.comparison import CaseSpeed, SpeedOutcome
from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.record import Record

SCHEMA = 1
"""Version of the event stream as a whole."""


class ParameterFound(Record):
    name: str
    type: str
    is_pointer: bool
    is_const: bool
    is_restrict: bool


class LaunchFound(Record):
    """A launch site as written."""

    line: int
    function: str
    grid: str
    block: str
    shared: str | None
    arguments: tuple[str, ...]
    is_in_loop: bool
    file: str | None = None
    """Absolute; null where it is the job's own file."""


class OccupancyFound(Record):
    block_threads: int
    active_warps_per_sm: int
    max_warps_per_sm: int
    limiter: str


class ResourcesFound(Record):
    """ptxas's report of an instance, with the occupancy of usual block sizes (no dynamic shared memory)."""

    instance: str
    architecture: str
    registers_per_thread: int
    spill_bytes: int
    stack_bytes: int
    static_shared_bytes: int
    occupancy: tuple[OccupancyFound, ...]


class MachineLine(Record):
    """Machine instructions of a source line, in the order of the code."""

    file: str
    line: int
    instructions: tuple[str, ...]
    """As the disassembler writes them (``@P0 LDG.E R2, [R4.64]``)."""


class ProfileLine(Record):
    """One line and kind of access; counters that do not apply are absent in JSON."""

    file: str
    line: int
    op: str
    requests: int
    active_threads: int
    sectors: int | None
    ideal_sectors: int | None
    wavefronts: int | None
    ideal_wavefronts: int | None
    grade: str
    grade_reason: str


class ProfileFinding(Record):
    code: str
    line: int
    severity: str
    message: str
    evidence: tuple[str, ...]
    estimated_cost_ratio: float | None


class Device(Record):
    name: str
    kind: str
    """``cpu`` or ``gpu``."""
    target: str


class MeasuredLaunch(Record):
    """A launch shape timed on a GPU."""

    time_s: float
    """Median of a launch, an empty kernel's share subtracted."""
    method: str
    share_ratio: float | None = None
    """Share of the program's GPU time (0..1), all launches of the shape together; null where not all of it was timed."""
    advice: str | None = None
    """How much is left to be gained, and where to look instead; null where no bound is known."""


class VerificationReport(Record):
    outcome: Outcome
    findings: tuple[VerificationFinding, ...]
    cases: tuple[CaseResult, ...]
    labels: tuple[str, ...]
    dropped_cases: tuple[str, ...]
    missing_checks: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    """Shown in the verdict line itself, behind the outcome."""


class SpeedReport(Record):
    outcome: SpeedOutcome
    ratio: float
    low: float | None
    high: float | None
    margin: float | None
    quality: str
    cases: tuple[CaseSpeed, ...]
    method: str
    bottleneck_before: str | None
    bottleneck_after: str | None
    predicted_ratio: float | None = None
    """For a measurement: the performance model's ratio of the same kernels, launch overhead left out as in the measurement; null where
    nothing was measured, or several kernels together."""
    caveats: tuple[str, ...] = ()
    """Shown in the line of the speed itself, behind the ratio."""
