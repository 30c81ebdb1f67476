"""Which kernels an edit reaches: those whose code it changes, what that code uses, or how they are launched. Pure.

An edit of one kernel, or of its launch, does not reach another that reads what it writes: what is counted there seldom depends on values.
Where the text alone does not say what a change reaches (a condition, a loop, a call of the host), it may reach any.

Example::

    reached_kernels("…a<<<g, 256>>>(x); b<<<g, 256>>>(x);…", "…a<<<g, 128>>>(x); b<<<g, 256>>>(x);…")     # frozenset({'a'})
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache

from assistant.cuda.code_text import uncommented
from assistant.cuda.host_statements import Launching, Passive, Setting, Statement, one_return, said_by, statements_of
from assistant.cuda.items import Item, ItemKind, items
from assistant.cuda.names import words_in
from assistant.cuda.same_code import is_same_code, workload_comments
from assistant.cuda.tokens import words_in_code

__all__ = ["reached_kernels"]

_LAUNCH = "<<<"
_DECLARED_KERNEL = re.compile(r"__global__[^(]*?(\w+)\s*(?:<[^()]*>)?\s*\(")
_SYSTEM_HEADER = re.compile(r"<(?:\w+|(?:cuda|cooperative_groups|mma|math|std)\w*\.h)(?:/\w+)?>")


def reached_kernels(before: str, after: str) -> frozenset[str] | None:
    """Unqualified names of the kernels; some may be gone. None: the edit may reach any kernel."""
    old, new = _items(before), _items(after)
    if old is None or new is None:
        return None
    gone, come = _without(old, new), _without(new, old)
    if _in_order(old, gone) != _in_order(new, come):
        return None
    try:
        reach = _Reach(old, new)
        declared = {*workload_comments(before)} ^ {*workload_comments(after)}
        return frozenset[str]().union(reach.of(gone, come), *map(reach.declared_by, declared))
    except _AnyError:
        return None


class _AnyError(Exception):
    """Any kernel may be reached."""


class _Reach:
    """Follows names from what changed to what uses them, in both texts."""

    def __init__(self, old: tuple[Item, ...], new: tuple[Item, ...]) -> None:
        self._all = tuple({item.text: item for item in (*old, *new)}.values())
        self._kernels = frozenset(name for item in self._all if item.kind is ItemKind.KERNEL for name in item.names)
        self._computing = frozenset(name for item in self._all if _only_computes(item) for name in item.names)
        self._reached: set[str] = set()

    def of(self, gone: tuple[Item, ...], come: tuple[Item, ...]) -> set[str]:
        """Raises _AnyError."""
        names = set[str]()
        for item in (*gone, *come):
            if item.kind is not ItemKind.HOST:
                names |= self._reach(item)
        hosts = ([item for item in side if item.kind is ItemKind.HOST] for side in (gone, come))
        self._follow(names | self._changed_in(*hosts))
        return self._reached

    def declared_by(self, comment: str) -> frozenset[str]:
        """The kernels whose launches a workload block says. Raises _AnyError where it names none."""
        if named := self._kernels & words_in(comment):
            return named
        raise _AnyError

    def _reach(self, item: Item) -> frozenset[str]:
        """Notes that what the item says is no longer so; names by which others use it."""
        launches_more = _LAUNCH in item.text and item.kind is not ItemKind.MACRO
        if item.is_everywhere or item.kind is ItemKind.INCLUDE or launches_more:
            raise _AnyError
        if item.kind is ItemKind.KERNEL:
            self._reached |= item.names
        elif "__global__" in item.text and item.kind is ItemKind.DECLARATION:
            self._reached |= {found[1] for found in _DECLARED_KERNEL.finditer(item.text)}
        else:
            return item.names
        return frozenset()

    def _changed_in(self, gone: list[Item], come: list[Item]) -> set[str]:
        """Follows what changed inside of functions; names of those that are new or gone, or now give another value."""
        old, new = ({statements_of(item.text)[0]: item for item in side} for side in (gone, come))
        values = {head for head in old.keys() & new.keys() if _only_computes(old[head]) and _only_computes(new[head])}
        for head in (old.keys() & new.keys()) - values:
            self._follow_in(new[head], *_changed(statements_of(old[head].text), statements_of(new[head].text)))
        others = [side[head] for side, other in ((old, new), (new, old)) for head in side.keys() - other.keys()]
        if any("main" in item.names for item in others):
            raise _AnyError
        return {name for item in (*others, *(new[head] for head in values)) for name in self._reach(item)}

    def _follow(self, waiting: set[str]) -> None:
        """To all that names of the file's scope are used by."""
        seen = set[str]()
        while waiting:
            seen |= waiting
            found = set[str]()
            for item in self._all:
                if waiting.isdisjoint(words_in_code(item.text)):
                    continue
                if item.kind is ItemKind.HOST:
                    self._follow_in(item, *(each for each in statements_of(item.text) if not waiting.isdisjoint(each)))
                else:
                    found |= self._reach(item)
            waiting = found - seen

    def _follow_in(self, function: Item, *changed: Statement) -> None:
        """To the launches of a function that statements of it decide on."""
        _, *inside = statements_of(function.text)
        waiting, seen = list(changed), set(changed)
        while waiting:
            match said_by(waiting.pop(), self._computing):
                case Launching(kernel=kernel) if kernel in self._kernels:
                    self._reached.add(kernel)
                case Setting(names=names):
                    more = {each for each in inside if each not in seen and not names.isdisjoint(each)}
                    waiting += more
                    seen |= more
                case Passive():
                    pass
                case _:
                    raise _AnyError


def _only_computes(item: Item) -> bool:
    """Whether a call of it gives a value, and does nothing else."""
    if item.kind is ItemKind.MACRO:
        return _LAUNCH not in item.text and ";" not in item.text
    return item.kind in (ItemKind.HOST, ItemKind.DEVICE) and one_return(item.text)


def _changed(old: tuple[Statement, ...], new: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """Statements that only one side has. Raises _AnyError where one has moved."""
    start = next((n for n, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new)))
    pairs = zip(reversed(old[start:]), reversed(new[start:]), strict=False)
    end = next((n for n, (one, other) in enumerate(pairs) if one != other), min(len(old), len(new)) - start)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [each for tag, a, b, _, _ in steps if tag != "equal" for each in old[a:b]]
    come = [each for tag, _, _, a, b in steps if tag != "equal" for each in new[a:b]]
    if not set(gone).isdisjoint(come):
        raise _AnyError
    return (*gone, *come)


@lru_cache(maxsize=8)
def _items(text: str) -> tuple[Item, ...] | None:
    code = uncommented(text)
    return items(code) if code.count("{") == code.count("}") else None


def _without(some: tuple[Item, ...], others: tuple[Item, ...]) -> tuple[Item, ...]:
    """Those whose code none of the others has; headers of C++ and CUDA, which only add names, have none."""
    known = {item.text for item in others}
    left = [item for item in some if item.text not in known and not _is_of_system(item)]
    unlike = [item for item in others if item.names]
    return tuple(item for item in left if not any(item.names == o.names and is_same_code(item.text, o.text) for o in unlike))


def _in_order(some: tuple[Item, ...], left_out: tuple[Item, ...]) -> list[tuple[ItemKind, frozenset[str]]]:
    return [(item.kind, item.names) for item in some if item not in left_out and not _is_of_system(item)]


def _is_of_system(item: Item) -> bool:
    return item.kind is ItemKind.INCLUDE and _SYSTEM_HEADER.search(item.text) is not None
