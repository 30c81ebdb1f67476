"""Planned kernels as the text of a ``.cu`` file: its tables, the kernels, and the host function that launches them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.operators.column_kernel import column_functions, column_kernel
from assistant.operators.flat_kernel import flat_kernel
from assistant.operators.kernel_plan import Plan
from assistant.operators.kernel_text import helpers, moves
from assistant.operators.moments import MOMENTS
from assistant.operators.passes import moments_of
from assistant.operators.planning import Program, Scratch
from assistant.operators.row_kernel import row_functions, row_kernel
from assistant.operators.scan_kernel import SCANS, scan_functions, scan_kernel
from assistant.operators.tiled_kernel import tiled_kernel

__all__ = ["written"]

_WRITE = {"flat": flat_kernel, "tiled": tiled_kernel, "row": row_kernel, "column": column_kernel, "scan": scan_kernel}

_HEADERS = {"__nv_bfloat16": "cuda_bf16.h", "__half": "cuda_fp16.h"}


def written(program: Program) -> str:
    types = {array.c_type for array in (*program.arrays, *(array for array, _ in program.outputs))}
    headers = [header for c_type, header in _HEADERS.items() if c_type in types]
    includes = "".join(f"#include <{header}>\n" for header in (*headers, "cuda_runtime.h", "math.h", "stdint.h"))
    head = f"{_table(program)}\n{includes}"
    texts = [head, *_functions(program.plans), *(_WRITE[plan.kind](plan) for plan in program.plans)]
    if len(program.plans) > 1:
        texts.append(_launcher(program))
    return "\n".join(texts)


def _functions(plans: tuple[Plan, ...]) -> Iterator[str]:
    """What kernels call, each once."""
    types = {read.array.c_type for plan in plans for read in plan.reads if read.array is not None}
    types |= {store.array.c_type for plan in plans for store in plan.stores}
    if any(plan.kind != "tiled" for plan in plans):
        yield moves(types, (read for plan in plans for read in plan.reads))
    keys = helpers(plans)
    if keys:
        yield keys
    if any(plan.kind in ("row", "column") and moments_of(plan) for plan in plans):
        yield MOMENTS
    found: dict[str, str] = {}
    for plan in plans:
        if plan.kind == "row":
            found |= row_functions(plan)
        elif plan.kind == "column":
            found |= column_functions(plan)
        elif plan.kind == "scan":
            found |= {step.kind: scan_functions(step.kind) for step in plan.steps if step.kind in SCANS}
    yield from found.values()


def _launcher(program: Program) -> str:
    """One kernel after the other, with memory for what is between them."""
    outputs = [f"{array.c_type}* {array.name}" for array, _ in program.outputs]
    inputs = [f"const {array.c_type}* {array.name}" for array in program.arrays]
    lines = [f"    {each.array.c_type}* {each.array.name} = nullptr;" for each in program.scratches]
    runs = [f"{plan.function}({plan.arguments()});" for plan in program.plans]
    if program.scratches:
        needed = [f"({_allocated(each)})" if len(program.scratches) > 1 else _allocated(each) for each in program.scratches]
        lines.append(f"    if ({' && '.join(needed)}) {{")
        lines += [*(f"        {run}" for run in runs), "    }"]
        lines += [f"    if ({each.array.name} != nullptr) cudaFreeAsync({each.array.name}, 0);" for each in program.scratches]
    else:
        lines += [f"    {run}" for run in runs]
    parameters = ", ".join((*outputs, *inputs, *(f"int {name}" for name in program.sizes)))
    body = "\n".join(lines)
    note = "// One kernel after the other: each reduces other dimensions, or reads in another order."
    return f"{note}\nvoid {program.function}({parameters}) {{\n{body}\n}}\n"


def _allocated(scratch: Scratch) -> str:
    """In C, whether there is memory; of no elements there need be none."""
    array, count = scratch.array, f"(size_t){scratch.count}" if " " in scratch.count else scratch.count
    return f"{count} == 0 || cudaMallocAsync(&{array.name}, sizeof({array.c_type}) * {count}, 0) == cudaSuccess"


def _table(program: Program) -> str:
    def shapes(pairs: Iterable[tuple[str, tuple[str, ...]]]) -> str:
        return ", ".join(f"{name} = [{', '.join(word if word.isdigit() else _quoted(word) for word in shape)}]" for name, shape in pairs)

    lines = [
        "/* kernelopt",
        "[operator]",
        f"launcher = {_quoted(program.function)}",
        f"inputs   = {{ {shapes(program.inputs)} }}",
        f"outputs  = {{ {shapes((array.name, shape) for array, shape in program.outputs)} }}",
    ]
    if program.weights:
        lines.append(f"weights  = {{ {', '.join(f'{name} = {_quoted(weight)}' for name, weight in program.weights)} }}")
    names = [array.name for array, _ in program.outputs]
    arguments = (*names, *(array.name for array in program.arrays), *program.sizes)
    lines += [f"args     = [{', '.join(map(_quoted, arguments))}]", "*/"]
    return "\n".join(lines)


def _quoted(word: str) -> str:
    return f'"{word}"'
