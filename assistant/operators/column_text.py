"""Pieces of kernels of columns: where a thread's columns are, what their threads fold, and values that each column has once. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.element_loops import Loop, folds_of, plain_steps, stores_of
from assistant.operators.kernel_plan import Plan, Step, note
from assistant.operators.kernel_text import begin, each_neighbour, loads, read_in, vector_words, with_words
from assistant.operators.passes import Pass, moments_of

__all__ = [
    "THREADS",
    "begun",
    "column_loop",
    "column_stores",
    "folds_of_column",
    "once_for_each",
    "place_of_columns",
    "row_values",
    "values_of_moments",
    "whole_columns",
]

THREADS = 512
"""Of a block."""


def _row_names(plan: Plan) -> tuple[str, ...]:
    """Values of which each of WIDTH columns has its own."""
    return tuple(step.name for step in plan.steps if step.kind != "full")


def column_loop(plan: Plan, first: str = "threadIdx.y", step: str = "blockDim.y") -> Loop:
    return Loop(first, step, "end", "(outer * columns + i) * inner + column", _row_names(plan))


def place_of_columns(*, is_run_along: bool = True) -> str:
    """``is_run_along``: whether elements of the columns are read."""
    place = """    const int per_block = WIDTH * blockDim.x, tiles = (inner + per_block - 1) / per_block;
    const long long outer = blockIdx.x / tiles;
    const int column = blockIdx.x % tiles * per_block + WIDTH * threadIdx.x;"""
    end = "    const int end = column < inner ? columns : 0;  // all threads of a block meet where it folds"
    return f"{place}\n{end}" if is_run_along else place


def begun(steps: Sequence[Step]) -> Iterator[str]:
    """Where sums begin."""
    for step in steps:
        yield f"    {step.c_type} {step.name}[WIDTH];{note(step)}"
        yield from each_neighbour([f"        {step.name}[e] = {begin((step.kind, step.c_type))};"], "    ")


def folds_of_column(plan: Plan, found: Pass, loop: Loop) -> Iterator[str]:
    """What one thread has of a pass."""
    yield from begun(plain_steps(plan, found))
    yield from folds_of(plan, found, loop, "{}[e]")


def row_values(plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    """What each column has once; columns behind the last one have nothing to read."""
    names = {step.name for step in steps}
    for step in with_words(plan.steps, vector_words(plan), _row_names(plan)):
        if step.name not in names:
            continue
        numbers = [number for number in read_in(plan, [_raw(plan, step)]) if plan.reads[number].array is not None]
        line = f"        {step.name}[e] = {step.text};{note(step)}"
        yield f"    {step.c_type} {step.name}[WIDTH];"
        if not numbers:
            yield from each_neighbour([line], "    ")
            continue
        yield "    if (column < inner) {"
        yield from loads(plan, numbers, "        ")
        yield from each_neighbour([f"    {line}"], "        ")
        yield "    }"


def _raw(plan: Plan, step: Step) -> Step:
    return next(each for each in plan.steps if each.name == step.name)


def whole_columns(plan: Plan, found: Pass) -> Iterator[str]:
    """What all threads of a column have."""
    moments = moments_of(plan)
    yield from (f"    {step.kind}_of_columns<WIDTH>({step.name});" for step in plain_steps(plan, found))
    yield from (f"    moments_of_columns<WIDTH>(part_{step.name});" for step in found.folds if step.name in moments)


def values_of_moments(plan: Plan, found: Pass) -> Iterator[str]:
    """Columns' sums, and sums of squares."""
    moments = moments_of(plan)
    for step in found.folds:
        if step.name in moments:
            total = moments[step.name]
            yield f"    float {total.name}[WIDTH], {step.name}[WIDTH];{note(step)}"
            line = f"        {total.name}[e] = part_{step.name}[e].sum, {step.name}[e] = part_{step.name}[e].squares;"
            yield from each_neighbour([line], "    ")


def column_stores(plan: Plan, loop: Loop, condition: str) -> Iterator[str]:
    """What each element leaves, and each column; ``condition``: of the threads that write for all of a column."""
    yield from stores_of(plan, loop)
    yield from once_for_each(plan, condition)


def once_for_each(plan: Plan, condition: str) -> Iterator[str]:
    if plan.row_stores:
        yield f"    if ({condition} && column < inner) {{"
        yield from (f"        store<WIDTH>({store.array.name} + {store.index}, {store.step.name});" for store in plan.row_stores)
        yield "    }"
