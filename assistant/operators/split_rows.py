"""Rows that are too long for registers and too few to have a block each: many blocks share a row, in a kernel for each sum. Pure.

Each block leaves its part of a sum in memory, and every block of the next kernel folds the parts of its row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.operators.kernel_plan import Plan, Step, note, statements
from assistant.operators.kernel_text import FOLDS, folded, row_value

__all__ = ["split_kernels", "split_launches"]

_THREADS = 256
"""Of a block, and so the most blocks that share a row: a thread reads the part of each."""
_FEW_ROWS = 264
"""Fewer than two for each multiprocessor of a large GPU."""
_LONG_ROW = 16_384
_ELEMENTS = 4096
"""Of a block at least."""


def split_kernels(plan: Plan) -> str:
    """A kernel for each sum, and one for what is made of all of them."""
    kinds = [kind for kind in FOLDS if any(step.kind == kind for step in plan.steps)]
    folds = _folds(plan)
    texts = ["\n" + _of_parts(kind) for kind in kinds]
    texts.append("\n// The same for rows that many blocks share, each of which leaves its part of every sum.")
    texts += [_kernel(plan, f"parts_of_{step.name}", _sum_body(plan, number)) for number, step in enumerate(folds)]
    texts.append(_kernel(plan, "of_parts", _last_body(plan)))
    return "\n".join(texts)


def split_launches(plan: Plan) -> str:
    """Where memory for the parts is not to be had, the row's one block does it."""
    folds = _folds(plan)
    call = plan.arguments("parts", "rows", "columns", "splits")
    last = "dim3(splits, rows)" if plan.full_outputs else "dim3(1, rows)"
    launches = [f"            {plan.function}_parts_of_{step.name}<<<dim3(splits, rows), {_THREADS}>>>({call});" for step in folds]
    launches.append(f"            {plan.function}_of_parts<<<{last}, {_THREADS}>>>({call});")
    return f"""    if (rows < {_FEW_ROWS} && columns > {_LONG_ROW}) {{
        const int needed = (columns + {_ELEMENTS - 1}) / {_ELEMENTS}, splits = needed < {_THREADS} ? needed : {_THREADS};
        float* parts = nullptr;
        if (cudaMallocAsync(&parts, sizeof(float) * {len(folds)} * rows * splits, 0) == cudaSuccess) {{
{chr(10).join(launches)}
            cudaFreeAsync(parts, 0);
            return;
        }}
        cudaGetLastError();  // no memory for the parts: the next check shall not find this
    }}
"""


def _folds(plan: Plan) -> list[Step]:
    return [step for step in plan.steps if step.kind in FOLDS]


def _of_parts(kind: str) -> str:
    return f"""// Of what the blocks of a row left, by all threads of a block.
__device__ float {kind}_of_parts(const float* parts, int splits) {{
    return {kind}_of_row(threadIdx.x < splits ? parts[threadIdx.x] : {FOLDS[kind][0]});
}}
"""


def _kernel(plan: Plan, name: str, body: Iterator[str]) -> str:
    return f"""__global__ void {plan.function}_{name}({plan.parameters("float* parts", "long long rows", "int columns", "int splits")}) {{
    const long long row = blockIdx.y;
{chr(10).join(body)}
}}
"""


def _sum_body(plan: Plan, number: int) -> Iterator[str]:
    step = _folds(plan)[number]
    yield from _known(plan, plan.steps[: plan.steps.index(step)])
    yield f"    float part_{step.name} = {FOLDS[step.kind][0]};"
    yield from _each(plan, [step], list(folded(step, "        ")))
    yield f"    part_{step.name} = {step.kind}_of_row(part_{step.name});{note(step)}"
    yield f"    if (threadIdx.x == 0) parts[({number} * rows + row) * splits + blockIdx.x] = part_{step.name};"


def _last_body(plan: Plan) -> Iterator[str]:
    yield from _known(plan, plan.steps)
    full = plan.full_outputs
    if full:
        yield from _each(plan, [step for _, step in full], [f"        {output}[at] = {step.name};" for output, step in full])
    yield from (f"    if (blockIdx.x == 0 && threadIdx.x == 0) {output}[row] = {step.name};" for output, step in plan.row_outputs)


def _known(plan: Plan, steps: Sequence[Step]) -> Iterator[str]:
    """The values of the row that kernels before this one left, and what is made of them."""
    folds = _folds(plan)
    for step in steps:
        if step.kind == "row":
            yield row_value(step)
        elif step.kind in FOLDS:
            yield f"    const float {step.name} = {step.kind}_of_parts(parts + ({folds.index(step)} * rows + row) * splits, splits);"


def _each(plan: Plan, wanted: Sequence[Step], end: Sequence[str]) -> Iterator[str]:
    yield "    #pragma unroll 4"
    yield "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < columns; i += gridDim.x * blockDim.x) {"
    yield "        const long long at = row * columns + i;"
    yield from statements(plan.steps, wanted, 2)
    yield from end
    yield "    }"
