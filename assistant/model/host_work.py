"""What the host asks of the device: a launch, a copy to it, memory cleared; and what keeps the host from asking again."""

from __future__ import annotations

from assistant.record import Record

__all__ = ["HostWork"]


class HostWork(Record):
    """One call of the host's that makes the device do or hold something."""

    verb: str
    """``launches``, ``captures``, ``copies to`` or ``clears``."""
    name: str
    """Name of the kernel, without namespaces, or the destination as written, without spaces."""
    guard: str | None
    """The condition of its being done that the host then makes false itself (``last != key``); None where it is done each time."""
    line: int

    @property
    def key(self) -> tuple[bool, str]:
        """The same for the same work in another version."""
        return self.verb in ("launches", "captures"), self.name
