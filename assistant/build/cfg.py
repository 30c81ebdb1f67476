"""Control flow of one kernel's machine code: basic blocks, loops, and what decides whether an instruction runs.

Knows opcodes that move control (CUDA Binary Utilities 13.0, "Instruction Set Reference"), nothing of what they compute.
Example::

    graph = control_flow(code)
    graph.loop_chain(graph.block_at(0x280))   # (Loop(header_offset=0x270, …),), outermost first
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Any

from assistant.model.build import KernelCode, SassInstruction
from assistant.record import Record

__all__ = ["Block", "ControlFlow", "Loop", "backward_branches", "control_flow", "opcode_name"]

_TARGETS = re.compile(r"BRANCH_TARGETS ([^\"]+)\"")
"""Where an indirect jump may go, as nvdisasm notes behind its operands."""
_TARGET = re.compile(r"`\(([^)]+)\)|\b(0x[0-9a-f]+)\s*$")
_OPERAND_PREDICATE = re.compile(r"(?:^|,\s*)!?U?P[0-6]\s*,")
_JUMPS = frozenset({"BRA", "JMP"})
_INDIRECT_JUMPS = frozenset({"BRX", "JMX", "BRXU", "JMXU"})
_ENDS = frozenset({"EXIT", "RET", "KILL"})
_CALLS = frozenset({"CALL"})


class Block(Record):
    """Instructions that run together, entered only at the first."""

    index: int
    instructions: tuple[SassInstruction, ...]
    successors: tuple[int, ...]

    @property
    def start_bytes(self) -> int:
        return self.instructions[0].offset_bytes

    @property
    def last(self) -> SassInstruction:
        return self.instructions[-1]


class Loop(Record):
    """A natural loop: the blocks that can reach a back edge to ``header`` without leaving through it."""

    header: int
    """Block index; the smallest identity of a loop."""
    blocks: frozenset[int]


class ControlFlow(Record):
    """Blocks in address order; ``reachable`` ones only take part in loops and dominance."""

    blocks: tuple[Block, ...]
    reachable: frozenset[int]
    loops: tuple[Loop, ...]
    """Outer loops before the loops inside them."""
    is_reducible: bool
    """False: some cycle has several entries, and loop nesting means nothing."""
    has_indirect_jump: bool
    called_blocks: frozenset[int]
    """Blocks of functions that this code calls."""
    labels: tuple[tuple[str, int], ...] = ()
    """As in `KernelCode`."""

    def block_at(self, offset_bytes: int) -> int:
        return bisect_right(self._starts, offset_bytes) - 1

    def loop_chain(self, block: int) -> tuple[Loop, ...]:
        """Loops around a block, outermost first."""
        return self._loop_chains[block]

    def guards(self, block: int) -> tuple[int, ...]:
        """Blocks whose branch decides whether ``block`` runs (control dependence), loop exits of its own loops included."""
        return self._control_dependence.get(block, ())

    def blocks_called(self, call: SassInstruction) -> frozenset[int]:
        """Blocks of the function that a call enters; empty where it lies outside this kernel's code."""
        entry = next((b.index for b in self.blocks if b.start_bytes == _target(call, dict(self.labels))), None)
        return frozenset() if entry is None else _reachable({b.index: b.successors for b in self.blocks}, entry)

    def dominates(self, first: int, second: int) -> bool:
        return first in self._dominators[second]

    @cached_property
    def _loop_chains(self) -> list[tuple[Loop, ...]]:
        return [tuple(loop for loop in self.loops if block.index in loop.blocks) for block in self.blocks]

    @cached_property
    def found_of_loops(self) -> dict[tuple[str, int], Any]:
        """What was found out of a loop, by its name and the loop's header, so that it is not worked out once more."""
        return {}

    @cached_property
    def _starts(self) -> list[int]:
        return [block.start_bytes for block in self.blocks]

    @cached_property
    def _dominators(self) -> dict[int, frozenset[int]]:
        return _dominators({b.index: b.successors for b in self.blocks if b.index in self.reachable}, 0)

    @cached_property
    def _control_dependence(self) -> dict[int, tuple[int, ...]]:
        return _control_dependence(self.blocks, self.reachable)


