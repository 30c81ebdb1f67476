"""Structs as elements of a buffer: where each arithmetic member stands, so that values can be looked at member by member."""

from __future__ import annotations

from collections.abc import Callable

from assistant.model.elements import ElementType
from assistant.record import Record

__all__ = ["ElementLayout", "LayoutOf", "Member"]

_COMPONENTS = "xyzw"


class Member(Record):
    """One arithmetic member, or an array of them, of every element."""

    path: str
    """As it is reached from the element: ``vy``, ``box.low``; of an array without its index."""
    element: ElementType
    count: int
    """Array length; 1 for a plain member."""
    offset_bytes: int
    points_to: str | None = None
    """For a pointer, whose 64 bits count as an integer: the type that it points to, as the text spells it."""

    @property
    def size_bytes(self) -> int:
        return self.element.size_bytes * self.count

    def place(self, index: int) -> str:
        """Where component ``index`` of this member's column stands: ``[12].vy``, ``[3].corners[1].x``."""
        whole, component = divmod(index, self.element.components)
        struct, item = divmod(whole, self.count)
        inside = (f"[{item}]" if self.count > 1 else "") + (f".{_COMPONENTS[component]}" if self.element.components > 1 else "")
        return f"[{struct}].{self.path}{inside}"


class ElementLayout(Record):
    """A struct's members in order; padding belongs to none of them."""

    name: str
    size_bytes: int
    members: tuple[Member, ...]


LayoutOf = Callable[[str], ElementLayout | None]
"""The members of a struct by its type's name; None for any other type."""
