"""First kernels of functions along rows that lie side by side in memory. Pure.

A row that fits into the registers of a warp or block is read once. Longer ones are read again for what waits for a sum of them: by a
block each, or, where there are too few of them for a whole GPU, by many blocks each (`split_rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.element_loops import (
    Loop,
    folds_of,
    plain_steps,
    stores_of,
)
from assistant.operators.kept_loops import KeptLoops
from assistant.operators.kernel_plan import Plan, Step, note
from assistant.operators.kernel_text import (
    Fold,
    alignment,
    all_folds_of,
    begin,
    joined,
    plain_words,
    row_value,
    with_words,
)
from assistant.operators.moments import ROW_MOMENTS, both
from assistant.operators.passes import Pass, moments_of, passes_of, plain_folds
from assistant.operators.split_rows import split_folds, split_kernels, split_launches

__all__ = ["row_functions", "row_kernel"]

_MOST_THREADS = 512
"""Of a block: leaves 128 registers for each thread."""
_MOST_KEPT = 64
"""Elements in the registers of a thread, of all arrays together."""


_LOOP = Loop("WIDTH * threadIdx.x", "WIDTH * blockDim.x", "columns", "row * columns + i", neighbours="WIDTH")


def row_kernel(plan: Plan) -> str:
    name, kept, most = plan.function, _kept(plan), _most_kept(plan)
    call = plan.arguments("columns")
    return f"""// A row for each block: everything between the functions of {plan.model} stays in registers, the row is read for each sum
// that waits for another one, WIDTH neighbours at a time.
template <int WIDTH>
__global__ void __launch_bounds__({_MOST_THREADS}) {name}_kernel({plan.kernel_parameters("int columns")}) {{
    const long long row = blockIdx.x;
{chr(10).join(_body(plan))}
}}
{_kept_kernel(plan, kept) if most else ""}{split_kernels(plan)}
{plan.linkage}void {name}({plan.parameters()}) {{
    const long long rows = {_long(plan.outer)};
    const int columns = {plan.columns};
    if (rows == 0) return;
    const bool has_fours = {_has_fours(plan)};
{_kept_launches(plan, most) if most else ""}{split_launches(plan)}    const int threads = columns < {_MOST_THREADS} ? 128 : {_MOST_THREADS};
    if (has_fours)
        {name}_kernel<4><<<rows, threads>>>({call});
    else
        {name}_kernel<1><<<rows, threads>>>({call});
}}
"""


def row_functions(plan: Plan) -> dict[str, str]:
    """Device functions that fold what the threads of a row have, and what its blocks left, by name and type."""
    folds = all_folds_of(plan) if _most_kept(plan) else plain_folds(plan)
    moments = {"row moments": ROW_MOMENTS} if moments_of(plan) else {}
    return {f"row {fold}": _folds(fold) for fold in folds} | moments | split_folds(plan)


def _kept(plan: Plan) -> list[int]:
    return [number for number, read in enumerate(plan.reads) if read.is_own]


def _most_kept(plan: Plan) -> int:
    """Elements of each array that a thread keeps; 0: the arrays are none, or too many."""
    count = len(_kept(plan))
    return next((each for each in (32, 16) if each * count <= _MOST_KEPT), 0) if count else 0


def _has_fours(plan: Plan) -> str:
    others = any(read.index not in ("at", "i") and not read.is_of_row for read in plan.reads)
    last = f" && {plan.last} % 4 == 0" if others and plan.columns != plan.last else ""
    return f"columns % 4 == 0{last} && {alignment(plan, [store.array.name for store in plan.full_stores])}"


def _long(product: str) -> str:
    return f"(long long){product}" if " " in product else product


def _body(plan: Plan) -> Iterator[str]:
    own = {step.name: step for step in with_words(plan.steps, plain_words(plan))}
    for number, found in enumerate(passes_of(plan)):
        yield from (row_value(own[step.name]) for step in found.rows)
        if found.folds:
            yield from folds_of(plan, found, _LOOP.turned(number))
            yield from _whole(plan, found)
        else:
            yield from stores_of(plan, _LOOP.turned(number))
    yield from _row_stores(plan)


def _whole(plan: Plan, found: Pass) -> Iterator[str]:
    """What all threads of the row have."""
    moments = moments_of(plan)
    yield from (_fold_call(step) for step in plain_steps(plan, found))
    for step in found.folds:
        if step.name in moments:
            yield from both(moments[step.name], step, f"moments_of_row<WIDTH>(part_{step.name})")


def _fold_call(step: Step) -> str:
    return f"    const {step.c_type} {step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"


def _row_stores(plan: Plan) -> Iterator[str]:
    yield from (f"    if (threadIdx.x == 0) {store.array.name}[{store.index}] = {store.step.name};" for store in plan.row_stores)


def _kept_kernel(plan: Plan, kept: Sequence[int]) -> str:
    return f"""
