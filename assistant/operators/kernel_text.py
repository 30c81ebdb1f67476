"""Pieces that several kinds of first kernels are written from: how two values become one, and neighbours that are moved at once. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assistant.operators.kernel_plan import Plan, Read, Step, needed, note

__all__ = ["FOLDS", "MOVES", "alignment", "each_neighbour", "folded", "loads", "read_in", "row_value", "same_steps", "with_words"]

FOLDS = {"sum": ("0.0f", "{a} + {b}"), "max": ("-INFINITY", "{a} != {a} || {a} > {b} ? {a} : {b}"),
         "min": ("INFINITY", "{a} != {a} || {a} < {b} ? {a} : {b}")}  # fmt: skip
"""Where each begins, and how two become one; NaN stays."""
MOVES = """// Neighbours that are moved at once.
template <int WIDTH>
__device__ void load(float* to, const float* from) {
    if (WIDTH == 4) {
        const float4 four = *reinterpret_cast<const float4*>(from);
        to[0] = four.x, to[1 % WIDTH] = four.y, to[2 % WIDTH] = four.z, to[3 % WIDTH] = four.w;
    } else {
        to[0] = from[0];
    }
}

template <int WIDTH>
__device__ void store(float* to, const float* from) {
    if (WIDTH == 4)
        *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1 % WIDTH], from[2 % WIDTH], from[3 % WIDTH]);
    else
        to[0] = from[0];
}

// Whether a float4 may begin there.
static bool is_aligned(const void* memory) { return reinterpret_cast<uintptr_t>(memory) % 16 == 0; }
"""
"""For kernels of a parameter ``WIDTH``: 4, or 1 where sizes do not divide."""


def alignment(plan: Plan, outputs: Iterable[str]) -> str:
    """The condition, in C, under which all that is moved four at a time may be."""
    arrays = dict.fromkeys((*outputs, *(name for name, _, has_last in plan.reads if has_last)))
    return " && ".join(f"is_aligned({name})" for name in arrays) or "true"


def read_in(plan: Plan, wanted: Sequence[Step]) -> list[Read]:
    """The arrays that these values are made of."""
    texts = [step.text for step in (*needed(plan.steps, wanted), *wanted)]
    return [(name, index, last) for name, index, last in plan.reads if any(f"{name}[{index}]" in text for text in texts)]


def loads(reads: Iterable[Read], indent: str) -> Iterator[str]:
    """Neighbours of each array, or the one element that all of them share."""
    for name, index, has_last in reads:
        if has_last:
            yield f"{indent}float {name}_near[WIDTH];"
            yield f"{indent}load<WIDTH>({name}_near, {name} + {_summand(index)});"
        else:
            yield f"{indent}const float {name}_one = {name}[{index}];"


def with_words(steps: Sequence[Step], reads: Iterable[Read], kept: Iterable[str] = (), rows: Iterable[str] = ()) -> list[Step]:
    """Their texts with the locals of `loads` in place of arrays; ``kept``: arrays whose elements stay in registers from the first time;
    ``rows``: values of which each neighbour has its own."""
    words = {f"{name}[{index}]": f"{name}_near[e]" if has_last else f"{name}_one" for name, index, has_last in reads}
    words |= {f"{name}[at]": f"{name}_kept[k][e]" for name in kept}
    found = [re.escape(word) for word in words] + [rf"{name}\b" for name in rows]
    if not found:
        return list(steps)
    pattern = re.compile("|".join(rf"\b{each}" for each in found))
    return [replace(step, text=pattern.sub(lambda match: words.get(match[0], f"{match[0]}[e]"), step.text)) for step in steps]


def folded(step: Step, indent: str, part: str = "") -> Iterator[str]:
    """One more element of a thread's own."""
    part = part or f"part_{step.name}"
    if step.kind == "sum":
        yield f"{indent}{part} += {step.text};"
    else:
        yield f"{indent}const float term = {step.text};"
        yield f"{indent}{part} = {FOLDS[step.kind][1].format(a=part, b='term')};"


def row_value(step: Step) -> str:
    """A value that each row has once."""
    return f"    const {step.c_type} {step.name} = {step.text};{note(step)}"


def each_neighbour(lines: Iterable[str], indent: str) -> Iterator[str]:
    """A loop over the WIDTH neighbours of a thread, by ``e``."""
    yield f"{indent}#pragma unroll"
    yield f"{indent}for (int e = 0; e < WIDTH; ++e) {{"
    yield from lines
    yield f"{indent}}}"


def same_steps(steps: Iterable[Step], wanted: Iterable[Step]) -> list[Step]:
    """The wanted values, as they stand among ``steps``."""
    names = {step.name for step in wanted}
    return [step for step in steps if step.name in names]


def _summand(index: str) -> str:
    return f"({index})" if " % " in index and " + " in index else index
