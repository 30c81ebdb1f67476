"""Which files a source includes, by name."""

from __future__ import annotations

import re

__all__ = ["included_names"]

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def included_names(text: str) -> frozenset[str]:
    """File names, without folders, of what the text includes directly; the compiler alone knows which file each one is."""
    return frozenset(match[1].rsplit("/", 1)[-1] for match in _INCLUDE.finditer(text))
