"""Errors of an output of floats that is whole and finite, as most are: in pieces that stay in a core's cache, without a copy of it.

Example::

    quick_errors(prepared, after, original)     # Errors(rms=3.1e-07, max=1.9e-06); None where `compare` has to look closer
"""

from __future__ import annotations

from math import fsum, isfinite, sqrt

import numpy as np

from assistant.model.elements import ElementType
from assistant.verify.numbers import PIECE, FloatArray, bits, floats, ieee, largest
from assistant.verify.outputs import OutputBuffer
from assistant.verify.rules import PreparedOutput
from assistant.verify.tolerance import Errors

__all__ = ["quick_errors"]


@ieee
def quick_errors(prepared: PreparedOutput, after: bytes, fill: int, original: bytes) -> Errors | None:
    """What `compare` measures of ``after``; None of exact outputs, and where anything but the errors may decide."""
    output, reference = prepared.output, prepared.reference
    if reference is None or not prepared.is_plain or original != prepared.runs[0].contents(output.buffer.id):
        return None
    if output.buffer.is_poisoned and _has_poison(output, after, fill):
        return None
    top = 0.0
    for start in range(0, reference.size, PIECE):
        top_here = largest(_difference(after, output.element, reference, start))
        if not isfinite(top_here):
            return None
        top = max(top, top_here)
    if top == 0.0:
        return Errors(0.0, 0.0)
    squares = (np.square(_difference(after, output.element, reference, start) / top) for start in range(0, reference.size, PIECE))
    return Errors(top * sqrt(fsum(float(np.add.reduce(piece)) for piece in squares) / reference.size), top)


def _difference(after: bytes, element: ElementType, reference: FloatArray, start: int) -> FloatArray:
    """Of one piece, from the float64 truth; not finite where a value is not."""
    end, size = min(start + PIECE, reference.size), element.scalar_bytes
    difference = floats(memoryview(after)[start * size : end * size], element)
    difference -= reference[start:end]
    return difference


def _has_poison(output: OutputBuffer, after: bytes, fill: int) -> bool:
    """Whether an element may have been left as it was."""
    pattern = int.from_bytes(bytes([fill]) * output.element.scalar_bytes, "little")
    return bool((bits(after, output.element) == pattern).any())
