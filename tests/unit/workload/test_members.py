"""Structs change member by member, their padding and tails do not."""

from __future__ import annotations

import struct

import numpy as np

from assistant.model.elements import ElementType, parse_element_type
from assistant.model.structs import ElementLayout, Member
from assistant.workload.members import with_members


def member(path: str, kind: str, count: int, offset: int) -> Member:
    element = parse_element_type(kind)
    assert element is not None
    return Member(path, element, count, offset)


LAYOUT = ElementLayout("P", 16, (member("c", "char", 1, 0), member("v", "float", 2, 4), member("n", "int", 1, 12)))


def doubled(column: bytes, element: ElementType) -> bytes:
    code = {"signed char": "b", "char": "b", "float": "f", "int": "i"}[element.name]
    values = struct.unpack(f"<{len(column) // element.scalar_bytes}{code}", column)
    return struct.pack(f"<{len(values)}{code}", *(2 * value for value in values))


def test_each_member_changes_as_its_own_type() -> None:
    data = b"".join(struct.pack("<b3s2fi", i, b"pad", i + 0.5, i + 1.5, i + 7) for i in range(3)) + b"tail"
    expected = b"".join(struct.pack("<b3s2fi", 2 * i, b"pad", 2 * i + 1, 2 * i + 3, 2 * i + 14) for i in range(3)) + b"tail"
    assert with_members(data, LAYOUT, doubled) == expected
    assert with_members(b"", LAYOUT, doubled) == b""


def test_places_of_rows_stay_with_their_lengths() -> None:
    pages = ElementLayout(
        "Page", 12, (member("first", "int", 1, 0), member("begin", "unsigned int", 1, 4), member("count", "unsigned int", 1, 8))
    )
    counts = [3, 0, 7, 2]
    rows = [(5 * i, sum(counts[:i]), count) for i, count in enumerate(counts)]
    tripled = with_members(
        b"".join(struct.pack("<iII", *row) for row in rows), pages, lambda column, _: np.frombuffer(column, "<u4").tobytes()[::-1]
    )
    assert [row[1:] for row in struct.iter_unpack("<iII", tripled)] == [row[1:] for row in rows]
    assert [row[0] for row in struct.iter_unpack("<iII", tripled)] != [row[0] for row in rows]


def test_integer_members_can_be_changed_at_once() -> None:
    data = b"".join(struct.pack("<b3s2fi", i, b"pad", 0.5, 1.5, i + 7) for i in range(3))
    expected = b"".join(struct.pack("<b3s2fi", i + 7, b"pad", 1.0, 3.0, i) for i in range(3))
    assert with_members(data, LAYOUT, doubled, lambda columns: [columns[1].astype(np.int8), columns[0].astype(np.int32)]) == expected
