"""Loops over elements that stay in a thread's registers, and over values of them that are dear to compute and needed again. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.operators.element_loops import Loop, at_line, vector_stores
from assistant.operators.kernel_plan import Plan, Step, needed, statements
from assistant.operators.kernel_text import (
    each_neighbour,
    element_load,
    folded,
    loads,
    near_stores,
    read_in,
    same_steps,
    vector_words,
    with_words,
)
from assistant.operators.passes import all_folds

__all__ = ["KeptLoops"]

_MOST_KEPT = 96
"""Elements in the registers of a thread, such values among them."""
_DEAR = re.compile(r"\b[a-z]\w*f\(")
"""Functions of C's library for floats."""


class KeptLoops:
    """The loops of one kernel, one after the other."""

    def __init__(self, plan: Plan, kept: Sequence[int], loop: Loop, count: str, most: int) -> None:
        """``kept``: which reads are kept; ``count``: how many vectors, in C; ``most``: the most elements of each."""
        self._plan = plan
        self._kept = tuple(kept)
        self._loop = loop
        self._count = count
        names = _needed_again(plan)
        last = _with_kept(plan, names)
        beside = set(read_in(last, same_steps(last.steps, [store.step for store in plan.full_stores]))) & set(kept)
        self._open = names if most * (len(beside) + len(names)) <= _MOST_KEPT else []

    def loads(self) -> Iterator[str]:
        reads = [self._plan.reads[number] for number in self._kept]
        yield from (f"    {read.array.value_type} {read.word}_kept[{self._count}][WIDTH];" for read in reads if read.array is not None)
        lines = [element_load(read, f"{read.word}_kept[k]", "        ") for read in reads]
        yield from self._over([*at_line(self._plan, self._kept, self._loop, "        "), *lines])

    def fold(self, step: Step, part: str) -> Iterator[str]:
        """``part``: what a thread has of the sum."""
        new = [name for name in self._open if name in {each.name for each in needed(self._plan.steps, [step])}]
        yield from (f"    {each.c_type} {each.name}_kept[{self._count}][WIDTH];" for each in self._plan.steps if each.name in new)

        def end(steps: Sequence[Step]) -> Iterator[str]:
            yield from (f"            {name}_kept[k][e] = {name};" for name in new)
            yield from folded(steps[0], "            ", part)

        yield from self._over([*at_line(self._plan, self._read([step]), self._loop, "        "), *self._computed([step], end)])
        self._open = [name for name in self._open if name not in new]
        self._plan = _with_kept(self._plan, new)

    def stores(self) -> Iterator[str]:
        """What each element leaves."""
        full = self._plan.full_stores
        if full:
            locals_, stores = near_stores(self._plan, "        ")
            lines = [f"        const long long at = {self._loop.place};", *locals_]
            lines += self._computed([store.step for store in full], lambda _: stores)
            yield from self._over([*lines, *vector_stores(self._plan, "        ")])

    def _over(self, lines: Iterable[str]) -> Iterator[str]:
        yield "    #pragma unroll"
        yield f"    for (int k = 0; k < {self._count}; ++k) {{"
        place, is_over = self._loop.place_of(self._loop.first)
        yield f"        {place}"
        yield f"        if ({is_over}) break;"
        yield from lines
        yield "    }"

    def _read(self, wanted: Sequence[Step]) -> list[int]:
        """What is read when it is needed."""
        return [number for number in read_in(self._plan, same_steps(self._plan.steps, wanted)) if number not in self._kept]

    def _computed(self, wanted: Sequence[Step], end: Callable[[Sequence[Step]], Iterable[str]]) -> Iterator[str]:
        """``end``: what is done with an element's wanted values."""
        found = same_steps(steps := with_words(self._plan.steps, vector_words(self._plan, self._kept), self._loop.rows), wanted)
        yield from loads(self._plan, self._read(wanted), "        ")
        yield from each_neighbour([*statements(steps, found, 3), *end(found)], "        ")


def _with_kept(plan: Plan, names: Sequence[str]) -> Plan:
    """With these values as they were kept."""
    steps = [replace(step, text=f"{step.name}_kept[k][e]", call=None) if step.name in names else step for step in plan.steps]
    return replace(plan, steps=tuple(steps))


def _needed_again(plan: Plan) -> list[str]:
    """Values that call a function, in more than one loop: the last ones of a chain, as nothing else of it is asked for then."""
    ends = [[step] for step in all_folds(plan)] + ([[store.step for store in plan.full_stores]] if plan.full_stores else [])
    loops = [{step.name for step in needed(plan.steps, wanted)} for wanted in ends]
    full = [step for step in plan.steps if step.kind == "full" and sum(step.name in loop for loop in loops) > 1]
    dear = [step for step in full if any(_DEAR.search(each.text) for each in needed(plan.steps, [step]))]
    inner = {each.name for step in dear for each in needed(plan.steps, [step]) if each.name != step.name}
    return [step.name for step in dear if step.name not in inner]
