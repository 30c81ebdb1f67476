"""First kernels of functions along dimensions with others behind them, such as the columns of a matrix. Pure.

Threads stand side by side, so that they read neighbours; those of one column take turns along it, and fold what they have. Columns that fit
into the registers of a block are read once (`kept_columns`); where there are too few of them, many blocks share each (`split_columns`).
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.operators.column_text import (
    THREADS,
    column_loop,
    column_stores,
    folds_of_column,
    place_of_columns,
    row_values,
    values_of_moments,
    whole_columns,
)
from assistant.operators.kept_columns import is_kept, kept_kernel, kept_launches
from assistant.operators.kernel_plan import Plan
from assistant.operators.kernel_text import Fold, alignment, all_folds_of, joined
from assistant.operators.moments import COLUMN_MOMENTS
from assistant.operators.passes import moments_of, passes_of, plain_folds
from assistant.operators.split_columns import split_column_folds, split_column_kernels, split_column_launches

__all__ = ["column_functions", "column_kernel"]

_ENOUGH_BLOCKS = 528
"""Four for each multiprocessor of a large GPU."""
_ENOUGH_THREADS = 270_336
"""All that such a GPU holds."""


def column_kernel(plan: Plan) -> str:
    name = plan.function
    call = plan.arguments("columns", "inner")
    kept = is_kept(plan)
    launches = (kept_launches(plan) if kept else "") + split_column_launches(plan)
    return f"""// Columns lie side by side: each thread of a line has WIDTH of them, and the lines of a block take turns along them.
template <int WIDTH>
__global__ void __launch_bounds__({THREADS}) {name}_kernel({plan.kernel_parameters("int columns", "int inner")}) {{
{place_of_columns()}
{chr(10).join(_body(plan))}
}}
{kept_kernel(plan) if kept else ""}{split_column_kernels(plan)}
{plan.linkage}void {name}({plan.parameters()}) {{
    const long long outer = {plan.outer};
    const int columns = {plan.columns}, inner = {plan.inner};
    if (outer == 0 || inner == 0) return;
    const bool has_fours = {plan.last} % 4 == 0 && {alignment(plan, [store.array.name for store in plan.stores])};
    const int per_thread = has_fours ? 4 : 1;
{launches}    // As many threads side by side as leave enough blocks, and so many lines of them as a GPU has room for.
    int width = 128, depth = 1;
    while (width > 8 / per_thread && outer * ((inner + width * per_thread - 1) / (width * per_thread)) < {_ENOUGH_BLOCKS}) width /= 4;
    while (depth * width < {THREADS} && depth * 2 <= columns && outer * (inner / per_thread) * depth < {_ENOUGH_THREADS}) depth *= 2;
    const long long blocks = outer * ((inner + width * per_thread - 1) / (width * per_thread));
    if (has_fours)
        {name}_kernel<4><<<blocks, dim3(width, depth)>>>({call});
    else
        {name}_kernel<1><<<blocks, dim3(width, depth)>>>({call});
}}
"""


def column_functions(plan: Plan) -> dict[str, str]:
    """Device functions that fold what the threads of a column have, and what its blocks left, by name and type."""
    folds = all_folds_of(plan) if is_kept(plan) else plain_folds(plan)
    moments = {"column moments": COLUMN_MOMENTS} if moments_of(plan) else {}
    return {f"column {fold}": _folds(fold) for fold in folds} | moments | split_column_folds(plan)


def _body(plan: Plan) -> Iterator[str]:
    loop = column_loop(plan)
    for number, found in enumerate(passes_of(plan)):
        yield from row_values(plan, found.rows)
        if found.folds:
            yield from folds_of_column(plan, found, loop.turned(number))
            yield from whole_columns(plan, found)
            yield from values_of_moments(plan, found)
        else:
            yield from column_stores(plan, loop.turned(number), "threadIdx.y == 0")


def _folds(fold: Fold) -> str:
    kind, c_type = fold
    both = joined(fold, "partial[e][mine]", "partial[e][mine + lines * blockDim.x]")
    return f"""// Of the threads that share WIDTH columns; a power of two of them.
template <int WIDTH>
__device__ void {kind}_of_columns({c_type}* own) {{
    __shared__ {c_type} partial[WIDTH][{THREADS}];
    if (blockDim.y == 1) return;
    const int mine = threadIdx.y * blockDim.x + threadIdx.x;
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {{
        partial[e][mine] = own[e];
    }}
    __syncthreads();
    for (int lines = blockDim.y / 2; lines > 0; lines /= 2) {{
        #pragma unroll
        for (int e = 0; e < WIDTH; ++e) {{
            if (threadIdx.y < lines) partial[e][mine] = {both};
        }}
        __syncthreads();
    }}
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {{
        own[e] = partial[e][threadIdx.x];
    }}
    __syncthreads();
}}
"""
