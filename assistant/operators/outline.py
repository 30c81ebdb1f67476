"""The classes of a Python text that an editor shows something of: a task's reference, and a candidate for one. Nothing is imported or run.

Example::

    found = outline_of(Path("/p/task.py"), text)
    found.reference.name, found.reference.line      # "Model", 7
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from assistant.operators.task import MODEL_NEW, Task, find_candidate, find_task
from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["NOTHING", "OperatorClass", "Outline", "outline_of"]

_WORDS = re.compile(r"\bdef get_inputs\b|\bclass ModelNew\b")
"""One search tells most Python texts that they are neither."""


class OperatorClass(Record):
    """One class and its lines, from 1."""

    name: str
    line: int
    last_line: int


class Outline(Record):
    """The PyTorch classes that a text defines."""

    reference: OperatorClass | None
    candidate: OperatorClass | None
    """``ModelNew``; it may stand in the file of its task, or in one of its own."""

    @property
    def classes(self) -> tuple[OperatorClass, ...]:
        return tuple(each for each in (self.reference, self.candidate) if each is not None)


NOTHING = Outline(None, None)


def outline_of(path: Path, text: str) -> Outline | None:
    """`NOTHING` for a text that is neither task nor candidate; None for one that is no Python, as while it is typed in."""
    if not _WORDS.search(text):
        return NOTHING
    try:
        tree = parse_module(text)
    except (SyntaxError, ValueError):
        return None
    task, candidate = find_task(path, text, None), find_candidate(path, text)
    return Outline(
        _class(tree, task.name) if isinstance(task, Task) else None,
        _class(tree, MODEL_NEW) if isinstance(candidate, str) else None,
    )


def _class(tree: ast.Module, name: str) -> OperatorClass:
    node = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    return OperatorClass(name, node.lineno, node.end_lineno or node.lineno)
