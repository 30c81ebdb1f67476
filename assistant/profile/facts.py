"""What the rules need to know about the source, as plain data; the engine fills it from the parser.

The rules work without it (every field has an empty default) and then say less.
"""

from __future__ import annotations

from pathlib import PurePath

from assistant.record import Record

__all__ = [
    "AccessCost",
    "CarriedLoad",
    "DearFunction",
    "DividedRoot",
    "InvariantLoad",
    "LineFacts",
    "LoopFacts",
    "PointerFacts",
    "SourceFacts",
    "StructUse",
    "TreeFacts",
]


class LoopFacts(Record):
    """One ``for``, ``while`` or ``do`` loop of the kernel."""

    line: int
    """Line of the keyword."""
    end_line: int
    depth: int
    """1 for an outermost loop."""
    trip_count: int | None
    """Where it is a constant of the source; None otherwise."""
    has_unroll_pragma: bool = False
    is_unrolled: bool | None = None
    """The machine code never goes back to it; None where no code is known."""
    has_barrier: bool = False
    """Threads wait for each other in its body."""
    is_halving: bool = False
    """Its counter is halved until nothing is left of it (``s > 0; s >>= 1``)."""
    is_doubling: bool = False
    """Its counter is doubled from 1, and elements so far apart are put together in pairs (``a[t] += a[t + s]``)."""
    is_scan: bool = False
    """Its counter is doubled, and what stands that far before something is looked at (``d *= 2``, ``a[t - d]``); no loop is in it."""
    is_dealt: bool = False
    """Each thread starts at an element of its own and goes on by a stride (``i = threadIdx.x; i < n; i += blockDim.x``)."""
    is_first_threads: bool = False
    """Only the block's first thread goes through it, as an ``if`` around it says."""


class TreeFacts(Record):
    """A reduction of a block in shared memory whose steps are written out, not looped over."""

    line: int
    end_line: int


class StructUse(Record):
    """An array of structures of which single members are used."""

    pointer: str
    type: str
    size_bytes: int
    """Size of a structure: what neighbouring elements are apart."""
    members: tuple[str, ...]
    """Used on the line in question."""
    used_bytes: int
    """Bytes of a structure that the whole kernel uses."""


class InvariantLoad(Record):
    """A load that a loop makes again in each iteration, though only a store through another pointer could have changed the element."""

    pointer: str
    """A parameter, or a pointer in a structure that is passed by value: ``net.leak``."""
    inner_count: int = 1
    """How often one iteration makes it: loops of constant length inside the loop may change the index."""

    @property
    def is_of_member(self) -> bool:
        return "." in self.pointer


class CarriedLoad(Record):
    """An element that a loop's iteration reads and the iteration before it stored."""

    pointer: str
    store_line: int


class DividedRoot(Record):
    """A square root of a value that only the run decides, of which nothing but quotients are made."""

    text: str
    """``1.0f / sqrtf(x)``; where a local holds the root, ``sqrtf(x)``."""
    is_double: bool
    quotient_lines: tuple[int, ...]
    """A line for each division by it."""


class DearFunction(Record):
    """A call of a math function for which there is a cheaper one of the same value."""

    text: str
    """As it is written: ``cos(2 * M_PI * u)``."""
    routine: str
    """What would do: ``cospi``."""
    form: str
    """``turn`` of a multiple of pi, ``pair`` of a sine and a cosine, ``turns`` of both at once, ``power`` of 2 or 10."""
    is_double: bool


class AccessCost(Record):
    """What the text says that a warp moves by one element access, inside the grid."""

    line: int
    text: str
    """As it is written, ``in[x * n + y]``, or its pointer."""
    is_store: bool
    sectors: int
    ideal: int


