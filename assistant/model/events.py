"""The one event stream of a job: what ``--json`` prints and editors are sent.

Every event carries ``event`` (its name), ``schema`` and ``job``. Numbers are finite; absent values are null.
"""

from __future__ import annotations

from typing import Literal

from assistant.model.build import Diagnostic, Occupancy
from assistant.model.comparison import CaseSpeed, PredictedTime, SpeedOutcome
from assistant.model.completion import CallOutcome, Caps, Spending
from assistant.model.figures import BeforeAfter
from assistant.model.plan import Decline, Step
from assistant.model.profile import Evidence, Finding, InstructionMix, LineStall, Problem, Severity
from assistant.model.recorded_facts import RecordedFacts
from assistant.model.roofline import Roofline
from assistant.model.timeline import Timeline
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Outcome, VerificationFinding
from assistant.record import Record

SCHEMA = 1


class JobStarted(Record):
    job: str
    command: str
    file: str
    device: str
    rung: str
    other: str | None = None
    """B of a comparison."""
    event: Literal["job_started"] = "job_started"
    schema: int = SCHEMA


class StageStarted(Record):
    job: str
    stage: str
    """``parse``, ``build``, ``capture``, ``verify``, ``profile``, ``plan``, ``screen``, ``confirm``; ``consent`` while a person is asked,
    ``model`` while a language model is."""
    detail: str
    event: Literal["stage_started"] = "stage_started"
    schema: int = SCHEMA


class StageEnded(Record):
    job: str
    stage: str
    detail: str
    duration_ms: float
    event: Literal["stage_ended"] = "stage_ended"
    schema: int = SCHEMA


class Message(Record):
    """A sentence for people: a warning, a missing part, a remedy."""

    job: str
    severity: Severity
    message: str
    remedy: str | None = None
    file: str | None = None
    line: int | None = None
    event: Literal["message"] = "message"
    schema: int = SCHEMA


class Diagnostics(Record):
    job: str
    diagnostics: tuple[Diagnostic, ...]
    event: Literal["diagnostics"] = "diagnostics"
    schema: int = SCHEMA


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
    """ptxas's report of one instance, with the occupancy of usual block sizes (no dynamic shared memory)."""

    instance: str
    architecture: str
    registers_per_thread: int
    spill_bytes: int
    stack_bytes: int
    static_shared_bytes: int
    occupancy: tuple[OccupancyFound, ...]


class KernelFound(Record):
    """What ``inspect`` reports of one kernel."""

    job: str
    kernel: str
    line: int
    parameters: tuple[ParameterFound, ...]
    template_parameters: tuple[str, ...]
    launch_bounds: tuple[str, ...]
    device_functions: tuple[str, ...]
    launches: tuple[LaunchFound, ...]
    resources: tuple[ResourcesFound, ...]
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["kernel"] = "kernel"
    schema: int = SCHEMA


class MachineLine(Record):
    """Machine instructions of one source line, in the order of the code."""

    file: str
    line: int
    instructions: tuple[str, ...]
    """As the disassembler writes them (``@P0 LDG.E R2, [R4.64]``)."""


class MachineCode(Record):
    """SASS of one kernel instance by source line; what no source line caused is left out."""

    job: str
    kernel: str
    instance: str
    architecture: str
    lines: tuple[MachineLine, ...]
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["machine_code"] = "machine_code"
    schema: int = SCHEMA


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


class Profile(Record):
    """Counters of one launch."""

    job: str
    kernel: str
    instance: str
    launch: int
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    device: Device
    method: str
    totals: dict[str, int]
    instructions: InstructionMix
    lines: tuple[ProfileLine, ...]
    findings: tuple[ProfileFinding, ...]
    evidence: tuple[Evidence, ...]
    problems: tuple[Problem, ...]
    shape: str | None = None
    """Of the declared workload (``n=1024``); null for a program's own launches."""
    predicted: PredictedTime | None = None
    """The performance model's time of this launch with its terms, which overlap; null where none was predicted."""
    occupancy: Occupancy | None = None
    """Theoretical; null without a CUDA compiler."""
    roofline: Roofline | None = None
    """Without points where no machine code shows arithmetic; null where no time was predicted."""
    stalls: tuple[LineStall, ...] = ()
    """What warps wait for, line by line, in samples; empty where nothing samples warps (the emulator)."""
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["profile"] = "profile"
    schema: int = SCHEMA


