"""Mangled symbols as the emulator names kernels: demangled, without the return type. Asks the C++ library; symbols of C stay as they are.

Example::

    function_name("_Z2trILi1EEvPfPKfi")      # 'tr<1>(float*, float const*, int)'
"""

from __future__ import annotations

import ctypes
from functools import cache
from types import MappingProxyType
from urllib.parse import unquote

from assistant.build.static_symbols import StaticLabels, labelled, split_static

__all__ = ["function_name", "variable_name"]

_LIBRARY = "libstdc++.so.6"


def function_name(word: str, labels: StaticLabels = MappingProxyType({})) -> str:
    """``word`` as it stands in a log: percent-encoded. ``labels``: of kernels that several files of the program have."""
    unit, symbol = split_static(unquote(word))
    return labelled(unit, _demangled(symbol).removeprefix("void "), labels)


def variable_name(symbol: str) -> str:
    return _demangled(split_static(symbol)[1])


@cache
def _demangled(symbol: str) -> str:
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
