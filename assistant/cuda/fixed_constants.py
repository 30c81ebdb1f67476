"""Constants of device code that nothing but their initializer sets: what they hold is part of the program's text.

Example::

    fixed_constants("__constant__ int dx[4] = {1, -1, 0, 0};")      # frozenset({'dx'})
"""

from __future__ import annotations

import re

from assistant.cuda.reading import read

__all__ = ["fixed_constants"]

_CONSTANT = r"(?:__constant__|__device__\s+(?:static\s+)?const(?:expr)?\b|(?:static\s+)?const(?:expr)?\s+__device__)"
_INITIALIZED = re.compile(rf"{_CONSTANT}[^;={{}}()]*?\b(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=|\{{)")
_SET_BY_HOST = re.compile(r"\b(?:cuda\w*Symbol\w*|cu\w*GetGlobal\w*)\s*(?:<[^<>;]*>)?\s*\(([^;]*);")


def fixed_constants(text: str) -> frozenset[str]:
    """Names of ``__constant__`` and ``const __device__`` variables with an initializer that no call of the host's names."""
    code = read(text).code
    named = frozenset(word for call in _SET_BY_HOST.finditer(code) for word in re.findall(r"\w+", call[1]))
    return frozenset(match[1] for match in _INITIALIZED.finditer(code)) - named
