"""The machine code of a kernel with the functions that it calls, as one graph of named blocks and edges.

Example::

    machine = machine_of(code, loops, profile.executions)
    machine.outgoing["0:3"]   # ("0:3>4", "0:3>7"): both ways out of the kernel's fourth block
"""

from __future__ import annotations

import re
from functools import cached_property

from assistant.build.cfg import ControlFlow, Loop, control_flow, opcode_name
from assistant.build.loop_map import LoopMap
from assistant.model.build import KernelCode, SassInstruction
from assistant.model.profile import LineExecution
from assistant.model.source import SourceLoop
from assistant.record import Record

__all__ = ["Function", "Machine", "MachineBlock", "machine_of", "source_of"]

_CALLED = re.compile(r"`\(([^)]+)\)")
_ROUTINE = re.compile(r"\$__(?:internal|cuda)_")
_END = "end"


class Function(Record):
    """The kernel, or a function that it calls."""

    symbol: str
    """Empty for the kernel."""
    graph: ControlFlow
    loops: LoopMap

    @property
    def is_routine(self) -> bool:
        """Whether it is one of nvcc's own, as for powers of doubles; the lines that it is booked on are the caller's."""
        return _ROUTINE.search(self.symbol) is not None


class MachineBlock(Record):
    """A basic block."""

    name: str
    function: int
    index: int
    instructions: tuple[SassInstruction, ...]

    @property
    def is_entry(self) -> bool:
        return self.index == 0


class Machine(Record):
    """Blocks that can be reached, of all functions, in the order of the code."""

    functions: tuple[Function, ...]
    blocks: tuple[MachineBlock, ...]

    @cached_property
    def outgoing(self) -> dict[str, tuple[str, ...]]:
        """Block → its edges; that of an end leaves the function."""
        return {block.name: self._edges(block) for block in self.blocks}

    @cached_property
    def incoming(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {block.name: [] for block in self.blocks}
        for block in self.blocks:
            for edge in self.outgoing[block.name]:
                target = edge.rpartition(">")[2]
                if target != _END:
                    found[f"{block.function}:{target}"].append(edge)
        return {name: tuple(edges) for name, edges in found.items()}

    @cached_property
    def of_source(self) -> tuple[MachineBlock, ...]:
        """Without nvcc's routines."""
        return tuple(block for block in self.blocks if not self.functions[block.function].is_routine)

    def calls_of(self, entry: MachineBlock) -> dict[str, int] | None:
        """Blocks that call the function that ``entry`` begins, with how often each does; None for the kernel itself."""
        return None if entry.function == 0 else self._calls.get(self.functions[entry.function].symbol, {})

    def block(self, function: int, index: int) -> MachineBlock:
        return self._by_name[f"{function}:{index}"]

    def named(self, name: str) -> MachineBlock:
        return self._by_name[name]

    def innermost_loop(self, block: MachineBlock) -> Loop | None:
        chain = self.functions[block.function].graph.loop_chain(block.index)
        return chain[-1] if chain else None

    @cached_property
    def _by_name(self) -> dict[str, MachineBlock]:
        return {block.name: block for block in self.blocks}

    @cached_property
    def _calls(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        for block in self.blocks:
            for instruction in block.instructions:
                match = _CALLED.search(instruction.operands) if opcode_name(instruction) == "CALL" else None
                if match:
                    by_block = found.setdefault(match[1], {})
                    by_block[block.name] = by_block.get(block.name, 0) + 1
        return found

    def _edges(self, block: MachineBlock) -> tuple[str, ...]:
        graph = self.functions[block.function].graph
        last, successors = block.instructions[-1], graph.blocks[block.index].successors
        may_end = not successors or (opcode_name(last) in ("EXIT", "RET") and bool(last.predicate))
        targets = (*map(str, successors), *((_END,) if may_end else ()))
        return tuple(f"{block.name}>{target}" for target in targets)


def machine_of(code: KernelCode, loops: tuple[SourceLoop, ...], executions: tuple[LineExecution, ...]) -> Machine:
    """The kernel first."""
    functions = tuple(_functions(code, loops, executions))
    blocks = tuple(
        MachineBlock(f"{number}:{index}", number, index, function.graph.blocks[index].instructions)
        for number, function in enumerate(functions)
        for index in sorted(function.graph.reachable)
    )
    return Machine(functions, blocks)


def source_of(edge: str) -> int:
    """Index of the block that an edge leaves."""
    return int(edge.partition(">")[0].partition(":")[2])


def _functions(code: KernelCode, loops: tuple[SourceLoop, ...], executions: tuple[LineExecution, ...]) -> list[Function]:
    starts = [("", code.instructions[0].offset_bytes), *sorted((p for p in code.labels if p[0].startswith("$")), key=lambda p: p[1])]
    ends = [offset for _, offset in starts[1:]] + [code.instructions[-1].offset_bytes + 1]
    found: list[Function] = []
    for (symbol, start), end in zip(starts, ends, strict=True):
        own = tuple(i for i in code.instructions if start <= i.offset_bytes < end)
        if own:
            graph = control_flow(KernelCode(code.kernel, code.symbol, code.architecture, own, code.labels))
            found.append(Function(symbol, graph, LoopMap(graph, loops, executions)))
    return found
