"""One spelling for each type, so that ``float const*`` and ``const float *`` compare equal.

Example::

    canonical_type("float const* const")   # 'const float*'
    canonical_type("size_t")               # 'unsigned long'
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["canonical_type", "is_builtin", "substitute", "with_doubles"]

_KNOWN_ALIASES = {
    "size_t": "unsigned long",
    "ssize_t": "long",
    "ptrdiff_t": "long",
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long",
    "uint64_t": "unsigned long",
    "uint": "unsigned int",
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "ulong": "unsigned long",
    "half": "__half",
    "half2": "__half2",
    "nv_bfloat16": "__nv_bfloat16",
    "nv_bfloat162": "__nv_bfloat162",
}
"""glibc on x86-64 Linux, and cuda_fp16.h and cuda_bf16.h of CUDA 13."""
_ELABORATED = frozenset({"struct", "class", "enum", "union", "typename"})
_SIZES = ("short", "long")
_BUILTINS = frozenset({"void", "bool", "char", "int", "float", "double", "short", "long", "signed", "unsigned", "wchar_t"})
_FLOATING = re.compile(r"\b(?:float|__half|half|__nv_bfloat16)([234]?)\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r"[A-Za-z_][\w:]*|\d\w*|\S")


def canonical_type(spelled: str) -> str:
    """The type with cv-qualifiers in front, integers in their short form and the outermost ``const`` dropped.

    Known aliases are resolved as on x86-64 Linux; an unknown name stays as it is.
    """
    if "(" in spelled or "[" in spelled:
        return "".join(spelled.split())
    base, *levels = _levels(spelled)
    text = _base(base, keeps_qualifiers=bool(levels))
    for index, (mark, words) in enumerate(levels):
        is_outermost = index == len(levels) - 1
        text += mark + ("" if is_outermost else "".join(f" {w} " for w in sorted({"const", "volatile"} & set(words))))
    return " ".join(text.split()).replace(" *", "*")


def is_builtin(canonical: str) -> bool:
    """Does the type consist of built-in words only, so that no alias can make it equal to another?"""
    return all(word in _BUILTINS or word in ("const", "volatile") for word in _WORD.findall(canonical))


def substitute(spelled: str, arguments: Mapping[str, str]) -> str:
    """The type with template parameters replaced by their arguments."""
    return _WORD.sub(lambda match: arguments.get(match[0], match[0]), spelled)


def with_doubles(instance: str) -> str:
    """A kernel's instance as it is called when its floats are doubles: ``k<float>(float2*)`` → ``k<double>(double2*)``."""
    return _FLOATING.sub(r"double\1", instance)


def _levels(spelled: str) -> tuple[list[str], *tuple[tuple[str, list[str]], ...]]:
    """The words of the base type, then each ``*`` or ``&`` with the words after it."""
    base: list[str] = []
    levels: list[tuple[str, list[str]]] = []
    depth = 0
    for token in _TOKEN.findall(spelled):
        if depth == 0 and token in "*&":
            levels.append((token, []))
            continue
        words = levels[-1][1] if levels else base
        if depth > 0 or token == "<":
            words[-1:] = [(words[-1] if words else "") + token]
            depth += {"<": 1, ">": -1}.get(token, 0)
        else:
            words.append(token)
    return (base, *levels)


def _base(words: list[str], keeps_qualifiers: bool) -> str:
    qualifiers = sorted({"const", "volatile"} & set(words)) if keeps_qualifiers else []
    rest = [word for word in words if word not in _ELABORATED and word not in ("const", "volatile")]
    rest = [part for word in rest for part in _KNOWN_ALIASES.get(word.removeprefix("std::"), word).split()]
    return " ".join((*qualifiers, _integer(rest) if set(rest) <= _BUILTINS else " ".join(rest)))


def _integer(words: list[str]) -> str:
    """``long unsigned int`` as ``unsigned long``; other built-in types unchanged."""
    sizes = [word for word in words if word in _SIZES]
    if "char" in words or "double" in words:
        return " ".join(sorted(words, key=lambda word: word in ("char", "double")))
    if not {"signed", "unsigned", "int", *_SIZES} & set(words):
        return " ".join(words)
    sign = ["unsigned"] if "unsigned" in words else []
    return " ".join((*sign, *(sizes or ["int"])))
