"""Whether values of a structured NumPy dtype lie as the kernel's struct has them: a member elsewhere would be read as another.

Example::

    demand_layout(parameter, numpy.dtype("f4,f8"), layout)      # raises BindingError: the struct has a gap behind its float
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from assistant.live.arrays import BindingError
from assistant.model.source import Parameter
from assistant.model.structs import ElementLayout

__all__ = ["demand_layout"]

_REMEDY = "give all of {name} as it is in memory, its members in their order and gaps included: NumPy's dtypes have them with align=True"


def demand_layout(parameter: Parameter, dtype: Any, layout: ElementLayout | None) -> None:
    """Raises BindingError where the dtype has another size than the struct, or a member of the same name at another place.

    Says nothing of a dtype without members, and of a struct that the text does not define (``layout`` is None).
    """
    if layout is None or not isinstance(dtype, np.dtype) or dtype.names is None:
        return
    remedy = _REMEDY.format(name=layout.name)
    kind = "values" if parameter.is_pointer else "a value"
    if dtype.itemsize != layout.size_bytes:
        if not parameter.is_pointer:
            return  # as many bytes as the parameter has are demanded of any value
        message = f"{parameter.name}: expected {layout.size_bytes} bytes for each `{layout.name}`, got {dtype.itemsize}"
        raise BindingError(message, remedy)
    places = {member.path: (member.offset_bytes, member.size_bytes) for member in layout.members}
    for path, offset, size_bytes in _members(dtype, "", 0):
        place = places.get(path)
        if place is not None and place != (offset, size_bytes):
            message = f"{parameter.name}: `{layout.name}` has {place[1]} bytes of {path} at offset {place[0]}"
            raise BindingError(f"{message}, got {kind} with {size_bytes} at offset {offset}", remedy)


def _members(dtype: Any, prefix: str, start: int) -> Iterator[tuple[str, int, int]]:
    """(path, offset, bytes) of each, also of nested ones."""
    for name in dtype.names:
        member, offset = dtype.fields[name][:2]
        if member.names is None:
            yield f"{prefix}{name}", start + offset, member.itemsize
        else:
            yield from _members(member, f"{prefix}{name}.", start + offset)
