"""Events about code as it is: its kernels, their machine code, what a run counts and shows of them.

Every one is an event of ``events``, which says what all of them carry.
"""

from __future__ import annotations

from typing import Literal

from assistant.model.build import Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.event_parts import (
    SCHEMA,
    Device,
    LaunchFound,
    MachineLine,
    MeasuredLaunch,
    ParameterFound,
    ProfileFinding,
    ProfileLine,
    ResourcesFound,
    SpeedReport,
)
from assistant.model.profile import Evidence, InstructionMix, LineStall, Problem
from assistant.model.recorded_facts import RecordedFacts
from assistant.model.roofline import Roofline
from assistant.model.timeline import Timeline
from assistant.record import Record


class KernelFound(Record):
    """What ``inspect`` reports of a kernel."""

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


class MachineCode(Record):
    """SASS of a kernel instance by source line; what no source line caused is left out."""

    job: str
    kernel: str
    instance: str
    architecture: str
    lines: tuple[MachineLine, ...]
    file: str | None = None
    """That holds the kernel, absolute; null where it is the job's own file."""
    event: Literal["machine_code"] = "machine_code"
    schema: int = SCHEMA


class Profile(Record):
    """Counters of a launch."""

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
    """Shape of the declared workload (``n=1024``); null for a program's own launches."""
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
    """Shape of the declared workload (``n=1024``); null for a program's own launches."""
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


class OperatorFunction(Record):
    """Calls of one function of PyTorch at one line of a task."""

    name: str
    line: int | None
    """Null where the model does not call it from its own file."""
    call_count: int
    moved_bytes: int
    """What it reads and writes, by the shapes."""
    operation_count: int
    least_time_s: float
    share_ratio: float
    """Of the least times of all functions."""


class OperatorGroup(Record):
    """Functions that one kernel could do together."""

    names: tuple[str, ...]
    lines: tuple[int, ...]
    moved_bytes: int
    """By one kernel."""
    separate_bytes: int
    """By the functions one after another."""
    least_time_s: float
    separate_time_s: float


class OperatorsFound(Record):
    """What one call of a PyTorch task consists of."""

    job: str
    name: str
    """The class."""
    target: str
    functions: tuple[OperatorFunction, ...]
    groups: tuple[OperatorGroup, ...]
    moved_bytes: int
    """Inputs, weights and results, each once."""
    least_time_s: float
    """Of the whole call by any implementation."""
    separate_time_s: float
    """Of its functions one after another."""
    method: str
    event: Literal["operators"] = "operators"
    schema: int = SCHEMA


class OperatorKernel(Record):
    """Kernels of one name that one call runs on the GPU."""

    name: str
    launch_count: int
    time_s: float


class OperatorTime(Record):
    """Medians of one way to compute an operator, in seconds a call."""

    name: str
    """``eager``, ``compile``, ``max-autotune``, ``candidate``, ``candidate in a CUDA graph``."""
    call_s: float
    """By the host's clock, calls one after the other."""
    device_s: float
    """Between events around a call, nothing of it in L2 before."""
    kernels: tuple[OperatorKernel, ...] = ()
    """Those that one call runs, the costliest first, by PyTorch's profiler; none are listed of the candidate."""


class OperatorRatio(Record):
    """time(baseline) / time(candidate)."""

    baseline: str
    call: SpeedReport
    device: SpeedReport


class OperatorTimed(Record):
    """How long an operator takes on a GPU."""

    job: str
    name: str
    """The class."""
    device: Device
    sizes: dict[str, int]
    """Those that are other than the task's text says."""
    times: tuple[OperatorTime, ...]
    ratios: tuple[OperatorRatio, ...]
    """Of the candidate over each baseline; empty where there is none."""
    graphed: tuple[OperatorRatio, ...]
    """Of the candidate in a CUDA graph over each; empty where it cannot be captured."""
    bound_s: float | None
    """By bytes and operations of the reference at the target's peaks."""
    left_out: tuple[str, ...]
    """Ways that could not be made ready, with why."""
    method: str
    event: Literal["operator_timed"] = "operator_timed"
    schema: int = SCHEMA


class KernelWritten(Record):
    """A first kernel of a PyTorch task, which was judged and is in a file now."""

    job: str
    name: str
    """The task's class."""
    file: str
    """Absolute; in the workspace's ``.kernelopt`` folder."""
    event: Literal["kernel_written"] = "kernel_written"
    schema: int = SCHEMA


class KernelDeclined(Record):
    """Nobody writes a first kernel of a PyTorch task: rules do not, and no model may be asked, or none wrote a right one."""

    job: str
    name: str
    """The task's class."""
    reason: str
    """Why rules write none, in one sentence."""
    event: Literal["kernel_declined"] = "kernel_declined"
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
