"""Losses of class numbers as functions that rules write: the loss of each row, then what becomes of all rows. Pure.

Example::

    with_plain_losses(graph)     # nll_loss_forward(x, target, None, 1, -100) → nll_loss_of_row, nll_loss_mean
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from assistant.operators.graph import FunctionCall, Graph, TensorUse

__all__ = ["LOSS_MEAN", "LOSS_OF_ROW", "with_plain_losses"]

LOSS_OF_ROW, LOSS_MEAN = "nll_loss_of_row", "nll_loss_mean"
_NONE, _MEAN = 0, 1
"""How PyTorch numbers what becomes of the losses of rows; else they are added up."""
_OF_ROWS = 2
"""Dimensions: rows, and a number for each class."""
_BYTES = 4
"""Of a float32."""


def with_plain_losses(graph: Graph) -> Graph:
    """The same model; losses with weights of their classes, and of images, stay as they are."""
    free = count(1 + max((use.memory for call in graph.calls for use in (*call.reads, *call.writes)), default=0))
    return replace(graph, calls=tuple(each for call in graph.calls for each in _taken_apart(call, free)))


def _taken_apart(call: FunctionCall, free: Iterator[int]) -> Iterator[FunctionCall]:
    x, target, weight, reduction, ignored = (*call.arguments, *(None,) * 5)[:5]
    if call.name != "nll_loss_forward" or not isinstance(x, TensorUse) or weight is not None or len(x.shape) != _OF_ROWS:
        yield call
        return
    loss = call.writes[0]
    rows = loss if reduction == _NONE else TensorUse(next(free), _BYTES * x.shape[0], loss.dtype, x.shape[:1], is_whole=True)
    yield replace(call, name=LOSS_OF_ROW, kind="rows", writes=(rows,), arguments=(x, target, ignored))
    if reduction == _NONE:
        return
    if reduction == _MEAN:
        yield replace(
            call, name=LOSS_MEAN, kind="reduction", reads=(rows, *call.reads[1:]), writes=(loss,), arguments=(rows, target, ignored)
        )
    else:
        yield replace(call, name="sum", kind="reduction", reads=(rows,), writes=(loss,), arguments=(rows,))
