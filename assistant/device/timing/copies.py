"""What the timing asks of the buffers that two versions run on. Knows nothing of recordings.

Example::

    for launch in copies.launches("A", 0):
        driver.launch(launch)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from assistant.device.driver import Address, PreparedLaunch

__all__ = ["VERSIONS", "Copies", "Left"]

VERSIONS = ("A", "B")
Left = tuple[tuple[int, bytes], ...]
"""(buffer id, contents) of buffers after a call."""


class Copies(Protocol):
    """A case's buffers, several times over, and both versions ready to be started on each."""

    @property
    def count(self) -> int: ...

    @property
    def size_bytes(self) -> int:
        """Size of all buffers of a copy."""
        ...

    @property
    def is_restored(self) -> bool:
        """Whether the kernels read what they write, so that each call needs the first contents again."""
        ...

    def launches(self, version: str, copy: int) -> Sequence[PreparedLaunch]: ...

    def restore(self, version: str, copy: int) -> None:
        """Queue the first contents of everything that changes."""
        ...

    def changed(self, version: str, copy: int) -> Sequence[tuple[Address, int]]:
        """(address, size in bytes) of what the launches write."""
        ...

    def contents(self, version: str, copy: int) -> Left:
        """Contents of what ``changed`` names, but for buffers that hold addresses: these differ from copy to copy."""
        ...

    def grow(self, count: int) -> None:
        """Make more copies, up to ``count`` as far as memory allows."""
        ...
