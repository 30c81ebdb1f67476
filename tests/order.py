"""In which order tests start: whole front ends first, so that none of their long tests begins when little else is left to run.

A worker begins with its share of this order, and takes from the end of another's share when it has none left. So the browsers of VS Code
and JupyterLab run one after another, on one worker, and what is left for the end is short.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["longest_first"]

_FIRST = (
    "tests/e2e/vscode/",
    "tests/e2e/editors/",
    "tests/e2e/jupyter/",
    "tests/e2e/lsp/",
    "tests/e2e/mcp/",
    "tests/e2e/",
    "tests/integration/",
)
"""By the length of their single tests: minutes, down to a second."""
_Item = TypeVar("_Item")


def longest_first(items: Iterable[_Item], id_of: Callable[[_Item], str]) -> list[_Item]:
    """Otherwise in their order: tests of a file, which may share a server, stay together."""
    return sorted(items, key=lambda item: next((place for place, start in enumerate(_FIRST) if id_of(item).startswith(start)), len(_FIRST)))
