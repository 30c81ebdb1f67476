"""Work that the machine code and the emulated program do alike, as equations: how often its blocks ran together.

Each equation is the counts of blocks, with how much of the work each does in a pass, and what they come to.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence

from assistant.build.cfg import opcode_name
from assistant.build.loop_passes import Moved, iterations_per_pass
from assistant.build.machine import Machine
from assistant.build.matching import EmulatedBlocks, is_work
from assistant.build.sites import access_kind, access_width_bytes
from assistant.model.build import SassInstruction
from assistant.model.profile import AccessSite, LaunchProfile

__all__ = ["Equation", "accesses", "iterations_alike", "unrolled_loops", "work"]

Equation = tuple[dict[str, float], float]
_Unrolled = Sequence[tuple[frozenset[str], int]]

_TRUST = ("global store", "shared store", "global atomic", "shared atomic", "shared load", "global load")
"""Kinds of access, those first that a compiler rarely moves or merges; local ones are the compiler's own affair."""
_ARRAY_STORE = "STL"
_ALWAYS = ("", "@PT", "@UPT")
_COPIES = 3
"""Blocks with equally many multiplications of integers on a line, from which these are taken to be the source's, not of addresses."""

_Key = tuple[str, int, str]


def accesses(machine: Machine, profile: LaunchProfile) -> tuple[list[Equation], list[Equation], list[Equation]]:
    """Of each line and kind of access, the bytes that its machine accesses move are those that the emulated ones moved.

    Stores and atomics; loads, which a compiler may merge; accesses of which the machine code has more than the source.

    Left out where an access is under a predicate, and where there are fewer than in the source, for some were merged or moved.
    """
    seen: dict[_Key, list[AccessSite]] = defaultdict(list)
    for site in profile.sites:
        seen[site.file, site.line, site.op].append(site)
    made: dict[_Key, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    predicated: set[_Key] = set()
    for block in machine.of_source:
        for instruction in block.instructions:
            kind = access_kind(instruction)
            if kind in _TRUST:
                key = (instruction.file, instruction.line, kind)
                made[key][block.name] += access_width_bytes(instruction.opcode)
                predicated |= {key} if instruction.predicate not in _ALWAYS else set()
    known = [key for key in made if key in seen and key not in predicated]
    known.sort(key=lambda key: (_TRUST.index(key[2]), len(made[key]), key))
    found: tuple[list[Equation], list[Equation], list[Equation]] = ([], [], [])
    for key in known:
        equation = _access_equation(made[key], seen[key])
        if equation is not None:
            is_copied = sum(made[key].values()) > sum(site.size_bytes for site in seen[key])
            found[2 if is_copied else int(key[2].endswith("load"))].append(equation)
    return found


def _access_equation(made: dict[str, float], sites: list[AccessSite]) -> Equation | None:
    if sum(made.values()) >= sum(site.size_bytes for site in sites):
        return dict(made), float(sum(site.size_bytes * site.active_threads for site in sites))
    counts = {site.active_threads for site in sites}
    return (dict.fromkeys(made, 1.0), float(counts.pop())) if len(made) == len(counts) == 1 else None


def _are_copies(machine: Machine, made: Counter[str]) -> bool:
    """Whether so many blocks of a loop do so much alike that it must be the source's work."""
    loops = {machine.innermost_loop(machine.named(name)) for name in made}
    return len(made) >= _COPIES and len(set(made.values())) == len(loops) == 1 and None not in loops


def _is_array_store(instruction: SassInstruction) -> bool:
    """Not a register that is kept in local memory for want of registers, whose place is constant from the stack pointer R1 on."""
    return opcode_name(instruction) == _ARRAY_STORE and not instruction.operands.startswith(("[R1]", "[R1+"))


def unrolled_loops(machine: Machine, moved: Moved) -> tuple[tuple[frozenset[str], int], ...]:
    """Blocks of each machine loop that does several iterations a pass, and how many."""
    found: list[tuple[frozenset[str], int]] = []
    for number, function in enumerate(machine.functions):
        for loop in function.graph.loops:
            source = function.loops.stands_for(loop)
            count = 1 if source is None else iterations_per_pass(function.loops, loop, source, moved)
            if count > 1:
                found.append((frozenset(machine.block(number, index).name for index in loop.blocks), count))
    return tuple(found)


def iterations_alike(worked: Sequence[Equation], unrolled: _Unrolled) -> Iterator[Equation]:
    """What each iteration of an unrolled loop has a block for is done as often in each of them."""
    for terms, _ in worked:
        for blocks, count in unrolled:
            inside = [name for name in terms if name in blocks]
            if len(inside) == count and len({terms[name] for name in inside}) == 1:
                first, *others = inside
                yield from (({first: 1.0, other: -1.0}, 0.0) for other in others)


def work(machine: Machine, emulated: EmulatedBlocks, left_out: Collection[str], unrolled: _Unrolled) -> list[Equation]:
    """Of each line that always ran together, and each kind of its arithmetic, and stores to a thread's own array at an index that is
    computed: what one pass does is the least that a block does of it.

    Lines with a block of ``left_out`` are left out; ``unrolled``: as `unrolled_loops` has it.
    """
    in_unrolled = frozenset(name for blocks, _ in unrolled for name in blocks)
    made: dict[_Key, Counter[str]] = defaultdict(Counter)
    predicated: set[_Key] = set()
    for block in machine.of_source:
        for instruction in block.instructions:
            name = opcode_name(instruction)
            if is_work(instruction) or name == "IMAD" or _is_array_store(instruction):
                key = (instruction.file, instruction.line, name)
                made[key][block.name] += 1
                predicated |= {key} if instruction.predicate not in _ALWAYS or block.name in left_out else set()
    found: list[Equation] = []
    for key in sorted(made, key=lambda key: (len(made[key]), key)):
        counts = {block.threads for block in emulated.by_place.get(key[:2], ())}
        is_of_source = key[2] != "IMAD" or _are_copies(machine, made[key])
        is_stored_once = key[2] == _ARRAY_STORE and set(made[key].values()) == {1}  # no two iterations' stores are one
        is_clear = len(set(made[key].values())) > 1 or is_stored_once or in_unrolled.isdisjoint(made[key])
        if is_of_source and is_clear and len(counts) == 1 and key not in predicated:
            unit = math.gcd(*made[key].values())
            found.append(({name: count / unit for name, count in made[key].items()}, float(counts.pop())))
    return found
