"""One call of a model as the functions of PyTorch that it makes, with what they read and write. Values only."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from assistant.record import Record

__all__ = ["Argument", "CallKind", "Filled", "FunctionCall", "Graph", "TensorUse", "moved"]

CallKind = Literal["pointwise", "rows", "reduction", "product", "other"]
"""``rows``: a reduction of the last dimensions, of which each row is independent; ``reduction``: any other one."""


class TensorUse(Record):
    """A tensor that a function reads or writes."""

    memory: int
    """Equal for tensors that share their memory."""
    bytes: int
    dtype: str
    shape: tuple[int, ...]
    is_whole: bool
    """Row by row, all of its memory."""
    strides: tuple[int, ...] = ()
    """In elements, one for each dimension; none: row by row."""
    offset: int = 0
    """Of its first element in its memory, in elements."""
    memory_bytes: int = 0
    """Of all of its memory; 0: as much as it spans."""

    @property
    def steps(self) -> tuple[int, ...]:
        """How far apart neighbours along each dimension lie, in elements."""
        return self.strides or tuple(math.prod(self.shape[place + 1 :]) for place in range(len(self.shape)))


class Filled(Record):
    """A tensor that PyTorch makes of nothing (``zeros``, ``full``, ``arange``)."""

    use: TensorUse
    first: float | bool | None
    """Its first element; None: not known."""
    step: float = 0
    """How much more each further one is."""


Argument = TensorUse | float | bool | str | None | tuple["TensorUse | float | bool | str | None", ...]


class FunctionCall(Record):
    """One call of an ATen function that computes or copies."""

    name: str
    line: int | None
    """Of the task's file; None where the model does not call it from there."""
    kind: CallKind
    reads: tuple[TensorUse, ...]
    writes: tuple[TensorUse, ...]
    operations: int
    """A multiply-add counts as two."""
    arguments: tuple[Argument, ...] = ()
    named: tuple[tuple[str, Argument], ...] = ()

    @property
    def moved_bytes(self) -> int:
        return moved(self.reads) + moved(self.writes)


class Graph(Record):
    """All calls in order."""

    inputs: tuple[Argument, ...]
    """What ``forward`` is given."""
    weights: tuple[tuple[str, TensorUse], ...]
    """Parameters and buffers by their names."""
    calls: tuple[FunctionCall, ...]
    results: tuple[TensorUse, ...]
    filled: tuple[Filled, ...] = ()

    @property
    def given(self) -> tuple[TensorUse, ...]:
        """Input tensors and weights."""
        items = [item for each in self.inputs for item in (each if isinstance(each, tuple) else (each,))]
        return (*(item for item in items if isinstance(item, TensorUse)), *(use for _, use in self.weights))


def moved(uses: Iterable[TensorUse]) -> int:
    """Each memory once, as far as most of them span."""
    most: dict[int, int] = {}
    for use in uses:
        most[use.memory] = max(most.get(use.memory, 0), use.bytes)
    return sum(most.values())
