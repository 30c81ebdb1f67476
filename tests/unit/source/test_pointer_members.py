"""What pointers in structs point to, names that the text gives to types replaced."""

from __future__ import annotations

from assistant.source.pointer_members import pointer_members

TEXT = """
typedef unsigned long long u64;
using Key = u64;
struct Table { const Key *keys; int n, *rows; float **parts; Table *next; unsigned mask; };
struct Hidden : Table { float *x; };
"""


def test_plain_pointers_are_found_with_their_places() -> None:
    members = {member.name: (member.pointee, member.offset_bytes) for member in pointer_members(TEXT)["Table"]}
    assert members == {"keys": ("unsigned long long", 0), "rows": ("int", 16), "next": ("Table", 32)}


def test_a_struct_without_a_known_layout_has_none() -> None:
    assert "Hidden" not in pointer_members(TEXT)
