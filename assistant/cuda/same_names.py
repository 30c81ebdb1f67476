"""Kernels of one name in several files of a program, as ``static`` ones may be: their names carry the file.

Example::

    shortest_names(("/p/a/k.cu", "/p/b/k.cu"))       # {'/p/a/k.cu': 'a/k.cu', '/p/b/k.cu': 'b/k.cu'}
    named_in("first.cu", "scale(float*, int)")       # 'first.cu:scale(float*, int)'
    split_name("first.cu:scale(float*, int)")        # ('first.cu', 'scale(float*, int)')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePath

from assistant.model.source import Kernel, ParsedSource

__all__ = ["distinguished", "is_named_file", "named_in", "plain_instance", "shortest_names", "split_name", "without_file"]

_WITH_FILE = re.compile(r"(?P<file>[^:<>()]*\.[\w+]+):(?!:)\s*(?=\S)")
"""No demangled name has a file name's dot before its first colon, bracket or parenthesis."""


def named_in(file: str, name: str) -> str:
    """A kernel's name with the file in front; the name itself where ``file`` is empty."""
    return f"{file}:{name}" if file else name


def split_name(name: str) -> tuple[str, str]:
    """(file, kernel) of a name; the file is empty where none is written."""
    match = _WITH_FILE.match(name)
    return ("", name) if match is None else (match["file"], name[match.end() :])


def without_file(name: str) -> str:
    """The kernel's own name."""
    return split_name(name)[1]


def plain_instance(demangled: str) -> str:
    """An instance as it is compared: demanglers differ in spaces, and in whether a template instance shows its return type."""
    return without_file(demangled).removeprefix("void ").replace(" ", "")


def is_named_file(path: PurePath | str, written: str) -> bool:
    """Whether a file may be written so: by its name, or by the end of its path."""
    parts, wanted = PurePath(path).parts, PurePath(written).parts
    return bool(wanted) and parts[-len(wanted) :] == wanted


def shortest_names(paths: Iterable[str]) -> dict[str, str]:
    """The shortest end of each path that none of the others has."""
    parts = {path: PurePath(path).parts for path in paths}
    return {path: _shortest(own, [other for each, other in parts.items() if each != path]) for path, own in parts.items()}


def distinguished(files: Sequence[ParsedSource]) -> tuple[ParsedSource, ...]:
    """The files of a program; kernels of the same name carry their file's name, where each file has a kernel of its own."""
    shared = {name for name in _doubled(files) if _is_own_each(name, files)}
    names = {name: shortest_names(str(file.source.path) for file in files if _of_name(file, name)) for name in shared}

    def placed(file: ParsedSource, kernel: Kernel) -> Kernel:
        name = replace(kernel, file="").qualified_name
        wanted = names[name][str(file.source.path)] if name in shared else ""
        return kernel if kernel.file == wanted else replace(kernel, file=wanted)

    return tuple(replace(file, kernels=tuple(placed(file, kernel) for kernel in file.kernels)) for file in files)


def _shortest(own: tuple[str, ...], others: Sequence[tuple[str, ...]]) -> str:
    lengths = (length for length in range(1, len(own)) if all(other[-length:] != own[-length:] for other in others))
    return "/".join(own[-next(lengths, 1) :])


def _doubled(files: Sequence[ParsedSource]) -> set[str]:
    """Qualified names that kernels of two files have."""
    seen, found = set[str](), set[str]()
    for file in files:
        names = {replace(kernel, file="").qualified_name for kernel in file.kernels}
        found |= seen & names
        seen |= names
    return found


def _is_own_each(name: str, files: Sequence[ParsedSource]) -> bool:
    """Whether these are kernels of their own: one is internal, or two have the same key; not a template and its specializations."""
    keys = [{replace(kernel, file="").key for kernel in _of_name(file, name)} for file in files]
    is_same = len({key for each in keys for key in each}) < sum(map(len, keys))
    return is_same or any(kernel.is_internal for file in files for kernel in _of_name(file, name))


def _of_name(file: ParsedSource, name: str) -> tuple[Kernel, ...]:
    """Its kernels of that name that are no explicit specializations: these belong to a template of another place."""
    found = (kernel for kernel in file.kernels if replace(kernel, file="").qualified_name == name)
    return tuple(kernel for kernel in found if not _is_specialization(file, kernel))


def _is_specialization(file: ParsedSource, kernel: Kernel) -> bool:
    return file.source.text[kernel.name_span.end : kernel.parameters_span.start].strip().startswith("<")
