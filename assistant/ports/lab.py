"""Labs: where programs are built, run, replayed, counted and timed, and what they answer."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal, Protocol

from assistant.model.build import BuildResult, Diagnostic, DiagnosticSeverity, Flags
from assistant.model.device import LabDescription
from assistant.model.preprocessed import Preprocessings
from assistant.model.profile import Correction, LaunchProfile, Method, Problem
from assistant.model.recording import Recording
from assistant.model.snapshot import Piece, Snapshot, SnapshotDifference, SnapshotPair, Snapshots
from assistant.model.source import Source
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.record import Record

__all__ = [
    "NOT_MODELLED",
    "NOT_RUN",
    "STOPPED_AT",
    "TOO_LARGE",
    "CaseRun",
    "Counters",
    "HardwareCounts",
    "Kept",
    "Lab",
    "LabFailure",
    "Program",
    "ProgramRun",
    "ReferenceArgument",
    "ReferenceCall",
    "ReplayOptions",
    "ReplayRun",
    "RunLimits",
    "Timing",
]


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
    libraries: tuple[str, ...] = ()
    """Other libraries that the program is linked with, in order: ``-lz``, ``-L/opt/z/lib``, ``/opt/z/libz.a``."""
    noted_function: str | None = None
    """A function of the host whose calls are noted in recordings (``DeviceStep``); None: none."""
    run_command: tuple[str, ...] | None = None
    """Started in the place of the sources' ``main``: a program or script that launches their kernels; None: ``main`` is run."""
    is_extension: bool = False
    """What the command starts is a Python script that has PyTorch build the sources, or imports what ``build_command`` made of them."""


class RunLimits(Record):
    """Bounds of a run."""

    wall_s: float = 60.0
    """Of a program by the clock; of a case that the emulator replays, processor time."""
    memory_bytes: int = 8 << 30
    output_bytes: int = 16 << 20
    launch_bytes: int = 256 << 20
    recording_bytes: int = 2 << 30
    whole_s: float = 0.0
    """Seconds that the launches of a program which is counted or checked may take together: one that will not end in what is left stops
    after some of its blocks, and when the time is over further launches of known shapes are left out (`ProgramRun.is_partial`). What such
    a program computes is not right; its counters are scaled from what ran. 0: all of it runs. Replays run whole."""
    device_bytes: int = 0
    """As of ``worker.limits.ProgramLimits``."""


UNSEEN = "counters, and checks of the program's own run: "
"""What a run says of what the emulator did not see of it begins with it."""
NOT_MODELLED = "not modelled: "
"""What a run says of launches that it ran without counters begins with it (`emulator/runtime/refusals.cpp`)."""
NOT_RUN = "not run: "
"""What a run says of kernels that it left out begins with it (`emulator/runtime/refusals.cpp`)."""
STOPPED_AT = "stopped at: "
"""What a run says of the host's code that it ended at, as it does not run that, begins with it."""


TOO_LARGE = "too large for the emulator"
"""The error of a case that a lab did not run for that begins with it."""


