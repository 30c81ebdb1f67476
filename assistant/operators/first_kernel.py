"""The first kernel of a model whose functions work element by element or row by row, written by rules as a ``.cu`` with its table.

Each value of PyTorch becomes a local variable of its own: what is computed from it is in the same kernel, so that nothing between the
functions is written to memory. Pure. Example::

    first_kernel(graph, "Model", ("x", "bias"))     # FirstKernel(text='/* kernelopt\\n[operator]…')
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping, Sequence

from assistant.operators.graph import FunctionCall, Graph, TensorUse
from assistant.operators.kernel_plan import Plan, Read, Shape, Step
from assistant.operators.pointwise import Word, constant, expression
from assistant.operators.row_functions import RowFunction, row_function
from assistant.operators.written_kernel import written
from assistant.record import Record

__all__ = ["Declined", "FirstKernel", "first_kernel"]

_FLOAT, _BOOL = "float32", "bool"
_DIMS = {1: ("n",), 2: ("n", "m"), 3: ("b", "n", "m"), 4: ("b", "c", "h", "w")}
_RESERVED = frozenset({
    "n", "m", "b", "c", "h", "w", "y", "at", "row", "i", "k", "e", "count", "columns", "rows", "inner", "outer", "column", "end",
    "tiles", "width", "depth", "threads", "blocks", "lines", "part", "term", "float", "int", "long",
    "bool", "const", "for", "if", "else", "void", "double", "char", "short", "struct", "unsigned", "signed", "switch", "default",
    "do", "auto", "template",
})  # fmt: skip
"""Names that the written text has, and words of C++."""
_MOST_CALLS = 64


class FirstKernel(Record):
    """A candidate."""

    text: str
    """Of a ``.cu`` file."""


class Declined(Record):
    """Why rules do not write one, in one sentence."""

    reason: str


class _RefusedError(Exception):
    """Rules do not write this."""


def first_kernel(graph: Graph, name: str, parameters: Sequence[str]) -> FirstKernel | Declined:
    """``name``: of the model's class; ``parameters``: of its ``forward``."""
    try:
        return FirstKernel(written(_Writer(graph, name, parameters).plan()))
    except _RefusedError as refused:
        return Declined(str(refused))


