"""What a judge looks at: the runs of A and B on the same cases, as bytes."""

from __future__ import annotations

from enum import StrEnum

from assistant.model.profile import Problem
from assistant.model.structs import ElementLayout, Member
from assistant.model.verification import Label, VerificationFinding
from assistant.model.workload import CaseOrigin, Tolerance
from assistant.record import Record
from assistant.verify.lines import LinePairs
from assistant.verify.ordering import NO_ORDER, OrderFacts

__all__ = [
    "TIMED_OUT",
    "BufferFacts",
    "CaseEvidence",
    "DetectedLabel",
    "JudgeEvidence",
    "ProgramVerdict",
    "Reference",
    "SideRun",
    "SizeCoverage",
]


class BufferFacts(Record):
    """One buffer that a case's launches can reach."""

    id: int
    name: str
    """For people and for pooling over cases: the parameter's or symbol's name."""
    element_type: str | None
    """C type of the elements; None is compared bitwise."""
    before: bytes
    """Contents before the first launch; of a poisoned buffer only the length counts."""
    is_poisoned: bool = False
    is_scratch: bool = False
    """Declared scratch: never compared."""
    is_unread: bool = False
    """Nothing else in the program looks at it: what is left there differently is for a person to decide."""
    is_only_stored: bool = False
    """The original's text stores to it and never loads from it: what it held before, such as what was left in memory, is no input."""
    layout: ElementLayout | None = None
    """Layout of a buffer of structs, where it is known."""
    member: Member | None = None
    """Member of a struct whose column is all that these contents are (``members.split_members``)."""
    starts: tuple[tuple[int, str], ...] = ()
    """(component, parameter) in order, where arguments point to elsewhere than its start: one allocation may hold several arrays."""

    @property
    def label(self) -> str:
        """``ps``, or ``ps.vy`` of a member."""
        return self.name if self.member is None else f"{self.name}.{self.member.path}"

    def place(self, index: int) -> str:
        """Where component ``index`` stands: ``a[7]``, ``ps[12].vy``; of an array inside the allocation, counted from its own start."""
        if self.member is not None:
            return self.name + self.member.place(index)
        start, name = next(((start, name) for start, name in reversed(self.starts) if start <= index), (0, self.name))
        return f"{name}[{index - start}]"


TIMED_OUT = "timed out"
"""What a run says that did not come to an end in its time."""


class SideRun(Record):
    """One run of one side on one case."""

    after: tuple[tuple[int, bytes], ...]
    """(buffer id, contents after the last launch)."""
    error: str | None = None
    """CUDA error name, ``crashed`` or ``timed out``; None when it ran."""
    fill: int = 0xAB
    """Byte that poisoned buffers held before the run."""
    guards_intact: bool = True
    repeat_difference: str | None = None
    """First bitwise difference between repeats of this run; None when equal."""
    problems: tuple[Problem, ...] = ()
    is_comparable: bool = True
    """False: only the checks count, and there are no contents (another device ran it than ran the others)."""
    is_repeat: bool = False
    """What a repeat left that differs from another run of this side."""

    def contents(self, buffer: int) -> bytes | None:
        """What ``buffer`` held after the run; None when the run did not get that far."""
        return dict(self.after).get(buffer)


class Reference(StrEnum):
    """Where the float64 values come from."""

    DECLARED = "declared"
    """The block's Python reference."""
    REBUILT = "rebuilt"
    """The original with device floats as doubles."""


class CaseEvidence(Record):
    """Everything that was run for one case."""

    origin: CaseOrigin
    kernel: str
    buffers: tuple[BufferFacts, ...]
    original: tuple[SideRun, ...]
    """At least one; two with different fills where a buffer is poisoned; then repeats that left something else."""
    candidate: tuple[SideRun, ...]
    """Each is compared with the original's run of the same fill."""
    reference: tuple[tuple[int, bytes], ...] = ()
    """(buffer id, float64 values after the launches)."""
    reference_kind: Reference = Reference.REBUILT
    perturbed: tuple[SideRun, ...] = ()
    """The original on inputs moved by one ulp (``tolerance.one_ulp``): needed where there is no reference, and for outputs of few
    elements (``outputs.has_small_output``)."""
    can_be_perturbed: bool = False
    """Such runs would be made if the verdict rested on them."""
    further_kernels: tuple[str, ...] = ()
    """Keys of the kernels that it launches after ``kernel``."""
    thread_count: int = 0
    """Threads of its first launch: more threads than outputs add up what they find."""
    longest_row: int = 0
    """Elements of the longest row or segment that the case's offsets show; 0 where it has none."""
    iterations: float = 0.0
    """How often a thread of the original runs the line that it runs most often; 0 where that was not counted."""
    passed: tuple[str, ...] = ()
    """Bytes of the arguments that hold no pointer, in hexadecimal: inputs, as buffers are."""

    @property
    def launched_kernels(self) -> tuple[str, ...]:
        return (self.kernel, *self.further_kernels)


class DetectedLabel(Record):
    """A label and what gave rise to it."""

    label: Label
    message: str
    line: int | None = None
    """Line of B's source."""
    case: int | None = None
    """Index of the case that showed it, among those of the verdict; None: it shows in the text, or in no single case."""


class ProgramVerdict(Record):
    """What the program-level oracle found."""

    findings: tuple[VerificationFinding, ...]
    masked: tuple[str, ...]
    """What differs between the original's own runs and was therefore not compared."""


class SizeCoverage(Record):
    """What is known of a captured or live kernel's sizes."""

    own: tuple[str, ...]
    """Shapes of the launches themselves."""
    names: tuple[str, ...]
    """The integers that their buffers and grids depend on."""
    modelled: frozenset[str]
    """Shapes of our own in which buffers and grid follow from them."""
    whose: str = "program's own"
    remedy: str = "declare a workload"
    """How other sizes can be had."""


class JudgeEvidence(Record):
    """The whole input of ``judge``."""

    cases: tuple[CaseEvidence, ...]
    tolerance: Tolerance
    outputs: tuple[str, ...] = ()
    """Names of declared outputs; empty: every buffer the original changes."""
    labels: tuple[DetectedLabel, ...] = ()
    findings: tuple[VerificationFinding, ...] = ()
    """Findings of the static rules (``cheats``)."""
    program: ProgramVerdict | None = None
    is_declared: bool = False
    dropped_cases: tuple[str, ...] = ()
    missing_checks: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
    """For the verdict line (``Verification.caveats``)."""
    lines: LinePairs | None = None
    """Which lines of both sources are the same; None: those of equal number."""
    edited: tuple[str, ...] = ()
    """Keys of the kernels that the edit concerns: each must have a case that can judge it."""
    sizes: SizeCoverage | None = None
    """None where the sizes are declared."""
    well_read: frozenset[str] = frozenset()
    """Keys of the kernels that are passed one floating number, which B's reads: what it does on others is no question of what the program
    passes."""
    order_before: OrderFacts = NO_ORDER
    """How far the order of threads decides what A's kernels in question leave."""
    order_after: OrderFacts = NO_ORDER
