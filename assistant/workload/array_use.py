"""Where a kernel reaches into its arrays: the index of every access, through pointers set from them too.

Example::

    indices("in", read_kernel("const float *row = in + y * n; s = row[x];"), 4)   # ((Part('y * n', 1), Part('x', 1)),)
"""

from __future__ import annotations

import re

from assistant.model.elements import parse_element_type
from assistant.record import Record
from assistant.workload.kernel_text import KernelText, closing, expression_at
from assistant.workload.polynomial import ONE, ZERO, Polynomial
from assistant.workload.ranges import Ranges, probe

__all__ = ["Part", "highest_index", "indices", "is_accumulated", "is_only_stored", "is_used_as_index"]

_CAST_BEFORE = re.compile(
    r"(?:reinterpret_cast\s*<\s*(?:const\s+)?([\w ]+?)\s*(?:const\s*)?\*[^<>]*>\s*\("
    r"|\(\s*(?:const\s+)?([\w ]+?)\s*(?:const\s*)?\*\s*\))\s*$"
)
_SET_BEFORE = re.compile(r"([A-Za-z_]\w*)\s*=\s*$")
_CALL_BEFORE = re.compile(r"\b(atomic\w+|__ldg|__ldc[a-z]|__stc[a-z])\s*\(\s*$")
_MAX_POINTERS = 4


class Part(Record):
    """One summand of an index."""

    expression: str
    scale: int
    """Elements per step."""


def indices(name: str, kernel: KernelText, element_bytes: int) -> tuple[tuple[Part, ...], ...] | None:
    """The index of each access to an array as summands; None where a use of it is not understood."""
    try:
        return tuple(_uses(name, kernel, element_bytes, 1, (), 0))
    except _UnknownUseError:
        return None


def highest_index(accesses: tuple[tuple[Part, ...], ...], ranges: Ranges) -> Polynomial | None:
    """The largest index of all accesses; None where one cannot be told, or where there are none."""
    highs: list[Polynomial] = []
    for parts in accesses:
        total = ZERO
        for part in parts:
            high = ranges.highest(part.expression)
            if high is None:
                return None
            total += Polynomial.of(part.scale) * high
        highs.append(total + Polynomial.of(parts[-1].scale) - ONE)
    return max(highs, key=probe, default=None)


def is_only_stored(name: str, kernel: KernelText) -> bool:
    """Every use is a plain store to an element."""
    uses = [match.end() for match in re.finditer(rf"\b{re.escape(name)}\b", kernel.code)]
    return bool(uses) and all(_is_store(kernel.code, end) for end in uses)


def is_accumulated(name: str, kernel: KernelText) -> bool:
    """An ``atomicAdd`` goes to it."""
    return re.search(rf"\batomicAdd\w*\s*\(\s*&?\s*{re.escape(name)}\b", kernel.code) is not None


def is_used_as_index(name: str, kernel: KernelText) -> bool:
    """An element of it stands inside another array's brackets, itself or by a variable that it was read into."""
    holders = {holder for holder, values in kernel.set_to.items() if any(re.match(rf"{re.escape(name)}\s*\[", v) for v in values)}
    words = "|".join([rf"{re.escape(name)}\s*\[", *(rf"{re.escape(holder)}\b" for holder in holders)])
    return re.search(rf"\w\s*\[[^;\]]*\b(?:{words})", kernel.code) is not None


class _UnknownUseError(Exception):
    """Leaves the reading; never escapes this module."""


def _uses(name: str, kernel: KernelText, element_bytes: int, scale: int, before: tuple[Part, ...], depth: int) -> list[tuple[Part, ...]]:
    """Accesses through ``name``, which points ``before`` into the array and steps ``scale`` of its elements at a time."""
    if depth > _MAX_POINTERS or name in kernel.growing:
        raise _UnknownUseError
    found: list[tuple[Part, ...]] = []
    for match in re.finditer(rf"(?<![.>])\b{re.escape(name)}\b", kernel.code):
        if re.match(r"\s*=(?!=)", kernel.code[match.end() :]):
            continue  # where the pointer itself is set
        found.extend(_use(kernel, match.start(), match.end(), element_bytes, scale, before, depth))
    return found


def _use(
    kernel: KernelText, start: int, end: int, element_bytes: int, scale: int, before: tuple[Part, ...], depth: int
) -> list[tuple[Part, ...]]:
    code, lead = kernel.code, kernel.code[:start]
    cast = _CAST_BEFORE.search(lead)
    step = scale
    if cast is not None:
        element = parse_element_type((cast[1] or cast[2]).strip())
        if element is None or (scale * element.size_bytes) % element_bytes:
            raise _UnknownUseError
        lead = lead[: cast.start()]
        inner = _offset(code, end)
        if cast[1] is not None:
            close = code.index(")", end + len(inner[1])) if ")" in code[end:] else end
            before, end = (*before, Part(inner[0], scale)), close + 1
        step = element.size_bytes // element_bytes
    following = code[end:].lstrip()
    if following.startswith("["):
        opening = code.index("[", end)
        access = (*before, Part(code[opening + 1 : closing(code, opening)], step))
        return [access, *_held(kernel, lead, before, opening, step, element_bytes, depth)]
    offset, _ = _offset(code, end)
    held = _SET_BEFORE.search(lead)
    if held is not None:
        return _uses(held[1], kernel, element_bytes, step, (*before, Part(offset, step)), depth + 1)
    if re.search(r"\*\s*\(?\s*$", lead) or _CALL_BEFORE.search(lead):
        return [(*before, Part(offset, step))]
    raise _UnknownUseError


def _held(
    kernel: KernelText, lead: str, before: tuple[Part, ...], opening: int, step: int, element_bytes: int, depth: int
) -> list[tuple[Part, ...]]:
    """Accesses through a pointer that is set to ``&array[index]``."""
    held = re.search(r"([A-Za-z_]\w*)\s*=\s*&\s*$", lead)
    if held is None:
        return []
    index = kernel.code[opening + 1 : closing(kernel.code, opening)]
    return _uses(held[1], kernel, element_bytes, step, (*before, Part(index, step)), depth + 1)


def _offset(code: str, end: int) -> tuple[str, str]:
    """(what is added to the pointer that ends at ``end``, the text that says so); ``0`` where nothing is."""
    match = re.match(r"\s*\+", code[end:])
    if match is None:
        return "0", ""
    text = expression_at(code, end + match.end())
    return text, code[end : code.index(text, end) + len(text)] if text else ""


def _is_store(code: str, position: int) -> bool:
    if not code[position:].lstrip().startswith("["):
        return False
    close = closing(code, code.index("[", position))
    return re.match(r"\s*=(?!=)", code[close + 1 :]) is not None
