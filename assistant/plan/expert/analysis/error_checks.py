"""Statements of the host that only look for errors of the launch before them, or wait for it.

Example::

    only_asks(tree, statement)      # True for `cudaGetLastError();`, and for `CHECK();` of a macro that calls it
"""

from __future__ import annotations

import re

from assistant.cuda.functions import functions
from assistant.cuda.macros import macro_text
from assistant.cuda.syntax import Node, SyntaxTree

__all__ = ["only_asks"]

_ONLY_ASKS = re.compile(r"(?:[\w:]+\s*\(\s*)*cuda(?:GetLastError|PeekAtLastError|DeviceSynchronize)\s*\(\s*\)[^;{}]*;?")
"""A statement that looks for errors of the launch before it, or waits for it."""
_CALLS_A_CHECK = re.compile(r"([\w:]+)\s*(?:\([^;{}<()=]*\))?\s*;?")
"""A statement that may be one by a function or a macro of the program."""
_OTHER_WORK = re.compile(r"<<<|\bcu(?!da(?:GetLastError|PeekAtLastError|DeviceSynchronize|GetError\w+|Success|Error_t)\b)[A-Za-z]*[A-Z]\w*")
"""What no check does: launches, and calls of CUDA besides those that ask."""


def only_asks(tree: SyntaxTree, statement: Node) -> bool:
    """It looks for errors, by its own words or by those of a function or a macro that it names."""
    text = tree.text(statement)
    called = _CALLS_A_CHECK.fullmatch(text)
    if text == ";" or _ONLY_ASKS.fullmatch(text) is not None:
        return True
    if called is None:
        return False
    name = called[1].split("::")[-1]
    found = [tree.text(function.body) for function in functions(tree) if function.name == name]
    texts = [*found, *filter(None, [macro_text(tree, name)])]
    return bool(texts) and all("LastError" in each and _OTHER_WORK.search(each) is None for each in texts)
