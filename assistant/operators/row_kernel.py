"""First kernels of functions along rows that lie side by side in memory. Pure.

A row that fits into the registers of a warp or block is read once. Longer ones are read again for each sum: by a block each, or, where
there are too few of them for a whole GPU, by many blocks each (`split_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from assistant.operators.kernel_plan import Plan, Read, Step, note, statements
from assistant.operators.kernel_text import (
    FOLDS,
    MOVES,
    alignment,
    each_neighbour,
    folded,
    loads,
    read_in,
    row_value,
    same_steps,
    with_words,
)
from assistant.operators.split_rows import split_kernels, split_launches

__all__ = ["row_kernel"]

_MOST_THREADS = 512
"""Of a block: leaves 128 registers for each thread."""
_MOST_KEPT = 64
"""Elements in the registers of a thread, of all arrays together."""
_End = Callable[[Sequence[Step]], Iterable[str]]


def row_kernel(plan: Plan) -> str:
    name, shape = plan.function, plan.shape
    folds = "\n".join(_fold(kind) for kind in FOLDS if any(step.kind == kind for step in plan.steps))
    kept = [name for name, index, _ in plan.reads if index == "at"]
    most = next((each for each in (32, 16) if each * len(kept) <= _MOST_KEPT), 0) if kept else 0
    return f"""{MOVES + chr(10) if most else ""}{folds}
// A row for each block: everything between the functions of {plan.name} stays in registers, and the row is read again for each sum.
__global__ void __launch_bounds__({_MOST_THREADS}) {name}_kernel({plan.parameters("int columns")}) {{
    const long long row = blockIdx.x;
{chr(10).join(_body(plan))}
}}
{_kept_kernel(plan, kept) if most else ""}{split_kernels(plan)}
void {name}({plan.parameters()}) {{
    const long long rows = {_long(shape.outer)};
    const int columns = {shape.columns};
    if (rows == 0) return;
{_kept_launches(plan, most) if most else ""}{split_launches(plan)}    const int threads = columns < {_MOST_THREADS} ? 128 : {_MOST_THREADS};
    {name}_kernel<<<rows, threads>>>({plan.arguments("columns")});
}}
"""


def _long(product: str) -> str:
    return f"(long long){product}" if " " in product else product


def _body(plan: Plan) -> Iterator[str]:
    for step in plan.steps:
        if step.kind == "row":
            yield row_value(step)
        elif step.kind in FOLDS:
            yield f"    float part_{step.name} = {FOLDS[step.kind][0]};"
            yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
            yield from _at(read_in(plan, [step]), "        ")
            yield from statements(plan.steps, [step], 2)
            yield from folded(step, "        ")
            yield "    }"
            yield _fold_call(step)
    full = plan.full_outputs
    if full:
        yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
        yield "        const long long at = row * columns + i;"
        yield from statements(plan.steps, [step for _, step in full], 2)
        yield from (f"        {output}[at] = {step.name};" for output, step in full)
        yield "    }"
    yield from _row_stores(plan)


def _fold_call(step: Step) -> str:
    return f"    const float {step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"


def _row_stores(plan: Plan) -> Iterator[str]:
    yield from (f"    if (threadIdx.x == 0) {output}[row] = {step.name};" for output, step in plan.row_outputs)


def _at(reads: Sequence[Read], indent: str) -> Iterator[str]:
    """The element's place, where an array is read by it."""
    if any("at" in index.split() for _, index, _ in reads):
        yield f"{indent}const long long at = row * columns + i;"


def _kept_kernel(plan: Plan, kept: Sequence[str]) -> str:
    return f"""
// The same for rows that fit into registers: each thread of a warp or block keeps ELEMENTS, WIDTH neighbours at a time.
template <int WIDTH, int ELEMENTS>
__global__ void __launch_bounds__({_MOST_THREADS}) {plan.function}_kernel_kept({plan.parameters("long long rows", "int columns")}) {{
    const long long row = blockIdx.x * (long long)blockDim.y + threadIdx.y;
    if (row >= rows) return;
{chr(10).join(_kept_body(plan, kept))}
}}
"""


def _kept_body(plan: Plan, kept: Sequence[str]) -> Iterator[str]:
    yield from (f"    float {name}_kept[ELEMENTS / WIDTH][WIDTH];" for name in kept)
    yield from _each_vector(f"        load<WIDTH>({name}_kept[k], {name} + row * columns + i);" for name in kept)
    for step in plan.steps:
        if step.kind == "row":
            yield row_value(step)
        elif step.kind in FOLDS:
            yield f"    float part_{step.name} = {FOLDS[step.kind][0]};"
            yield from _each_vector(_of_neighbours(plan, kept, [step], lambda steps: folded(steps[0], "            ")))
            yield _fold_call(step)
    full = plan.full_outputs
    if full:
        stores = [f"            {output}_near[e] = {step.name};" for output, step in full]
        lines = [f"        float {output}_near[WIDTH];" for output, _ in full]
        lines += _of_neighbours(plan, kept, [step for _, step in full], lambda _: stores)
        yield from _each_vector([*lines, *(f"        store<WIDTH>({output} + row * columns + i, {output}_near);" for output, _ in full)])
    yield from _row_stores(plan)


def _each_vector(lines: Iterable[str]) -> Iterator[str]:
    yield "    #pragma unroll"
    yield "    for (int k = 0; k < ELEMENTS / WIDTH; ++k) {"
    yield "        const int i = WIDTH * (threadIdx.x + k * blockDim.x);"
    yield "        if (i >= columns) break;"
    yield from lines
    yield "    }"


def _of_neighbours(
    plan: Plan, kept: Sequence[str], wanted: Sequence[Step], end: Callable[[Sequence[Step]], Iterable[str]]
) -> Iterator[str]:
    """What is made of neighbours; ``end``: what becomes of the wanted values of one."""
    reads = [read for read in read_in(plan, wanted) if read[0] not in kept]
    steps = with_words(plan.steps, reads, kept)
    found = same_steps(steps, wanted)
    yield from _at(reads, "        ")
    yield from loads(reads, "        ")
    yield from each_neighbour([*statements(steps, found, 3), *end(found)], "        ")


def _kept_launches(plan: Plan, most: int) -> str:
    """Which kernel takes rows of which length."""
    others = any(index not in ("at", "i") for _, index, _ in plan.reads)
    last = f" && {plan.shape.names[-1]} % 4 == 0" if others and plan.shape.columns != plan.shape.names[-1] else ""
    return f"""    if (columns > 0 && columns <= {most * _MOST_THREADS}) {{
        const bool has_fours = columns % 4 == 0{last} && {alignment(plan, [output for output, _ in plan.full_outputs])};
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


def _fold(kind: str) -> str:
    begin, fold = FOLDS[kind]
    return f"""__device__ float {kind}_of_warp(float value) {{
    for (int offset = 16; offset > 0; offset /= 2) {{
        const float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = {fold.format(a="value", b="other")};
    }}
    return value;
}}

// Of all threads that share a row: a warp, or the whole block.
__device__ float {kind}_of_row(float value) {{
    __shared__ float partial[32];
    value = {kind}_of_warp(value);
    if (blockDim.x == 32) return value;
    const int lane = threadIdx.x % 32;
    if (lane == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = {kind}_of_warp(lane < blockDim.x / 32 ? partial[lane] : {begin});
    __syncthreads();
    return value;
}}
"""
