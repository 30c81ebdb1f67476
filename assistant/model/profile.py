"""Counters of a launch, per source line and in total, and what is concluded from them."""

from __future__ import annotations

from enum import StrEnum

from assistant.model.launch import LaunchConfig
from assistant.record import Record


class Grade(StrEnum):
    """How far a counter may be trusted."""

    EXACT = "exact"
    """Equals the hardware's counter, by the rule in docs/explanation/counters.md."""
    ESTIMATED = "estimated"


class Method(StrEnum):
    """Where a number comes from."""

    EMULATOR = "emulator"
    MODEL = "model"
    PTXAS = "ptxas"
    OCCUPANCY = "occupancy"
    STATIC = "static"
    NCU = "ncu"
    CUPTI = "cupti"
    EVENTS = "events"


class LineAccess(Record):
    """Memory counters of one source line and one kind of access, summed over all warps of a launch.

    Counters have Nsight Compute's meaning; those that do not apply to the kind are None (never 0).
    """

    file: str
    line: int
    op: str
    """``global|shared|local`` and ``load|store|atomic`` (``global load``)."""
    size_bytes: int
    """Bytes per thread and access; the largest when several widths share the line."""
    requests: int
    """Warp-level requests with at least one active lane."""
    active_threads: int
    sectors: int | None
    """32-byte L1 sectors (global, local): ``memory_l1/l2_theoretical_sectors``."""
    ideal_sectors: int | None
    wavefronts: int | None
    """Shared-memory wavefronts."""
    ideal_wavefronts: int | None
    grade: Grade
    grade_reason: str = ""
    """Why a line is only estimated; empty when exact."""
    tags: int | None = None
    """Distinct 128-byte lines per request, summed (L1 tag requests; global, local); None when not counted."""
    passes: int | None = None
    """Global loads: passes over L1's 32 banks of 4 bytes, which hold each 128-byte line in order; None when not counted."""
    is_aggregated: bool = False
    """An atomic that one lane of a warp does for all in the compiler's code; counters are those of the source."""


class LineExecution(Record):
    """How often a line's code ran (its busiest basic block), and how often lanes disagreed at its branch."""

    file: str
    line: int
    warp_executions: int
    thread_executions: int
    divergent_branches: int
    """Executions of the line's branches after which lanes of a warp went different ways."""
    branch_executions: int = 0
    """Warp-level executions of those branches of the line at which lanes ever went different ways, together."""
    partings: int = 0
    """The same events as ``divergent_branches``, on the line of what the lanes last did together; 0 where a GPU counted."""


class BlockExecution(Record):
    """How often one basic block of the emulated program ran."""

    address: int
    """In the emulated program, whose blocks lie in the order of the source."""
    places: tuple[tuple[str, int], ...]
    """(file, line) of what it holds, in the order of its instructions."""
    warps: int
    threads: int
    partings: int = 0
    """Warp executions after which threads of the warp went different ways."""


class LineStall(Record):
    """How often warps were seen waiting on a line, for one reason.

    Nsight Compute's ``smsp__pcsamp_warps_issue_stalled_<reason>``: one instance per machine instruction (the metric's correlation ids are
    its addresses), summed over those of the line (``IAction.source_info``). A warp that issues (``selected``) waits for nothing: left out.
    """

    file: str
    line: int
    reason: str
    """``long_scoreboard``, ``barrier``, …, as in the metric's name."""
    samples: int
    """Warp samples; a sampled number, never exact."""


class LaunchMetric(Record):
    """One number that a profiler measured of a whole launch on a GPU."""

    name: str
    """Name in ``assistant.profile.catalogue``, which has its unit."""
    value: float


class AccessSite(Record):
    """One memory access instruction of the emulated program, as it ran in one launch: what grading compares with SASS."""

    file: str
    line: int
    op: str
    """As `LineAccess.op`."""
    size_bytes: int
    """Bytes per thread and access."""
    requests: int
    active_threads: int
    is_unordered: bool = False
    """Takes part in an unordered race or a compare-and-swap loop, so that its count depends on timing."""
    address: int = 0
    """Address of the instruction in the emulated program: distinguishes sites of a line, names them in corrections."""
    units: int = 0
    """Sectors, or wavefronts in shared memory."""
    ideal_units: int = 0
    tags: int = 0
    passes: int = 0
    """These two as in `LineAccess`."""
    doubtful_requests: int = 0
    """Requests whose wavefronts no measurement settles (some wide shared loads), or whose count depends on where the compiler places
    a ``__device__`` or ``__shared__`` variable: how many, or at least that there are some."""
    serial_wavefronts: int = 0
    """Wavefronts of a shared atomic whose threads with equal addresses wait for each other; 0 for other accesses."""


