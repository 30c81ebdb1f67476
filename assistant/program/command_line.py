"""The program that a command line spells out: all sources that it names.

Example::

    named_program(linker, ("/p/scale.cuh", "/p/main.cu")).found[0].units     # (Path("/p/main.cu"),)
"""

from __future__ import annotations

from assistant.build.units import is_unit
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.program.linking import Linker
from assistant.program.searching import headers_of
from assistant.program.wording import enumerated

__all__ = ["named_program"]


def named_program(linker: Linker, named: tuple[str, ...]) -> ProgramSearch:
    """All units among the named files, that with ``main()`` first; ``linker.units`` are these units."""
    shown = linker.sources.shown
    unread = [shown(path) for path in named if linker.sources.text(path) is None]
    if unread:
        return ProgramSearch((), problem=f"{enumerated(unread)} cannot be read: check the path on the command line")
    if not linker.units:
        names, is_one = enumerated([shown(path) for path in named]), len(named) == 1
        said = f"{names} is a header: name the source that includes it, too"
        return ProgramSearch((), problem=said if is_one else f"{names} are headers: name the source that includes them, too")
    mains = [unit for unit in linker.units if linker.has_main(unit)]
    if len(mains) > 1:
        texts = enumerated([shown(unit) for unit in mains])
        return ProgramSearch((), problem=f"{texts} have a main() each: name the sources of one program")
    first = mains[0] if mains else linker.units[0]
    units = tuple(linker.sources.path(unit) for unit in (first, *(unit for unit in linker.units if unit != first)))
    why = f"the command line names {enumerated([shown(path) for path in named if is_unit(path)])}"
    return ProgramSearch((FoundProgram(shown(first), units, ProgramOrigin.COMMAND_LINE, why, headers_of(linker, linker.units)),))
