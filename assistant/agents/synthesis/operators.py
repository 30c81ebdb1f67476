"""A PyTorch operator of one to five functions as a task's text, drawn by a seed and a number. Pure.

Example::

    drawn = draw_operator(seed=7, number=0)
    drawn.parts         # ("linear", "bias", "gelu")
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random

from assistant.agents.synthesis.drawn import Drawn, Kind
from assistant.agents.synthesis.functions import FUNCTIONS, Effect, Function
from assistant.record import Record

__all__ = ["draw_operator", "operator_text"]

_MOST_FUNCTIONS = 5
_DTYPES = ("float32", "float32", "float32", "float16", "bfloat16")
_REAL_ROWS = (4096, 8192, 16384, 32768, 65536)
_REAL_COLUMNS = (1024, 1536, 2048, 4096)
_REAL_OUT = (512, 1024, 2048)
_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2}


class _Sizes(Record):
    batch: int | None
    """None: a matrix."""
    rows: int
    columns: int
    out: int
    """Of the last dimension after ``linear``."""

    def pairs(self, *, has_linear: bool) -> tuple[tuple[str, int], ...]:
        found = (("batch", self.batch), ("rows", self.rows), ("columns", self.columns), ("out_columns", self.out if has_linear else None))
        return tuple((name, value) for name, value in found if value is not None)


def draw_operator(seed: int, number: int) -> Drawn:
    """The same for the same arguments, on every machine."""
    random = Random(f"operator {seed} {number}")  # noqa: S311 - a draw that can be repeated
    functions = _functions(random)
    dtype = random.choice(_DTYPES)
    has_batch = random.random() < 0.4
    small = _Sizes(random.choice((2, 3)) if has_batch else None, random.randint(3, 9), random.randint(20, 80), random.randint(8, 40))
    rows = random.choice(_REAL_ROWS)
    batch = random.choice((4, 8, 16)) if has_batch else None
    real = _Sizes(batch, rows // (batch or 1), random.choice(_REAL_COLUMNS), random.choice(_REAL_OUT))
    has_linear = any(function.effect is Effect.OTHER for function in functions)
    moved, operations = _cost(functions, real, _BYTES[dtype])
    names = tuple(function.name for function in functions)
    return Drawn(
        name=f"operator_{number:04}_{'_'.join(names[:3])}",
        kind=Kind.OPERATOR,
        text=operator_text(functions, small, dtype, f"seed {seed}, number {number}"),
        solution=None,
        structure=f"operator {' '.join(names)} {dtype}",
        parts=names,
        allowed=(),
        dtype=dtype,
        sizes=small.pairs(has_linear=has_linear),
        real_sizes=real.pairs(has_linear=has_linear),
        moved_bytes=moved,
        operation_count=operations,
        seed=seed,
        number=number,
    )


def _functions(random: Random) -> tuple[Function, ...]:
    """At most one ``linear``; after a reduction only functions of single elements without a weight or a further input."""
    chosen: list[Function] = []
    for _ in range(random.randint(1, _MOST_FUNCTIONS)):
        is_reduced = any(function.effect is Effect.ONE for function in chosen)
        fitting = [function for function in FUNCTIONS.values() if _fits(function, chosen, is_reduced)]
        chosen.append(random.choice(fitting))
    return tuple(chosen)


def _fits(function: Function, before: Sequence[Function], is_reduced: bool) -> bool:
    if before and before[-1] is function:
        return False
    if is_reduced:
        return not function.needs_rows and function.weight is None and not function.has_input
    return function.effect is not Effect.OTHER or all(each.effect is not Effect.OTHER for each in before)


def _cost(functions: Sequence[Function], sizes: _Sizes, item_bytes: int) -> tuple[int, int]:
    """(bytes of inputs, weights and the result, each once; operations) of one call."""
    rows, columns = prod((sizes.batch or 1, sizes.rows)), sizes.columns
    elements, operations = rows * columns, 0
    for function in functions:
        per_element = columns if function.effect is Effect.OTHER else 1
        if function.effect is Effect.OTHER:
            elements += columns * sizes.out
            operations += rows * sizes.out * function.operations * per_element
            columns = sizes.out
            continue
        operations += rows * columns * function.operations
        elements += (columns if function.weight else 0) + (rows * columns if function.has_input else 0)
        columns = 1 if function.effect is Effect.ONE else columns
    return (elements + rows * columns) * item_bytes, operations


def operator_text(functions: Sequence[Function], sizes: _Sizes, dtype: str, origin: str) -> str:
    """A task's whole file."""
    weights, steps, inputs, last = list[str](), list[str](), list[str](), "columns"
    input_sizes = list[str]()
    for index, function in enumerate(functions, 1):
        weight, extra = f"{function.name}_{index}", f"{function.name}_{index}"
        if function.weight is not None:
            value = function.weight.format(n=last, m="out_columns")
            weights.append(f"self.{weight} = nn.Parameter(({value}).to(torch.{dtype}))")
        steps.append(f"x = {function.code.format(w=weight, t=extra)}")
        if function.has_input:
            inputs.append(extra)
            input_sizes.append(last)
        last = "out_columns" if function.effect is Effect.OTHER else last
    has_linear = any(function.effect is Effect.OTHER for function in functions)
    names = [name for name, _ in sizes.pairs(has_linear=has_linear)]
    outer = [name for name in names if name in {"batch", "rows"}]
    init = [name for name in names if name in {"columns", "out_columns"}] if weights else []
    drawn = [f"torch.randn({', '.join([*outer, size])}, dtype=torch.{dtype})" for size in ("columns", *input_sizes)]
    body = "\n".join(f"        {line}" for line in steps)
    constructor = (
        f"    def __init__(self, {', '.join(init)}):\n        super().__init__()\n"
        + "".join(f"        {line}\n" for line in weights)
        + "\n"
        if weights
        else ""
    )
    values = "\n".join(f"{name} = {value}" for name, value in sizes.pairs(has_linear=has_linear))
    return f'''"""{", ".join(function.name for function in functions)} on {dtype}; drawn by kernelopt tasks make ({origin})."""

import torch
import torch.nn.functional as F
from torch import nn

{values}


class Model(nn.Module):
{constructor}    def forward(self, {", ".join(["x", *inputs])}):
{body}
        return x


def get_inputs():
    return [{", ".join(drawn)}]


def get_init_inputs():
    return [{", ".join(init)}]
'''