class Correction(Record):
    """Accesses of the emulated program that nvcc's machine code does as one, or one that it does in narrower parts."""

    addresses: tuple[int, ...]
    """Addresses of the sites (`AccessSite.address`), in program order."""
    fused_bytes: int
    """Width per thread of the machine's access; 0: accesses of exclusive branches, merged at their width."""
    alternatives: tuple[int, ...] = ()
    """Addresses of sites that may be meant instead of one of ``addresses``: their counts are doubtful, too."""
    pieces: tuple[int, ...] = ()
    """Iterations per pass of the pieces that nvcc split the sites' loop into, in the order of the code; empty without a loop."""


class InstructionMix(Record):
    """Dynamic instruction counts by class, of threads or of warps."""

    fp32: int = 0
    fp64: int = 0
    half: int = 0
    """Packed ones count once."""
    tensor: int = 0
    conversion: int = 0
    """Between types, also between integers and floats."""
    special: int = 0
    """MUFU: reciprocals, roots, exponentials, sines."""
    integer: int = 0
    load_store: int = 0
    control: int = 0
    other: int = 0
    """Moves and what fits nowhere else."""
    double_tensor: int = 0
    """DMMA of 8 x 8 x 4 or 16 x 8 x 4 doubles; ``tensor`` has all others."""


class LineInstructions(Record):
    """Instruction mix of one source line: machine instructions × executions of their basic blocks.

    nvcc books an instruction on the line of its operator, and routines that it calls (division of doubles and of 64-bit integers) on the
    kernel's closing brace.
    """

    file: str
    line: int
    mix: InstructionMix
    """Of threads."""
    warp_mix: InstructionMix | None = None
    """Of warps: what is issued, whatever a predicate turns off (``inst_executed``); None where threads alone were counted."""


class Problem(Record):
    """A defect that a run exposed, at its place."""

    kind: str
    """``shared_race``, ``global_race``, ``missing_syncwarp``, ``out_of_bounds``, ``use_after_free``, ``uninitialised_read``,
    ``barrier_divergence``, ``bad_launch``, ``bad_warp_mask``, ``host_pointer``, ``wild_pointer``, ``assertion``, ``timeout``,
    ``misaligned``, ``stack_overflow``, ``division_by_zero``, ``trap``, ``false_assumption``, ``unsupported``; ``possible_shared_race`` and
    ``possible_global_race`` where fences, atomics or equal values may make the race harmless; ``differs_from_reference`` where a
    function of the user's own computes something else.

    What a GPU does and a run one after another hides: ``async_copy_not_awaited``, ``async_source_overwritten``, ``stale_read``,
    ``missing_fence``, ``possible_missing_fence``, ``plain_poll``, ``co_residency``, ``block_order``, ``lock_step``, ``inactive_lane_read``,
    ``inactive_lane_value`` (where what is left depends on such a read), ``convergence_assumed``. ``missing_wait``: an arrival at a barrier
    object that its thread does not wait for, which compute-sanitizer reports of every pipeline's last stages."""
    message: str
    file: str
    line: int
    """0 where the place is not known."""
    other_file: str | None
    other_line: int | None
    """The second access of a race."""
    block: tuple[int, int, int] | None
    thread: tuple[int, int, int] | None
    address: int | None
    count: int
    kernel: str | None = None
    """Demangled instance that was running; None where that is not known."""
    argument: int | None = None
    """Which of the launch's arguments, from 0, points to the beginning of the memory that is concerned; None where none is known to."""
    offset_bytes: int | None = None
    """Of the access from that beginning."""


class WorkSpread(Record):
    """How unevenly a launch's work lies on its warps and blocks, in basic blocks that they executed."""

    longest_warp_ratio: float
    """Of the warp with the most / of the mean warp."""
    longest_block_ratio: float
    block_deviation_ratio: float
    """Standard deviation between blocks / mean."""


