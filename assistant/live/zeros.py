"""Arrays that hold nothing but zeros, on which a check proves little: most wrong kernels make zeros of zeros, too.

Where they are floats that the kernel reads, others are drawn in their place (`zero_floats`, `drawn_values`); elsewhere a person is told
(`zeros_note`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence

import numpy as np

from assistant.live.arrays import LiveArray
from assistant.live.binding import Bound
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel
from assistant.workload.array_use import loaded, maybe_written
from assistant.workload.arrays import encode

__all__ = ["drawn_values", "zero_floats", "zeros_note"]


def zeros_note(bound: Sequence[Bound], text: str, kernel: Kernel, drawn: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """One sentence where no array that the kernel, which is in ``text``, loads has another value, in any of the launches.

    ``drawn``: those that other values were drawn for, which say more.
    """
    names = [name for name in bound[0].arrays if name in loaded(text, kernel)] if bound else []
    if not names or drawn.intersection(names) or not all(_is_zero(launch.arrays[name]) for launch in bound for name in names):
        return ()
    what = f"{names[0]} holds" if len(names) == 1 else f"{', '.join(names)} hold"
    return (f"{what} zeros alone, and {kernel.name} reads no other array: what is right on zeros may be wrong on other values; give some",)


def zero_floats(bound: Bound, text: str, kernel: Kernel) -> tuple[str, ...]:
    """The arrays of floats in which the kernel, which is in ``text``, reads zeros alone.

    Whole numbers may be places, and stay. So do arrays that are written as well: a sum often has to begin with 0. Where all that is read
    is written, as by a kernel that works in place, they are inputs.
    """
    read = loaded(text, kernel).intersection(bound.arrays)
    inputs = (read - maybe_written(text, kernel)) or read
    types = {parameter.name: parse_element_type(parameter.element_type or "") for parameter in bound.signature.parameters}
    floats = (name for name in bound.arrays if name in inputs and (element := types[name]) is not None and element.is_floating)
    return tuple(name for name in floats if _is_zero(bound.arrays[name]))


def drawn_values(bound: Bound, names: Sequence[str], seed: int, scale: float) -> Mapping[str, bytes]:
    """Other contents for these arrays: from 0 to 1 where ``scale`` is 1, as zero is most often a value of such data, else of both signs."""
    values: dict[str, bytes] = {}
    types = {parameter.name: parse_element_type(parameter.element_type or "") for parameter in bound.signature.parameters}
    for index, name in enumerate(names):
        element, random = types[name], np.random.default_rng([seed, index])
        assert element is not None
        count = bound.arrays[name].size_bytes // element.scalar_bytes
        drawn = random.random(count) if scale == 1.0 else scale * random.standard_normal(count)
        values[name] = encode(drawn, element)
    return values


def _is_zero(array: LiveArray) -> bool:
    """Not known, and so False, of an array on a GPU."""
    if not array.is_on_cpu or not array.size_bytes:
        return False
    held = (ctypes.c_ubyte * array.size_bytes).from_address(array.address)
    return not np.any(np.frombuffer(memoryview(held).cast("B"), np.uint8))
