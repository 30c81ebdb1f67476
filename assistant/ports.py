"""What the engine asks of the outside world: labs, planners, model providers, the store.

Protocols only. Each has one real implementation and, where tests need one, a fake that passes the same contract tests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Protocol

from assistant.model.attempt import Attempt, JobRow, RecallQuery
from assistant.model.build import BuildResult, Diagnostic, Flags, KernelResources
from assistant.model.comparison import Comparison
from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, ModelCall, ModelRole, SentCall, ServedModel
from assistant.model.device import Architecture, LabDescription, Target
from assistant.model.pair import PairSession, Turn
from assistant.model.placement import Placement, PlacementState
from assistant.model.plan import Plan, Rewrite, Setback, Step, TriedBefore, Unwritten
from assistant.model.preprocessed import Preprocessings
from assistant.model.profile import Correction, Evidence, Finding, LaunchProfile, Method, Problem
from assistant.model.proposal import AlreadyDecided, Decision, Proposal, ProposalState
from assistant.model.recording import Recording
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.verification import Verification
from assistant.model.workload import Case
from assistant.record import Record


class Program(Record):
    """Everything that is compiled together."""

    sources: tuple[Source, ...]
    """The first is the file in question; texts may differ from the disk."""
    flags: Flags
    arguments: tuple[str, ...] = ()
    """What ``main`` is given."""
    working_directory: Path = Path("/")
    kernels: tuple[str, ...] = ()
    """Kernel expressions that must be startable by name for a replay (``tr<1>(float*, float const*, int)``)."""
    is_candidate: bool = False
    """The user did not write it: its ``main`` runs limited, in a private copy of the folder. Replays are always limited."""
    build_command: tuple[str, ...] | None = None
    """Builds what ``run_command`` starts; None: nothing to build."""
    run_command: tuple[str, ...] | None = None
    """Started in the place of the sources' ``main``: a program or script that launches their kernels; None: ``main`` is run."""


class RunLimits(Record):
    """Bounds of one run."""

    wall_s: float = 60.0
    memory_bytes: int = 8 << 30
    output_bytes: int = 16 << 20
    launch_bytes: int = 256 << 20
    recording_bytes: int = 2 << 30


class LabFailure(Record):
    """The lab could not do what was asked; ``kind`` decides the exit code."""

    kind: str
    """``not_built``, ``bad_status`` (ended by itself, not with 0), ``crashed``, ``timed_out``, ``out_of_memory``, ``unsupported``,
    ``no_compiler``, ``no_counters``, ``no_space``, ``storage``, ``cancelled``, ``internal``."""
    message: str
    remedy: str
    diagnostics: tuple[Diagnostic, ...] = ()
    printed: str = ""
    """What of ``message`` the program itself said: never for a model to read, as a candidate may print what it should not know."""


class ProgramRun(Record):
    """One run of the user's own program under the lab."""

    exit_status: int | None
    signal: str | None
    """``SIGSEGV`` …; None when it ended by itself."""
    memory_exceeded: bool
    timed_out: bool
    output_truncated: bool
    stdout: bytes
    stderr: bytes
    recording_path: Path | None
    recording: Recording | None
    launch_count: int
    profiles: tuple[LaunchProfile, ...]
    problems: tuple[Problem, ...]
    unsupported: tuple[str, ...]
    tasks_exceeded: bool = False
    """It was killed for the number of processes and threads it started."""
    missing_limits: tuple[str, ...] = ()
    """Of a candidate: limits that could not be put in force, and what its private copy of the folder left out."""


class ReplayOptions(Record):
    """How cases are replayed."""

    mode: str = "plain"
    """``plain``, ``count``, ``check`` or ``grade``: ``check`` looks at every access that the source makes, so its counters are too high;
    ``grade`` counts, and looks for races among the accesses that it counts. ``fused``, of whole programs only, is plain with products and
    sums fused where a compiler may, so that it rounds otherwise."""
    fill: int = 0xAB
    """Byte that poisoned buffers are filled with."""
    shared_fill: int = 0x5A
    repeats: int = 1
    seed: int = 1
    """Block order."""
    sample_blocks: int = 0
    """Count at most this many blocks a launch; 0 counts all."""
    corrections: tuple[Correction, ...] = ()
    """Accesses to be counted as the machine code does them."""
    is_fresh: bool = False
    """In processes that have run no version before: nothing that another one left there can be found."""


