"""Kernels that a unit keeps to itself: in relocatable code nvcc puts the unit's name before their symbols, so that it shows whose they are.

Example::

    split_static("__nv_static_29__3b49eb8c_8_first_cu_f153e167__Z5scalePfi")        # ('first_cu', '_Z5scalePfi')
    static_labels((("/p/first.cu", …), ("/p/second.cu", …)), ())                    # {('first_cu', 'scale'): 'first.cu', …}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from assistant.build.includes import with_headers
from assistant.build.units import unit_paths
from assistant.cuda.parse import parse
from assistant.cuda.same_names import distinguished, named_in
from assistant.model.source import ParsedSource, Source

__all__ = ["StaticLabels", "labelled", "split_static", "static_labels"]

StaticLabels = Mapping[tuple[str, str], str]
"""What is put before a kernel's name, by unit as symbols have it and by the name without template and parameter lists."""
_STATIC = re.compile(r"__nv_static_(\d+)_")
"""What nvcc 13.0 puts before a static function's symbol in relocatable code: the length of a word for the file, and that word."""
_UNIT = re.compile(r"_[0-9a-f]+_(\d+)_")
_LISTS = re.compile(r"[<(]")
_ANONYMOUS = "(anonymous namespace)::"
_KERNEL = "__global__"


def split_static(symbol: str) -> tuple[str, str]:
    """(the unit's file name with ``_`` for what no identifier has, the symbol without it); the first is empty where it is not in there."""
    static = _STATIC.match(symbol)
    if static is None:
        return "", symbol
    end = static.end() + int(static[1])
    unit = _UNIT.match(symbol, static.end())
    word = symbol[unit.end() : unit.end() + int(unit[1])] if unit is not None else ""
    return word, symbol[end + 1 :]


def labelled(unit: str, demangled: str, labels: StaticLabels) -> str:
    """A kernel's name, with its file in front where another file of the program has one of the same name."""
    plain = _LISTS.split(demangled.replace(_ANONYMOUS, ""), maxsplit=1)[0].rpartition(" ")[2]
    return named_in(labels.get((unit, plain), ""), demangled)


def static_labels(sources: Iterable[tuple[str, str]], arguments: Iterable[str]) -> StaticLabels:
    """Of kernels that several files have; without those of two units with the same file name, which symbols do not distinguish."""
    given, flags = tuple(sources), tuple(arguments)
    texts = with_headers(given, flags)
    holders = [parse(Source(Path(path), text)) for path, text in texts.items() if _KERNEL in text]
    if len(holders) < 2:
        return {}
    files = distinguished(holders)
    found: dict[tuple[str, str], set[str]] = {}
    for unit in unit_paths(given, flags):
        reached = frozenset(with_headers(((unit, texts[unit]),), flags))
        for name, label in _own_kernels(files, reached):
            found.setdefault((_word(unit), name), set()).add(label)
    return {key: next(iter(labels)) for key, labels in found.items() if len(labels) == 1}


def _own_kernels(files: Iterable[ParsedSource], reached: frozenset[str]) -> Iterator[tuple[str, str]]:
    """(name, label) of the kernels with labels that a unit which reads these files has."""
    for file in files:
        if str(file.source.path) in reached:
            yield from ((replace(kernel, file="").qualified_name, kernel.file) for kernel in file.kernels if kernel.file)


def _word(path: str) -> str:
    return re.sub(r"\W", "_", Path(path).name)
