"""How the threads of a block fill their tiles: neighbours next to neighbours, straight away or one tile ahead.

Ahead, each thread keeps its elements of the next tile in registers while the block works on this one, so that their way from memory takes
no time of its own where few blocks share a multiprocessor (CUDA C++ Best Practices Guide, "Hiding Register Dependencies" and "Occupancy";
register double buffering as in CUTLASS, "Efficient GEMM in CUDA"). Example::

    filling = TileFilling(tree, tile, names, …)
    filling.straight(load)     # for (int e = thread; …) { … a_tile[e % 16][e / 16] = i < n && k < n ? A[i * n + k] : 0.0f; }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assistant.cuda.syntax import Node, SyntaxTree
from assistant.plan.expert.analysis.element_kernel import ElementKernel
from assistant.plan.expert.analysis.staged_loads import StagedLoad
from assistant.plan.expert.writing.layout import zero_of
from assistant.record import Record

__all__ = ["FillingNames", "TileFilling"]


class FillingNames(Record):
    """What the new text calls things."""

    thread: str
    """The thread's number in its block."""
    slot: str
    """Number of an element of a tile."""
    start: str
    """First iteration of the tile."""
    turn: str
    """Number of an element among those that a thread loads of a tile."""
    load_next: str
    tiles: Mapping[str, str]
    """By a load's key."""
    ahead: Mapping[str, str]
    """The thread's elements of the next tile, by a load's key."""


class TileFilling(Record):
    """Writes the filling of a block's tiles."""

    tree: SyntaxTree
    kernel: ElementKernel
    names: FillingNames
    depth: int
    extents: Mapping[str, int]
    """Elements of a block along an axis."""
    threads: int
    counter_type: str
    has_whole_tiles: bool
    derived: Callable[[list[Node]], list[str]]
    """Declarations of the locals that nodes use."""
    step: str

    def straight(self, load: StagedLoad) -> list[str]:
        """One tile, filled from memory."""
        names, extent = self.names, self.extents[load.axis]
        lines = [*self._place(load), f"{self._element(load)} = {self._value(load, load.node)};"]
        head = f"for (int {names.slot} = {names.thread}; {names.slot} < {self.depth} * {extent}; {names.slot} += {self.threads}) {{"
        return [head, *(self.step + line for line in lines), "}"]

    def ahead(self, loads: Sequence[StagedLoad]) -> list[str]:
        """Before the loop: the elements of the next tile, how they are loaded, and those of the first one."""
        names, key = self.names, self.tree
        lines = [f"{load.type} {names.ahead[load.key(key)]}[{self._count(load)}];" for load in loads]
        inner = [
            line
            for load in loads
            for line in self._turns(load, [*self._place(load), f"{self._next(load)} = {self._value(load, load.element)};"])
        ]
        head = f"const auto {names.load_next} = [&]({self.counter_type} {names.start}) {{"
        return [*lines, head, *(self.step + line for line in inner), "};", f"{names.load_next}({self.kernel.header.first});"]

    def stored(self, load: StagedLoad) -> list[str]:
        """One tile, filled from what the threads loaded ahead, now multiplied by the factors: at its load the product would wait for it."""
        if load.node.id == load.element.id:
            return self._turns(load, [f"{self._element(load)} = {self._next(load)};"])
        product, element = self.tree.span(load.node), self.tree.span(load.element)
        text = self.tree.text(load.node)
        text = f"{text[: element.start - product.start]}{self._next(load)}{text[element.end - product.start :]}"
        if self.has_whole_tiles:
            return self._turns(load, [f"{self._element(load)} = {text};"])
        along, _ = self._indices(load)
        header = self.kernel.header
        counter = f"const {self.counter_type} {header.variable} = {self.names.start} + {along};"
        value = f"{header.variable} {header.comparison} {header.bound} ? {text} : {zero_of(self.tree, load.type)}"
        return self._turns(load, [counter, f"{self._element(load)} = {value};"])

    def loaded_next(self) -> str:
        """The next tile's loads begin; behind the loop's end there is none."""
        names, header = self.names, self.kernel.header
        following = f"{names.start} + {self.depth}"
        return f"if ({following} {header.comparison} {header.bound}) {names.load_next}({following});"

    def _turns(self, load: StagedLoad, lines: list[str]) -> list[str]:
        names = self.names
        slot = f"const int {names.slot} = {names.thread} + {names.turn} * {self.threads};"
        head = f"for (int {names.turn} = 0; {names.turn} < {self._count(load)}; ++{names.turn}) {{"
        return ["#pragma unroll", head, self.step + slot, *(self.step + line for line in lines), "}"]

    def _place(self, load: StagedLoad) -> list[str]:
        """Where the element lies in memory."""
        along, across = self._indices(load)
        position = self.kernel.locals.position(load.axis)
        return [
            f"const {position.type} {position.name} = blockIdx.{load.axis} * {self.extents[load.axis]} + {across};",
            f"const {self.counter_type} {self.kernel.header.variable} = {self.names.start} + {along};",
            *self.derived([load.node]),
        ]

    def _value(self, load: StagedLoad, node: Node) -> str:
        """The element, or its product, zero where there is none."""
        header = self.kernel.header
        ends = [] if self.has_whole_tiles else [f"{header.variable} {header.comparison} {header.bound}"]
        checks = " && ".join((*self.kernel.conditions(self.tree, load.axis), *ends))
        text = self.tree.text(node)
        return f"{checks} ? {text} : {zero_of(self.tree, load.type)}" if checks else text

    def _element(self, load: StagedLoad) -> str:
        along, across = self._indices(load)
        return f"{self.names.tiles[load.key(self.tree)]}[{along}][{across}]"

    def _next(self, load: StagedLoad) -> str:
        return f"{self.names.ahead[load.key(self.tree)]}[{self.names.turn}]"

    def _count(self, load: StagedLoad) -> int:
        return self.depth * self.extents[load.axis] // self.threads

    def _indices(self, load: StagedLoad) -> tuple[str, str]:
        """Of an element of a tile: along the loop, and along the rows or columns."""
        slot, depth, extent = self.names.slot, self.depth, self.extents[load.axis]
        return (f"{slot} % {depth}", f"{slot} / {depth}") if load.walks_along_loop else (f"{slot} / {extent}", f"{slot} % {extent}")
