"""What a kernel is judged on: launches, oracle and tolerance."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.record import Record


class AutoTolerance(Record):
    """The rule of docs/explanation/verification.md: not worse than the original's own error."""


class FixedTolerance(Record):
    """|a - b| <= atol + rtol·|b|, as declared by the user."""

    rtol: float
    atol: float


Tolerance = AutoTolerance | FixedTolerance


class Generator(StrEnum):
    """How a declared argument gets its values."""

    EMPTY = "empty"
    ZEROS = "zeros"
    ONES = "ones"
    RANDN = "randn"
    RAND = "rand"
    ARANGE = "arange"
    FULL = "full"
    RANDINT = "randint"
    SCALAR = "scalar"
    STRUCT = "struct"


class DeclaredArgument(Record):
    """One argument of a declared launch; expressions are kept as text of the block's grammar."""

    name: str
    generator: Generator
    count: str
    """Element count expression; ``1`` for a scalar or struct."""
    parameters: tuple[str, ...] = ()
    """Further expressions: value of ``full``/a scalar, low and high of ``randint``."""
    fields: tuple[tuple[str, str], ...] = ()
    """For a struct: (field, expression)."""
    buffer: str | None = None
    """Name of the block's buffer it is bound to; None when the argument has values of its own."""


class DeclaredStep(Record):
    """One launch of a declared workload."""

    kernel: str
    """As the user wrote it (``k``, ``ns::k<1>``)."""
    grid: tuple[str, ...]
    block: tuple[str, ...]
    shared: str
    arguments: tuple[DeclaredArgument, ...]


class Shape(Record):
    """One set of size variables."""

    sizes: tuple[tuple[str, int], ...]
    weight: float
    """Relative number of calls; 0 for boundary shapes."""
    is_boundary: bool = False

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.sizes)


class SizeRule(Record):
    """What values a free size variable may take."""

    name: str
    minimum: int
    maximum: int | None
    multiple_of: int


class DeclaredWorkload(Record):
    """A ``[workload.NAME]`` block."""

    name: str
    steps: tuple[DeclaredStep, ...]
    """One, unless the block has ``steps``."""
    shapes: tuple[Shape, ...]
    size_rules: tuple[SizeRule, ...]
    has_boundary: bool
    outputs: tuple[str, ...]
    """Empty: every buffer the original changes."""
    scratch: tuple[str, ...]
    globals: tuple[DeclaredArgument, ...]
    reference: str | None
    """``file.py:function``; None when the original is the reference."""
    tolerance: Tolerance
    flags: tuple[str, ...]
    path: Path
    line: int
    """Where the block starts."""


class CapturedWorkload(Record):
    """Launches recorded from the user's own program."""

    recording: Path
    """The recording's folder."""
    command: tuple[str, ...]
    """What was run, for people."""
    kernels: tuple[str, ...]
    """Demangled instances it launches."""
    launch_counts: tuple[tuple[str, int], ...]


class LiveReference(Record):
    """One output as the user's own function returned it for one live case."""

    name: str
    """The parameter that it is held against."""
    buffer: int
    blob: str
    """Names the file in the case's ``blobs/``: float64 values of a floating buffer, else the elements as they are stored."""
    is_recorded: bool = False
    """What a launch left, rounded as the kernel rounds: it shows a kernel that computes something else, and is no measure of error."""
    offset_bytes: int = 0
    """Where the output begins in its buffer, which it shares with arrays that it overlaps."""


class LiveCase(Record):
    """One launch on arrays that a person had in a running program: a recording of that launch alone."""

    recording: Path
    """Folder; its one launch has not been run."""
    shape: str
    weight: float
    """Relative number of calls; 0 for values that are only verified on."""
    seed: int
    """Seed of values drawn afresh from the person's own; 0 for these themselves."""
    reference: tuple[LiveReference, ...] = ()
    """Empty without a reference, and where it was not called for this case."""
    scale: float = 1.0
    """What floats that were drawn afresh were multiplied by."""
    drawn: tuple[str, ...] = ()
    """Arrays that hold zeros alone with the person, and other values here."""