def backward_branches(code: KernelCode) -> tuple[SassInstruction, ...]:
    """By which its loops go on; nvcc and NVRTC book each on the line of the loop's ``for``, ``while`` or ``do … while`` condition."""
    flow = control_flow(code)
    places = dict.fromkeys(index for loop in flow.loops for index in sorted(loop.blocks) if loop.header in flow.blocks[index].successors)
    return tuple(flow.blocks[index].last for index in places)


def opcode_name(instruction: SassInstruction) -> str:
    """``LDG`` of ``LDG.E.128``."""
    return instruction.opcode.split(".", 1)[0]


def control_flow(code: KernelCode) -> ControlFlow:
    """The graph of a kernel."""
    labels = dict(code.labels)
    leaders = _leaders(code.instructions, labels)
    starts = sorted(leaders)
    grouped: list[list[SassInstruction]] = [[] for _ in starts]
    for instruction in code.instructions:
        grouped[bisect_right(starts, instruction.offset_bytes) - 1].append(instruction)
    index_of = {start: index for index, start in enumerate(starts)}
    blocks = tuple(
        Block(index, tuple(group), _successors(group[-1], index, len(starts), labels, index_of)) for index, group in enumerate(grouped)
    )
    edges = {block.index: block.successors for block in blocks}
    reachable = _reachable(edges, 0)
    called = _called(code.instructions, labels, index_of, edges)
    dominators = _dominators({i: s for i, s in edges.items() if i in reachable}, 0)
    loops, is_reducible = _natural_loops(edges, reachable, dominators)
    has_indirect = any(opcode_name(i) in _INDIRECT_JUMPS for i in code.instructions)
    return ControlFlow(blocks, reachable, loops, is_reducible, has_indirect, called - reachable, code.labels)


def _leaders(instructions: tuple[SassInstruction, ...], labels: dict[str, int]) -> set[int]:
    known = {instruction.offset_bytes for instruction in instructions}
    leaders = {instructions[0].offset_bytes}
    for index, instruction in enumerate(instructions):
        name = opcode_name(instruction)
        if name in _JUMPS | _CALLS:
            target = _target(instruction, labels)
            if target in known:
                leaders.add(target)
        if name in _INDIRECT_JUMPS:
            leaders |= _table(instruction, labels) & known
        if name in _JUMPS | _INDIRECT_JUMPS | _ENDS and index + 1 < len(instructions):
            leaders.add(instructions[index + 1].offset_bytes)
    return leaders


def _target(instruction: SassInstruction, labels: dict[str, int]) -> int:
    """Target offset; one that no block starts at where it lies outside this function."""
    match = _TARGET.search(instruction.operands)
    if match is None:
        return _ELSEWHERE
    return labels.get(match[1], _ELSEWHERE) if match[1] else int(match[2], 16)


def _table(jump: SassInstruction, labels: dict[str, int]) -> set[int]:
    """Offsets that an indirect jump may go to, as far as its table is known."""
    match = _TARGETS.search(jump.operands)
    return {labels[name.strip()] for name in match[1].split(",") if name.strip() in labels} if match else set()


_ELSEWHERE = 1 << 62
"""An offset that no function reaches."""


def _successors(last: SassInstruction, index: int, count: int, labels: dict[str, int], index_of: dict[int, int]) -> tuple[int, ...]:
    name = opcode_name(last)
    following = (index + 1,) if index + 1 < count else ()
    if name in _JUMPS:
        target = index_of.get(_target(last, labels))
        taken = () if target is None else (target,)
        return tuple(dict.fromkeys(taken + following)) if _is_conditional(last) else taken
    if name in _INDIRECT_JUMPS:
        table = sorted(index_of[target] for target in _table(last, labels) if target in index_of)
        return tuple(dict.fromkeys((*table, *(following if last.predicate else ()))))
    if name in _ENDS:
        return following if last.predicate else ()
    return following


def _is_conditional(instruction: SassInstruction) -> bool:
    if instruction.predicate and instruction.predicate not in ("@PT", "@UPT"):
        return True
    return ".DIV" in instruction.opcode or bool(_OPERAND_PREDICATE.search(instruction.operands))


def _called(
    instructions: tuple[SassInstruction, ...],
    labels: dict[str, int],
    index_of: dict[int, int],
    edges: dict[int, tuple[int, ...]],
) -> frozenset[int]:
    found: set[int] = set()
    for instruction in instructions:
        if opcode_name(instruction) in _CALLS:
            entry = index_of.get(_target(instruction, labels))
            if entry is not None:
                found |= _reachable(edges, entry)
    return frozenset(found)


