"""Programs of a workspace's tables that a file is part of.

Example::

    search_tables(tables, sources, (), Path("/p/kernels/window.cuh"))
"""

from __future__ import annotations

from assistant.build.units import is_unit
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import Linker
from assistant.program.searching import headers_of
from assistant.program.sources import Sources
from assistant.program.tables import ProgramTable, Tables
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["TableSearch", "search_tables"]


class TableSearch(Record):
    """What the tables gave."""

    found: tuple[FoundProgram, ...]
    problems: tuple[str, ...]
    """One sentence for each table that cannot be used."""


def search_tables(
    tables: Tables, sources: Sources, flags: tuple[str, ...], file: str | None, extensions: frozenset[str] = frozenset()
) -> TableSearch:
    """The tables' programs that a file is part of; None: all of them. Tables of ``extensions`` are no programs by themselves."""
    found, problems = list[FoundProgram](), list(tables.problems)
    for table in tables.tables:
        if table.name in extensions:
            continue
        units = tuple(path for path in table.sources if is_unit(path))
        every = (*table.flags, *flags)
        folders, macros = folders_in(every, (sources.root,)), macros_in_flags(every)
        linker = Linker(sources, units, lambda _, folders=folders: folders, lambda _, macros=macros: macros)
        problem = _problem(linker, table)
        if problem:
            problems.append(problem)
        elif file is None or file in table.sources or linker.reaching(file):
            found.append(_program(linker, table, file))
    return TableSearch(tuple(found), tuple(problems))


def _problem(linker: Linker, table: ProgramTable) -> str:
    """What keeps its sources from being one program; empty where nothing does."""
    if not table.sources:
        return f"{table.place}: [program.{table.name}] has no sources, and no PyTorch extension has its name: add sources"
    if not linker.units and table.run_command is None:
        return f"{table.place}: sources of [program.{table.name}] are headers only: add the source that includes them"
    mains = [linker.sources.shown(unit) for unit in linker.units if linker.has_main(unit)]
    if len(mains) > 1 and table.run_command is None:
        return f"{table.place}: {enumerated(mains)} of [program.{table.name}] have a main() each: leave all but one out"
    return ""


def _program(linker: Linker, table: ProgramTable, file: str | None) -> FoundProgram:
    main = [unit for unit in linker.units if linker.has_main(unit)][:1]
    units = dict.fromkeys((*main, *linker.units))
    shown = (
        "" if file is None else f" has {linker.sources.shown(file)}" + ("" if file in table.sources else " among what its sources include")
    )
    return FoundProgram(
        name=table.name,
        units=tuple(linker.sources.path(unit) for unit in units),
        origin=ProgramOrigin.CONFIGURATION,
        why=f"[program.{table.name}] in {table.place}{shown}",
        flags=table.flags,
        headers=headers_of(linker, units),
        arguments=table.arguments,
        working_directory=table.working_directory,
        build_command=table.build_command,
        run_command=table.run_command,
    )
