"""What flags say to a search: where includes are looked for, and which macros are defined.

Example::

    folders_in(("-Iinclude", "-O3"), ("/p",)), macros_in_flags(("-DN=4",))     # ('/p/include',), frozenset({'N'})
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from assistant.build.flags import normalise

__all__ = ["FOLDER_FLAGS", "folders_in", "macro_flags", "macros_in_flags"]

_SYSTEM_FLAGS = ("-isystem=", "--system-include=")
FOLDER_FLAGS = ("-I", "--include-path=", *_SYSTEM_FLAGS)
_DEFINE_FLAGS = ("-D", "--define-macro=")


def folders_in(flags: Iterable[str], starts: tuple[str, ...]) -> tuple[str, ...]:
    """Folders for includes, absolute; a relative one may start at each of ``starts``.

    Folders of installed headers (``-isystem``) count where they lie below one of ``starts``: others include nothing of a project, and
    PyTorch's are ten thousand.
    """
    found = dict[str, None]()
    for flag in normalise(flags):
        is_system = flag.startswith(_SYSTEM_FLAGS)
        for value in _values(flag, FOLDER_FLAGS):
            folders = [posixpath.normpath(posixpath.join(start, value)) for start in starts]
            found.update((folder, None) for folder in folders if not is_system or any(_is_below(folder, start) for start in starts))
    return tuple(found)


def _is_below(folder: str, start: str) -> bool:
    return folder == start or folder.startswith(f"{start.rstrip('/')}/")


def macros_in_flags(flags: Iterable[str]) -> frozenset[str]:
    """Names of the macros that flags define."""
    return frozenset(macro_flags(normalise(flags)))


def macro_flags(flags: Iterable[str]) -> dict[str, str]:
    """Macro → the flag that defines it, the last one."""
    return {value.partition("=")[0].partition("(")[0]: flag for flag in flags for value in _values(flag, _DEFINE_FLAGS)}


def _values(flag: str, prefixes: tuple[str, ...]) -> list[str]:
    prefix = next((prefix for prefix in prefixes if flag.startswith(prefix)), None)
    return [] if prefix is None else flag[len(prefix) :].split(",") if prefix.endswith("=") else [flag[len(prefix) :]]
