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
    "both_of_columns",
    "column_loop",
    "column_stores",
    "folds_of_column",
    "once_for_each",
    "place_of_columns",
    "row_values",
    "whole_columns",
]

THREADS = 512
"""Of a block."""


def _row_names(plan: Plan) -> tuple[str, ...]:
    """Values of which each of WIDTH columns has its own."""
    return tuple(step.name for step in plan.steps if step.kind != "full")


def column_loop(plan: Plan, first: str = "threadIdx.y", step: str = "blockDim.y") -> Loop:
    return Loop(first, step, "end", "(outer * columns + i) * inner + column", _row_names(plan))


def place_of_columns() -> str:
    return """    const int per_block = WIDTH * blockDim.x, tiles = (inner + per_block - 1) / per_block;
    const long long outer = blockIdx.x / tiles;
    const int column = blockIdx.x % tiles * per_block + WIDTH * threadIdx.x;
    const int end = column < inner ? columns : 0;  // all threads of a block meet where it folds"""


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
    for step in plain_steps(plan, found):
        yield from each_neighbour([f"        {step.name}[e] = {step.kind}_of_column({step.name}[e]);"], "    ")
    for step in found.folds:
        if step.name in moments:
            yield from both_of_columns(moments[step.name], step, f"moments_of_column(part_{step.name}[e])")


def both_of_columns(total: Step, squares: Step, found: str) -> Iterator[str]:
    """Columns' values of their moments."""
    yield f"    float {total.name}[WIDTH], {squares.name}[WIDTH];{note(squares)}"
    lines = [
        f"        const Moments all_{squares.name} = {found};",
        f"        {total.name}[e] = all_{squares.name}.sum, {squares.name}[e] = all_{squares.name}.squares;",
    ]
    yield from each_neighbour(lines, "    ")


def column_stores(plan: Plan, loop: Loop, condition: str) -> Iterator[str]:
    """What each element leaves, and each column; ``condition``: of the threads that write for all of a column."""
    yield from stores_of(plan, loop)
    yield from once_for_each(plan, condition)


def once_for_each(plan: Plan, condition: str) -> Iterator[str]:
    if plan.row_stores:
        yield f"    if ({condition} && column < inner) {{"
        yield from (f"        store<WIDTH>({store.array.name} + {store.index}, {store.step.name});" for store in plan.row_stores)
        yield "    }"
