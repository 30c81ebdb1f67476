"""Rows that are too long for registers and too few to have a block each: many blocks share a row, in a kernel for each sum. Pure.

Each block leaves its part of a sum in memory, and every block of the next kernel folds the parts of its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import FOLDS, Fold, begin, folded, folds_of, plain_words, row_value, same_steps, with_words

__all__ = ["split_folds", "split_kernels", "split_launches"]

_THREADS = 256
"""Of a block, and so the most blocks that share a row: a thread reads the part of each."""
_FEW_ROWS = 264
"""Fewer than two for each multiprocessor of a large GPU."""
_LONG_ROW = 16_384
_ELEMENTS = 4096
"""Of a block at least."""


def split_kernels(plan: Plan) -> str:
    """A kernel for each sum, and one for what is made of all of them."""
    folds = _folds(plan)
    texts = ["\n// The same for rows that many blocks share, each of which leaves its part of every sum."]
    texts += [_kernel(plan, f"parts_of_{step.name}", _sum_body(plan, number)) for number, step in enumerate(folds)]
    texts.append(_kernel(plan, "of_parts", _last_body(plan)))
    return "\n".join(texts)


def split_folds(plan: Plan) -> dict[str, str]:
    """Device functions that fold what blocks left, by name and type."""
    memory = _memory(plan)
    return {f"{fold} of {memory}": _of_parts(fold, memory) for fold in folds_of(plan)}


def split_launches(plan: Plan) -> str:
    """Where memory for the parts is not to be had, the row's one block does it."""
    folds = _folds(plan)
    call = plan.arguments("parts", "rows", "columns", "splits")
    memory = _memory(plan)
    last = "dim3(splits, rows)" if plan.full_stores else "dim3(1, rows)"
    launches = [f"            {plan.function}_parts_of_{step.name}<<<dim3(splits, rows), {_THREADS}>>>({call});" for step in folds]
    launches.append(f"            {plan.function}_of_parts<<<{last}, {_THREADS}>>>({call});")
    return f"""    if (rows < {_FEW_ROWS} && columns > {_LONG_ROW}) {{
        const int needed = (columns + {_ELEMENTS - 1}) / {_ELEMENTS}, splits = needed < {_THREADS} ? needed : {_THREADS};
        {memory}* parts = nullptr;
        if (cudaMallocAsync(&parts, sizeof({memory}) * {len(folds)} * rows * splits, 0) == cudaSuccess) {{
{chr(10).join(launches)}
            cudaFreeAsync(parts, 0);
            return;
        }}
        cudaGetLastError();  // no memory for the parts: the next check shall not find this
    }}
"""


def _folds(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.kind in FOLDS]


def _memory(plan: Plan) -> str:
    """What the parts of all sums are kept as; a float's bits where others need more."""
    return "float" if all(step.c_type == "float" for step in _folds(plan)) else "unsigned long long"


def _of_parts(fold: Fold, memory: str) -> str:
    kind, c_type = fold
    kept = "parts[threadIdx.x]"
    part = kept if c_type == memory else f"__uint_as_float((unsigned){kept})" if c_type == "float" else f"({c_type}){kept}"
    name = f"{kind}_of_parts" if memory == "float" else f"{kind}_of_parts_{'float' if c_type == 'float' else 'whole'}"
    return f"""// Of what the blocks of a row left, by all threads of a block.
__device__ {c_type} {name}(const {memory}* parts, int splits) {{
    return {kind}_of_row(threadIdx.x < splits ? {part} : {begin(fold)});
}}
"""


def _kernel(plan: Plan, name: str, body: Iterator[str]) -> str:
    parameters = plan.parameters(f"{_memory(plan)}* parts", "long long rows", "int columns", "int splits")
    return f"""__global__ void {plan.function}_{name}({parameters}) {{
    const long long row = blockIdx.y;
{chr(10).join(body)}
}}
"""


def _sum_body(plan: Plan, number: int) -> Iterator[str]:
    step = _folds(plan)[number]
    steps = with_words(plan.steps, plain_words(plan))
    (own,) = same_steps(steps, [step])
    yield from _known(plan, plan.steps[: plan.steps.index(step)])
    yield f"    {step.c_type} part_{step.name} = {begin((step.kind, step.c_type))};"
    yield from _each(steps, [own], list(folded(own, "        ")))
    yield f"    part_{step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"
    kept = f"__float_as_uint(part_{step.name})" if _memory(plan) != "float" and step.c_type == "float" else f"part_{step.name}"
    yield f"    if (threadIdx.x == 0) parts[({number} * rows + row) * splits + blockIdx.x] = {kept};"


def _last_body(plan: Plan) -> Iterator[str]:
    yield from _known(plan, plan.steps)
    full = plan.full_stores
    if full:
        steps = with_words(plan.steps, plain_words(plan))
        stores = [f"        {store.array.name}[at] = {store.step.name};" for store in full]
        yield from _each(steps, same_steps(steps, [store.step for store in full]), stores)
    stores = plan.row_stores
    yield from (f"    if (blockIdx.x == 0 && threadIdx.x == 0) {store.array.name}[{store.index}] = {store.step.name};" for store in stores)


def _known(plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    """The values of the row that kernels before this one left, and what is made of them."""
    folds, memory = _folds(plan), _memory(plan)
    for step, own in zip(steps, with_words(steps, plain_words(plan)), strict=True):
        if step.kind == "row":
            yield row_value(own)
        elif step.kind in FOLDS:
            suffix = "" if memory == "float" else "_float" if step.c_type == "float" else "_whole"
            parts = f"parts + ({folds.index(step)} * rows + row) * splits"
            yield f"    const {step.c_type} {step.name} = {step.kind}_of_parts{suffix}({parts}, splits);"


def _each(steps: Sequence[Step], wanted: Sequence[Step], end: Sequence[str]) -> Iterator[str]:
    yield "    #pragma unroll 4"
    yield "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < columns; i += gridDim.x * blockDim.x) {"
    yield "        const long long at = row * columns + i;"
    yield from statements(steps, wanted, 2)
    yield from end
    yield "    }"