class CaseRun(Record):
    """What one case left behind."""

    ok: bool
    error: str | None
    """CUDA error name, ``crashed`` or ``timed out``; None when it ran."""
    after: tuple[tuple[int, str], ...]
    """(buffer id, sha256 of its contents after the last launch)."""
    guards_intact: bool
    repeat_difference: str | None
    """First difference between repeats, in words; None when bitwise equal."""
    problems: tuple[Problem, ...]
    profiles: tuple[LaunchProfile, ...]
    is_comparable: bool = True
    """False where only the checks count: another device than the lab's own ran it, whose values may differ in the last bits."""
    varied: tuple[tuple[tuple[int, str], ...], ...] = ()
    """As ``after``, of each repeat that left something else than the first run, as far as the lab keeps them: at most eight."""


class ReplayRun(Record):
    cases: tuple[CaseRun, ...]
    blobs: Path
    """Folder with the contents named by ``CaseRun.after``."""


class ReferenceArgument(Record):
    """One argument of a Python reference: an array of values, or a number."""

    name: str
    data: bytes | None
    """Raw values; None for a number."""
    dtype: str
    """NumPy's spelling (``<f8``, ``<i4``)."""
    value: float | None = None


class ReferenceCall(Record):
    """``function(**arguments)`` of the user's own file, run in a worker."""

    path: Path
    function: str
    arguments: tuple[ReferenceArgument, ...]
    outputs: tuple[str, ...]


class Timing(Protocol):
    """What a lab with a clock can do: two versions timed against each other on one device."""

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        """Times of both on every case; a pair holds A's and B's launches of one case, whose contents are A's."""
        ...


class HardwareCounts(Record):
    """What a GPU's own counters say of launches."""

    launches: tuple[LaunchProfile, ...]
    shortfalls: tuple[LabFailure, ...] = ()
    """Why a better way to count was not used, or this one did not give everything, each with its fix."""


class Counters(Protocol):
    """What a lab with a GPU's counters can do: say what launches do on the hardware."""

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits, preferred: Method = Method.NCU
    ) -> HardwareCounts | LabFailure:
        """Counters of the cases' launches of these kernels (demangled instances), in order.

        ``preferred``: ncu or CUPTI, which counts alike and is quicker; the other one counts where it cannot.

        A failure of kind ``no_counters`` says why they cannot be read.
        """
        ...


