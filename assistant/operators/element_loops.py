"""Loops over the elements that a kernel reduces: a thread reads several vectors of WIDTH neighbours before it computes with them. Pure.

What is read ahead is on its way together: a load that waits for the values of the one before leaves the memory idle. Every other pass goes
from the last elements to the first, as what was read last may still be in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.operators.kernel_plan import Plan, Step, statements
from assistant.operators.kernel_text import (
    begin,
    each_neighbour,
    element_load,
    folded,
    near_stores,
    read_in,
    same_steps,
    vector_words,
    with_words,
)
from assistant.operators.moments import added, weights
from assistant.operators.passes import Pass, moments_of
from assistant.record import Record

__all__ = ["Loop", "at_line", "folds_of", "plain_steps", "stores_of", "vector_stores"]

_MOST_AHEAD = 4
_ELEMENTS_AHEAD = 48
"""In registers."""
_End = Callable[[Sequence[Step]], Iterable[str]]


class Loop(Record):
    """How a thread goes along its elements, in C."""

    first: str
    step: str
    limit: str
    place: str
    """Where element ``i`` is in memory."""
    rows: tuple[str, ...] = ()
    """Values of which each neighbour has its own."""
    neighbours: str = "1"
    """How many elements are read at once."""
    is_backwards: bool = False

    def turned(self, number: int) -> Loop:
        """Of pass ``number``: every other one goes back, as what was read last may still be in the cache."""
        return replace(self, is_backwards=number % 2 == 1)

    def place_of(self, begins: str) -> tuple[str, str]:
        """Which element ``k`` a thread is at, and the condition that there is none."""
        if self.is_backwards:
            return f"const int i = {self.limit} - {self.neighbours} - {begins} - k * {self.step};", "i < 0"
        return f"const int i = {begins} + k * {self.step};", f"i >= {self.limit}"


def plain_steps(plan: Plan, found: Pass) -> list[Step]:
    """What is folded without moments."""
    moments = moments_of(plan)
    totals = {moments[step.name].name for step in found.folds if step.name in moments}
    return [step for step in found.folds if step.name not in moments and step.name not in totals]


def folds_of(plan: Plan, found: Pass, loop: Loop, parts: str = "") -> Iterator[str]:
    """What one thread has of a pass; ``parts``: how that is called where it is there, with ``{}`` for the sum's name."""
    moments, plain = moments_of(plan), plain_steps(plan, found)
    squares = [step for step in found.folds if step.name in moments]
    yield from (f"    Moments part_{step.name}[WIDTH] = {{}};" for step in squares)
    if not parts:
        yield from (f"    {step.c_type} part_{step.name} = {begin((step.kind, step.c_type))};" for step in plain)

    def end(steps: Sequence[Step]) -> Iterator[str]:
        own = {step.name: step for step in steps}
        for step in plain:
            yield from folded(own[step.name], "                ", parts.format(step.name))
        yield from (added(step, own[moments[step.name].name].text, "                ") for step in squares)

    wanted = [*plain, *(moments[step.name] for step in squares)]
    yield from _streamed(plan, loop, wanted, end, weights(squares, "            "))


def stores_of(plan: Plan, loop: Loop) -> Iterator[str]:
    """What each element leaves."""
    if plan.full_stores:
        locals_, stores = near_stores(plan, "            ")
        wanted = [store.step for store in plan.full_stores]
        yield from _streamed(plan, loop, wanted, lambda _: stores, locals_, list(vector_stores(plan, "            ")))


def _streamed(plan: Plan, loop: Loop, wanted: Sequence[Step], end: _End, begun: Iterable[str], after: Sequence[str] = ()) -> Iterator[str]:
    """``end``: what is done with an element's wanted values; ``begun``, ``after``: what stands around the loop over neighbours."""
    numbers = [number for number in read_in(plan, wanted) if plan.reads[number].array is not None]
    near = sum(plan.reads[number].place == "near" for number in numbers)
    ahead = next(count for count in (_MOST_AHEAD, 2, 1) if 4 * near * count <= _ELEMENTS_AHEAD or count == 1)
    words = vector_words(plan) | {number: f"{_ahead(plan, number)}[k]{'[e]' if _is_near(plan, number) else ''}" for number in numbers}
    steps = with_words(plan.steps, words, loop.rows)
    found = same_steps(steps, wanted)
    place, is_over = loop.place_of("begin")
    head = [
        "        #pragma unroll",
        f"        for (int k = 0; k < {ahead}; ++k) {{",
        f"            {place}",
        f"            if ({is_over}) break;",
    ]
    yield f"    for (int begin = {loop.first}; begin < {loop.limit}; begin += {ahead} * {loop.step}) {{"
    if numbers:
        for number in numbers:
            array = plan.reads[number].array
            assert array is not None
            yield f"        {array.value_type} {_ahead(plan, number)}[{ahead}]{'[WIDTH]' if _is_near(plan, number) else ''};"
        yield from head
        yield from at_line(plan, numbers, loop, "            ")
        yield from (element_load(plan.reads[number], f"{_ahead(plan, number)}[k]", "            ") for number in numbers)
        yield "        }"
    yield from head
    coordinates = [number for number in read_in(plan, wanted) if number not in numbers]
    yield from [f"            const long long at = {loop.place};"] if after else at_line(plan, coordinates, loop, "            ")
    yield from begun
    yield from each_neighbour([*statements(steps, found, 4), *end(found)], "            ")
    yield from after
    yield "        }"
    yield "    }"


def _is_near(plan: Plan, number: int) -> bool:
    return plan.reads[number].place == "near"


def _ahead(plan: Plan, number: int) -> str:
    """What is read of an array before it is needed."""
    return f"{plan.reads[number].word}_{'near' if _is_near(plan, number) else 'one'}"


def vector_stores(plan: Plan, indent: str) -> Iterator[str]:
    yield from (f"{indent}store<WIDTH>({store.array.name} + at, {store.array.name}_near);" for store in plan.full_stores)


def at_line(plan: Plan, numbers: Sequence[int], loop: Loop, indent: str) -> Iterator[str]:
    """The element's place, where something is read by it."""
    if any("at" in plan.reads[number].index.split() for number in numbers):
        yield f"{indent}const long long at = {loop.place};"
