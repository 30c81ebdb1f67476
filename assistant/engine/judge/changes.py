"""Which kernels an edit concerns: those whose code, or the code they reach, says something else, and those whose launch does.

Comments and spaces do not count. What cannot be told apart concerns every kernel: host code other than the launches, conditional
directives, ``using namespace``, included files of the user's own.

Example::

    edited_kernels(before, after)     # frozenset({"blur(float *, int)"}): its own code or launch differs
    changed_kernels(before, after)    # all of A's kernels, if main() prepares their data differently
"""

from __future__ import annotations

from assistant.cuda.code_text import uncommented, without
from assistant.cuda.items import ItemKind, items
from assistant.cuda.tokens import tokens, words_in_code
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Kernel
from assistant.verify.reach import only, reach

__all__ = ["changed_kernels", "edited_kernels", "same_kernel"]

_KERNELS = frozenset({ItemKind.KERNEL})
_HOST = frozenset({ItemKind.HOST})
_VALUES = frozenset({ItemKind.DECLARATION, ItemKind.MACRO})


def edited_kernels(before: SourceVersion, after: SourceVersion) -> frozenset[str]:
    """Keys of A's kernels whose own code, what it reaches, or its launches differ."""
    old, new = _Cut(before), _Cut(after)
    edited = list[str]()
    for kernel in before.parsed.kernels:
        other = same_kernel(kernel, before, after)
        if other is None or old.of_kernel(kernel) != new.of_kernel(other):
            edited.append(kernel.key)
    return frozenset(edited)


def changed_kernels(before: SourceVersion, after: SourceVersion) -> frozenset[str]:
    """Keys of A's kernels that must be judged again: the edited ones, all if host code other than the launches differs."""
    if _Cut(before).host != _Cut(after).host:
        return frozenset(kernel.key for kernel in before.parsed.kernels)
    return edited_kernels(before, after)


def same_kernel(kernel: Kernel, before: SourceVersion, after: SourceVersion) -> Kernel | None:
    """B's kernel of that key or name; the only kernels of both sides are a pair, whatever they are called."""
    theirs = after.parsed.kernels
    if len(before.parsed.kernels) == len(theirs) == 1:
        return theirs[0]
    named = [other for other in theirs if other.qualified_name == kernel.qualified_name]
    return next((other for other in named if other.key == kernel.key), next(iter(named), None))


class _Cut:
    """One version, cut into what its kernels and what its host code rest on."""

    def __init__(self, version: SourceVersion) -> None:
        self._parsed = version.parsed
        self._code = uncommented(version.source.text)
        launches = [(site.span.start, site.span.end) for site in version.parsed.launch_sites]
        self._bare = without(self._code, iter(launches))
        """Without launches."""
        self._launch_words = {word for start, end in launches for word in words_in_code(self._code[start:end])}
        self._items = items(self._code)

    def of_kernel(self, kernel: Kernel) -> tuple[str, ...]:
        """Tokens of everything that the kernel and its launches rest on."""
        if self._items is None:
            return _tokens(self._code)
        sites = [self._code[site.span.start : site.span.end] for site in self._parsed.launch_sites_of(kernel)]
        launched = reach(self._items, {word for site in sites for word in words_in_code(site)}, _HOST | _KERNELS)
        names = {name for item in self._items if item.start <= kernel.body.start < item.end for name in item.names}
        return _tokens(only(self._code, {*reach(self._items, names, _HOST), *launched})) + _tokens("\n".join(sites))

    @property
    def host(self) -> tuple[str, ...]:
        """Tokens of host functions without their launches, of what these reach, and of declarations that nothing names."""
        if self._items is None:
            return _tokens(self._bare)
        functions = [item for item in self._items if item.kind is ItemKind.HOST]
        words = {word for item in functions for word in words_in_code(self._bare[item.start : item.end])}
        kernels = {name for item in self._items if item.kind is ItemKind.KERNEL for name in item.names}
        named = {item.start for item in reach(self._items, kernels | words | self._launch_words)}
        unnamed = (item for item in self._items if item.kind in _VALUES and item.start not in named)
        return _tokens(only(self._bare, {*functions, *reach(self._items, words, _HOST | _KERNELS), *unnamed}))


def _tokens(code: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens(code))
