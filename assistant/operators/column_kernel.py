"""First kernels of functions along dimensions with others behind them, such as the columns of a matrix. Pure.

Threads of a warp stand side by side, so that they read neighbours; those of one column take turns along it, and fold what they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import FOLDS, folded

__all__ = ["column_kernel"]

_THREADS = 512
_MANY_BLOCKS = 264
"""Fewer than two for each multiprocessor of a large GPU: columns are then taken eight at a time, as many as a sector of memory has."""


def column_kernel(plan: Plan) -> str:
    name, shape = plan.function, plan.shape
    folds = "\n".join(_fold(kind) for kind in FOLDS if any(step.kind == kind for step in plan.steps))
    return f"""{folds}
// Columns lie side by side: each thread of a line has one, and the lines of a block take turns along it.
__global__ void __launch_bounds__({_THREADS}) {name}_kernel({plan.parameters("int columns", "int inner")}) {{
    const int tiles = (inner + blockDim.x - 1) / blockDim.x;
    const long long outer = blockIdx.x / tiles;
    const int column = blockIdx.x % tiles * blockDim.x + threadIdx.x;
    const long long row = outer * inner + column;
    const int end = column < inner ? columns : 0;  // all threads of a block meet where it folds
{chr(10).join(_body(plan))}
}}

void {name}({plan.parameters()}) {{
    const long long outer = {shape.outer};
    const int columns = {shape.columns}, inner = {shape.inner};
    if (outer == 0 || inner == 0) return;
    const int width = outer * ((inner + 31) / 32) >= {_MANY_BLOCKS} ? 32 : 8;
    int depth = 1;
    while (depth * width < {_THREADS} && depth * 2 <= columns) depth *= 2;
    {name}_kernel<<<outer * ((inner + width - 1) / width), dim3(width, depth)>>>({plan.arguments("columns", "inner")});
}}
"""


def _body(plan: Plan) -> Iterator[str]:
    for step in plan.steps:
        if step.kind == "row":
            yield f"    const {step.c_type} {step.name} = {step.text};{note(step)}"
        elif step.kind in FOLDS:
            yield f"    float part_{step.name} = {FOLDS[step.kind][0]};"
            yield from _along(plan, [step], folded(step, "        "))
            yield f"    const float {step.name} = {step.kind}_of_column(part_{step.name});{note(step)}"
    full = [(output, step) for output, step in plan.stored if step.kind == "full"]
    if full:
        yield from _along(plan, [step for _, step in full], [f"        {output}[at] = {step.name};" for output, step in full])
    rows = [f"        {output}[row] = {step.name};" for output, step in plan.stored if step.kind != "full"]
    if rows:
        yield from ("    if (threadIdx.y == 0 && column < inner) {", *rows, "    }")


def _along(plan: Plan, wanted: list[Step], end: Iterable[str]) -> Iterator[str]:
    yield "    #pragma unroll 4"
    yield "    for (int i = threadIdx.y; i < end; i += blockDim.y) {"
    yield "        const long long at = (outer * columns + i) * inner + column;"
    yield from statements(plan.steps, wanted, 2)
    yield from end
    yield "    }"


def _fold(kind: str) -> str:
    fold = FOLDS[kind][1].format(a="partial[mine]", b="partial[mine + lines * blockDim.x]")
    return f"""// Of the threads that share a column; a power of two of them.
__device__ float {kind}_of_column(float value) {{
    __shared__ float partial[{_THREADS}];
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
