"""First kernels of functions along dimensions with others behind them, such as the columns of a matrix. Pure.

Threads stand side by side, so that they read neighbours; those of one column take turns along it, and fold what they have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import FOLDS, MOVES, alignment, each_neighbour, folded, loads, read_in, same_steps, with_words

__all__ = ["column_kernel"]

_THREADS = 512
_ENOUGH_BLOCKS = 528
"""Four for each multiprocessor of a large GPU."""
_ENOUGH_THREADS = 270_336
"""All that such a GPU holds."""
_End = Callable[[Sequence[Step]], Iterable[str]]


def column_kernel(plan: Plan) -> str:
    name, shape = plan.function, plan.shape
    folds = "\n".join(_fold(kind) for kind in FOLDS if any(step.kind == kind for step in plan.steps))
    call = plan.arguments("columns", "inner")
    return f"""{MOVES}
{folds}
// Columns lie side by side: each thread of a line has WIDTH of them, and the lines of a block take turns along them.
template <int WIDTH>
__global__ void __launch_bounds__({_THREADS}) {name}_kernel({plan.parameters("int columns", "int inner")}) {{
    const int per_block = WIDTH * blockDim.x, tiles = (inner + per_block - 1) / per_block;
    const long long outer = blockIdx.x / tiles;
    const int column = blockIdx.x % tiles * per_block + WIDTH * threadIdx.x;
    const int end = column < inner ? columns : 0;  // all threads of a block meet where it folds
{chr(10).join(_body(plan))}
}}

void {name}({plan.parameters()}) {{
    const long long outer = {shape.outer};
    const int columns = {shape.columns}, inner = {shape.inner};
    if (outer == 0 || inner == 0) return;
    const bool has_fours = {shape.names[-1]} % 4 == 0 && {alignment(plan, plan.outputs)};
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
    for step in plan.steps:
        if step.kind == "row":
            yield f"    {step.c_type} {step.name}[WIDTH];"
            (own,) = with_words([step], (), rows=rows)
            yield from each_neighbour([f"        {step.name}[e] = {own.text};{note(step)}"], "    ")
        elif step.kind in FOLDS:
            yield f"    float {step.name}[WIDTH];{note(step)}"
            yield from each_neighbour([f"        {step.name}[e] = {FOLDS[step.kind][0]};"], "    ")
            yield from _along(plan, rows, [step], lambda found: folded(found[0], "            ", f"{found[0].name}[e]"))
            yield from each_neighbour([f"        {step.name}[e] = {step.kind}_of_column({step.name}[e]);"], "    ")
    full = plan.full_outputs
    if full:
        yield from _along(plan, rows, [step for _, step in full], None)
    if plan.row_outputs:
        yield "    if (threadIdx.y == 0 && column < inner) {"
        yield from (f"        store<WIDTH>({output} + outer * inner + column, {step.name});" for output, step in plan.row_outputs)
        yield "    }"


def _along(plan: Plan, rows: Sequence[str], wanted: Sequence[Step], fold: _End | None) -> Iterator[str]:
    """All elements of a thread's columns; without ``fold`` the outputs are stored."""
    reads = read_in(plan, wanted)
    steps = with_words(plan.steps, reads, rows=rows)
    found, full = same_steps(steps, wanted), plan.full_outputs
    yield "    #pragma unroll 4"
    yield "    for (int i = threadIdx.y; i < end; i += blockDim.y) {"
    yield "        const long long at = (outer * columns + i) * inner + column;"
    yield from loads(reads, "        ")
    if fold is not None:
        yield from each_neighbour([*statements(steps, found, 3), *fold(found)], "        ")
    else:
        yield from (f"        float {output}_near[WIDTH];" for output, _ in full)
        stores = [f"            {output}_near[e] = {step.name};" for output, step in full]
        yield from each_neighbour([*statements(steps, found, 3), *stores], "        ")
        yield from (f"        store<WIDTH>({output} + at, {output}_near);" for output, _ in full)
    yield "    }"


def _fold(kind: str) -> str:
    fold = FOLDS[kind][1].format(a="partial[mine]", b="partial[mine + lines * blockDim.x]")
    return f"""// Of the threads that share a column; a power of two of them.
__device__ float {kind}_of_column(float value) {{
    __shared__ float partial[{_THREADS}];
    if (blockDim.y == 1) return value;
    const int mine = threadIdx.y * blockDim.x + threadIdx.x;
    partial[mine] = value;
    __syncthreads();
    for (int lines = blockDim.y / 2; lines > 0; lines /= 2) {{
        if (threadIdx.y < lines) partial[mine] = {fold};
        __syncthreads();
    }}
    value = partial[threadIdx.x];
    __syncthreads();
    return value;
}}
"""