class MeasuredLaunch(Record):
    """A launch shape timed on a GPU."""

    time_s: float
    """Median of one launch, an empty kernel's share subtracted."""
    method: str
    share_ratio: float | None = None
    """Of the program's GPU time (0..1), all launches of the shape together; null where not all of it was timed."""
    advice: str | None = None
    """How much is left to be gained, and where to look instead; null where no bound is known."""


class TimelineFound(Record):
    """What the program as a whole spends its time on the GPU with, before any one kernel is looked at.

    Of a GPU from a run that nothing else was recorded of; of the emulator predicted.
    """

    job: str
    headline: str
    """The whole in one sentence: ``62 % of GPU time is in 2 kernels (relax, norm); 21 % are gaps``."""
    timeline: Timeline
    method: str
    program: str | None = None
    """Which one ran, of several that have the file; null where it has no name."""
    event: Literal["timeline"] = "timeline"
    schema: int = SCHEMA


class ProfileSummary(Record):
    job: str
    kernel: str
    instance: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    launch_count: int
    bottleneck: str
    predicted_time_s: float | None
    shape: str | None = None
    """Of the declared workload (``n=1024``); null for a program's own launches."""
    speed_of_light_ratio: float | None = None
    """At least this share (0..1): least time of the launch's distinct data and arithmetic at the target's nominal peaks / predicted
    time; null where that least time is not known (docs/explanation/performance-model.md)."""
    speed_of_light_limit: str | None = None
    """What that least time is spent on: ``dram``, ``l2``, ``fp32``, ``fp64``, ``half`` or ``special``."""
    measured: MeasuredLaunch | None = None
    """What a GPU took for it; null where nothing was timed. The speed of light is then that of the measured time and peaks."""
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["profile_summary"] = "profile_summary"
    schema: int = SCHEMA


class LaunchFacts(Record):
    """What every launch of a kernel had in common: pointers that never overlapped, alignments, values, shapes."""

    job: str
    kernel: str
    facts: RecordedFacts
    words: tuple[str, ...]
    """The same in sentences, without full stops."""
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["launch_facts"] = "launch_facts"
    schema: int = SCHEMA


class CheckEnded(Record):
    """What ``check`` found on the original."""

    job: str
    kernel: str
    problems: tuple[Problem, ...]
    is_deterministic: bool | None
    """Whether two runs on equal inputs left the same bytes; None where nothing is claimed: ``repeatability`` says why."""
    launch_count: int
    refused_count: int = 0
    """Launches among them that no thread ran of, as their configuration is not allowed."""
    repeatability: str | None = None
    """Why nothing is claimed of it: the kernel races, its inputs already differed, no launch of it ran."""
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["check"] = "check"
    schema: int = SCHEMA


class FindingsFound(Record):
    job: str
    kernel: str
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["findings"] = "findings"
    schema: int = SCHEMA


class PlanMade(Record):
    job: str
    planner: str
    steps: tuple[Step, ...]
    declines: tuple[Decline, ...]
    event: Literal["plan"] = "plan"
    schema: int = SCHEMA


class CandidateTried(Record):
    job: str
    candidate: str
    technique: str
    kernel: str
    outcome: TrialOutcome
    """``kept`` became a proposal or the next version to improve; every other value says why it did not."""
    reason: str
    ratio: float | None
    event: Literal["candidate"] = "candidate"
    schema: int = SCHEMA


class ModelCalled(Record):
    """One call of a language model came to an end."""

    job: str
    call: str
    role: str
    """``planner``, ``coder`` or ``summariser``."""
    prompt: str
    """``code@3``: template and version."""
    provider: str
    model: str
    outcome: CallOutcome
    """``answered``, or why not (docs/reference/models.md)."""
    input_token_count: int
    output_token_count: int
    duration_ms: int
    event: Literal["model_call"] = "model_call"
    schema: int = SCHEMA


class BudgetSpent(Record):
    """The meter: what the job has spent of what it may; the first one, before anything is spent, carries the estimate."""

    job: str
    spent: Spending
    caps: Caps
    estimate: Spending | None = None
    """Of the whole job if every answer can be used as it comes (no bound: the caps are); null after the first."""
    ended_by: str | None = None
    """The cap that ended the search (``money_usd``, ``token_count``, ``gpu_s``, ``round_count``); null while none did."""
    event: Literal["budget"] = "budget"
    schema: int = SCHEMA


