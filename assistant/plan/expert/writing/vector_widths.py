"""Which vectors move the elements behind several pointers: as many as fill the widest access with the largest of them, or half as many.

Example::

    types = vector_types(context, function, (("x", "float"), ("flags", "unsigned char")))    # four of each
    [each.count for each in narrower_types(types)]                                          # [4, 2]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assistant.cuda.element_size import element_size_bytes
from assistant.cuda.functions import Function
from assistant.model.plan import DeclineReason
from assistant.plan.expert.analysis.element_types import plain_type
from assistant.plan.expert.analysis.template_types import instance_types
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.vector_types import VectorTypes

__all__ = ["narrower_types", "vector_types"]

_WIDEST_BYTES = 16
"""CUDA C++ Programming Guide, "Device Memory Accesses": a global access is of 1, 2, 4, 8 or 16 bytes."""
_SHARES = (1, 2)
"""Of the widest access, the most promising first: half of it needs fewer registers, and leaves more blocks of a small grid."""
_SIZES = (1, 2, 4, 8)


def narrower_types(types: VectorTypes) -> Iterator[VectorTypes]:
    """Vectors that are worth a try, each of two elements at least and of a size that accesses have."""
    for count in (types.count // share for share in _SHARES):
        if count == types.count or (count > 1 and min(types.sizes.values()) * count >= min(_SIZES[1:])):
            yield VectorTypes(count, types.plain_types, types.sizes)


def vector_types(context: TransformationContext, function: Function, pointers: Iterable[tuple[str, str]]) -> VectorTypes | Obstacle:
    """The widest vectors. ``pointers``: each with the type of its elements, as written."""
    plain_types: dict[str, str] = {}
    sizes: dict[str, int] = {}
    for name, kind in pointers:
        instances = instance_types(context.tree, function, kind)
        spelled = next(iter(instances)) if instances is not None and len(instances) == 1 else kind
        plain = plain_type(context.tree, spelled)
        size = element_size_bytes(context.tree.program, plain)
        if size not in _SIZES:
            known = "of more than 8 bytes already" if size is not None else "of a type whose size is not known here"
            return Obstacle(DeclineReason.TYPE_UNKNOWN, f"the elements of `{name}` are {known}; it takes numbers of 1, 2, 4 or 8 bytes")
        plain_types[name], sizes[name] = plain, size
    count = _WIDEST_BYTES // max(sizes.values())
    if min(sizes.values()) * count < min(_SIZES[1:]):
        return Obstacle(DeclineReason.NO_GAIN, "the widest element leaves no room for a second one in 16 bytes")
    return VectorTypes(count, plain_types, sizes)