class _Writer:
    def __init__(self, graph: Graph, name: str, parameters: Sequence[str]) -> None:
        self._graph = graph
        self._name = name
        self._shape = _shape(graph)
        self._steps: list[Step] = []
        self._values: dict[int, Step] = {}
        """What each memory holds, once it is computed."""
        self._arrays = _arrays(graph, parameters)
        self._used: set[str] = set()
        self._reads: set[Read] = set()

    def plan(self) -> Plan:
        for call in self._graph.calls:
            self._take(call)
        results = [self._values.get(use.memory) for use in self._graph.results]
        for use, step in zip(self._graph.results, results, strict=True):
            if step is None or use.dtype != _FLOAT or not use.is_whole:
                raise _RefusedError("a result is no tensor of float32 that its functions compute")
        used = [each for each in self._arrays.values() if each[0] in self._used]
        rows = [step is not None and step.kind != "full" for step in results]
        return Plan(
            name=self._name,
            shape=self._shape,
            inputs=tuple((name, self._dims_of(use)) for name, use, weight in used if weight is None),
            weights=tuple((name, weight) for name, _, weight in used if weight is not None),
            given=tuple((name, self._dims_of(use)) for name, use, weight in self._arrays.values() if weight is None),
            reads=tuple(sorted(self._reads)),
            steps=tuple(self._steps),
            results=tuple(step for step in results if step is not None),
            result_shapes=tuple(
                self._shape.names_of_rows(use.shape) if is_row else self._dims_of(use)
                for use, is_row in zip(self._graph.results, rows, strict=True)
            ),
        )

    def _take(self, call: FunctionCall) -> None:
        if call.kind in ("rows", "reduction"):
            found = row_function(call)
            if found is None:
                raise _RefusedError(f"{_place(call)} is a reduction that rules do not write")
            self._take_rows(call, found)
            return
        if call.kind != "pointwise" or len(call.writes) != 1:
            raise _RefusedError(f"{_place(call)} is neither element by element nor a reduction")
        dtype, is_row = call.writes[0].dtype, self._is_row(call.writes[0], call)
        if dtype not in (_FLOAT, _BOOL):
            raise _RefusedError(f"{_place(call)} leaves {dtype}, rules write float32")
        words = tuple(self._word(argument, call, is_row=is_row) for argument in call.arguments)
        text = expression(call.name, words, {key: self._word(value, call, is_row=is_row) for key, value in call.named})
        if text is None:
            raise _RefusedError(f"{_place(call)} is a function that rules do not write")
        self._add(call.writes[0], "row" if is_row else "full", text, call, "bool" if dtype == _BOOL else "float")

    def _take_rows(self, call: FunctionCall, found: RowFunction) -> None:
        shape = call.reads[0].shape if call.reads else ()
        if shape != self._shape.dims or _reduced(shape, found, call) != (self._shape.reduced, self._shape.behind, self._shape.groups):
            raise _RefusedError(f"{_place(call)} reduces other dimensions than the functions before it")
        operands = {key: constant(self._word(argument, call, is_row=False)) for key, argument in found.operands}
        names = {"x": constant(self._word(call.arguments[0], call, is_row=False)), "columns": "columns"} | operands
        for stage in found.stages:
            step = Step(f"{'v' if stage.kind == 'full' else 'r'}{len(self._steps)}", stage.kind, stage.text.format(**names), "float", call)
            names[stage.name] = step.name
            self._steps.append(step)
            if stage.output is not None and stage.output < len(call.writes):
                self._values[call.writes[stage.output].memory] = step

    def _add(self, use: TensorUse, kind: str, text: str, call: FunctionCall, c_type: str) -> None:
        if any(use.memory == given.memory for given in self._graph.given):
            raise _RefusedError(f"{_place(call)} changes an input")
        step = Step(f"{'v' if kind == 'full' else 'r'}{len(self._steps)}", kind, text, c_type, call)
        self._steps.append(step)
        self._values[use.memory] = step

    def _is_row(self, use: TensorUse, call: FunctionCall) -> bool:
        if math.prod(use.shape) == self._shape.count and use.shape == self._shape.dims:
            return False
        if self._shape.reduced and all(self._is_known_row(read) for read in call.reads) and self._has_rows(use.shape):
            return True
        raise _RefusedError(f"{_place(call)} computes {list(use.shape)} for elements of {list(self._shape.dims)}, which rules do not write")

    def _is_known_row(self, use: TensorUse) -> bool:
        step = self._values.get(use.memory)
        return math.prod(use.shape) == 1 or (step is not None and step.kind != "full")

    def _has_rows(self, shape: tuple[int, ...]) -> bool:
        return self._shape.groups == 1 and shape in (self._shape.rows, self._shape.kept_rows)

    def _word(self, argument: object, call: FunctionCall, *, is_row: bool) -> Word:
        if argument is None or isinstance(argument, bool | int | float | str):
            return argument
        if not isinstance(argument, TensorUse):
            raise _RefusedError(f"{_place(call)} is given a list")
        step = self._values.get(argument.memory)
        if argument.dtype not in (_FLOAT, _BOOL):
            raise _RefusedError(f"{_place(call)} reads {argument.dtype}, rules write float32")
        if not argument.is_whole:
            raise _RefusedError(f"{_place(call)} reads a tensor that is transposed, expanded or a part of another one")
        if step is None:
            return self._given(argument, call, is_row=is_row)
        if step.kind == "full":
            if argument.shape != self._shape.dims:
                raise _RefusedError(f"{_place(call)} reads a value in another shape")
        elif not is_row and self._shape.broadcast(argument.shape) != self._shape.kept_rows:
            raise _RefusedError(f"{_place(call)} reads a row's value in another shape")
        return step.name

    def _given(self, use: TensorUse, call: FunctionCall, *, is_row: bool) -> str:
        known = self._arrays.get(use.memory)
        if known is None or use.dtype != _FLOAT:
            raise _RefusedError(f"{_place(call)} reads what is no input and no weight of float32")
        index = "0" if math.prod(use.shape) == 1 else None if is_row else self._shape.index(use.shape)
        if index is None:
            raise _RefusedError(f"{_place(call)} reads {list(use.shape)} next to {list(self._shape.dims)}")
        self._used.add(known[0])
        if not is_row:
            self._reads.add((known[0], index, self._shape.has_last(use.shape)))
        return f"{known[0]}[{index}]"

    def _dims_of(self, use: TensorUse) -> tuple[str, ...]:
        return self._shape.names_of(use.shape)