class LiveWorkload(Record):
    """Arrays of a notebook bound to a kernel's parameters, one case for each shape and draw of values."""

    cases: tuple[LiveCase, ...]
    reference: str | None = None
    """What the reference is called, for people; None when the original is the reference."""
    text: str | None = None
    """The CUDA text whose first line gives the cases' launches; other texts may give others. None: none of them can."""


class WorkloadProblemCode(StrEnum):
    """Why a declared workload cannot be used; `WorkloadProblem.message` says the same about one block, in words."""

    SYNTAX = "syntax"
    """The text is not valid TOML."""
    NO_WORKLOAD = "no_workload"
    """The block has no ``[workload.NAME]`` table."""
    REPEATED_NAME = "repeated_name"
    """Two workloads have the same name."""
    UNKNOWN_KEY = "unknown_key"
    MISSING_KEY = "missing_key"
    MISPLACED_KEY = "misplaced_key"
    """A key stands next to ``steps`` that belongs in each of them."""
    WRONG_VALUE = "wrong_value"
    """A key holds a value of another type or range than it takes."""
    ARGUMENT_VALUE = "argument_value"
    """An argument's value is written in no known form (`ValueProblemCode`)."""
    EXPRESSION = "expression"
    """A size expression does not parse, or has no value at the shape (`ExpressionProblemCode`)."""
    UNKNOWN_SIZE = "unknown_size"
    """A size that no shape gives."""
    DIFFERENT_SIZES = "different_sizes"
    """A shape gives other sizes than the first."""
    UNKNOWN_ARGUMENT = "unknown_argument"
    """``outputs`` or ``scratch`` names no argument."""
    UNKNOWN_KERNEL = "unknown_kernel"
    UNKNOWN_VARIABLE = "unknown_variable"
    """``globals`` names no device variable of the source."""
    PARAMETERS = "parameters"
    """``args`` has other names than the kernel's parameters."""
    UNKNOWN_TYPE = "unknown_type"
    """A parameter's type, or the layout of its struct, is not known."""
    WRONG_TYPE = "wrong_type"
    """The value does not fit the parameter's type."""
    RANDOM_RANGE = "random_range"
    """``randint`` has no whole numbers to draw from."""
    TOO_LARGE = "too_large"
    """The buffers exceed what one case may hold."""
    EMPTY_LAUNCH = "empty_launch"
    """A grid or a block has a dimension of 0."""


class WorkloadProblem(Record):
    """A workload that cannot be used: where, what was expected."""

    code: WorkloadProblemCode
    path: Path
    line: int
    message: str


class CaseKey(Record):
    """Which case of a kernel: what tells it from the others of a verification."""

    kind: str
    shape: str
    seed: int
    scale: float


class CaseOrigin(Record):
    """Where the values of a case come from."""

    kind: str
    """What was done to the values or sizes (``resampled``, ``tied``, ``resized``, …): docs/explanation/verification.md lists all."""
    shape: str
    seed: int
    """Stored for replay, never shown to a planner."""
    scale: float
    weight: float
    is_own_size: bool = True
    """At a size that was recorded, bound or declared; False: at one that only the recordings' relations suggest."""
    values: str = ""
    """In words, where they are none that the program has (``x from -250 to -1``); empty otherwise."""

    @property
    def key(self) -> CaseKey:
        return CaseKey(self.kind, self.shape, self.seed, self.scale)

    @property
    def is_derived(self) -> bool:
        """Made from a recorded or declared case, which a verdict rests on."""
        return not (self.kind == "recorded" or (self.kind == "declared" and self.scale == 1.0))


class Case(Record):
    """One set of concrete launches to judge on: a recording whose launches run in order."""

    recording: Path
    launches: tuple[int, ...]
    origin: CaseOrigin
