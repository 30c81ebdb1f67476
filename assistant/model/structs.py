"""Structs as elements of a buffer: where each arithmetic member stands, so that values can be looked at member by member."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.model.elements import ElementType

__all__ = ["ElementLayout", "Member"]

_COMPONENTS = "xyzw"


@dataclass(frozen=True)
class Member:
    """One arithmetic member, or an array of them, of every element."""

    path: str
    """As it is reached from the element: ``vy``, ``box.low``; of an array without its index."""
    element: ElementType
    count: int
    """Array length; 1 for a plain member."""
    offset_bytes: int
    pointee: str | None = None
    """The type that a pointer points to, as the text spells it; None for what is no pointer."""

    @property
    def size_bytes(self) -> int:
        return self.element.size_bytes * self.count

    def place(self, index: int) -> str:
        """Where component ``index`` of this member's column stands: ``[12].vy``, ``[3].corners[1].x``."""
        whole, component = divmod(index, self.element.components)
        struct, item = divmod(whole, self.count)
        inside = (f"[{item}]" if self.count > 1 else "") + (f".{_COMPONENTS[component]}" if self.element.components > 1 else "")
        return f"[{struct}].{self.path}{inside}"


@dataclass(frozen=True)
class ElementLayout:
    """A struct's members in order; padding belongs to none of them."""

    name: str
    size_bytes: int
    members: tuple[Member, ...]
