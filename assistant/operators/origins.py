"""What is in each tensor's memory before each call of a model: an input, a weight, a filling, or what a call wrote. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.operators.axes import Axis
from assistant.operators.graph import Filled, FunctionCall, Graph, TensorUse
from assistant.operators.kernel_plan import value_type
from assistant.record import Record

__all__ = ["C_TYPES", "TYPES_IN_WORDS", "VALUE_TYPES", "Given", "Made", "Origin", "RefusedError", "place_of", "sources_of"]

C_TYPES = {
    "float32": "float", "float16": "__half", "bfloat16": "__nv_bfloat16", "float64": "double", "bool": "bool",
    "int64": "long long", "int32": "int",
}  # fmt: skip
"""In memory."""
VALUE_TYPES = {dtype: value_type(c_type) for dtype, c_type in C_TYPES.items()}
"""What is computed with."""
TYPES_IN_WORDS = "float32, float16, bfloat16, float64, int64, int32 and bool"


class RefusedError(Exception):
    """Rules do not write this: why, in one sentence."""


class Given(Record):
    """An input or a weight, or what a kernel before this one leaves."""

    name: str
    use: TensorUse
    """As it lies in memory."""
    weight: str | None = None
    """Its name in the reference's state; None of an input."""
    axes: tuple[Axis, ...] | None = None
    """Of what a kernel before this one leaves: along which axes its dimensions run."""


class Made(Record):
    """What a call writes."""

    place: int
    output: int
    use: TensorUse


Origin = Given | Made | Filled


def sources_of(graph: Graph, given: Mapping[int, Given]) -> list[dict[int, Origin]]:
    """Before each call, and behind the last one: what is in each memory. Raises RefusedError where an input is changed."""
    now: dict[int, Origin] = dict(given)
    for filled in graph.filled:
        now.setdefault(filled.use.memory, filled)
    unknown = {filled.use.memory: filled for filled in graph.filled if filled.first is None}
    now |= unknown
    found: list[dict[int, Origin]] = []
    for place, call in enumerate(graph.calls):
        found.append(dict(now))
        for output, use in enumerate(call.writes):
            if use.memory in given:
                raise RefusedError(f"{place_of(call)} changes an input")
            if use.memory in unknown or not _is_all(use):
                raise RefusedError(f"{place_of(call)} changes a part of a tensor")
            now[use.memory] = Made(place, output, use)
    return [*found, now]


def _is_all(use: TensorUse) -> bool:
    size = use.bytes if not use.memory_bytes else use.memory_bytes
    return use.is_whole or (use.bytes == size and not use.offset and 0 not in use.steps)


def place_of(call: FunctionCall | None) -> str:
    if call is None:
        return "a result"
    return call.name if call.line is None else f"{call.name} (line {call.line})"
