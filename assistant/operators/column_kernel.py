"""First kernels of functions along dimensions with others behind them, such as the columns of a matrix. Pure.

Threads stand side by side, so that they read neighbours; those of one column take turns along it, and fold what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import (
    Fold,
    alignment,
    begin,
    each_neighbour,
    folded,
    joined,
    loads,
    near_stores,
    read_in,
    same_steps,
    vector_words,
    with_words,
)

__all__ = ["column_folds", "column_kernel"]

_THREADS = 512
_ENOUGH_BLOCKS = 528
"""Four for each multiprocessor of a large GPU."""
_ENOUGH_THREADS = 270_336
"""All that such a GPU holds."""
_End = Callable[[Sequence[Step]], Iterable[str]]


def column_kernel(plan: Plan) -> str:
    name = plan.function
    call = plan.arguments("columns", "inner")
    return f"""// Columns lie side by side: each thread of a line has WIDTH of them, and the lines of a block take turns along them.
template <int WIDTH>
__global__ void __launch_bounds__({_THREADS}) {name}_kernel({plan.parameters("int columns", "int inner")}) {{
    const int per_block = WIDTH * blockDim.x, tiles = (inner + per_block - 1) / per_block;
    const long long outer = blockIdx.x / tiles;
    const int column = blockIdx.x % tiles * per_block + WIDTH * threadIdx.x;
    const int end = column < inner ? columns : 0;  // all threads of a block meet where it folds
{chr(10).join(_body(plan))}
}}

{plan.linkage}void {name}({plan.parameters()}) {{
    const long long outer = {plan.outer};
    const int columns = {plan.columns}, inner = {plan.inner};
    if (outer == 0 || inner == 0) return;
    const bool has_fours = {plan.last} % 4 == 0 && {alignment(plan, [store.array.name for store in plan.stores])};
    const int per_thread = has_fours ? 4 : 1;
    // As many threads side by side as leave enough blocks, and so many lines of them as a GPU has room for.
    int width = 128, depth = 1;
    while (width > 8 / per_thread && outer * ((inner + width * per_thread - 1) / (width * per_thread)) < {_ENOUGH_BLOCKS}) width /= 4;
    while (depth * width < {_THREADS} && depth * 2 <= columns && outer * (inner / per_thread) * depth < {_ENOUGH_THREADS}) depth *= 2;
    const long long blocks = outer * ((inner + width * per_thread - 1) / (width * per_thread));
    if (has_fours)
        {name}_kernel<4><<<blocks, dim3(width, depth)>>>({call});
    else
        {name}_kernel<1><<<blocks, dim3(width, depth)>>>({call});
}}
"""


def _body(plan: Plan) -> Iterator[str]:
    rows = [step.name for step in plan.steps if step.kind != "full"]
    for step, own in zip(plan.steps, with_words(plan.steps, vector_words(plan), rows), strict=True):
        if step.kind == "row":
            yield f"    {step.c_type} {step.name}[WIDTH];"
            yield from _of_columns(plan, step, [f"        {step.name}[e] = {own.text};{note(step)}"])
        elif step.kind != "full":
            yield f"    {step.c_type} {step.name}[WIDTH];{note(step)}"
            yield from each_neighbour([f"        {step.name}[e] = {begin((step.kind, step.c_type))};"], "    ")
            yield from _along(plan, rows, [step], lambda found: folded(found[0], "            ", f"{found[0].name}[e]"))
            yield from each_neighbour([f"        {step.name}[e] = {step.kind}_of_column({step.name}[e]);"], "    ")
    if plan.full_stores:
        yield from _along(plan, rows, [store.step for store in plan.full_stores], None)
    if plan.row_stores:
        yield "    if (threadIdx.y == 0 && column < inner) {"
        yield from (f"        store<WIDTH>({store.array.name} + {store.index}, {store.step.name});" for store in plan.row_stores)
        yield "    }"


def _of_columns(plan: Plan, step: Step, lines: Sequence[str]) -> Iterator[str]:
    """What each column has once; columns behind the last one have nothing to read."""
    numbers = [number for number in read_in(plan, [step]) if plan.reads[number].array is not None]
    if not numbers:
        yield from each_neighbour(lines, "    ")
        return
    yield "    if (column < inner) {"
    yield from loads(plan, numbers, "        ")
    yield from each_neighbour([f"    {line}" for line in lines], "        ")
    yield "    }"


def _along(plan: Plan, rows: Sequence[str], wanted: Sequence[Step], fold: _End | None) -> Iterator[str]:
    """All elements of a thread's columns; without ``fold`` the outputs are stored."""
    steps = with_words(plan.steps, vector_words(plan), rows)
    found = same_steps(steps, wanted)
    yield "    #pragma unroll 4"
    yield "    for (int i = threadIdx.y; i < end; i += blockDim.y) {"
    yield "        const long long at = (outer * columns + i) * inner + column;"
    yield from loads(plan, read_in(plan, wanted), "        ")
    if fold is not None:
        yield from each_neighbour([*statements(steps, found, 3), *fold(found)], "        ")
    else:
        locals_, stores = near_stores(plan, "        ")
        yield from locals_
        yield from each_neighbour([*statements(steps, found, 3), *stores], "        ")
        yield from (f"        store<WIDTH>({store.array.name} + at, {store.array.name}_near);" for store in plan.full_stores)
    yield "    }"


def column_folds(fold: Fold) -> str:
    """Device functions that fold what the threads of a column have."""
    kind, c_type = fold
    both = joined(fold, "partial[mine]", "partial[mine + lines * blockDim.x]")
    return f"""// Of the threads that share a column; a power of two of them.
__device__ {c_type} {kind}_of_column({c_type} value) {{
    __shared__ {c_type} partial[{_THREADS}];
    if (blockDim.y == 1) return value;
    const int mine = threadIdx.y * blockDim.x + threadIdx.x;
    partial[mine] = value;
    __syncthreads();
    for (int lines = blockDim.y / 2; lines > 0; lines /= 2) {{
        if (threadIdx.y < lines) partial[mine] = {both};
        __syncthreads();
    }}
    value = partial[threadIdx.x];
    __syncthreads();
    return value;
}}
"""
