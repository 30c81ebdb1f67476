"""The basic blocks of an emulated program that its compiler marked, run or not, and the lines that each holds.

Every block begins with a call of one function (``-fsanitize-coverage=trace-pc``), so that the bytes of the program name them all where the
report of a run names those that ran. Example::

    block_starts(code, {0x401a37})   # (0x401a37, 0x401a52, …): addresses behind the calls, as the report has them
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Collection
from pathlib import Path

from assistant.record import Record

__all__ = ["CALL_BYTES", "Code", "block_starts", "inner_addresses", "read_code"]

_CALL = 0xE8
CALL_BYTES = 5
"""Of a near call on x86-64 (Intel 64 Software Developer's Manual, volume 2, CALL rel32)."""
_STEP_BYTES = 3
"""Between two addresses that are looked up inside a block: about an instruction."""
_MOST_BYTES = 4096
"""Of a block that are looked at."""
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_IS_LOADED, _IS_EXECUTABLE = 1, 1


class Code(Record):
    """The executable bytes of a program that is loaded where its file says."""

    begin: int
    bytes_: bytes


def read_code(binary: Path) -> Code | None:
    """None where the file is no 64-bit ELF program (System V ABI, "Program Header")."""
    data = binary.read_bytes()
    if data[:5] != b"\x7fELF\x02":
        return None
    (first,) = struct.unpack_from("<Q", data, 0x20)
    size, count = struct.unpack_from("<HH", data, 0x36)
    for index in range(count):
        kind, flags, offset, address, _, stored, _, _ = _PROGRAM_HEADER.unpack_from(data, first + index * size)
        if kind == _IS_LOADED and flags & _IS_EXECUTABLE:
            return Code(address, data[offset : offset + stored])
    return None


def block_starts(code: Code, executed: Collection[int]) -> tuple[int, ...]:
    """Addresses behind all calls of the function that the ``executed`` blocks call first, in order."""
    targets = {target for start in executed if (target := _called_before(code, start)) is not None}
    found: list[int] = []
    position = code.bytes_.find(_CALL)
    while position != -1:
        start = code.begin + position + CALL_BYTES
        if _called_before(code, start) in targets:
            found.append(start)
        position = code.bytes_.find(_CALL, position + 1)
    return tuple(found)


def inner_addresses(ends: tuple[int, ...], start: int) -> range:
    """Addresses inside the block that begins at ``start``, to look lines up for, each one byte further as a return address is.

    ``ends``: where other blocks begin, in order; likewise, by the length of a call, where functions do.
    """
    index = bisect_right(ends, start)
    end = ends[index] - CALL_BYTES if index < len(ends) else start + CALL_BYTES
    return range(start + 1, max(start + 2, min(end + 1, start + _MOST_BYTES)), _STEP_BYTES)


def _called_before(code: Code, start: int) -> int | None:
    """The function that a call which ends at ``start`` calls; None where there is none."""
    position = start - code.begin - CALL_BYTES
    if position < 0 or position + CALL_BYTES > len(code.bytes_) or code.bytes_[position] != _CALL:
        return None
    (distance,) = struct.unpack_from("<i", code.bytes_, position + 1)
    return start + int(distance)