class Lab(Protocol):
    """Where things run. Every method may be cancelled; cancelling kills what it started."""

    def describe(self) -> LabDescription: ...

    @property
    def timing(self) -> Timing | None:
        """None where nothing can be timed, so that speed is only predicted."""
        ...

    @property
    def counters(self) -> Counters | None:
        """None where only the emulator counts."""
        ...

    @property
    def beside(self) -> tuple[Lab, ...]:
        """Labs like this one, on other devices of the same kind, that may try other candidates meanwhile; closed with this one."""
        ...

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """Resources, machine code and diagnostics by the CUDA compiler."""
        ...

    async def accepts(self, program: Program, architecture: str) -> bool:
        """Whether a quick compiler takes the device code without a remark; False says nothing."""
        ...

    async def inspect(self, program: Program, architecture: str) -> BuildResult:
        """Resources and diagnostics, without machine code: sooner."""
        ...

    async def preprocessed(self, program: Program, architecture: str) -> Preprocessings:
        """What each compiler compiles of the program's first source; nothing is compiled."""
        ...

    async def run(
        self,
        program: Program,
        mode: str,
        limits: RunLimits,
        record: bool,
        sample_blocks: int = 0,
        corrections: tuple[Correction, ...] = (),
        order_seed: int = 0,
        uploads: Path | None = None,
    ) -> ProgramRun | LabFailure:
        """Run ``main``. ``mode`` is as in ``ReplayOptions``.

        ``order_seed``: of the order in which blocks, warps and lanes run, where the lab decides it; 0: as they are numbered.
        ``uploads``: a folder of contents to be copied to the device, each in the place of those of which it has the ``Upload.key`` as its
        name; a lab that cannot do so fails.
        """
        ...

    async def run_streams(self, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        """Run ``main`` for what reaches the host: what it puts into streams runs as late as CUDA allows, or at once as it is issued.

        Fresh device memory holds arbitrary bytes in both. ``unfinished`` transfers are copies that a late run never waited for.
        """
        ...

    async def replay(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure: ...

    async def replay_promoted(
        self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits
    ) -> ReplayRun | LabFailure:
        """Replay with device ``float`` and ``half`` compiled as ``double``; the cases' buffers must be widened already."""
        ...

    async def reference(self, call: ReferenceCall, limits: RunLimits) -> tuple[tuple[str, bytes], ...] | LabFailure:
        """(output name, float64 values) of every floating output that the reference returns."""
        ...

    async def close(self) -> None: ...


OnText = Callable[[str], None]
"""Is given each piece of an answer as it comes."""


class Provider(Protocol):
    """Language models behind one method. Raises nothing for what an endpoint may do: failures are values."""

    def served(self, role: ModelRole) -> ServedModel:
        """Who would answer for ``role``: for notices, estimates and prices."""
        ...

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        """One call, retried within its time-out where that may help. Cancelling it abandons the connection."""
        ...

    async def close(self) -> None: ...


class Recalled(Record):
    """What memory knows of one technique on kernels like this one."""

    technique: str
    rank_factor: float
    """Multiplies a step's rank: below 1 after rejections, above 1 after successes."""
    sentences: tuple[str, ...]
    """For people: what happened, where and when."""


class PlanRequest(Record):
    """All that a planner may look at: one kernel, judged as it stands."""

    parsed: ParsedSource
    kernel: Kernel
    profiles: tuple[LaunchProfile, ...]
    """The kernel's counted launches, most costly first."""
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    resources: KernelResources | None
    target: Target
    architecture: Architecture
    recalled: tuple[Recalled, ...] = ()
    excluded: frozenset[tuple[str, int]] = frozenset()
    """(technique, line) pairs already tried on this text."""
    tried: tuple[TriedBefore, ...] = ()
    """What was tried on this kernel in this job, and what came of it; oldest first."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Compiler warnings on the text as it stands."""
    wishes: tuple[str, ...] = ()
    """What a person asked of every candidate, in words."""
    hint: str | None = None
    """What a person asks for now, in words."""
    least_ratio: float | None = None
    """Least time(before)/time(after) of an edit that is kept; None: not told."""
    decided_ratio: float | None = None
    """The same for an edit that a person must decide on."""


class Story(Record):
    """A confirmed candidate as whoever explains it sees it."""

    before: PlanRequest
    """The kernel as the user has it, judged."""
    diff: str
    steps: tuple[Step, ...]
    """In the order they were chained."""
    rewrites: tuple[Rewrite, ...]
    """One for each step."""
    after: tuple[Evidence, ...]
    left: tuple[Finding, ...]
    """What still stands after the edit."""
    verification: Verification
    comparison: Comparison
    others: tuple[str, ...] = ()
    """Kept edits that gain more by their screen and are not offered now, in words."""


class Planner(Protocol):
    """Turns findings into a plan, each step of it into rewrites, and setbacks into better ones.

    Candidates of every planner are judged alike: none of them builds, runs or measures anything.
    """

    @property
    def name(self) -> str: ...

    async def plan(self, request: PlanRequest) -> Plan:
        """Ordered steps with predictions, and what was declined with the reason."""
        ...

    def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | Unwritten]:
        """The edits that carry out ``step``, best first, each made when it is asked for: it may cost a call."""
        ...

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | Unwritten | None:
        """Another edit of the request's text in the place of ``rewrite``, which met ``setback``; None: it does not learn from setbacks."""
        ...

    async def explained(self, story: Story) -> str | None:
        """Markdown for people, numbers filled from Evidence; None: nothing to add to what is said anyway."""
        ...


class Accounts(Protocol):
    """What one job may spend on models, and what it has spent."""

    def refusal(self, served: ServedModel, input_token_count: int, max_output_tokens: int) -> CompletionFailure | None:
        """Why a call that may cost so much is not made; None: it fits what is left."""
        ...

    def lasting(self, served: ServedModel) -> CompletionFailure | None:
        """What every further call would end with; None while one may be answered."""
        ...

    def sending(self, request: CompletionRequest, served: ServedModel, input_token_count: int) -> None:
        """Note a call before it leaves, with the upper estimate of its prompt."""
        ...

    def record(self, call: ModelCall) -> None:
        """Keep a call and charge it, whether it was answered or not."""
        ...

    def writing(self, role: ModelRole, piece: str) -> None:
        """A piece of an answer that comes in, for whoever watches."""
        ...


class StoredAnalysis(Record):
    """The last answer of one command on one file."""

    command: str
    """``inspect``, ``check``, ``profile`` or ``judge``; with ``:some`` behind it where it is on some of the file's kernels only."""
    text_sha256: str
    """Of the text that was looked at."""
    events: tuple[str, ...]
    """The job's events as JSON texts, in order."""


class Store(Protocol):
    """The memory file: append-only, shared between processes."""

    def add_attempt(self, attempt: Attempt) -> None: ...

    def attempts(self, workspace: Path | None = None, path: Path | None = None, limit: int = 100) -> tuple[Attempt, ...]:
        """Newest first."""
        ...

    def add_proposal(self, workspace: Path, proposal: Proposal, beside: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Store an open proposal; open ones of the same file and kernel become superseded, but for ``beside``. Ids of the superseded."""
        ...

    def keep_recording(self, proposal_id: str, recording: Path, quota_bytes: int, now_ms: int) -> None:
        """Copy the recording that a stored proposal was judged on; the oldest recordings go above the quota."""
        ...

    def proposals(
        self, workspace: Path | None = None, states: frozenset[ProposalState] | None = None, path: Path | None = None
    ) -> tuple[Proposal, ...]:
        """Newest first, with their present state; None means every workspace, every state, every file."""
        ...

    def find_proposal(self, id_prefix: str) -> Proposal:
        """The one proposal whose id starts so; raises UsageError for none or several."""
        ...

    def decide(self, decision: Decision, expected: frozenset[ProposalState]) -> Decision | AlreadyDecided:
        """Append the decision and move the proposal to the state it means, if its state is one of ``expected``."""
        ...

    def mark(self, proposal_id: str, state: ProposalState) -> None:
        """``stale``, ``superseded`` or ``open`` again; never one of the human decisions."""
        ...

    def decisions(self, proposal_id: str | None = None) -> tuple[Decision, ...]:
        """Oldest first."""
        ...

    def recall(self, query: RecallQuery) -> tuple[Recalled, ...]: ...

    def start_job(self, job: JobRow) -> None: ...

    def beat(self, job_id: str, now_ms: int) -> bool:
        """Record a heartbeat; True when somebody asked for the job to be cancelled."""
        ...

    def end_job(self, job_id: str, now_ms: int, exit_code: int) -> None: ...

    def jobs(self, workspace: Path | None = None) -> tuple[JobRow, ...]:
        """Newest first."""
        ...

    def request_cancel(self, job_id: str) -> bool:
        """Ask a job of any process to end; False when it is unknown or has ended."""
        ...

    def add_event(self, job_id: str, event: str) -> None:
        """Append one event (a JSON text) of a started job, for whoever resumes or watches it."""
        ...

    def events(self, job_id: str, start: int = 0) -> tuple[str, ...]:
        """Events of a job in order, from position ``start``."""
        ...

    def keep_analysis(self, workspace: Path, path: Path, analysis: StoredAnalysis, now_ms: int) -> None:
        """Replace the last answer of that command on that file."""
        ...

    def analyses(self, path: Path) -> tuple[StoredAnalysis, ...]:
        """The last answer of each command on a file, oldest first."""
        ...

    def add_model_call(self, call: ModelCall) -> None:
        """Append a call of a started job; adding the very same call again does nothing."""
        ...

    def add_sent_call(self, sent: SentCall) -> None:
        """Note what a call of a started job may cost, before it is sent."""
        ...

    def unanswered_calls(self, job: str) -> tuple[SentCall, ...]:
        """Calls of a job that were sent and whose end was never kept: it was killed meanwhile."""
        ...

    def model_calls(self, job: str | None = None) -> tuple[ModelCall, ...]:
        """Of one job or all, in the order they began."""
        ...

    def open_pair(self, session: PairSession, first: Turn) -> PairSession:
        """Store a pair session with its first turn, unless one is open on its file and kernel: the one that is open then."""
        ...

    def add_turn(self, turn: Turn) -> bool:
        """Append; False, and nothing written, where the session has a turn of that number already, or has ended."""
        ...

    def pair_sessions(self, path: Path | None = None, is_open_only: bool = True) -> tuple[PairSession, ...]:
        """Newest first; None means every file."""
        ...

    def find_pair(self, id_prefix: str) -> PairSession:
        """The one pair session whose id starts so; raises UsageError for none or several."""
        ...

    def turns(self, session_id: str) -> tuple[Turn, ...]:
        """In order."""
        ...

    def ask_placement(self, placement: Placement) -> None:
        """Ask whichever editor has a notebook open for an edit of a cell."""
        ...

    def placements(self, since_ms: int) -> tuple[Placement, ...]:
        """What nobody took yet, oldest first."""
        ...

    def placement_state(self, placement_id: str) -> PlacementState | None:
        """None for one that was asked for long ago."""
        ...

    def move_placement(self, placement_id: str, before: PlacementState, after: PlacementState) -> bool:
        """Whether it was still in the state ``before``, and nobody else has moved it."""
        ...

    def data_version(self) -> int:
        """Changes whenever another process wrote: poll it to see when to look again."""
        ...

    def close(self) -> None: ...
