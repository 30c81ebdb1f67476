"""First kernels of functions along rows that lie side by side in memory. Pure.

A row that fits into the registers of a warp or block is read once. Longer ones are read again for each sum: by a block each, or, where
there are too few of them for a whole GPU, by many blocks each (`split_rows`).
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
    plain_words,
    read_in,
    row_value,
    same_steps,
    vector_words,
    with_words,
)
from assistant.operators.split_rows import split_kernels, split_launches

__all__ = ["row_folds", "row_kernel"]

_MOST_THREADS = 512
"""Of a block: leaves 128 registers for each thread."""
_MOST_KEPT = 64
"""Elements in the registers of a thread, of all arrays together."""


def row_kernel(plan: Plan) -> str:
    name = plan.function
    kept = [number for number, read in enumerate(plan.reads) if read.is_own]
    most = next((each for each in (32, 16) if each * len(kept) <= _MOST_KEPT), 0) if kept else 0
    return f"""// A row for each block: everything between the functions of {plan.model} stays in registers, the row is read for each sum.
__global__ void __launch_bounds__({_MOST_THREADS}) {name}_kernel({plan.parameters("int columns")}) {{
    const long long row = blockIdx.x;
{chr(10).join(_body(plan))}
}}
{_kept_kernel(plan, kept) if most else ""}{split_kernels(plan)}
{plan.linkage}void {name}({plan.parameters()}) {{
    const long long rows = {_long(plan.outer)};
    const int columns = {plan.columns};
    if (rows == 0) return;
{_kept_launches(plan, most) if most else ""}{split_launches(plan)}    const int threads = columns < {_MOST_THREADS} ? 128 : {_MOST_THREADS};
    {name}_kernel<<<rows, threads>>>({plan.arguments("columns")});
}}
"""


def _long(product: str) -> str:
    return f"(long long){product}" if " " in product else product


def _body(plan: Plan) -> Iterator[str]:
    steps = with_words(plan.steps, plain_words(plan))
    for step, own in zip(plan.steps, steps, strict=True):
        if step.kind == "row":
            yield row_value(own)
        elif step.kind != "full":
            yield f"    {step.c_type} part_{step.name} = {begin((step.kind, step.c_type))};"
            yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
            yield from _at(plan, read_in(plan, [step]), "        ")
            yield from statements(steps, [own], 2)
            yield from folded(own, "        ")
            yield "    }"
            yield _fold_call(step)
    full = plan.full_stores
    if full:
        yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
        yield "        const long long at = row * columns + i;"
        yield from statements(steps, same_steps(steps, [store.step for store in full]), 2)
        yield from (f"        {store.array.name}[at] = {store.step.name};" for store in full)
        yield "    }"
    yield from _row_stores(plan)


def _fold_call(step: Step) -> str:
    return f"    const {step.c_type} {step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"


def _row_stores(plan: Plan) -> Iterator[str]:
    yield from (f"    if (threadIdx.x == 0) {store.array.name}[{store.index}] = {store.step.name};" for store in plan.row_stores)


def _at(plan: Plan, numbers: Sequence[int], indent: str) -> Iterator[str]:
    """The element's place, where an array is read by it."""
    if any("at" in plan.reads[number].index.split() for number in numbers):
        yield f"{indent}const long long at = row * columns + i;"


def _kept_kernel(plan: Plan, kept: Sequence[int]) -> str:
    return f"""
// The same for rows that fit into registers: each thread of a warp or block keeps ELEMENTS, WIDTH neighbours at a time.
template <int WIDTH, int ELEMENTS>
__global__ void __launch_bounds__({_MOST_THREADS}) {plan.function}_kernel_kept({plan.parameters("long long rows", "int columns")}) {{
    const long long row = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (row >= rows) return;
{chr(10).join(_kept_body(plan, kept))}
}}
"""


def _kept_body(plan: Plan, kept: Sequence[int]) -> Iterator[str]:
    arrays = [(read, read.array) for read in (plan.reads[number] for number in kept) if read.array is not None]
    yield from (f"    {array.c_type} {read.word}_kept[ELEMENTS / WIDTH][WIDTH];" for read, array in arrays)
    places = [(read, array, "row * columns + i" if read.index == "at" else read.index) for read, array in arrays]
    yield from _each_vector(f"        load<WIDTH>({read.word}_kept[k], {array.name} + {place});" for read, array, place in places)
    plain = with_words(plan.steps, plain_words(plan))
    for step, own in zip(plan.steps, plain, strict=True):
        if step.kind == "row":
            yield row_value(own)
        elif step.kind != "full":
            yield f"    {step.c_type} part_{step.name} = {begin((step.kind, step.c_type))};"
            yield from _each_vector(_of_neighbours(plan, kept, [step], lambda steps: folded(steps[0], "            ")))
            yield _fold_call(step)
    full = plan.full_stores
    if full:
        locals_, stores = near_stores(plan, "        ")
        lines = [*locals_, *_of_neighbours(plan, kept, [store.step for store in full], lambda _: stores)]
        lines += [f"        store<WIDTH>({store.array.name} + row * columns + i, {store.array.name}_near);" for store in full]
        yield from _each_vector(lines)
    yield from _row_stores(plan)


def _each_vector(lines: Iterable[str]) -> Iterator[str]:
    yield "    #pragma unroll"
    yield "    for (int k = 0; k < ELEMENTS / WIDTH; ++k) {"
    yield "        const int i = WIDTH * (threadIdx.x + k * blockDim.x);"
    yield "        if (i >= columns) break;"
    yield from lines
    yield "    }"


def _of_neighbours(
    plan: Plan, kept: Sequence[int], wanted: Sequence[Step], end: Callable[[Sequence[Step]], Iterable[str]]
) -> Iterator[str]:
    """What is made of neighbours; ``end``: what becomes of the wanted values of one."""
    numbers = [number for number in read_in(plan, wanted) if number not in kept]
    steps = with_words(plan.steps, vector_words(plan, kept))
    found = same_steps(steps, wanted)
    yield from _at(plan, numbers, "        ")
    yield from loads(plan, numbers, "        ")
    yield from each_neighbour([*statements(steps, found, 3), *end(found)], "        ")


def _kept_launches(plan: Plan, most: int) -> str:
    """Which kernel takes rows of which length."""
    others = any(read.index not in ("at", "i") and not read.is_of_row for read in plan.reads)
    last = f" && {plan.last} % 4 == 0" if others and plan.columns != plan.last else ""
    return f"""    if (columns > 0 && columns <= {most * _MOST_THREADS}) {{
        const bool has_fours = columns % 4 == 0{last} && {alignment(plan, [store.array.name for store in plan.full_stores])};
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


def row_folds(fold: Fold) -> str:
    """Device functions that fold what the threads of a row have."""
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
