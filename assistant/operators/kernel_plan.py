"""What a first kernel computes, before it is text: its loops, what it reads by which index, and a value for each function. Pure.

Example::

    index((n_axis,), order, lines, names)     # "at / m": where an array of n elements has that of an element of n x m
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from assistant.operators.axes import Axis
from assistant.operators.graph import FunctionCall
from assistant.record import Record

__all__ = [
    "HALVES",
    "Array",
    "KernelKind",
    "Line",
    "Plan",
    "Read",
    "Step",
    "Store",
    "added",
    "bracketed",
    "in_words",
    "index",
    "multiplied",
    "needed",
    "note",
    "statements",
    "value_type",
]

_NAME = re.compile(r"\b[vr]\d+\b")
_WORD = re.compile(r"@a(\d+)@")
_BRACKETS = re.compile(r"\([^()]*\)")
HALVES = {"__half": "__half2float(__float2half({}))", "__nv_bfloat16": "__bfloat162float(__float2bfloat16({}))"}
"""Types of 16 bits, and how a float is rounded to one."""
KernelKind = Literal["flat", "tiled", "row", "column", "scan"]


class Line(Record):
    """A variable of the kernel that counts over axes, the last one fastest."""

    name: str
    axes: tuple[Axis, ...]


class Array(Record):
    """One that a kernel is given."""

    name: str
    c_type: str

    @property
    def value_type(self) -> str:
        """Of what is computed with its elements."""
        return value_type(self.c_type)


class Read(Record):
    """An element that values are made of: of an array, or the number of a place."""

    array: Array | None
    index: str
    place: Literal["near", "one", "apart"]
    """Whether neighbours read neighbours, one and the same, or what lies apart."""
    word: str
    """What its local variables are called."""
    is_of_row: bool = False
    """Whether all elements of a row have the same."""
    is_own: bool = False
    """Whether each element has one of its own, those of a row side by side."""
    step: str = "1"
    """How far apart neighbours lie in memory, in C."""
    is_aligned: bool = True
    """Whether four neighbours can be read at once, where sizes are multiples of four."""
    condition: str = ""
    """In C: where it does not hold there is nothing to read, and no value is made of it; empty: there always is."""

    @property
    def is_vector(self) -> bool:
        return self.place == "near" and self.is_aligned


class Step(Record):
    """One value of the kernel; its text has a word like ``@a3@`` for each read."""

    name: str
    kind: str
    """``full``, ``row``, or what the elements of a row are folded by: ``sum``, ``max``, ``min``, ``running_sum``, ``running_product``."""
    text: str
    c_type: str
    call: FunctionCall | None


class Store(Record):
    """What an output receives."""

    array: Array
    step: Step
    index: str
    is_full: bool
    """For each element; else for each row."""


class Plan(Record):
    """One kernel."""

    kind: KernelKind
    function: str
    """The name of its host function."""
    model: str
    arrays: tuple[Array, ...]
    """Those that are read."""
    sizes: tuple[str, ...]
    """Names of sizes."""
    reads: tuple[Read, ...]
    steps: tuple[Step, ...]
    stores: tuple[Store, ...]
    outer: str
    """How many rows there are, in C; with dimensions behind what is reduced, how many times all of those."""
    columns: str
    """How many elements are reduced to one."""
    inner: str
    """How many elements lie behind each that is reduced."""
    last: str
    """The size of the last axis."""
    tile: tuple[str, str] | None = None
    """Of a tiled kernel: the sizes of the axis that arrays are read along, and of the last one."""
    is_part: bool = False
    """Whether another function of the file calls it."""

    @property
    def linkage(self) -> str:
        return "static " if self.is_part else ""

    @property
    def full_stores(self) -> tuple[Store, ...]:
        return tuple(store for store in self.stores if store.is_full)

    @property
    def row_stores(self) -> tuple[Store, ...]:
        return tuple(store for store in self.stores if not store.is_full)

    def parameters(self, *further: str) -> str:
        return self._parameters("* ", further)

    def kernel_parameters(self, *further: str) -> str:
        """No two arrays overlap: what is read next need not wait for what is written."""
        return self._parameters("* __restrict__ ", further)

    def arguments(self, *further: str) -> str:
        return ", ".join((*(store.array.name for store in self.stores), *(array.name for array in self.arrays), *further, *self.sizes))

    def _parameters(self, pointer: str, further: Sequence[str]) -> str:
        arrays = [f"{store.array.c_type}{pointer}{store.array.name}" for store in self.stores]
        arrays += [f"const {array.c_type}{pointer}{array.name}" for array in self.arrays]
        return ", ".join((*arrays, *further, *(f"int {name}" for name in self.sizes)))


def value_type(c_type: str) -> str:
    """16 bits are widened when they are read, and rounded when they are written."""
    return "float" if c_type in HALVES else c_type


def multiplied(words: Iterable[str]) -> str:
    """A product in C."""
    factors = [f"({word})" if number and " / " in word else word for number, word in enumerate(words)]
    return " * ".join(factors) or "1"


def added(words: Iterable[str]) -> str:
    """A sum in C; of numbers, a number."""
    summands = list(words)
    return str(sum(map(int, summands))) if all(word.isdigit() for word in summands) else " + ".join(summands)


def bracketed(word: str, sign: str = " ") -> str:
    """In brackets, where ``sign`` stands in it outside of brackets."""
    bare, inner = word, None
    while bare != inner:
        inner, bare = bare, _BRACKETS.sub("", bare)
    return f"({word})" if sign in bare else word


def index(axes: Sequence[Axis], order: Sequence[Axis], lines: Sequence[Line], names: Mapping[str, str]) -> str:
    """Where an array with these axes has the element that the lines stand at; ``order``: axes of the variable ``at``."""
    if order and tuple(axes) == tuple(order):
        return "at"
    parts: list[str] = []
    rest = list(axes)
    while rest:
        line = next(line for line in lines if rest[0] in line.axes)
        first = line.axes.index(rest[0])
        count = 1
        while count < len(rest) and first + count < len(line.axes) and rest[count] == line.axes[first + count]:
            count += 1
        run, rest = rest[:count], rest[count:]
        behind = multiplied(names[axis.label] for axis in line.axes[first + count :])
        place = line.name if behind == "1" else f"{line.name} / {bracketed(behind)}"
        if first:
            whole = multiplied(names[axis.label] for axis in run)
            place = f"{place} % {bracketed(whole)}"
        step = multiplied(names[axis.label] for axis in rest)
        parts.append(place if step == "1" else f"{place} * {bracketed(step)}")
    return " + ".join(parts) or "0"


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


def in_words(text: str, words: Mapping[int, str]) -> str:
    """A step's text with these words for its reads."""
    return _WORD.sub(lambda match: words[int(match[1])], text)


def note(step: Step) -> str:
    if step.call is None:
        return ""
    return f"  // {step.call.name}" + ("" if step.call.line is None else f", line {step.call.line}")
