"""Calls of ready-made libraries that one version has beyond another, those through the program's own functions included.

A reference that the program computes with cuBLAS does not make it less of a library's call to hand it the kernel's work. Example::

    calls = CodePattern(r"\\b(cublas\\w+)\\b")
    new_library_calls(calls, ["void ref() { cublasSgemm(); } void run() {}"], ["void ref() { cublasSgemm(); } void run() { ref(); }"])
    # (a match of "ref",)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.cuda.code_patterns import CodeMatch, CodePattern
from assistant.cuda.code_text import uncommented
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.tokens import words_in_code
from assistant.verify.text import beyond

__all__ = ["new_library_calls"]


def new_library_calls(library: CodePattern, before: Sequence[str], after: Sequence[str]) -> tuple[CodeMatch, ...]:
    """What the texts of a program ask of ``library`` beyond what they did; of two functions of theirs, the one that is called."""
    found = _beyond(library, before, after)
    names = _callers(library, (*before, *after))
    if not names:
        return found
    return (*found, *_beyond(CodePattern(rf"\b({'|'.join(sorted(names))})\("), before, after))


def _beyond(pattern: CodePattern, before: Iterable[str], after: Iterable[str]) -> tuple[CodeMatch, ...]:
    old, new = ([match for text in texts for match in pattern.matches(text)] for texts in (before, after))
    return beyond(old, new)


def _callers(library: CodePattern, texts: Iterable[str]) -> frozenset[str]:
    """Names of the host's functions that ask something of the library, or call one that does."""
    every = dict.fromkeys(texts)
    if not any(library.is_in(text) for text in every):
        return frozenset()
    functions = [item for text in every for item in _host_functions(text)]
    found = {name for item in functions if library.is_in(item.text) for name in item.names}
    while True:
        more = {name for item in functions if not item.names <= found and found & words_in_code(item.text) for name in item.names}
        if not more:
            return frozenset(found)
        found |= more


def _host_functions(text: str) -> Iterable[Item]:
    return (item for item in items(uncommented(text)) or () if item.kind is ItemKind.HOST)
