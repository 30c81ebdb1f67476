"""Where a kernel's parameters lie, read from its machine code. Pure.

A cubin is an ELF file; ``.nv.info.<kernel>`` holds attributes, of which ``EIATTR_KPARAM_INFO`` describes one parameter. The format is
not documented; it is as ``cuobjdump -elf`` shows it (CUDA 13): attribute bytes ``04 17``, a 16-bit length of 12, then index (32 bits),
ordinal (16), offset (16) and a word whose bits from 18 on are the size. Example::

    parameter_layouts(cubin)["_Z1kPfi"]      # ((0, 8), (8, 4))
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

__all__ = ["parameter_layouts"]

_SECTION = ".nv.info."
_SIZED_FORMAT = 0x04
"""Attributes with a length and that many bytes; all others carry 16 bits in place of the length."""
_PARAMETER = 0x17
_PARAMETER_BYTES = 12
_SIZE_SHIFT = 18


def parameter_layouts(cubin: bytes) -> dict[str, tuple[tuple[int, int], ...]]:
    """(offset, size) of each parameter in order, by the kernel's mangled name; empty for what is no cubin."""
    layouts: dict[str, tuple[tuple[int, int], ...]] = {}
    for name, data in _sections(cubin):
        if name.startswith(_SECTION):
            layouts[name.removeprefix(_SECTION)] = _layout(data)
    return layouts


def _layout(data: bytes) -> tuple[tuple[int, int], ...]:
    found: dict[int, tuple[int, int]] = {}
    at = 0
    while at + 4 <= len(data):
        kind, attribute, length = struct.unpack_from("<BBH", data, at)
        at += 4
        if kind != _SIZED_FORMAT:
            continue
        if attribute == _PARAMETER and length == _PARAMETER_BYTES:
            _, ordinal, offset, packed = struct.unpack_from("<IHHI", data, at)
            found[ordinal] = (offset, packed >> _SIZE_SHIFT)
        at += length
    return tuple(found[ordinal] for ordinal in sorted(found))


def _sections(elf: bytes) -> Iterator[tuple[str, bytes]]:
    """(name, contents) of the sections of a 64-bit little-endian ELF file (System V ABI, "Section Header")."""
    if elf[:6] != b"\x7fELF\x02\x01":
        return
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + index * size) for index in range(count)]
    names = _contents(elf, headers[names_index])
    for header in headers:
        name = names[header[0] : names.index(b"\0", header[0])].decode("utf-8", "replace")
        yield name, _contents(elf, header)


def _contents(elf: bytes, header: tuple[int, ...]) -> bytes:
    offset, size = header[4], header[5]
    return elf[offset : offset + size]
