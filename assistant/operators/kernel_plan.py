"""What a first kernel computes, before it is text: the shape that its elements have, and a value for each function. Pure.

Example::

    Shape((8, 3, 40), ("b", "n", "m"), reduced=1, behind=1)     # each of 8 x 40 columns is reduced along n
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from assistant.operators.graph import FunctionCall
from assistant.record import Record

__all__ = ["Plan", "Read", "Shape", "Step", "needed", "note", "statements"]

_NAME = re.compile(r"\b[vr]\d+\b")
Read = tuple[str, str, bool]
"""An array that elements read: its name, the index, and whether neighbours read neighbours rather than one and the same."""


class Shape(Record):
    """The shape of values that each element has."""

    dims: tuple[int, ...]
    names: tuple[str, ...]
    reduced: int = 0
    """How many dimensions functions reduce, one behind the other; 0 where no function does."""
    behind: int = 0
    """How many dimensions come after those. Without any, what is reduced lies side by side in memory: a row."""
    groups: int = 1
    """Into how many rows the first reduced dimension is split (group norm)."""

    @property
    def count(self) -> int:
        return math.prod(self.dims)

    @property
    def _first(self) -> int:
        return len(self.dims) - self.behind - self.reduced

    @property
    def _last(self) -> int:
        return len(self.dims) - self.behind

    @property
    def rows(self) -> tuple[int, ...]:
        """The shape of what is left of a reduction."""
        return (*self.dims[: self._first], *self.dims[self._last :])

    @property
    def kept_rows(self) -> tuple[int, ...]:
        """The same, with ones in the place of what was reduced."""
        return (*self.dims[: self._first], *(1,) * self.reduced, *self.dims[self._last :])

    @property
    def row_names(self) -> tuple[str, ...]:
        return (*self.names[: self._first], *self.names[self._last :])

    @property
    def outer(self) -> str:
        """How many rows there are, in C; with dimensions behind them, how many times all of those."""
        groups = () if self.groups == 1 else (str(self.groups),)
        return " * ".join((*self.names[: self._first], *groups)) or "1"

    @property
    def columns(self) -> str:
        """How many elements are reduced to one, in C."""
        first, *further = self.names[self._first : self._last]
        return " * ".join((first if self.groups == 1 else f"{first} / {self.groups}", *further))

    @property
    def inner(self) -> str:
        """How many elements lie behind each that is reduced, in C."""
        return " * ".join(self.names[self._last :]) or "1"

    def broadcast(self, shape: tuple[int, ...]) -> tuple[int, ...] | None:
        """With ones in front, where it broadcasts to the elements; else None."""
        padded = (1,) * (len(self.dims) - len(shape)) + shape
        fits = len(padded) == len(self.dims) and all(mine in (1, whole) for mine, whole in zip(padded, self.dims, strict=True))
        return padded if fits else None

    def has_last(self, shape: tuple[int, ...]) -> bool:
        """Whether neighbours along the last dimension read neighbours of an array of this shape, rather than one and the same."""
        padded = self.broadcast(shape)
        return padded is not None and padded[-1] == self.dims[-1] and math.prod(shape) > 1

    def index(self, shape: tuple[int, ...]) -> str | None:
        """Where the element ``at`` finds its own in an array of this shape; None where it does not broadcast."""
        padded = self.broadcast(shape)
        if padded is None:
            return None
        if padded == self.dims:
            return "at"
        outside = {*padded[: self._first], *padded[self._last :]}
        if self.reduced and self.groups == 1 and padded[self._first : self._last] == self.dims[self._first : self._last] and outside <= {1}:
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
        """The sizes of an array that broadcasts to the elements, by name where they are equal."""
        padded = zip(reversed(shape), reversed(self.dims), reversed(self.names), strict=False)
        aligned = [name if mine == whole else str(mine) for mine, whole, name in padded]
        return (*map(str, shape[: len(shape) - len(aligned)]), *reversed(aligned))

    def names_of_rows(self, shape: tuple[int, ...]) -> tuple[str, ...]:
        """The sizes of what a reduction leaves."""
        return self.row_names if shape == self.rows else self.names_of(shape)


class Step(Record):
    """One value of the kernel."""

    name: str
    kind: str
    """``full``, ``row``, or what the elements of a row are folded by: ``sum``, ``max``, ``min``."""
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
    reads: tuple[Read, ...]
    steps: tuple[Step, ...]
    results: tuple[Step, ...]
    result_shapes: tuple[tuple[str, ...], ...]

    @property
    def function(self) -> str:
        """The launcher's name."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", self.name).lower()

    @property
    def outputs(self) -> tuple[str, ...]:
        return ("y",) if len(self.results) == 1 else tuple(f"y{number}" for number in range(len(self.results)))

    @property
    def stored(self) -> tuple[tuple[str, Step], ...]:
        """Each output with the value that it receives."""
        return tuple(zip(self.outputs, self.results, strict=True))

    @property
    def full_outputs(self) -> tuple[tuple[str, Step], ...]:
        """Those that have a value for each element."""
        return tuple((output, step) for output, step in self.stored if step.kind == "full")

    @property
    def row_outputs(self) -> tuple[tuple[str, Step], ...]:
        """Those that have a value for each row."""
        return tuple((output, step) for output, step in self.stored if step.kind != "full")

    @property
    def arrays(self) -> tuple[str, ...]:
        return (*(name for name, _ in self.inputs), *(name for name, _ in self.weights))

    def parameters(self, *further: str) -> str:
        arrays = [f"float* {name}" for name in self.outputs] + [f"const float* {name}" for name in self.arrays]
        return ", ".join((*arrays, *further, *(f"int {name}" for name in self.shape.names)))

    def arguments(self, *further: str) -> str:
        return ", ".join((*self.outputs, *self.arrays, *further, *self.shape.names))


def statements(steps: Sequence[Step], wanted: Sequence[Step], depth: int) -> list[str]:
    """Values of each element that ``wanted`` are made of, and those themselves where they are such."""
    return [f"{'    ' * depth}const {step.c_type} {step.name} = {step.text};{note(step)}" for step in needed(steps, wanted)]


def needed(steps: Sequence[Step], wanted: Sequence[Step]) -> list[Step]:
    """The values of each element among them, in order."""
    known = {step.name: step for step in steps}
    names, open_steps = set[str](), list(wanted)
    while open_steps:
        step = open_steps.pop()
        if step.kind == "full":
            names.add(step.name)
        open_steps += [known[name] for name in _NAME.findall(step.text) if known[name].kind == "full" and name not in names]
    return [step for step in steps if step.name in names]


def note(step: Step) -> str:
    return f"  // {step.call.name}" + ("" if step.call.line is None else f", line {step.call.line}")
