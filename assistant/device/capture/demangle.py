"""Mangled symbols as the emulator names kernels: demangled, without the return type. Asks the C++ library; symbols of C stay as they are.

Example::

    function_name("_Z2trILi1EEvPfPKfi")      # 'tr<1>(float*, float const*, int)'
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from urllib.parse import unquote

__all__ = ["function_name", "variable_name"]

_LIBRARY = "libstdc++.so.6"
_STATIC = re.compile(r"__nv_static_(\d+)_")
"""What nvcc 13.0 puts before a static function's symbol in relocatable code: the length of a word for the file, and that word."""


@cache
def function_name(word: str) -> str:
    """``word`` as it stands in a log: percent-encoded."""
    return _demangled(unquote(word)).removeprefix("void ")


def variable_name(symbol: str) -> str:
    return _demangled(symbol)


def _demangled(symbol: str) -> str:
    static = _STATIC.match(symbol)
    if static is not None:
        symbol = symbol[static.end() + int(static[1]) + 1 :]
    if not symbol.startswith("_Z"):
        return symbol
    library = ctypes.CDLL(_LIBRARY)
    demangle = library.__cxa_demangle
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return symbol
    name = ctypes.string_at(text).decode("utf-8", "replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(text))
    return name