class VerificationReport(Record):
    outcome: Outcome
    findings: tuple[VerificationFinding, ...]
    cases: tuple[CaseResult, ...]
    labels: tuple[str, ...]
    dropped_cases: tuple[str, ...]
    missing_checks: tuple[str, ...]
    caveats: tuple[str, ...] = ()
    """Said in the verdict line itself, behind the outcome."""


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
    """Of a measurement: what the performance model said of the same kernels, launch overhead left out as in the measurement; null where
    nothing was measured, or several kernels together."""
    caveats: tuple[str, ...] = ()
    """Said in the line of the speed itself, behind the ratio."""


class ComparisonMade(Record):
    """One per kernel pair, and an overall one last (``kernel`` null) if several."""

    job: str
    kernel: str | None
    oracle: str
    confirmed: bool
    a: str
    """sha256 of A's text."""
    b: str
    verification: VerificationReport
    speed: SpeedReport | None
    evidence: tuple[Evidence, ...]
    device: Device
    figures: BeforeAfter | None = None
    """The costliest launch of both versions; null of several kernels together, and where a side launched nothing."""
    event: Literal["comparison"] = "comparison"
    schema: int = SCHEMA


class AlternativeReport(Record):
    """Another version of an offered edit, which asks for other decisions."""

    id: str
    """``P01M7…~1``: names it wherever a proposal is named."""
    techniques: tuple[str, ...]
    summary: str
    labels: tuple[str, ...]
    assumptions: tuple[str, ...]
    verification: VerificationReport
    speed: SpeedReport


class ProposalMade(Record):
    job: str
    id: str
    kernel: str
    file: str
    techniques: tuple[str, ...]
    summary: str
    diff: str
    hunk_ids: tuple[str, ...]
    labels: tuple[str, ...]
    assumptions: tuple[str, ...]
    verification: VerificationReport
    speed: SpeedReport
    evidence: tuple[Evidence, ...]
    explanation: str
    state: str
    model: str | None = None
    """The language model that wrote it, or a part of it; null where none did."""
    files: tuple[str, ...] = ()
    """Every file that it changes; ``file`` is the one that holds the kernel."""
    alternatives: tuple[AlternativeReport, ...] = ()
    """Of the same edit, with other decisions."""
    event: Literal["proposal"] = "proposal"
    schema: int = SCHEMA


class DecisionMade(Record):
    job: str | None
    proposal: str
    kind: str
    hunk_ids: tuple[str, ...]
    reason_code: str | None
    reason: str | None
    decided_by: str
    alternative: int = 0
    """Which of the proposal's alternatives it is on; 0: on what was offered first."""
    event: Literal["decision"] = "decision"
    schema: int = SCHEMA


class PairTurn(Record):
    """One turn of a pair session: what it says in one line, and the Markdown behind it."""

    job: str | None
    session: str
    number: int
    kind: str
    """``start``, ``edit``, ``suggest``, ``constrain``, ``why``, ``back``, ``decision`` or ``stop``."""
    kernel: str
    said: str
    answer: str
    outcome: Outcome | None
    """Of the verification against the baseline; null where nothing was judged."""
    ratio: float | None
    """time(baseline) / time(version); null where no speed was predicted or measured."""
    breaks: tuple[str, ...]
    """Constraints of the session that the text does not keep to."""
    proposal: str | None
    detail: str
    event: Literal["pair_turn"] = "pair_turn"
    schema: int = SCHEMA


class JobEnded(Record):
    job: str
    exit_code: int
    """As docs/reference/cli.md: 0 done, 1 the answer is no, 2 misuse, 3 cannot answer, 4 internal."""
    reason: str
    event: Literal["job_ended"] = "job_ended"
    schema: int = SCHEMA


Event = (
    JobStarted
    | StageStarted
    | StageEnded
    | Message
    | Diagnostics
    | KernelFound
    | MachineCode
    | Profile
    | ProfileSummary
    | TimelineFound
    | LaunchFacts
    | CheckEnded
    | FindingsFound
    | PlanMade
    | CandidateTried
    | ModelCalled
    | BudgetSpent
    | ComparisonMade
    | ProposalMade
    | DecisionMade
    | PairTurn
    | JobEnded
)