def _reachable(edges: dict[int, tuple[int, ...]], start: int) -> frozenset[int]:
    seen = {start}
    stack = [start]
    while stack:
        for successor in edges[stack.pop()]:
            if successor not in seen:
                seen.add(successor)
                stack.append(successor)
    return frozenset(seen)


def _dominators(edges: dict[int, tuple[int, ...]], entry: int) -> dict[int, frozenset[int]]:
    """Node → nodes on every path from ``entry`` to it, itself included (iterated data flow)."""
    everything = frozenset(edges)
    predecessors: dict[int, list[int]] = {node: [] for node in edges}
    for node, successors in edges.items():
        for successor in successors:
            predecessors[successor].append(node)
    dominators = dict.fromkeys(edges, everything)
    dominators[entry] = frozenset({entry})
    order = [node for node in sorted(edges) if node != entry]
    is_changing = True
    while is_changing:
        is_changing = False
        for node in order:
            incoming = [dominators[p] for p in predecessors[node]]
            new = _intersection(incoming) | {node}
            if new != dominators[node]:
                dominators[node], is_changing = new, True
    return dominators


def _intersection(sets: list[frozenset[int]]) -> frozenset[int]:
    """What all sets share; nothing if there are none."""
    common = sets[0] if sets else frozenset[int]()
    for other in sets[1:]:
        common &= other
    return common


def _natural_loops(
    edges: dict[int, tuple[int, ...]], reachable: frozenset[int], dominators: dict[int, frozenset[int]]
) -> tuple[tuple[Loop, ...], bool]:
    predecessors: dict[int, list[int]] = {node: [] for node in reachable}
    for node in reachable:
        for successor in edges[node]:
            predecessors[successor].append(node)
    bodies: dict[int, set[int]] = {}
    back_edges: set[tuple[int, int]] = set()
    for node in reachable:
        for header in edges[node]:
            if header in dominators[node]:
                back_edges.add((node, header))
                body = bodies.setdefault(header, {header})
                stack = [node]
                while stack:
                    member = stack.pop()
                    if member not in body:
                        body.add(member)
                        stack.extend(predecessors[member])
    loops = [Loop(header, frozenset(body)) for header, body in bodies.items()]
    loops.sort(key=lambda loop: (-len(loop.blocks), loop.header))
    return tuple(loops), not _has_cycle(edges, reachable, back_edges)


def _has_cycle(edges: dict[int, tuple[int, ...]], nodes: frozenset[int], without: set[tuple[int, int]]) -> bool:
    """Whether a cycle is left once natural back edges are taken out (Kahn's algorithm)."""
    incoming = dict.fromkeys(nodes, 0)
    for node in nodes:
        for successor in edges[node]:
            if (node, successor) not in without:
                incoming[successor] += 1
    ready = [node for node, count in incoming.items() if count == 0]
    done = 0
    while ready:
        node = ready.pop()
        done += 1
        for successor in edges[node]:
            if (node, successor) not in without:
                incoming[successor] -= 1
                if incoming[successor] == 0:
                    ready.append(successor)
    return done != len(nodes)


def _control_dependence(blocks: tuple[Block, ...], reachable: frozenset[int]) -> dict[int, tuple[int, ...]]:
    """Ferrante, Ottenstein and Warren 1987: B depends on A if one way out of A always reaches B and another may not."""
    end = len(blocks)
    reverse: dict[int, list[int]] = {node: [] for node in reachable}
    reverse[end] = []
    for node in reachable:
        successors = blocks[node].successors
        for successor in successors:
            reverse[successor].append(node)
        if not successors or (opcode_name(blocks[node].last) in _ENDS and blocks[node].last.predicate):
            reverse[end].append(node)
    covered = _reachable({node: tuple(previous) for node, previous in reverse.items()}, end)
    post = _dominators({n: tuple(p for p in reverse[n] if p in covered) for n in covered}, end)
    dependence: dict[int, list[int]] = {}
    for node in sorted(reachable & covered):
        ways = set(blocks[node].successors) & covered
        if len(ways) + (node in reverse[end]) < 2:
            continue
        for block in sorted(reachable & covered):
            if any(block in post[way] for way in ways) and not (block in post[node] and block != node):
                dependence.setdefault(block, []).append(node)
    return {block: tuple(guards) for block, guards in dependence.items()}
