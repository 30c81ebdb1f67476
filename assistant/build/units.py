"""Which of a program's sources are compiled by themselves, and through which one a header is.

Example::

    unit_paths((("/p/sum.cuh", header), ("/p/main.cu", text)))                 # ("/p/main.cu",)
    unit_of((("/p/sum.cuh", header), ("/p/main.cu", text)), ("-Iinc",))   # "/p/main.cu": it includes the header
    is_c("/p/main.c"), is_c("/p/main.C")                                  # True, False: compilers take the latter for C++
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath

from assistant.build.includes import headers_of

__all__ = ["HEADER_SUFFIXES", "UNIT_SUFFIXES", "is_c", "is_unit", "unit_of", "unit_paths"]

UNIT_SUFFIXES = frozenset({".cu", ".cpp", ".cc", ".cxx", ".c++", ".c"})
HEADER_SUFFIXES = frozenset({".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc", ".ipp", ".tpp"})


def is_unit(path: PurePath | str) -> bool:
    """Whether a file of this name is compiled by itself; otherwise others include it."""
    return PurePath(path).suffix.lower() in UNIT_SUFFIXES


def is_c(path: PurePath | str) -> bool:
    """Whether compilers, nvcc among them, take a unit of this name for C (GCC manual, "Overall Options"): it holds host code alone."""
    return PurePath(path).suffix == ".c"


def unit_paths(sources: Sequence[tuple[str, str]], arguments: Iterable[str] = ()) -> tuple[str, ...]:
    """Paths of the translation units among ``sources`` ((path, text), the file in question first), in order.

    A source that another one includes is none. Where no source has the name of one, the first is compiled by itself.
    """
    named = [path for path, _ in sources if is_unit(path)]
    if len(named) < 2:
        return tuple(named) or (sources[0][0],)
    texts, flags = dict(sources), tuple(arguments)
    included = {header for path in named for header in headers_of(path, texts, flags) if header != path}
    return tuple(path for path in named if path not in included) or tuple(named[:1])


def unit_of(sources: Sequence[tuple[str, str]], arguments: Iterable[str]) -> str:
    """The unit that compiles the first source: itself, else the first that includes it; the first unit where none does."""
    flags = tuple(arguments)
    asked, compiled = sources[0][0], unit_paths(sources, flags)
    if asked in compiled:
        return asked
    texts = dict(sources)
    reaching = (unit for unit in compiled if asked in headers_of(unit, texts, flags))
    return next(reaching, compiled[0])
