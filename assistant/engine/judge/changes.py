"""Which kernels an edit concerns: those whose code, or the code they reach, says something else, and those whose launch does.

Comments and spaces do not count. What cannot be attributed concerns every kernel: host code other than the launches, conditional
directives, ``using namespace``, included files of the user's own. Of an edit of several files, each kernel is looked at in its own file
and in those that differ: a constant of a header, or a launch, may be in another file than the kernel.

Example::

    edited_kernels(before, after)     # frozenset({"blur(float *, int)"}): its own code or launch differs
    changed_kernels(before, after)    # all of A's kernels, if main() prepares their data differently
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.cuda.code_text import uncommented, without
from assistant.cuda.embedded.cell_launch import launch_in
from assistant.cuda.items import ItemKind, items
from assistant.cuda.match import select_kernels
from assistant.cuda.tokens import tokens, words_in_code
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Kernel, LaunchSite, ParsedSource
from assistant.verify.reach import only, reach

__all__ = ["FilePair", "changed_kernels", "edited_files", "edited_kernels", "same_kernel"]

_KERNELS = frozenset({ItemKind.KERNEL})
_HOST = frozenset({ItemKind.HOST})
_VALUES = frozenset({ItemKind.DECLARATION, ItemKind.MACRO})


FilePair = tuple[ParsedSource, ParsedSource]
"""A file of A and the one of B in its place."""


def edited_files(before: SourceVersion, after: SourceVersion) -> tuple[FilePair, ...]:
    """Files that differ, A's and B's; the file in question comes first."""
    return tuple((old, new) for old, new in _file_pairs(before, after) if old.source.text != new.source.text)


def edited_kernels(before: SourceVersion, after: SourceVersion) -> frozenset[str]:
    """Keys of A's kernels whose own code, what it reaches, or its launches, with a notebook's cell its line, differ."""
    differing = edited_files(before, after)
    edited = list[str]()
    for pair in _file_pairs(before, after):
        if not pair[0].kernels or not differing:
            continue
        relaunched = _relaunched(*pair)
        old, new = (_Cut((own, *others)) for own, others in zip(pair, _files_next_to(pair, differing), strict=True))
        for kernel in pair[0].kernels:
            other = _counterpart(kernel, *pair)
            if other is None or kernel in relaunched or old.of_kernel(kernel) != new.of_kernel(other):
                edited.append(kernel.key)
    return frozenset(edited)


def changed_kernels(before: SourceVersion, after: SourceVersion) -> frozenset[str]:
    """Keys of A's kernels that must be judged again: the edited ones, all if host code other than the launches differs."""
    if any(_Cut((old,)).host != _Cut((new,)).host for old, new in edited_files(before, after)):
        return frozenset(kernel.key for file in before.files for kernel in file.kernels)
    return edited_kernels(before, after)


def same_kernel(kernel: Kernel, before: SourceVersion, after: SourceVersion) -> Kernel | None:
    """B's kernel of that key or name in the same file; the only kernels of a file are a pair, whatever they are called."""
    pair = next((pair for pair in _file_pairs(before, after) if kernel in pair[0].kernels), None)
    return None if pair is None else _counterpart(kernel, *pair)


def _file_pairs(before: SourceVersion, after: SourceVersion) -> tuple[FilePair, ...]:
    """The files in question are a pair, wherever they lie; others are by their path, or by their name in another folder."""
    found = [(before.parsed, after.parsed)]
    for old in before.others:
        path = old.source.path
        named = [new for new in after.others if new.source.path.name == path.name]
        new = next((new for new in named if new.source.path == path), named[0] if len(named) == 1 else None)
        found += [] if new is None else [(old, new)]
    return tuple(found)


def _files_next_to(pair: FilePair, differing: Sequence[FilePair]) -> tuple[tuple[ParsedSource, ...], tuple[ParsedSource, ...]]:
    """The other files that differ, of A and of B."""
    others = [other for other in differing if other[0] is not pair[0]]
    return tuple(old for old, _ in others), tuple(new for _, new in others)


def _relaunched(before: ParsedSource, after: ParsedSource) -> frozenset[Kernel]:
    """Kernels of a notebook's cell whose launch its line says otherwise: the one that it names, else all."""
    lines = [launch_in(parsed.source.text) for parsed in (before, after)]
    if lines[0] == lines[1]:
        return frozenset()
    named = {line.kernel for line in lines if line is not None}
    chosen = (before.kernels if name is None else select_kernels(before, name) for name in named)
    return frozenset(kernel for kernels in chosen for kernel in kernels)


def _counterpart(kernel: Kernel, before: ParsedSource, after: ParsedSource) -> Kernel | None:
    theirs = after.kernels
    if len(before.kernels) == len(theirs) == 1:
        return theirs[0]
    named = [other for other in theirs if other.qualified_name == kernel.qualified_name]
    return next((other for other in named if other.key == kernel.key), next(iter(named), None))


class _Cut:
    """Files of a version, cut into what their kernels and what their host code rest on; kernels of the first are asked about."""

    def __init__(self, files: Sequence[ParsedSource]) -> None:
        self._files = files
        self._code = "\n".join(uncommented(file.source.text) for file in files)
        launches = [span for file in files for span in self._spans(file, file.launch_sites)]
        self._bare = without(self._code, iter(launches))
        """Without launches."""
        self._launch_words = {word for start, end in launches for word in words_in_code(self._code[start:end])}
        self._items = items(self._code)

    def of_kernel(self, kernel: Kernel) -> tuple[str, ...]:
        """Tokens of everything that the kernel and its launches rest on."""
        if self._items is None:
            return _tokens(self._code)
        sites = [self._code[start:end] for file in self._files for start, end in self._spans(file, file.launch_sites_of(kernel))]
        launched = reach(self._items, {word for site in sites for word in words_in_code(site)}, _HOST | _KERNELS)
        names = {name for item in self._items if item.start <= kernel.body.start < item.end for name in item.names}
        names |= set(words_in_code(self._code[kernel.span.start : kernel.span.end])) if kernel.macro else set()
        return _tokens(only(self._code, {*reach(self._items, names, _HOST), *launched})) + _tokens("\n".join(sites))

    def _spans(self, file: ParsedSource, sites: Iterable[LaunchSite]) -> list[tuple[int, int]]:
        """Where launches of a file stand in the code of all."""
        start = sum(len(other.source.text) + 1 for other in self._files[: self._files.index(file)])
        return [(start + site.span.start, start + site.span.end) for site in sites]

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