def _shape(graph: Graph) -> Shape:
    """The largest that a function reads or writes: what a thread, or a block, is one element or row of."""
    if not graph.calls or len(graph.calls) > _MOST_CALLS:
        raise _RefusedError(f"it has {len(graph.calls)} function calls, rules take 1 to {_MOST_CALLS}")
    uses = [use for call in graph.calls for use in (*call.reads, *call.writes)]
    dims = max((use.shape for use in uses), key=lambda shape: (math.prod(shape), len(shape)))
    if not 1 <= len(dims) <= max(_DIMS):
        raise _RefusedError(f"its tensors have {len(dims)} dimensions, rules take 1 to {max(_DIMS)}")
    reducing = ((call, row_function(call)) for call in graph.calls if call.kind in ("rows", "reduction"))
    call, found = next(((call, function) for call, function in reducing if function is not None), (None, None))
    if call is None or found is None:
        return Shape(dims, _DIMS[len(dims)])
    return Shape(dims, _DIMS[len(dims)], *_reduced(call.reads[0].shape if call.reads else dims, found, call))


def _reduced(shape: tuple[int, ...], found: RowFunction, call: FunctionCall) -> tuple[int, int, int]:
    """How many dimensions a function reduces, how many come behind them, and into how many groups it splits the first."""
    places = sorted({place % max(1, len(shape)) for place in found.places or range(len(shape))})
    if not places or places != list(range(places[0], places[-1] + 1)):
        raise _RefusedError(f"{_place(call)} reduces dimensions that do not stand side by side")
    return len(places), len(shape) - places[-1] - 1, found.groups


def _arrays(graph: Graph, parameters: Sequence[str]) -> Mapping[int, tuple[str, TensorUse, str | None]]:
    """By memory: the name in the kernel, the tensor, and the weight's name."""
    found: dict[int, tuple[str, TensorUse, str | None]] = {}
    for number, value in enumerate(graph.inputs):
        name = parameters[number] if number < len(parameters) else f"x{number}"
        if not isinstance(value, TensorUse):
            raise _RefusedError(f"{name} is no tensor")
        if value.dtype != _FLOAT:
            raise _RefusedError(f"{name} is {value.dtype}, rules take float32")
        if not value.is_whole:
            raise _RefusedError(f"{name} is transposed, expanded or a part of another tensor")
        found[value.memory] = (_identifier(name), value, None)
    for name, use in graph.weights:
        found.setdefault(use.memory, (_identifier(name), use, name))
    if len({name for name, _, _ in found.values()}) != len(found):
        raise _RefusedError("inputs and weights have names that are equal in C")
    return found


def _identifier(name: str) -> str:
    word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    return f"{word}_in" if word in _RESERVED or keyword.iskeyword(word) or (word[:1] in "vr" and word[1:].isdigit()) else word


def _place(call: FunctionCall) -> str:
    return call.name if call.line is None else f"{call.name} (line {call.line})"
