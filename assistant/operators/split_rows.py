"""Rows that are too long for registers and too few to have a block each: many blocks share a row, in a kernel for each pass. Pure.

Each block leaves its part of a sum in memory, and every block of the next kernel folds the parts of its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.element_loops import Loop, folds_of, stores_of
from assistant.operators.kernel_plan import Plan, Step, note
from assistant.operators.kernel_text import Fold, begin, joined, plain_words, row_value, with_words
from assistant.operators.moments import MOMENT_NUMBERS, ROW_MOMENTS_OF_PARTS, both
from assistant.operators.passes import Pass, all_folds, moments_of, passes_of, plain_folds

__all__ = ["of_memory", "part_memory", "slots_of", "split_folds", "split_kernels", "split_launches", "to_memory"]

_THREADS = 256
_FEW_ROWS = 264
"""Fewer than two for each multiprocessor of a large GPU."""
_LONG_ROW = 16_384
_ELEMENTS = 4096
"""Of a block at least."""
_ENOUGH_BLOCKS = 2048
"""Of all rows: some fifteen for each multiprocessor, so that none is idle for long at the end."""
_LOOP = Loop(
    "WIDTH * (blockIdx.x * blockDim.x + threadIdx.x)", "WIDTH * gridDim.x * blockDim.x", "columns", "row * columns + i", neighbours="WIDTH"
)


def split_kernels(plan: Plan) -> str:
    """A kernel for each pass, and one for what is made of all of them."""
    *passes, _ = passes_of(plan)
    texts = ["\n// The same for rows that many blocks share, each of which leaves its part of every sum."]
    texts += [_kernel(plan, f"parts_of_{found.name}", number, _part_body(plan, number)) for number, found in enumerate(passes)]
    texts.append(_kernel(plan, "of_parts", len(passes), _last_body(plan)))
    return "\n".join(texts)


def split_folds(plan: Plan) -> dict[str, str]:
    """Device functions that fold what blocks left, by name and type."""
    memory = part_memory(plan)
    moments = {"row moments of parts": ROW_MOMENTS_OF_PARTS} if moments_of(plan) else {}
    return {f"{fold} of {memory}": _of_parts(fold, memory) for fold in plain_folds(plan)} | moments


def split_launches(plan: Plan) -> str:
    """Where memory for the parts is not to be had, the row's one block does it."""
    *passes, _ = passes_of(plan)
    call = plan.arguments("parts", "rows", "columns", "splits")
    memory, count = part_memory(plan), sum(slots_of(plan).values())
    last = "dim3(splits, rows)" if plan.full_stores else "dim3(1, rows)"

    def launches(width: int) -> str:
        each = [(f"parts_of_{found.name}", "dim3(splits, rows)") for found in passes] + [("of_parts", last)]
        return "\n".join(f"                {plan.function}_{name}<{width}><<<{grid}, {_THREADS}>>>({call});" for name, grid in each)

    return f"""    if (rows < {_FEW_ROWS} && columns > {_LONG_ROW}) {{
        const int most = (columns + {_ELEMENTS - 1}) / {_ELEMENTS}, enough = ({_ENOUGH_BLOCKS - 1} + rows) / rows;
        const int splits = most < enough ? most : enough;
        {memory}* parts = nullptr;
        if (cudaMallocAsync(&parts, sizeof({memory}) * {count} * rows * splits, 0) == cudaSuccess) {{
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


def slots_of(plan: Plan) -> dict[str, int]:
    """How many numbers the part of each sum takes, by name: moments have several, and those of their sum among them."""
    moments = moments_of(plan)
    totals = {total.name for total in moments.values()}
    return {step.name: MOMENT_NUMBERS if step.name in moments else 0 if step.name in totals else 1 for step in all_folds(plan)}


def part_memory(plan: Plan) -> str:
    """What the parts of all sums are kept as; a float's bits where others need more."""
    return "float" if all(step.c_type == "float" for step in all_folds(plan)) else "unsigned long long"


def of_memory(kept: str, c_type: str, memory: str) -> str:
    """A part that was kept, as a value."""
    return kept if c_type == memory else f"__uint_as_float((unsigned){kept})" if c_type == "float" else f"({c_type}){kept}"


