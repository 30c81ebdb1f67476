"""How large the structs are that a text declares: what a struct that is passed by value must have.

Example::

    struct_bytes(parsed)("Body")     # 16
"""

from __future__ import annotations

from assistant.cuda.struct_layouts import layout_named
from assistant.live.binding import StructBytes
from assistant.model.source import ParsedSource

__all__ = ["struct_bytes"]


def struct_bytes(parsed: ParsedSource) -> StructBytes:
    """Sizes of the text's own structs."""

    def size_of(spelled: str) -> int | None:
        layout = layout_named(parsed.source.text, spelled)
        return None if layout is None else layout.size_bytes

    return size_of
