"""The first kernels of a model whose functions work element by element or row by row, written by rules as a ``.cu`` with its table.

Each value of PyTorch becomes a local variable of its own: what is computed from it is in the same kernel, so that nothing between the
functions is written to memory. Where functions reduce different dimensions, each of them has a kernel, one after the other. Pure. Example::

    first_kernel(graph, "Model", ("x", "bias"))     # FirstKernel(text='/* kernelopt\\n[operator]…')
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Mapping, Sequence

from assistant.operators.axes import NoLayoutError
from assistant.operators.class_losses import with_plain_losses
from assistant.operators.graph import Graph, TensorUse
from assistant.operators.origins import C_TYPES, TYPES_IN_WORDS, Given, RefusedError, sources_of
from assistant.operators.planning import planned
from assistant.operators.written_kernel import written
from assistant.record import Record

__all__ = ["Declined", "FirstKernel", "first_kernel"]

_RESERVED = frozenset({
    "n", "m", "b", "c", "d", "h", "w", "y", "p", "q", "at", "row", "i", "k", "e", "count", "columns", "rows", "inner", "outer", "column",
    "end", "tiles", "width", "depth", "threads", "blocks", "lines", "line", "part", "parts", "term", "begin", "p_size", "q_size", "p_tiles",
    "q_tiles", "p_begin", "q_begin", "warps", "of_warp", "has_fours", "per_block", "per_thread", "splits", "needed",
    "most", "enough", "place", "stride", "side", "left", "load", "store", "add_to", "merged", "is_aligned",
    "float", "int", "long", "bool", "const", "for", "if", "else", "void", "double", "char", "short", "struct", "unsigned", "signed",
    "switch", "default", "do", "auto", "template",
})  # fmt: skip
"""Names that the written text has, and words of C++."""
_MOST_CALLS = 64
_MOST_DIMENSIONS = 5


class FirstKernel(Record):
    """A candidate."""

    text: str
    """Of a ``.cu`` file."""
    is_for_any_model: bool
    """Whether no size of this model stands in it as a number."""


class Declined(Record):
    """Why rules do not write one, in one sentence."""

    reason: str


def first_kernel(graph: Graph, name: str, parameters: Sequence[str]) -> FirstKernel | Declined:
    """``name``: of the model's class; ``parameters``: of its ``forward``."""
    graph = with_plain_losses(graph)
    try:
        _check_size(graph)
        given = _arrays(graph, parameters)
        program = planned(graph, name, list(given.values()), sources_of(graph, given))
        return FirstKernel(written(program), program.is_for_any_model)
    except RefusedError as refused:
        return Declined(str(refused))
    except NoLayoutError:
        return Declined("it views tensors in a way that rules do not follow")


def _check_size(graph: Graph) -> None:
    if not graph.calls or len(graph.calls) > _MOST_CALLS:
        raise RefusedError(f"it has {len(graph.calls)} function calls, rules take 1 to {_MOST_CALLS}")
    most = max(len(use.shape) for use in (*graph.given, *graph.results)) if graph.given else 0
    if most > _MOST_DIMENSIONS:
        raise RefusedError(f"its tensors have {most} dimensions, rules take 1 to {_MOST_DIMENSIONS}")


def _arrays(graph: Graph, parameters: Sequence[str]) -> Mapping[int, Given]:
    """By memory."""
    found: dict[int, Given] = {}
    for number, value in enumerate(graph.inputs):
        name = parameters[number] if number < len(parameters) else f"x{number}"
        if not isinstance(value, TensorUse):
            raise RefusedError(f"{name} is no tensor")
        if value.dtype not in C_TYPES:
            raise RefusedError(f"{name} is {value.dtype}, rules take {TYPES_IN_WORDS}")
        if not _has_each_once(value):
            raise RefusedError(f"{name} is expanded: one element of its memory stands for several")
        if value.memory in found:
            raise RefusedError(f"{name} and {found[value.memory].name} share their memory")
        found[value.memory] = Given(_identifier(name), value)
    for name, use in graph.weights:
        if use.dtype in C_TYPES and math.prod(use.shape) * _BYTES[use.dtype] == use.bytes:
            found.setdefault(use.memory, Given(_identifier(name), use, name))
    if len({each.name for each in found.values()}) != len(found):
        raise RefusedError("inputs and weights have names that are equal in C")
    return found


def _has_each_once(use: TensorUse) -> bool:
    """Whether each element has a place of its own in memory: a launcher is given such a tensor row by row, wherever it lay."""
    room = 1
    for step, size in sorted((step, size) for step, size in zip(use.steps, use.shape, strict=True) if size > 1):
        if step < room:
            return False
        room = step * size
    return True


_BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8, "bool": 1, "int64": 8, "int32": 4}


def _identifier(name: str) -> str:
    word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
    is_taken = word in _RESERVED or keyword.iskeyword(word) or (word[:1] in "vrsynmk" and word[1:].isdigit())
    return f"{word}_in" if is_taken else word
