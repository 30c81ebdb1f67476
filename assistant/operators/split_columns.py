"""Columns of which there are too few for a whole GPU: many blocks share them, in a kernel for each pass. Pure.

Each block leaves its part of every sum in memory, and every block of the next kernel folds the parts of its columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
from assistant.operators.element_loops import Loop, plain_steps
from assistant.operators.kernel_plan import Plan, Step, note
from assistant.operators.kernel_text import Fold, begin, each_neighbour, joined
from assistant.operators.moments import COLUMN_MOMENTS_OF_PARTS
from assistant.operators.passes import Pass, moments_of, passes_of, plain_folds
from assistant.operators.split_rows import of_memory, part_memory, slots_of, to_memory

__all__ = ["split_column_folds", "split_column_kernels", "split_column_launches"]

_ENOUGH_BLOCKS = 264
"""Two for each multiprocessor of a large GPU."""
_TURNS = 8
"""Of each thread at least."""
_FEWEST = 4
"""Blocks that share a column; where fewer would do, narrower tiles are enough of them."""


def split_column_kernels(plan: Plan) -> str:
    """A kernel for each pass, and one for what is made of all of them."""
    *passes, _ = passes_of(plan)
    texts = ["\n// The same for columns that many blocks share, each of which leaves its part of every sum."]
    texts += [_kernel(plan, f"parts_of_{found.name}", _part_body(plan, number)) for number, found in enumerate(passes)]
    texts.append(_kernel(plan, "of_parts", _last_body(plan), is_run_along=bool(plan.full_stores)))
    return "\n".join(texts)


def split_column_folds(plan: Plan) -> dict[str, str]:
    """Device functions that fold what blocks left, by name and type."""
    memory = part_memory(plan)
    moments = {"column moments of parts": COLUMN_MOMENTS_OF_PARTS} if moments_of(plan) else {}
    return {f"column {fold} of {memory}": _of_parts(fold, memory) for fold in plain_folds(plan)} | moments


def split_column_launches(plan: Plan) -> str:
    """Where memory for the parts is not to be had, a block has its columns alone."""
    *passes, _ = passes_of(plan)
    call = plan.arguments("parts", "columns", "inner", "splits")
    memory, count = part_memory(plan), sum(slots_of(plan).values())
    last = "dim3(tiles, splits)" if plan.full_stores else "tiles"

    def launches(per_thread: int) -> str:
        each = [(f"parts_of_{found.name}", "dim3(tiles, splits)") for found in passes] + [("of_parts", last)]
        block = f"dim3(side, {THREADS} / side)"
        return "\n".join(f"                {plan.function}_{name}<{per_thread}><<<{grid}, {block}>>>({call});" for name, grid in each)

    return f"""    // A warp side by side, or less where there are not so many columns.
    int side = 32;
    while (side > 1 && side / 2 * per_thread >= inner) side /= 2;
    const long long tiles = outer * ((inner + side * per_thread - 1) / (side * per_thread));
    const long long enough = ({_ENOUGH_BLOCKS - 1} + tiles) / tiles, most = columns / ({_TURNS} * ({THREADS} / side));
    const int splits = most < enough ? most : enough;
    if (splits >= {_FEWEST}) {{
        {memory}* parts = nullptr;
        if (cudaMallocAsync(&parts, sizeof({memory}) * {count} * splits * outer * inner, 0) == cudaSuccess) {{
            if (has_fours) {{
{launches(4)}
            }} else {{
{launches(1)}
            }}
            cudaFreeAsync(parts, 0);
            return;
        }}
        cudaGetLastError();  // no memory for the parts: the next check shall not find this
    }}
"""


def _of_parts(fold: Fold, memory: str) -> str:
    kind, c_type = fold
    return f"""// Of what the blocks of columns left, by the threads that share them.
