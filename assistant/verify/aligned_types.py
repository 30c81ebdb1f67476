"""Casts to vector types whose alignment nothing promises: a struct's own declaration may.

Example::

    aligned = aligned_parameters(text, kernels)     # {"bodies": 16} of struct __align__(16) Body, passed as const Body *bodies
    unpromised_casts(code, aligned)                 # without reinterpret_cast<const float4 *>(bodies)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assistant.cuda.code_text import blanked
from assistant.cuda.vector_casts import VectorCast, aligned_structs, vector_casts
from assistant.model.elements import parse_element_type
from assistant.model.source import Kernel

__all__ = ["aligned_parameters", "unpromised_casts"]

_WIDE_BYTES = 16
"""Size of the widest access."""


def aligned_parameters(text: str, kernels: Iterable[Kernel]) -> dict[str, int]:
    """Pointers to structs that ask for an alignment of 16 bytes or more: the alignment in bytes, by the parameter's name."""
    structs = {name: size for name, size in aligned_structs(blanked(text)).items() if size >= _WIDE_BYTES}
    pointers = (parameter for kernel in kernels for parameter in kernel.parameters if parameter.is_pointer)
    return {p.name: structs[p.element_type] for p in pointers if p.element_type in structs}


def unpromised_casts(code: str, aligned: Mapping[str, int]) -> tuple[VectorCast, ...]:
    """Casts to vector types in code without comments, but for those of ``aligned`` pointers."""
    return tuple(cast for cast in vector_casts(code) if not _is_promised(cast, aligned))


def _is_promised(cast: VectorCast, aligned: Mapping[str, int]) -> bool:
    element = parse_element_type(cast.text)
    return element is not None and aligned.get(cast.operand, 0) >= element.alignment_bytes
