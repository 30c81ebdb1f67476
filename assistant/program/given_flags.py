"""What flags say to a search: where includes are looked for, and which macros are defined.

Example::

    folders_in(("-Iinclude", "-O3"), ("/p",)), macros_in_flags(("-DN=4",))     # ('/p/include',), frozenset({'N'})
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from assistant.build.flags import normalise

__all__ = ["FOLDER_FLAGS", "folders_in", "macro_flags", "macros_in_flags"]

FOLDER_FLAGS = ("-I", "-isystem=", "--include-path=", "--system-include=")
_DEFINE_FLAGS = ("-D", "--define-macro=")


def folders_in(flags: Iterable[str], starts: tuple[str, ...]) -> tuple[str, ...]:
    """Folders for includes, absolute; a relative one may start at each of ``starts``."""
    named = [value for flag in normalise(flags) for value in _values(flag, FOLDER_FLAGS)]
    return tuple(dict.fromkeys(posixpath.normpath(posixpath.join(start, value)) for value in named for start in starts))


def macros_in_flags(flags: Iterable[str]) -> frozenset[str]:
    """Names of the macros that flags define."""
    return frozenset(macro_flags(normalise(flags)))


def macro_flags(flags: Iterable[str]) -> dict[str, str]:
    """Macro → the flag that defines it, the last one."""
    return {value.partition("=")[0].partition("(")[0]: flag for flag in flags for value in _values(flag, _DEFINE_FLAGS)}


def _values(flag: str, prefixes: tuple[str, ...]) -> list[str]:
    prefix = next((prefix for prefix in prefixes if flag.startswith(prefix)), None)
    return [] if prefix is None else flag[len(prefix) :].split(",") if prefix.endswith("=") else [flag[len(prefix) :]]
