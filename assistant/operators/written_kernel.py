"""A planned kernel as the text of a ``.cu`` file: its tables, the kernel, and the host function that launches it. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from assistant.operators.graph import FunctionCall
from assistant.record import Record

__all__ = ["Plan", "Shape", "Step", "written"]

_NAME = re.compile(r"\b[vr]\d+\b")
_THREADS = 256
_MOST_COLUMN_THREADS = 256
_FOLDS = {"sum": ("0.0f", "{a} + {b}"), "max": ("-INFINITY", "{a} != {a} || {a} > {b} ? {a} : {b}"),
          "min": ("INFINITY", "{a} != {a} || {a} < {b} ? {a} : {b}")}  # fmt: skip
"""Where each begins, and how two become one; NaN stays."""


class Shape(Record):
    """The shape of values that each element has."""

    dims: tuple[int, ...]
    names: tuple[str, ...]
    reduced: int
    """How many of the last dimensions are a row; 0 where no function goes along rows."""

    @property
    def count(self) -> int:
        return math.prod(self.dims)

    def index(self, shape: tuple[int, ...]) -> str | None:
        """Where the element ``at`` finds its own in an array of this shape; None where it does not broadcast."""
        padded = (1,) * (len(self.dims) - len(shape)) + shape
        if len(padded) != len(self.dims) or any(mine not in (1, whole) for mine, whole in zip(padded, self.dims, strict=True)):
            return None
        if padded == self.dims:
            return "at"
        if self.reduced and padded[-self.reduced :] == self.dims[-self.reduced :] and set(padded[: -self.reduced]) == {1}:
            return "i"
        parts: list[str] = []
        for place, (mine, whole) in enumerate(zip(padded, self.dims, strict=True)):
            if mine == 1 and whole != 1:
                continue
            inner = " * ".join(self.names[place + 1 :])
            coordinate = f"at / ({inner})" if inner and len(self.names) - place > 2 else f"at / {inner}" if inner else "at"
            coordinate = f"{coordinate} % {self.names[place]}" if place else coordinate
            step = " * ".join(
                name for name, size, full in zip(self.names[place + 1 :], padded[place + 1 :], self.dims[place + 1 :], strict=True)
                if size == full
            )  # fmt: skip
            parts.append(f"{coordinate} * ({step})" if " " in step else f"{coordinate} * {step}" if step else coordinate)
        return " + ".join(parts) or "0"

    def names_of(self, shape: tuple[int, ...]) -> tuple[str, ...]:
        """The sizes of an array that belongs to it."""
        padded = zip(reversed(shape), reversed(self.dims), reversed(self.names), strict=False)
        aligned = [name if mine == whole else str(mine) for mine, whole, name in padded]
        if len(shape) < len(self.dims) and shape == self.dims[: len(shape)]:
            return self.names[: len(shape)]
        return tuple(reversed(aligned))


class Step(Record):
    """One value of the kernel."""

    name: str
    kind: str
    """``full``, ``row``, or what a row's elements are folded by: ``sum``, ``max``, ``min``."""
    text: str
    c_type: str
    call: FunctionCall


class Plan(Record):
    """All that is written."""

    name: str
    """Of the model."""
    shape: Shape
    inputs: tuple[tuple[str, tuple[str, ...]], ...]
    """Those that are used."""
    weights: tuple[tuple[str, str], ...]
    given: tuple[tuple[str, tuple[str, ...]], ...]
    """All inputs, as the table names them."""
    sizes: tuple[tuple[str, int], ...]
    """Elements of each array that is used, in the traced call."""
    steps: tuple[Step, ...]
    results: tuple[Step, ...]
    result_shapes: tuple[tuple[str, ...], ...]

    @property
    def outputs(self) -> tuple[str, ...]:
        return ("y",) if len(self.results) == 1 else tuple(f"y{number}" for number in range(len(self.results)))

    @property
    def arrays(self) -> tuple[str, ...]:
        return (*(name for name, _ in self.inputs), *(name for name, _ in self.weights))


def written(plan: Plan) -> str:
    kernel = _rows_kernel(plan) if plan.shape.reduced else _flat_kernel(plan)
    return f"{_table(plan)}\n#include <cuda_runtime.h>\n#include <math.h>\n\n{kernel}"


def _function(plan: Plan) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plan.name).lower()