template <int WIDTH>
__device__ void {kind}_of_parts{_suffix(c_type, memory)}({c_type}* own, const {memory}* parts, long long stride, int splits) {{
    #pragma unroll
    for (int e = 0; e < WIDTH; ++e) {{
        own[e] = {begin(fold)};
    }}
    for (int part = threadIdx.y; part < splits; part += blockDim.y) {{
        #pragma unroll
        for (int e = 0; e < WIDTH; ++e) {{
            const {c_type} other = {of_memory("parts[part * stride + e]", c_type, memory)};
            own[e] = {joined(fold, "own[e]", "other")};
        }}
    }}
    {kind}_of_columns<WIDTH>(own);
}}
"""


def _suffix(c_type: str, memory: str) -> str:
    return "" if memory == "float" else "_float" if c_type == "float" else "_whole"


def _parts_of(plan: Plan, step: Step) -> str:
    """Where the parts of a sum are."""
    slots = slots_of(plan)
    names = list(slots)
    first = sum(slots[name] for name in names[: names.index(step.name)])
    begins = f"parts + {first} * splits * stride" if first else "parts"
    return begins if slots[step.name] == 1 else f"reinterpret_cast<Moments*>({begins})"


def _kernel(plan: Plan, name: str, body: Iterator[str], *, is_run_along: bool = True) -> str:
    parameters = plan.kernel_parameters(f"{part_memory(plan)}* parts", "int columns", "int inner", "int splits")
    return f"""template <int WIDTH>
__global__ void __launch_bounds__({THREADS}) {plan.function}_{name}({parameters}) {{
{place_of_columns(is_run_along=is_run_along)}
    const long long place = outer * inner + column, stride = gridDim.x / tiles * (long long)inner;  // among the parts of a sum
{chr(10).join(body)}
}}
"""


def _part_body(plan: Plan, number: int) -> Iterator[str]:
    passes, moments, memory = passes_of(plan), moments_of(plan), part_memory(plan)
    found = passes[number]
    yield from _known(plan, passes[: number + 1])
    yield from folds_of_column(plan, found, _loop(plan).turned(number))
    yield from whole_columns(plan, found)
    kept = [(step, f"part_{step.name}[e]") for step in found.folds if step.name in moments]
    kept += [(step, to_memory(f"{step.name}[e]", step.c_type, memory)) for step in plain_steps(plan, found)]
    yield "    if (threadIdx.y == 0 && column < inner) {"
    for step, value in kept:
        parts = _parts_of(plan, step)
        parts = f"({parts})" if parts.startswith("parts +") else parts
        yield from each_neighbour([f"            {parts}[blockIdx.y * stride + place + e] = {value};{note(step)}"], "        ")
    yield "    }"


def _last_body(plan: Plan) -> Iterator[str]:
    passes = passes_of(plan)
    yield from _known(plan, passes)
    yield from column_stores(plan, _loop(plan).turned(len(passes) - 1), "blockIdx.y == 0 && threadIdx.y == 0")


def _loop(plan: Plan) -> Loop:
    return column_loop(plan, "blockIdx.y * blockDim.y + threadIdx.y", "gridDim.y * blockDim.y")


def _known(plan: Plan, passes: Sequence[Pass]) -> Iterator[str]:
    """The values of columns that kernels before this one left, and what is made of them."""
    memory, moments = part_memory(plan), moments_of(plan)
    if len(passes) > 1:
        yield "    const int left = column < inner ? splits : 0;  // of each sum"
    for number, found in enumerate(passes):
        yield from row_values(plan, found.rows)
        if number == len(passes) - 1:
            break
        for step in found.folds:
            if step.name in moments:
                yield f"    Moments part_{step.name}[WIDTH];"
                yield f"    moments_of_parts<WIDTH>(part_{step.name}, {_parts_of(plan, step)} + place, stride, left);"
        yield from values_of_moments(plan, found)
        for step in plain_steps(plan, found):
            yield f"    {step.c_type} {step.name}[WIDTH];{note(step)}"
            call = f"{step.kind}_of_parts{_suffix(step.c_type, memory)}<WIDTH>"
            yield f"    {call}({step.name}, {_parts_of(plan, step)} + place, stride, left);"
