"""The user headers that a source includes, by its ``#include`` lines (conditionals ignored: too many is safe for a key).

Pure: files come from a callback. Example::

    include_closure("/p/k.cu", '#include "a.h"', ("/p/include",), read=lambda path: texts.get(path))
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

__all__ = ["include_closure"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>\n]+)>|"([^"\n]+)")', re.MULTILINE)


def include_closure(path: str, text: str, directories: tuple[str, ...], read: Callable[[str], str | None]) -> dict[str, str]:
    """Path → text of each header reachable from ``text`` through quotes or ``directories``; the source itself is left out."""
    found: dict[str, str] = {}
    pending = [(path, text)]
    while pending:
        includer, content = pending.pop()
        for match in _INCLUDE.finditer(content):
            bases = (posixpath.dirname(includer), *directories) if match[2] else directories
            for base in bases:
                candidate = posixpath.normpath(posixpath.join(base, match[1] or match[2]))
                if candidate in found:
                    break
                header = read(candidate)
                if header is not None:
                    found[candidate] = header
                    pending.append((candidate, header))
                    break
    return found
