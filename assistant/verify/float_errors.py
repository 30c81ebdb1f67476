"""Errors of an output of floats that is whole and finite, as most are: in pieces that stay in a core's cache, without a copy of it.

Example::

    quick_errors(prepared, after, original)     # Errors(rms=3.1e-07, max=1.9e-06); None where `compare` has to look closer
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, isfinite, sqrt

import numpy as np

from assistant.model.elements import ElementType
from assistant.verify.numbers import PIECE, FloatArray, bits, floats, ieee, largest
from assistant.verify.outputs import OutputBuffer
from assistant.verify.rules import PreparedOutput
from assistant.verify.tolerance import Errors

__all__ = ["piece_of", "quick_errors", "size_in_pieces"]


@ieee
def quick_errors(prepared: PreparedOutput, after: bytes, fill: int, original: bytes) -> Errors | None:
    """What `compare` measures of ``after``; None of exact outputs, and where anything but the errors may decide."""
    output, reference = prepared.output, prepared.reference
    if reference is None or not prepared.is_plain or original != prepared.runs[0].contents(output.buffer.id):
        return None
    if output.buffer.is_poisoned and _has_poison(output, after, fill):
        return None
    return size_in_pieces(reference.size, lambda places: piece_of(after, output.element, places) - reference[places])


@ieee
def size_in_pieces(count: int, values: Callable[[slice], FloatArray]) -> Errors | None:
    """Root of the mean square and largest magnitude of ``count`` values, which are asked for by their places, twice; None where one is no
    number."""
    places = [slice(start, min(start + PIECE, count)) for start in range(0, count, PIECE)]
    tops = [largest(values(piece)) for piece in places]
    if not all(map(isfinite, tops)):
        return None
    top = max(tops, default=0.0)
    if top == 0.0:
        return Errors(0.0, 0.0)
    squares = (float(np.add.reduce(np.square(values(piece) / top))) for piece in places)
    return Errors(top * sqrt(fsum(squares) / count), top)


def piece_of(data: bytes, element: ElementType, places: slice) -> FloatArray:
    """The elements at ``places`` as float64."""
    return floats(memoryview(data)[places.start * element.scalar_bytes : places.stop * element.scalar_bytes], element)


def _has_poison(output: OutputBuffer, after: bytes, fill: int) -> bool:
    """Whether an element may have been left as it was."""
    pattern = int.from_bytes(bytes([fill]) * output.element.scalar_bytes, "little")
    return bool((bits(after, output.element) == pattern).any())
