"""Which hunks of an edit only work together: those that share a name which the edit adds, removes, or uses elsewhere than before. Pure.

A macro, a variable, a parameter that one hunk brings and another uses ties both. Literals, and functions that are called but are not the
program's own (``sqrt`` → ``sqrtf``), tie nothing. What is left apart is only likely to work alone: a person who takes a part has it judged.
Example::

    tied_hunks(proposal.shown_files)     # (("a1…", "b2…"), ("c3…",)): the first two are one choice
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.cuda.cpp_words import KEYWORDS
from assistant.cuda.device_words import ARITHMETIC
from assistant.cuda.launch_hunks import launch_hunks
from assistant.model.change import FileChange
from assistant.model.source import Hunk

__all__ = ["tied_hunks"]

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ARRAY = re.compile(r"\w\s+([A-Za-z_]\w*)\s*((?:\[[^\]]*\])+)\s*[;,=]")
"""An array with its sizes, as a declaration has it."""
_COMMENT = re.compile(r"//.*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_OF_EVERY_KERNEL = "__global__ __device__ __shared__ __restrict__ __syncthreads blockIdx threadIdx blockDim gridDim"
_WORDS = KEYWORDS | ARITHMETIC | frozenset(_OF_EVERY_KERNEL.split())
"""What they mean is the same before and after an edit."""
_LAUNCH = "<<<>>>"
"""Stands for a launch, as a name does for a variable."""


def tied_hunks(files: Sequence[FileChange]) -> tuple[tuple[str, ...], ...]:
    """Ids of hunks by choice, in the order in which people see them; a hunk that stands alone is a choice of its own."""
    hunks = [hunk for change in files for hunk in change.hunks]
    own = _declared(" ".join(change.before_text for change in files))
    changed = [_changed_names(hunk) for hunk in hunks]
    of_launch = launch_hunks(files)
    tying = [{name for name, is_called in names if not is_called or name in own} for names in changed]
    groups: list[tuple[set[str], list[str]]] = []
    for hunk, its_names in zip(hunks, tying, strict=True):
        names = its_names | {_LAUNCH} if hunk.id in of_launch else its_names
        joined = [group for group in groups if not names.isdisjoint(group[0])]
        merged = ({*names, *(name for group in joined for name in group[0])}, [*(i for group in joined for i in group[1]), hunk.id])
        first = groups.index(joined[0]) if joined else len(groups)
        groups = [group for group in groups if group not in joined]
        groups.insert(first, merged)
    return tuple(tuple(ids) for _, ids in groups)


def _changed_names(hunk: Hunk) -> set[tuple[str, bool]]:
    """(name, whether it is called) of those that are more or fewer in the hunk than before, and of arrays that have another size."""
    texts = "\n".join(hunk.before), "\n".join(hunk.after)
    before, after = (_names(text) for text in texts)
    resized = {name for name, _ in {*_ARRAY.findall(texts[0])} ^ {*_ARRAY.findall(texts[1])}}
    return {each for each in {*before, *after} if before.count(each) != after.count(each)} | {(name, False) for name in resized}


def _names(text: str) -> list[tuple[str, bool]]:
    code = _LITERAL.sub('""', _COMMENT.sub(" ", text))
    return [(found[0], code[found.end() :].lstrip().startswith("(")) for found in _NAME.finditer(code) if found[0] not in _WORDS]


def _declared(text: str) -> frozenset[str]:
    """Functions that the program defines: a name, its parameters, a body."""
    return frozenset(found[1] for found in re.finditer(r"([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*\{", text) if found[1] not in _WORDS)