def _table(plan: Plan) -> str:
    def shapes(pairs: Iterable[tuple[str, tuple[str, ...]]]) -> str:
        return ", ".join(f"{name} = [{', '.join(word if word.isdigit() else _quoted(word) for word in shape)}]" for name, shape in pairs)

    lines = [
        "/* kernelopt",
        "[operator]",
        f"launcher = {_quoted(_function(plan))}",
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


def _parameters(plan: Plan, *further: str) -> str:
    arrays = [f"float* {name}" for name in plan.outputs] + [f"const float* {name}" for name in plan.arrays]
    return ", ".join((*arrays, *further, *(f"int {name}" for name in plan.shape.names)))


def _arguments(plan: Plan, *further: str) -> str:
    return ", ".join((*plan.outputs, *plan.arrays, *further, *plan.shape.names))


def _product(names: Sequence[str]) -> str:
    return " * ".join(names)


def _flat_kernel(plan: Plan) -> str:
    name, body = _function(plan), [*_statements(plan.steps, plan.results, 1)]
    body += [f"    {output}[at] = {step.name};" for output, step in zip(plan.outputs, plan.results, strict=True)]
    return f"""// One thread for each element: everything between the functions of {plan.name} stays in registers.
__global__ void {name}_kernel({_parameters(plan, "long long count")}) {{
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= count) return;
{chr(10).join(body)}
}}

void {name}({_parameters(plan)}) {{
    const long long count = (long long){_product(plan.shape.names)};
    if (count > 0) {name}_kernel<<<(count + {_THREADS - 1}) / {_THREADS}, {_THREADS}>>>({_arguments(plan, "count")});
}}
"""


def _rows_kernel(plan: Plan) -> str:
    name, split = _function(plan), len(plan.shape.names) - plan.shape.reduced
    rows, columns = _product(plan.shape.names[:split]), _product(plan.shape.names[split:])
    folds = "\n".join(_fold(kind) for kind in _FOLDS if any(step.kind == kind for step in plan.steps))
    body = "\n".join(_row_body(plan))
    return f"""{folds}
// One block for each row: everything between the functions of {plan.name} stays in registers, and the row is read once more for each sum.
__global__ void {name}_kernel({_parameters(plan, "int columns")}) {{
    const long long row = blockIdx.x;
{body}
}}

void {name}({_parameters(plan)}) {{
    const int rows = {rows}, columns = {columns};
    const int threads = columns >= {_MOST_COLUMN_THREADS} ? {_MOST_COLUMN_THREADS} : columns > 0 ? (columns + 31) / 32 * 32 : 32;
    if (rows > 0) {name}_kernel<<<rows, threads>>>({_arguments(plan, "columns")});
}}
"""


def _row_body(plan: Plan) -> Iterator[str]:
    for step in plan.steps:
        if step.kind == "row":
            yield f"    const {step.c_type} {step.name} = {step.text};{_note(step)}"
        elif step.kind in _FOLDS:
            begin, fold = _FOLDS[step.kind]
            part = f"part_{step.name}"
            yield f"    float {part} = {begin};"
            yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
            yield from _at(plan, step.text, _needed(plan.steps, [step]))
            yield from _statements(plan.steps, [step], 2)
            yield f"        const float term = {step.text};"
            yield f"        {part} = {fold.format(a=part, b='term')};"
            yield "    }"
            yield f"    const float {step.name} = {step.kind}_of_block({part});{_note(step)}"
    pairs = list(zip(plan.outputs, plan.results, strict=True))
    full = [(output, step) for output, step in pairs if step.kind == "full"]
    if full:
        yield "    for (int i = threadIdx.x; i < columns; i += blockDim.x) {"
        yield "        const long long at = row * columns + i;"
        yield from _statements(plan.steps, [step for _, step in full], 2)
        yield from (f"        {output}[at] = {step.name};" for output, step in full)
        yield "    }"
    yield from (f"    if (threadIdx.x == 0) {output}[row] = {step.name};" for output, step in pairs if step.kind != "full")


def _at(plan: Plan, text: str, needed: Sequence[Step]) -> Iterator[str]:
    if any(re.search(r"\bat\b", each) for each in (text, *(step.text for step in needed))):
        yield "        const long long at = row * columns + i;"


def _statements(steps: Sequence[Step], wanted: Sequence[Step], depth: int) -> Iterator[str]:
    """Values of each element that ``wanted`` are made of, and those themselves where they are such."""
    for step in _needed(steps, wanted):
        yield f"{'    ' * depth}const {step.c_type} {step.name} = {step.text};{_note(step)}"


def _needed(steps: Sequence[Step], wanted: Sequence[Step]) -> list[Step]:
    known = {step.name: step for step in steps}
    names, open_steps = set[str](), list(wanted)
    while open_steps:
        step = open_steps.pop()
        if step.kind == "full":
            names.add(step.name)
        open_steps += [known[name] for name in _NAME.findall(step.text) if known[name].kind == "full" and name not in names]
    return [step for step in steps if step.name in names]


def _note(step: Step) -> str:
    return f"  // {step.call.name}" + ("" if step.call.line is None else f", line {step.call.line}")


def _fold(kind: str) -> str:
    begin, fold = _FOLDS[kind]
    return f"""__device__ float {kind}_of_block(float value) {{
    __shared__ float partial[32];
    for (int offset = 16; offset > 0; offset /= 2) {{
        const float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = {fold.format(a="value", b="other")};
    }}
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
    __syncthreads();
    value = {begin};
    for (int warp = 0; warp < blockDim.x / 32; ++warp) value = {fold.format(a="value", b="partial[warp]")};
    __syncthreads();
    return value;
}}
"""
