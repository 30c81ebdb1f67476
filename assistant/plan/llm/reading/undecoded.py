"""Bytes of a source that are no UTF-8, as a model can read and write them: comments in Latin-1, mostly.

In our texts each stands as a lone surrogate, which no request can carry. Example::

    legible("// Gr\\udcf6\\udcdfe")                   # "// Größe"
    written_into("// Gr\\udcf6\\udcdfe", "Größer")     # "Gr\\udcf6\\udcdfer": bytes again in such a file
"""

from __future__ import annotations

import re

__all__ = ["legible", "written_into"]

_BYTE = re.compile("[\udc80-\udcff]")
_FIRST = 0xDC00
"""First of the surrogates that stand for bytes (PEP 383)."""
_LATIN = re.compile("[\x80-\xff]")


def legible(text: str) -> str:
    """Each such byte as its character in Latin-1, which every byte is one of."""
    return _BYTE.sub(lambda byte: chr(ord(byte[0]) - _FIRST), text)


def written_into(text: str, code: str) -> str:
    """``code`` for a file that holds ``text``: characters that it writes as single bytes alone become such bytes."""
    if _BYTE.search(text) is None:
        return code
    return _LATIN.sub(lambda found: found[0] if found[0] in text else chr(ord(found[0]) + _FIRST), code)
