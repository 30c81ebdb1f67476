"""A planned kernel as the text of a ``.cu`` file: its tables, the kernels, and the host function that launches one of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.operators.column_kernel import column_kernel
from assistant.operators.flat_kernel import flat_kernel
from assistant.operators.kernel_plan import Plan
from assistant.operators.row_kernel import row_kernel

__all__ = ["written"]


def written(plan: Plan) -> str:
    write = flat_kernel if not plan.shape.reduced else column_kernel if plan.shape.behind else row_kernel
    return f"{_table(plan)}\n#include <cuda_runtime.h>\n#include <math.h>\n#include <stdint.h>\n\n{write(plan)}"


def _table(plan: Plan) -> str:
    def shapes(pairs: Iterable[tuple[str, tuple[str, ...]]]) -> str:
        return ", ".join(f"{name} = [{', '.join(word if word.isdigit() else _quoted(word) for word in shape)}]" for name, shape in pairs)

    lines = [
        "/* kernelopt",
        "[operator]",
        f"launcher = {_quoted(plan.function)}",
        f"inputs   = {{ {shapes(plan.given)} }}",
        f"outputs  = {{ {shapes(zip(plan.outputs, plan.result_shapes, strict=True))} }}",
    ]
    if plan.weights:
        lines.append(f"weights  = {{ {', '.join(f'{name} = {_quoted(weight)}' for name, weight in plan.weights)} }}")
    arguments = (*plan.outputs, *plan.arrays, *plan.shape.names)
    lines += [f"args     = [{', '.join(map(_quoted, arguments))}]", "*/"]
    return "\n".join(lines)


def _quoted(word: str) -> str:
    return f'"{word}"'
