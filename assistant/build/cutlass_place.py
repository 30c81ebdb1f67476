"""Where compilers of a program find CUTLASS, which CuTe belongs to; looked up without compiling anything.

Example::

    found = find_cutlass(("-I/opt/cutlass/include",), Path("/p"), os.environ)
    found.release, found.holds("/opt/cutlass/include/cute/tensor.hpp")     # '4.2.0', True
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from assistant.build.include_places import environment_places, include_places
from assistant.disk.texts import read_bytes
from assistant.record import Record

__all__ = ["Cutlass", "find_cutlass"]

_SYSTEM = (Path("/usr/local/include"), Path("/usr/include"), Path("/usr/local/cuda/include"))
_NUMBER = re.compile(r"^#define\s+CUTLASS_(MAJOR|MINOR|PATCH)\s+(\d+)", re.MULTILINE)
"""As ``cutlass/version.h`` has them (releases 2.0 to 4.2)."""
_MOST_BYTES = 1 << 20
"""Of that header; a larger one is another."""


class Cutlass(Record):
    """One installed release."""

    release: str
    """``4.2.0``."""
    folders: tuple[Path, ...]
    """Those of its headers, ``…/cutlass`` and ``…/cute``; links are resolved."""

    def holds(self, file: str) -> bool:
        """Whether ``file`` is one of its headers, wherever links lead."""
        path = Path(file).resolve()
        return any(path.is_relative_to(folder) for folder in self.folders)


def find_cutlass(flags: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Cutlass | None:
    """The first that compilers with ``flags`` and ``environment`` find which run in ``folder``; None: none."""
    for place in (*include_places(flags, folder), *environment_places(environment, folder), *_SYSTEM):
        try:
            numbers = dict(_NUMBER.findall(read_bytes(place / "cutlass/version.h", _MOST_BYTES).decode("utf-8", "replace")))
        except OSError:
            continue
        if "MAJOR" in numbers:
            release = ".".join(numbers.get(part, "0") for part in ("MAJOR", "MINOR", "PATCH"))
            return Cutlass(release, tuple((place / name).resolve() for name in ("cutlass", "cute")))
    return None
