"""Which hunks of an edit only work together: those that share a name which the edit adds, removes, or uses elsewhere than before. Pure.

What ties: a macro, a variable, a parameter that one hunk brings and another uses; an array that one resizes and another touches; the
axes of threads and blocks that both say anew; a number that both replace by the same other. An edit that adds or removes an exchange
between threads (a shuffle, a barrier, an atomic) is one but for what only has fewer digits. Literals, and functions that are called but are
not the program's own (``sqrt`` → ``sqrtf``), tie nothing. What is left apart is only likely to work alone: a person who takes a part has it
judged. Example::

    tied_hunks(proposal.shown_files)     # (("a1…", "b2…"), ("c3…",)): the first two are one choice
"""

from __future__ import annotations

import re
from collections import Counter
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
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'')
_OF_EVERY_KERNEL = "__global__ __device__ __shared__ __restrict__ __syncthreads blockIdx threadIdx blockDim gridDim"
_WORDS = KEYWORDS | ARITHMETIC | frozenset(_OF_EVERY_KERNEL.split())
"""What they mean is the same before and after an edit."""
_LAUNCH, _THREADS, _AXES = "<<<>>>", "threads", "axes"
"""Stand for a launch, for which thread does what, and for x and y, as a name does for a variable."""
_EXCHANGE = re.compile(r"\b(?:__(?:syncthreads|syncwarp|shfl|ballot|any|all|match|reduce)\w*|atomic[A-Z]\w*)")
_NUMBER = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFuUlL]*")
_AXIS = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz]")
_CALLED = re.compile(r"\b(\w+?)f?\s*\(")
"""``sqrtf(`` as ``sqrt(``."""


def tied_hunks(files: Sequence[FileChange]) -> tuple[tuple[str, ...], ...]:
    """Ids of hunks by choice, in the order in which people see them; a hunk that stands alone is a choice of its own."""
    hunks = [hunk for change in files for hunk in change.hunks]
    own = _declared(" ".join(text for change in files for text in (change.before_text, change.after_text)))
    resized = frozenset[str]().union(*map(_resized, hunks))
    of_launch = launch_hunks(files)
    tying = [_tying(hunk, own, resized) | ({_LAUNCH} if hunk.id in of_launch else set[str]()) for hunk in hunks]
    if any(Counter(_words(_EXCHANGE, hunk.before)) != Counter(_words(_EXCHANGE, hunk.after)) for hunk in hunks):
        tying = [names if _has_fewer_digits(hunk) else names | {_THREADS} for hunk, names in zip(hunks, tying, strict=True)]
    groups: list[tuple[set[str], list[str]]] = []
    for hunk, names in zip(hunks, tying, strict=True):
        joined = [group for group in groups if not names.isdisjoint(group[0])]
        merged = ({*names, *(name for group in joined for name in group[0])}, [*(i for group in joined for i in group[1]), hunk.id])
        first = groups.index(joined[0]) if joined else len(groups)
        groups = [group for group in groups if group not in joined]
        groups.insert(first, merged)
    return tuple(tuple(ids) for _, ids in groups)


def _tying(hunk: Hunk, own: frozenset[str], resized: frozenset[str]) -> set[str]:
    """What ties the hunk to others: names that are more or fewer in it than before, and what stands for something else.

    ``own``: functions of the program, and those that the edit adds; ``resized``: arrays that the edit declares with another size.
    """
    before, after = (_names("\n".join(lines)) for lines in (hunk.before, hunk.after))
    changed = {each for each in {*before, *after} if before.count(each) != after.count(each)}
    touched = {name for name, _ in (*before, *after) if name in resized}
    axes = _words(_AXIS, hunk.before), _words(_AXIS, hunk.after)
    numbers = [Counter(_words(_NUMBER, lines)) for lines in (hunk.before, hunk.after)]
    replaced = {f"{tuple(gone)} → {tuple(new)}" for gone, new in ((numbers[0] - numbers[1], numbers[1] - numbers[0]),) if gone and new}
    is_turned = len(axes[0]) == len(axes[1]) and axes[0] != axes[1]
    return (
        {name for name, is_called in changed if not is_called or name in own} | touched | replaced | ({_AXES} if is_turned else set[str]())
    )


def _resized(hunk: Hunk) -> frozenset[str]:
    """Arrays whose declaration says other sizes than before."""
    before, after = ({(m[1], m[2]) for m in _ARRAY.finditer("\n".join(lines))} for lines in (hunk.before, hunk.after))
    return frozenset(name for name, _ in before ^ after)


def _words(pattern: re.Pattern[str], lines: Sequence[str]) -> list[str]:
    return [found[1] if pattern.groups else found[0] for found in pattern.finditer(_COMMENT.sub(" ", "\n".join(lines)))]


def _has_fewer_digits(hunk: Hunk) -> bool:
    """Whether only literals change, and what computes with fewer digits: ``sqrt(0.5 * x)`` → ``sqrtf(0.5f * x)``."""
    before, after = (_CALLED.sub(r"\1(", _NUMBER.sub(r"\1", "\n".join(lines))) for lines in (hunk.before, hunk.after))
    return before == after


def _names(text: str) -> list[tuple[str, bool]]:
    code = _LITERAL.sub('""', _COMMENT.sub(" ", text))
    return [(found[0], code[found.end() :].lstrip().startswith("(")) for found in _NAME.finditer(code) if found[0] not in _WORDS]


def _declared(text: str) -> frozenset[str]:
    """Functions that the program defines: a name, its parameters, a body."""
    return frozenset(found[1] for found in re.finditer(r"([A-Za-z_]\w*)\s*\([^;{}()]*\)\s*\{", text) if found[1] not in _WORDS)
