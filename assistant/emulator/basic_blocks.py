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

__all__ = ["CALL_BYTES", "Code", "block_starts", "branch_behind", "inner_addresses", "read_code"]

_CALL = 0xE8
CALL_BYTES = 5
"""Of a near call on x86-64 (Intel 64 Software Developer's Manual, volume 2, CALL rel32)."""
_LONG_JUMP, _LONG_CONDITIONS, _LONG_JUMP_BYTES, _SHORT_CONDITIONS = 0x0F, 0x80, 6, 0x70
_MOST_BEFORE_CALL = 48
"""Bytes of moves that a block may begin with, before its call."""
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


def branch_behind(code: Code, starts: tuple[int, ...], start: int) -> int | None:
    """Behind the conditional jump that ends the block which begins at ``start``; None where there is none.

    Between it and the next block's call may stand instructions that set what both blocks use. What is no jump has no target close before
    a call that begins a block.
    """
    index = bisect_right(starts, start)
    end = starts[index] - CALL_BYTES if index < len(starts) else start
    for jump in (_long_jump, _short_jump):  # the bytes of a long one are rarely something else's
        for behind in range(end, start, -1):
            target = jump(code, behind)
            follows = len(starts) if target is None else bisect_right(starts, target + CALL_BYTES - 1)
            if target is not None and follows < len(starts) and starts[follows] - CALL_BYTES - target <= _MOST_BEFORE_CALL:
                return behind
    return None


def _long_jump(code: Code, behind: int) -> int | None:
    """The target of a conditional jump that ends at ``behind`` (same manual, Jcc: 0F 80 to 0F 8F and 4 bytes)."""
    position = behind - code.begin
    if position < _LONG_JUMP_BYTES or position > len(code.bytes_):
        return None
    first, second = code.bytes_[position - _LONG_JUMP_BYTES], code.bytes_[position - _LONG_JUMP_BYTES + 1]
    if first != _LONG_JUMP or second & 0xF0 != _LONG_CONDITIONS:
        return None
    (distance,) = struct.unpack_from("<i", code.bytes_, position - 4)
    return behind + int(distance)


def _short_jump(code: Code, behind: int) -> int | None:
    """Likewise, 70 to 7F and one byte."""
    position = behind - code.begin
    if not 2 <= position <= len(code.bytes_) or code.bytes_[position - 2] & 0xF0 != _SHORT_CONDITIONS:
        return None
    (distance,) = struct.unpack_from("<b", code.bytes_, position - 1)
    return behind + int(distance)


def _called_before(code: Code, start: int) -> int | None:
    """The function that a call which ends at ``start`` calls; None where there is none."""
    position = start - code.begin - CALL_BYTES
    if position < 0 or position + CALL_BYTES > len(code.bytes_) or code.bytes_[position] != _CALL:
        return None
    (distance,) = struct.unpack_from("<i", code.bytes_, position + 1)
    return start + int(distance)