class LabFailure(Record):
    """The lab could not do what was asked; ``kind`` decides the exit code."""

    kind: str
    """``not_built``, ``bad_status`` (ended by itself, not with 0), ``crashed``, ``timed_out``, ``out_of_memory``, ``unsupported``,
    ``no_compiler``, ``no_counters``, ``no_space``, ``storage``, ``cancelled``, ``internal``; of what the engine refuses itself,
    ``foreign_reading``, ``not_preprocessed`` and ``cannot_judge``."""
    message: str
    remedy: str
    diagnostics: tuple[Diagnostic, ...] = ()
    printed: str = ""
    """What of ``message`` the program itself printed: never for a model to read, as a candidate may print what it should not know."""

    @property
    def first_error(self) -> Diagnostic | None:
        """What the compiler stopped at; warnings before it are no reason."""
        return next((found for found in self.diagnostics if found.severity is DiagnosticSeverity.ERROR), None)


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
    """For a candidate: limits that could not be put in force, and what its private copy of the folder left out."""
    is_of_gpu: bool = False
    """A GPU ran the program; False: the emulator did."""
    emulated: ProgramRun | None = None
    """For a run on a GPU: the emulator's run of the same program, which the counters and problems come from."""

    @property
    def is_partial(self) -> bool:
        """Whether time was up before every block of every launch had run."""
        return self.recording is not None and self.recording.first_partial is not None

    @property
    def is_counted_in_part(self) -> bool:
        """Whether that is so of the run that counters and problems come from; what the program computed may be right all the same."""
        return self.is_partial or (self.emulated is not None and self.emulated.is_partial)

    @property
    def under_emulator(self) -> ProgramRun | None:
        """The emulator's run, where all blocks of all launches ran."""
        run = self if self.emulated is None and not self.is_of_gpu else self.emulated
        return None if run is None or run.is_partial else run

    @property
    def left_out(self) -> tuple[str, ...]:
        """What the lab did not run, with its places: kernels, after which results may be wrong, and what the program was stopped at."""
        return tuple(text.split(": ", 1)[1] for text in self.unsupported if text.startswith((NOT_RUN, STOPPED_AT)))

    @property
    def stopped_at(self) -> str | None:
        """What of the host's code the lab does not run, with its place, where the program was ended at it."""
        return next((text.removeprefix(STOPPED_AT) for text in self.unsupported if text.startswith(STOPPED_AT)), None)


Kept = Literal["compared", "any", "none"]
"""Results of a replay: ``compared`` are those that may be held against the lab's other ones (``CaseRun.is_comparable``); ``any`` are also
those of another device, which show what a launch writes; with ``none``, counters and problems are all that is asked for."""


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
    kept: Kept = "compared"
    """Which results are asked for; of others ``CaseRun.after`` may be empty, as they take long to write where buffers are large."""


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
    printed: str = ""
    """What kernels printed in all cases, where the lab keeps it."""


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
        """Times of both on every case; a pair holds A's and B's launches of a case, whose contents are A's."""
        ...

    async def timelines(self, programs: Sequence[Program], limits: RunLimits) -> tuple[ProgramRun, ...] | LabFailure:
        """A run of each in turn at full speed, alone on the GPU until the last ends: ``Recording.steps`` timed and no launch kept."""
        ...


class LargeLaunches(Protocol):
    """What a lab with a GPU can do for launches that reach too much memory to be recorded: keep what they leave where it is.
    Snapshots are lost with ``free``, and with the worker that holds them, which a failure says then."""

    async def take(self, program: Program, kernels: Collection[str], limits: RunLimits) -> Snapshots | LabFailure:
        """One run of the program. Of each launch shape of these kernels (by their qualified names) that reaches more than
        ``limits.launch_bytes``, the first launch: every buffer that its arguments point to and may be written through them."""
        ...

    async def compare(self, pairs: Sequence[SnapshotPair]) -> tuple[SnapshotDifference, ...] | LabFailure:
        """How each pair differs; nothing is copied to the host."""
        ...

    async def read(self, pieces: Sequence[Piece]) -> tuple[bytes, ...] | LabFailure: ...

    async def free(self, snapshots: Sequence[Snapshot]) -> None: ...


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
    def large_launches(self) -> LargeLaunches | None:
        """None where launches leave nothing on a GPU."""
        ...

    @property
    def counters(self) -> Counters | None:
        """None where only the emulator counts."""
        ...

    @property
    def emulated(self) -> Lab:
        """The same without a GPU: where the emulator runs what a GPU would; itself where there is none. Closed with this one."""
        ...

    @property
    def at_once(self) -> int:
        """Replays of unrelated kernels that go on at the same time where they are asked for so; 1: one waits for the other."""
        ...

    @property
    def waited_s(self) -> float:
        """For how long it has waited for GPUs that others measured on, since it was opened; its own requests side by side count once."""
        ...

    @property
    def parallel_labs(self) -> tuple[Lab, ...]:
        """Labs like this one, on other devices of the same kind, that may try other candidates meanwhile; closed with this one."""
        ...

    async def build(self, program: Program, architecture: str) -> BuildResult:
        """Resources, machine code and diagnostics by the CUDA compiler."""
        ...

    async def build_ahead(self, program: Program, architecture: str) -> None:
        """Build what ``run`` and ``build`` will need, next to what else is done, where there are cores for it; what fails says why then."""
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