class LaunchProfile(Record):
    """Counters of a launch."""

    index: int
    kernel: str
    """Demangled instance."""
    config: LaunchConfig
    method: Method
    device: str
    """What the counters stand for and where they were made (``emulator, sm_90 rules``)."""
    blocks_counted: int
    """Blocks that were watched; where they are fewer than the grid's, all counters are scaled to the whole grid already."""
    accesses: tuple[LineAccess, ...]
    executions: tuple[LineExecution, ...]
    instructions: tuple[LineInstructions, ...]
    unique_sectors: int | None
    """Distinct 32-byte global sectors touched by the grid; None when not tracked."""
    block_unique_sectors: int | None
    """Σ over blocks of the distinct global sectors the block touched."""
    problems: tuple[Problem, ...]
    file: str = ""
    line: int = 0
    """Launch site."""
    sites: tuple[AccessSite, ...] = ()
    """Access by access, where the emulator knows; empty for other methods."""
    blocks: tuple[BlockExecution, ...] = ()
    """Basic block by basic block, in the order of their addresses; empty for other methods."""
    atomic_unique_sectors: int | None = None
    """Distinct 32-byte sectors that global atomics of the grid update; None without any, when not tracked, or when very many. An estimate,
    rather too high, where only some blocks were watched."""
    estimated_unique_sectors: int | None = None
    """What ``unique_sectors`` is taken to be where only some blocks were watched, from how much those share; None where it is known. For
    predictions alone: no bound may rest on it."""
    stalls: tuple[LineStall, ...] = ()
    """What warps wait for, line by line; empty where nothing samples warps (the emulator, CUPTI's counters)."""
    measured: tuple[LaunchMetric, ...] = ()
    """What the hardware's own counters say of the launch as a whole; empty where nothing ran on a GPU."""
    spread: WorkSpread | None = None
    """None where warps were not counted one by one."""
    refused: tuple[str, ...] = ()
    """Counts that contradict others and were left out, with the reasons (``assistant.profile.consistency``)."""

    @property
    def is_of_hardware(self) -> bool:
        """Whether the counters were made by a GPU, so that there is nothing to correct or to grade."""
        return self.method in (Method.NCU, Method.CUPTI)

    def measurement(self, name: str) -> float | None:
        """A measured number of the whole launch; None where it was not collected."""
        return next((metric.value for metric in self.measured if metric.name == name), None)

    @property
    def mean_active_lanes(self) -> float | None:
        """Active lanes of a warp, over all executed lines; None where executions were not counted."""
        warps = sum(run.warp_executions for run in self.executions)
        return sum(run.thread_executions for run in self.executions) / warps if warps else None

    def total(self, op_prefix: str, counter: str) -> int:
        """Sum of a counter over the accesses whose op starts with ``op_prefix``; 0 when none applies."""
        return sum(getattr(a, counter) or 0 for a in self.accesses if a.op.startswith(op_prefix))


class Evidence(Record):
    """One citable fact."""

    id: str
    """``E1``, ``E2``, … unique inside one job."""
    metric: str
    """A name of ``assistant.profile.catalogue``."""
    value: float
    unit: str
    line: int | None
    method: Method
    device: str
    grade: Grade = Grade.EXACT


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"


class Finding(Record):
    """A diagnosis of a kernel, citing its evidence."""

    code: str
    """``KO101`` …; documented under docs/reference/findings/."""
    kernel: str
    line: int
    severity: Severity
    message: str
    """One sentence; its numbers come from ``evidence``."""
    evidence: tuple[str, ...]
    """Ids of Evidence, most important first."""
    estimated_cost_ratio: float | None
    """Share 0..1 of the kernel's predicted time that goes away if this is fixed; None when not modelled."""


class Signature(Record):
    """A profile as a point: what memory compares kernels by."""

    label: str
    """The bottleneck: ``dram``, ``l2``, ``l1``, ``shared``, ``issue``, ``fp32``, ``fp64``, ``conversion``, ``special``, ``latency``."""
    vector: tuple[tuple[str, float], ...]
    """(name, value 0..1) in the catalogue's order."""
