"""Programs among the units of a workspace: by includes and by the names that one unit uses and another defines.

Example::

    search_units(linker, ProgramOrigin.INCLUDES, lambda linked: (), "/p/scale.cuh").found[0].name     # 'main.cu'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from assistant.build.safe_flags import is_read_by_shell
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.linking import LinkedProgram, Linker, is_cuda
from assistant.program.wording import ambiguous, why
from assistant.record import Record

__all__ = ["UnitFlags", "UnitSearch", "headers_of", "include_folder_flags", "program_of", "search_units"]

_REMEDY = "name the sources on the command line, or in a table [program.NAME] of kernelopt.toml"

UnitFlags = Callable[[LinkedProgram], tuple[str, ...]]
"""What the units of a program are compiled with."""


class UnitSearch(Record):
    """What the units of a place gave."""

    found: tuple[FoundProgram, ...]
    unclear: tuple[str, ...]
    """In words: names that more than one unit defines, in programs that the file may belong to."""
    problems: tuple[str, ...]
    """The same of programs that were found; they lack such a unit."""


def search_units(linker: Linker, origin: ProgramOrigin, flags: UnitFlags, file: str | None) -> UnitSearch:
    """The programs that a file is part of; None: all of them."""
    mains = linker.mains_with(file) if file is not None else tuple(unit for unit in linker.units if linker.has_main(unit))
    programs = [linker.linked(main) for main in mains]
    hits = [each for each in programs if (file is None or _holds(linker, each, file)) and is_cuda(linker, each.units)]
    found = [program_of(linker, each, origin, flags(each), file) for each in hits]
    return UnitSearch(
        found=tuple(sorted(found, key=lambda each: each.name)),
        unclear=_ambiguities(linker, (each for each in programs if each not in hits)),
        problems=tuple(f"{text}; {_REMEDY}" for text in _ambiguities(linker, hits)),
    )


def _ambiguities(linker: Linker, programs: Iterable[LinkedProgram]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(ambiguous(linker, one) for each in programs for one in each.ambiguities))


def program_of(linker: Linker, linked: LinkedProgram, origin: ProgramOrigin, flags: tuple[str, ...], file: str | None) -> FoundProgram:
    """What is reported of a program; its name is that of the unit with ``main()``."""
    main = linked.units[0]
    return FoundProgram(
        name=linker.sources.shown(main),
        units=tuple(linker.sources.path(unit) for unit in linked.units),
        origin=origin,
        why=why(linker, linked, file or main),
        headers=headers_of(linker, linked.units),
        flags=flags,
    )


def headers_of(linker: Linker, units: Iterable[str]) -> tuple[Path, ...]:
    """What the units include of the workspace."""
    own = tuple(units)
    reached = dict.fromkeys(path for unit in own for path in linker.closure(unit))
    return tuple(linker.sources.path(path) for path in reached if path not in own and linker.sources.is_inside(path))


def include_folder_flags(linker: Linker, units: Iterable[str]) -> tuple[str, ...]:
    """``-I`` for each folder that includes were found in although no flag names it."""
    return tuple(dict.fromkeys(f"-I{folder}" for folder in _guessed_folders(linker, units) if not is_read_by_shell(folder)))


def _guessed_folders(linker: Linker, units: Iterable[str]) -> Iterator[str]:
    for unit in units:
        for reached in linker.closure(unit).values():
            if reached.folder is not None:
                yield reached.folder


def _holds(linker: Linker, linked: LinkedProgram, file: str) -> bool:
    return any(file in linker.closure(unit) for unit in linked.units)