def to_memory(value: str, c_type: str, memory: str) -> str:
    return f"__float_as_uint({value})" if memory != "float" and c_type == "float" else value


def _place(plan: Plan, step: Step) -> str:
    """Where the parts of a sum are, for the row."""
    slots = slots_of(plan)
    names = list(slots)
    first = sum(slots[name] for name in names[: names.index(step.name)])
    if slots[step.name] == 1:
        return f"parts + ({first} * rows + row) * splits"
    begins = f"parts + {first} * rows * splits" if first else "parts"
    return f"reinterpret_cast<Moments*>({begins}) + row * splits"


def _of_parts(fold: Fold, memory: str) -> str:
    kind, c_type = fold
    part = of_memory("parts[part]", c_type, memory)
    name = f"{kind}_of_parts" if memory == "float" else f"{kind}_of_parts_{'float' if c_type == 'float' else 'whole'}"
    return f"""// Of what the blocks of a row left, by all threads of a block.
__device__ {c_type} {name}(const {memory}* parts, int splits) {{
    {c_type} value = {begin(fold)};
    for (int part = threadIdx.x; part < splits; part += blockDim.x) {{
        const {c_type} other = {part};
        value = {joined(fold, "value", "other")};
    }}
    return {kind}_of_row(value);
}}
"""


def _kernel(plan: Plan, name: str, number: int, body: Iterator[str]) -> str:
    row = "gridDim.y - 1 - blockIdx.y" if _LOOP.turned(number).is_backwards else "blockIdx.y"
    parameters = plan.kernel_parameters(f"{part_memory(plan)}* parts", "long long rows", "int columns", "int splits")
    return f"""template <int WIDTH>
__global__ void __launch_bounds__({_THREADS}) {plan.function}_{name}({parameters}) {{
    const long long row = {row};
{chr(10).join(body)}
}}
"""


def _part_body(plan: Plan, number: int) -> Iterator[str]:
    passes = passes_of(plan)
    found, moments = passes[number], moments_of(plan)
    yield from _known(plan, passes[: number + 1])
    yield from folds_of(plan, found, _LOOP.turned(number))
    for step in found.folds:
        if step.name in moments:
            yield f"    const Moments all_{step.name} = moments_of_row<WIDTH>(part_{step.name});{note(step)}"
            yield f"    if (threadIdx.x == 0) ({_place(plan, step)})[blockIdx.x] = all_{step.name};"
        elif slots_of(plan)[step.name]:
            yield f"    part_{step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"
            kept = to_memory(f"part_{step.name}", step.c_type, part_memory(plan))
            yield f"    if (threadIdx.x == 0) {_place(plan, step).replace('parts + ', 'parts[', 1)} + blockIdx.x] = {kept};"


def _last_body(plan: Plan) -> Iterator[str]:
    passes = passes_of(plan)
    yield from _known(plan, passes)
    yield from stores_of(plan, _LOOP.turned(len(passes) - 1))
    stores = plan.row_stores
    yield from (f"    if (blockIdx.x == 0 && threadIdx.x == 0) {store.array.name}[{store.index}] = {store.step.name};" for store in stores)


def _known(plan: Plan, passes: Sequence[Pass]) -> Iterator[str]:
    """The values of the row that kernels before this one left, and what is made of them."""
    memory, moments, slots = part_memory(plan), moments_of(plan), slots_of(plan)
    own = {step.name: step for step in with_words(plan.steps, plain_words(plan))}
    for number, found in enumerate(passes):
        yield from (row_value(own[step.name]) for step in found.rows)
        for step in found.folds if number < len(passes) - 1 else ():
            if step.name in moments:
                yield from both(moments[step.name], step, f"moments_of_parts({_place(plan, step)}, splits)")
            elif slots[step.name]:
                suffix = "" if memory == "float" else "_float" if step.c_type == "float" else "_whole"
                yield f"    const {step.c_type} {step.name} = {step.kind}_of_parts{suffix}({_place(plan, step)}, splits);"
