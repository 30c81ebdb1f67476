"""Whether a text may declare or define names, in a fraction of the time that reading it takes: for choosing which of many files to read.

Never says no where `linkage_of` says yes; often says yes where that says no. Example::

    may_define("void f(int); void g() { f(1); }", ("f",))      # False: f is called and declared, no body follows
    may_declare("void f(int) {} void g() { f(1); }", ("f",))   # False
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["may_declare", "may_define", "may_instantiate"]

_GAP = r"(?:[^;{}/]++|//[^\n]*+|/\*(?s:.*?)\*/|/)"
"""A piece of what may stand between a name and the end of its declaration: no semicolon and no brace outside of comments."""
_NEAR = r"[^;{}]{0,2000}"
"""The same with comments taken for code, and no longer than a long declaration is."""


def may_declare(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names, without qualifiers, may be declared without a definition."""
    return _declaring(frozenset(names)).search(text) is not None


def may_define(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names may be defined, or instantiated, so that other units can take it."""
    return _defining(frozenset(names)).search(text) is not None


def may_instantiate(text: str, names: Iterable[str]) -> bool:
    """Whether a class template with one of these names may be instantiated with all its members."""
    return "template" in text and re.search(_instantiating(frozenset(names)), text) is not None


@lru_cache(maxsize=512)
def _declaring(names: frozenset[str]) -> re.Pattern[str]:
    """A type stands before a declared function, ``extern`` or ``static`` before a variable, ``class`` before what has a constructor."""
    name = _any_of(names)
    function = rf"[\w>*&~/)\]]\s*\b{name}\s*(?:<[^;{{}}()]{{0,500}}>\s*)?\((?:{_GAP}|\{{\s*\}})*+;"
    variable = rf"\b(?:extern|static)\b{_NEAR}\b{name}"
    constructor = rf"\b(?:class|struct|union)\b{_NEAR}\b{name}"
    return re.compile(f"{function}|{variable}|{constructor}")


@lru_cache(maxsize=512)
def _defining(names: frozenset[str]) -> re.Pattern[str]:
    name = _any_of(names)
    function = rf"\b{name}\s*(?:<[^;{{}}()]{{0,500}}>\s*)?\({_GAP}*+\{{"
    variable = rf"[\w>*&\]:/,]\s*\b{name}\s*(?:[=\[;{{,/]|\(\s*[-+.\d\"'])"
    return re.compile(f"{function}|{variable}|{_instantiating(names)}")


def _instantiating(names: frozenset[str]) -> str:
    return rf"\btemplate\b(?!\s*<){_NEAR}\b{_any_of(names)}"


def _any_of(names: frozenset[str]) -> str:
    return rf"(?:{'|'.join(map(re.escape, sorted(names)))})\b"