// The same for rows that fit into registers: each thread of a warp or block keeps ELEMENTS, WIDTH neighbours at a time.
template <int WIDTH, int ELEMENTS>
__global__ void __launch_bounds__({_MOST_THREADS}) {plan.function}_kernel_kept({plan.kernel_parameters("long long rows", "int columns")}) {{
    const long long row = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (row >= rows) return;
{chr(10).join(_kept_body(plan, kept))}
}}
"""


def _kept_body(plan: Plan, kept: Sequence[int]) -> Iterator[str]:
    loops = KeptLoops(plan, kept, _LOOP, "ELEMENTS / WIDTH", _most_kept(plan))
    yield from loops.loads()
    for step, own in zip(plan.steps, with_words(plan.steps, plain_words(plan)), strict=True):
        if step.kind == "row":
            yield row_value(own)
        elif step.kind != "full":
            yield f"    {step.c_type} part_{step.name} = {begin((step.kind, step.c_type))};"
            yield from loops.fold(step, f"part_{step.name}")
            yield _fold_call(step)
    yield from loops.stores()
    yield from _row_stores(plan)


def _kept_launches(plan: Plan, most: int) -> str:
    """Which kernel takes rows of which length."""
    return f"""    if (columns > 0 && columns <= {most * _MOST_THREADS}) {{
        if (has_fours) {{
{_launches(plan, 4, most)}
        }} else {{
{_launches(plan, 1, most)}
        }}
        return;
    }}
"""


def _launches(plan: Plan, width: int, most: int) -> str:
    """Short rows have a warp each, eight of which are a block."""
    call = f"({plan.arguments('rows', 'columns')});"
    kernel = f"{plan.function}_kernel_kept"
    ways = [
        ("if (columns <= 128)", f"{kernel}<{width}, 4><<<(rows + 7) / 8, dim3(32, 8)>>>"),
        ("else if (columns <= 512)", f"{kernel}<{width}, 16><<<(rows + 7) / 8, dim3(32, 8)>>>"),
        (f"else if (columns <= {16 * _MOST_THREADS})", f"{kernel}<{width}, 16><<<rows, (columns + 511) / 512 * 32>>>"),
        ("else", f"{kernel}<{width}, 32><<<rows, {_MOST_THREADS}>>>"),
    ]
    if most == 16:
        ways = [*ways[:2], ("else", ways[2][1])]
    return "\n".join(f"            {when}\n                {launch}{call}" for when, launch in ways)


def _folds(fold: Fold) -> str:
    kind, c_type = fold
    return f"""__device__ {c_type} {kind}_of_warp({c_type} value) {{
    for (int offset = 16; offset > 0; offset /= 2) {{
        const {c_type} other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = {joined(fold, "value", "other")};
    }}
    return value;
}}

// Of all threads that share a row: a warp, or the whole block.
__device__ {c_type} {kind}_of_row({c_type} value) {{
    __shared__ {c_type} partial[32];
    value = {kind}_of_warp(value);
    if (blockDim.x == 32) return value;
    const int lane = threadIdx.x % 32;
    if (lane == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = {kind}_of_warp(lane < blockDim.x / 32 ? partial[lane] : {begin(fold)});
    __syncthreads();
    return value;
}}
"""
