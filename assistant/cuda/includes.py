"""Which files a source includes, by name."""

from __future__ import annotations

import re

__all__ = ["include_line", "included_files", "included_names"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def included_names(text: str) -> frozenset[str]:
    """File names, without folders, of what the text includes directly; the compiler alone knows which file each one is."""
    return frozenset(match[1].rsplit("/", 1)[-1] for match in _INCLUDE.finditer(text))


def included_files(text: str) -> tuple[str, ...]:
    """What the text includes directly, as it is written there, in order, each once."""
    return tuple(dict.fromkeys(match[1] for match in _INCLUDE.finditer(text)))


def include_line(text: str, file: str) -> int | None:
    """1-based line of the directive that includes a file of that name; None where the text does not include it itself."""
    name = file.rsplit("/", 1)[-1]
    found = (match for match in _INCLUDE.finditer(text) if match[1].rsplit("/", 1)[-1] == name)
    return next((text.count("\n", 0, match.start(1)) + 1 for match in found), None)
