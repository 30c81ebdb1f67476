"""The files that a source includes, directly or through other headers. Reads the disk; only the compiler knows every search path.

A name in quotes is looked for in the folder of the file that includes it, then in that of the source; otherwise only its name counts.
Example::

    headers = Headers()
    headers.routes(path, text)     # {"b.cuh": "b.cuh", "c.cuh": "b.cuh"}: c.cuh comes in through b.cuh
    headers.forget()               # files changed on disk
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.cuda.includes import included_files

__all__ = ["Headers"]

_MOST_FILES = 500
"""Headers read for one source (chosen: more than a project's own headers come to); of further ones only the name counts."""
_MOST_BYTES = 1 << 20
"""A header larger than this is generated; what it includes is not followed."""


class Headers:
    """The headers of a source; read again only when its own directives or files on disk change."""

    def __init__(self) -> None:
        self._asked: tuple[Path, tuple[str, ...]] | None = None
        self._routes: dict[str, str] = {}

    def routes(self, path: Path, text: str) -> Mapping[str, str]:
        """Name of each file that is reached → name of the file that the source itself includes to get there."""
        direct = included_files(text)
        if self._asked != (path, direct):
            self._asked, self._routes = (path, direct), _routes(path.parent, direct)
        return self._routes

    def forget(self) -> None:
        """Files changed on disk: read them again when next asked."""
        self._asked = None


def _routes(folder: Path, direct: tuple[str, ...]) -> dict[str, str]:
    routes: dict[str, str] = {}
    read: set[Path] = set()
    for first in direct:
        waiting = [(folder, first)]
        while waiting:
            base_folder, written = waiting.pop()
            routes.setdefault(Path(written).name, Path(first).name)
            found = next((file for base in (base_folder, folder) if (file := base / written).is_file()), None)
            if found is None or found in read or len(read) >= _MOST_FILES:
                continue
            read.add(found)
            waiting += [(found.parent, further) for further in _included_by(found)]
    return routes


def _included_by(file: Path) -> tuple[str, ...]:
    try:
        return included_files(file.read_text("utf-8", "replace")) if file.stat().st_size <= _MOST_BYTES else ()
    except OSError:
        return ()