class LineFacts(Record):
    """What stands on one line of the kernel."""

    line: int
    double_literals: tuple[str, ...] = ()
    """Floating literals without ``f`` (``0.5``, ``1e-3``) in an expression that has float operands or targets."""
    powers: tuple[str, ...] = ()
    """``powf`` and ``pow`` of a run-time float with a float exponent that a few operations replace: 2 to 6, -1, 0.5, a loop's counter."""
    double_powers: tuple[str, ...] = ()
    """The same, computed in double precision."""
    running_powers: tuple[str, ...] = ()
    """Those of either kind whose exponent is a loop's counter."""
    divided_roots: tuple[DividedRoot, ...] = ()
    """Roots on this line that are only divided by."""
    dear_functions: tuple[DearFunction, ...] = ()
    """Calls on this line that a cheaper function replaces."""
    reduces_arguments: bool = False
    """Calls a sine, cosine or tangent of a float, whose routine reduces large arguments in double precision."""
    accumulated_pointers: tuple[str, ...] = ()
    """Pointers updated in place (``o[i] += …``, ``o[i] = o[i] + …``) at an index the innermost loop does not change."""
    invariant_loads: tuple[InvariantLoad, ...] = ()
    """One for each element as it is spelled."""
    varying_load_count: int = 0
    """Other elements that the line reads through the kernel's pointers, each as often as it is spelled in another way."""
    carried_loads: tuple[CarriedLoad, ...] = ()
    """Of elements that the iteration before stored."""
    stored_pointers: tuple[str, ...] = ()
    """Pointer parameters written on this line."""
    read_count: int = 0
    """How often elements of pointer parameters are read on this line, accumulated ones aside."""
    struct_fields: tuple[str, ...] = ()
    """Members read or written through an indexed pointer (``p[i].x`` → ``x``)."""
    moves_structures: bool = False
    """Reads or writes elements that are structures of this text, by members or whole."""
    structs: tuple[StructUse, ...] = ()
    """The arrays of structures behind ``struct_fields``, as far as the text gives their layout."""


class PointerFacts(Record):
    """One pointer parameter."""

    name: str
    element_type: str
    is_const: bool
    is_restrict: bool
    is_written: bool


class SourceFacts(Record):
    """Facts about one kernel."""

    lines: tuple[LineFacts, ...] = ()
    loops: tuple[LoopFacts, ...] = ()
    pointers: tuple[PointerFacts, ...] = ()
    kernel_line: int = 0
    """Line of the kernel's name; 0 where unknown."""
    declares_double: bool = False
    """The kernel has double parameters or variables: double arithmetic is meant."""
    four_rows_loads_ratio: float | None = None
    """Of a kernel of blocks in two dimensions, without loops: different elements that four neighbouring rows load, over those of four
    threads that load them each for itself; None where the kernel is another one, or indices are not known."""
    passes_line: int = 0
    """Of the kernel's only launch, where a loop around it doubles or halves what it passes, or passes the k of a ``1 << k``; else 0."""
    diagonals_line: int = 0
    """Of the kernel's only launch, where a loop around it counts a number that the kernel takes a cell's row or column from; else 0."""
    file: str = ""
    """Whose lines these are; empty: the launch's only file. Counters also have lines of headers, which mean nothing here."""
    trees: tuple[TreeFacts, ...] = ()
    costs: tuple[AccessCost, ...] = ()
    """Of lines on which the text decides all accesses to global memory."""

    def is_of(self, file: str) -> bool:
        """Whether a counter's line in ``file`` is a line that these facts speak of; only names count, as folders may be spelled anew."""
        return not self.file or PurePath(file).name == PurePath(self.file).name

    def at(self, file: str, line: int) -> LineFacts:
        """Facts of a line; empty ones where nothing is known."""
        return next((f for f in self.lines if f.line == line and self.is_of(file)), LineFacts(line))

    def innermost_loop(self, line: int) -> LoopFacts | None:
        """The deepest loop whose lines include ``line``; None outside loops."""
        around = [loop for loop in self.loops if loop.line <= line <= loop.end_line]
        return max(around, key=lambda loop: (loop.depth, loop.line), default=None)
