"""Tensors one behind the other along a dimension: what is read of each, and how far each reaches, which inputs may say. Pure.

Example::

    [(use, window)] = joined_parts(made, call, 0, (Axis("r12x8.0", 12),), sources)
    end_word(window)    # "@zr12x8.0.1.0@": what `with_ends` puts a size in the place of
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from assistant.operators.axes import FIXED, Axis, Window
from assistant.operators.graph import FunctionCall, TensorUse
from assistant.operators.kernel_plan import added
from assistant.operators.origins import Made, RefusedError, place_of
from assistant.operators.raw_kernel import Sources

__all__ = ["END_MARK", "end_word", "joined_parts", "with_ends"]

END_MARK = "z"
_END = re.compile(rf"@{END_MARK}([^@]+)@")
"""The labels of axes, whose sizes together are meant."""


def joined_parts(
    made: Made, call: FunctionCall, place: int, axes: tuple[Axis, ...], sources: Sources
) -> Iterator[tuple[TensorUse, Window]]:
    """Each tensor of ``call.arguments[0]``, and what is read of it along its dimension ``place``; ``axes``: of the result's. Raises
    RefusedError."""
    tensors = call.arguments[0]
    assert isinstance(tensors, tuple)
    uses = [each for each in tensors if isinstance(each, TensorUse) and each.dtype == made.use.dtype and each.shape[place]]
    if len(uses) < len(tensors):
        raise RefusedError(f"{place_of(call)} joins tensors of several types, or an empty one")
    steps = tuple(math.prod(axis.size for axis in axes[number + 1 :]) for number in range(len(axes)))
    is_last = math.prod(made.use.shape[place + 1 :]) == 1  # four neighbours could be of two of them
    can_differ = not is_last and len(axes) == 1 and not axes[0].parent
    reaches: list[Axis] = []
    for number, use in enumerate(uses):
        label, size = f"{axes[0].label}.{made.place}.{number}", use.shape[place]
        own = sources.parts(label, size)
        reaches.append(own[0] if can_differ and len(own) == 1 else Axis(f"{FIXED}{label}", size))
    for number, use in enumerate(uses):
        yield use, Window(axes, steps, 0, use.shape[place], tuple(reaches), number)


def end_word(window: Window) -> str:
    """For the place where the next one begins."""
    return f"@{END_MARK}{','.join(axis.label for axis in (*window.before, window.reach))}@"


def with_ends(text: str, names: Mapping[str, str]) -> str:
    """A step's text with sizes in C in the place of such words."""
    return _END.sub(lambda match: added(names[label] for label in match[1].split(",")), text)
