"""Room behind each shared variable of an object file, so that an access past its end falls into no other variable.

Shared variables are thread-local and stand in sections of their own (``-fdata-sections``) that take no room in the file: the linker places
a section of a larger size in the same way, with nothing at its end. Example::

    with_gaps(Path("unit.o").read_bytes())      # the object with `.tbss._ZZ1kPfE4tile` larger by 16 KiB
"""

from __future__ import annotations

from assistant.emulator.object_file import grown_sections, thread_sections

__all__ = ["with_gaps"]

_LARGEST_GAP_BYTES = 48 << 10
"""A block has no more static shared memory than this: no array of it is farther from the next."""
_SMALLEST_GAP_BYTES = 1 << 10
_ALL_GAPS_BYTES = 1 << 20
"""Each thread of the program has a copy."""


def with_gaps(data: bytes) -> bytes:
    """The object file with its shared variables apart. Raises ValueError where it is none."""
    found = thread_sections(data)
    if not found:
        return data
    gap = max(_SMALLEST_GAP_BYTES, min(_LARGEST_GAP_BYTES, _ALL_GAPS_BYTES // len(found)) & -1024)
    return grown_sections(data, dict.fromkeys(found, gap))
