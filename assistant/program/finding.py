"""The programs that a CUDA file belongs to: as the command line names them, else tables, recorded builds, CMake's targets, a build's
database, includes, PyTorch extensions.

The first of these places that has one answers. Example::

    search = find_programs(Path("/p/scale.cuh"), (), read, Path("/p"), ("-Iinclude",))
    search.found[0].units        # (Path("/p/main.cu"), Path("/p/sums.cu"))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from assistant.build.flags import DEFAULT_FLAGS
from assistant.build.units import is_unit
from assistant.cuda.embedded.in_python import python_file
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.program.build_flags import unused_flags
from assistant.program.cmake import search_cmake
from assistant.program.command_line import named_program
from assistant.program.configured import search_tables
from assistant.program.database import differing_macros, merged_flags, read_database
from assistant.program.extension_programs import extension_names, search_extensions
from assistant.program.facts import Facts, TooMuchToReadError
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import LinkedProgram, Linker
from assistant.program.python_scripts import Scripts
from assistant.program.recorded import search_records
from assistant.program.searching import UnitSearch, include_folder_flags, search_units
from assistant.program.sources import ReadFile, Sources
from assistant.program.tables import Tables, read_tables
from assistant.program.torch_place import torch_place
from assistant.program.unbuilt_extension import NO_TORCH, unbuilt_extension
from assistant.record import Record

__all__ = ["find_extensions", "find_programs", "programs_of_folder"]

_PYTHON = ".py"
_STOPPED = (
    "the search for programs was stopped, as the workspace has very many sources: "
    "ask again to go on (what was read is kept), or name the sources on the command line"
)


def find_programs(
    file: Path, further: tuple[Path, ...], read: ReadFile, workspace: Path, flags: tuple[str, ...], facts: Facts | None = None
) -> ProgramSearch:
    """The programs that ``file`` is part of.

    ``further``: other sources of the command line. ``read``: the text of a file as it is now, None where it cannot be read.
    ``flags``: the user's own, for ``-I`` and ``-D``. ``facts``: reads texts; None: anew.
    """
    if file.suffix == _PYTHON or python_file(file) is not None:
        return find_extensions(file, read, workspace, flags, facts)
    sources = Sources(file, workspace, read, facts)
    search = _Search(sources, flags, sources.file)
    if further:
        return search.named(further)
    if sources.text(sources.file) is None:
        return ProgramSearch((), problem=f"{file} cannot be read: check the path")
    return search.anywhere()


def find_extensions(file: Path, read: ReadFile, workspace: Path, flags: tuple[str, ...], facts: Facts | None = None) -> ProgramSearch:
    """The PyTorch extensions that ``file`` is part of, whatever else it is part of; of a Python file, those that it builds or runs."""
    sources = Sources(file, workspace, read, facts)
    is_python = file.suffix == _PYTHON
    search = _Search(sources, flags, None if is_python else sources.file).extensions()
    if not is_python:
        return search
    shown = sources.shown(sources.file)
    found = tuple(each for each in search.found if each.said_in == shown or each.name.split(" (")[0] == shown)
    return replace(search, found=found, looked_for=tuple(text for text in search.looked_for if text.startswith(f"{shown}:")))


def programs_of_folder(folder: Path, read: ReadFile, workspace: Path, flags: tuple[str, ...], facts: Facts | None = None) -> ProgramSearch:
    """The programs that have a unit in ``folder`` or below it."""
    sources = Sources(folder, workspace, read, facts)
    search = _Search(sources, flags, None).anywhere()
    found = tuple(each for each in search.found if any(unit.is_relative_to(sources.file) for unit in each.units))
    return ProgramSearch(found, search.looked_for, search.problem)


class _Part(Record):
    """What one place gave."""

    found: tuple[FoundProgram, ...]
    looked_for: tuple[str, ...]
    problems: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()


class _Search:
    """One question; ``file`` is None for all programs of the workspace."""

    def __init__(self, sources: Sources, flags: tuple[str, ...], file: str | None) -> None:
        self._sources = sources
        self._flags = flags
        self._file = file
        start = str(Path(sources.file).parent) if file is not None else sources.file
        self._folders = folders_in(flags, tuple(dict.fromkeys((sources.root, start))))
        self._macros = macros_in_flags(flags)
        self._shown = "a program" if file is None else sources.shown(file)

    def named(self, further: Iterable[Path]) -> ProgramSearch:
        """The program that a command line spells out."""
        named = tuple(dict.fromkeys((self._sources.file, *(self._sources.known(path) for path in further))))
        search = named_program(self._linker(tuple(path for path in named if is_unit(path))), named)
        return replace(search, found=self._with_unused(search.found))

    def anywhere(self) -> ProgramSearch:
        """The first place that has a program; with what was wrong in those before it."""
        looked_for, problems = list[str](), list[str]()
        flags: tuple[str, ...] = ()
        for part in (self._of_tables, self._of_records, self._of_cmake, self._of_database, self._of_includes, self._of_extensions):
            try:
                result = part()
            except TooMuchToReadError:
                return ProgramSearch((), tuple(looked_for), "; ".join((*problems, _STOPPED)))
            problems.extend(result.problems)
            if result.found:
                return ProgramSearch(result.found, tuple(looked_for), "; ".join(problems))
            looked_for.extend(result.looked_for)
            flags = result.flags or flags
        unbuilt = self._unbuilt()
        return ProgramSearch(unbuilt.found, tuple(looked_for), "; ".join((*problems, *unbuilt.problems)), flags)

    def extensions(self) -> ProgramSearch:
        """Those alone; none where the workspace is too large to look at all of it."""
        try:
            result = self._of_extensions()
        except TooMuchToReadError:
            return ProgramSearch(())
        unbuilt = _Part((), ()) if result.found else self._unbuilt()
        return ProgramSearch(result.found or unbuilt.found, result.looked_for, "; ".join((*result.problems, *unbuilt.problems)))

    def _unbuilt(self) -> _Part:
        """The source as an extension that nothing is known to build, where it needs PyTorch."""
        found = None if self._file is None else unbuilt_extension(self._sources, self._file, self._flags)
        if found is None:
            return _Part((), ())
        return _Part((found,), (), () if torch_place(Path(self._sources.root)) else (NO_TORCH,))

    def _linker(self, units: tuple[str, ...]) -> Linker:
        return Linker(self._sources, units, lambda _: self._folders, lambda _: self._macros)

    @cached_property
    def _tables(self) -> Tables:
        return read_tables(Path(self._sources.file), Path(self._sources.root), self._sources.read)

    def _of_tables(self) -> _Part:
        root, tables = Path(self._sources.root), self._tables
        if tables.file is None:
            return _Part((), (f"no kernelopt.toml in {root} has a [program.NAME] table",))
        is_started = any(table.run_command is not None for table in tables.tables)
        extensions = extension_names(Scripts(root, self._sources.read), root) if is_started else frozenset[str]()
        search = search_tables(tables, self._sources, self._flags, self._file, extensions)
        shown = tables.file.relative_to(root)
        return _Part(search.found, (f"no [program.NAME] of {shown} has {self._shown}, or includes it",), search.problems)

    def _of_records(self) -> _Part:
        search = search_records(self._sources, self._flags, self._file)
        if not search.count:
            return _Part((), (), search.problems)
        return _Part(search.found, (f"no recorded build has {self._shown} in what it links",), search.problems)

    def _of_cmake(self) -> _Part:
        search = search_cmake(self._sources, self._flags, self._file)
        return _Part(search.found, search.looked_for, search.problems)

    def _of_database(self) -> _Part:
        database = read_database(Path(self._sources.root))
        if database is None:
            return _Part((), ("there is no compile_commands.json, neither at the root nor in build, out or cmake-build-*",))
        flags = {unit: (*words, *self._flags) for unit, words in database.flags.items()}
        folders = {unit: folders_in(words, (self._sources.root,)) for unit, words in flags.items()}
        macros = {unit: macros_in_flags(words) for unit, words in flags.items()}
        linker = Linker(self._sources, tuple(database.flags), folders.__getitem__, macros.__getitem__)
        differing = list[str]()

        def flags_of(linked: LinkedProgram) -> tuple[str, ...]:
            differing.extend(differing_macros(linker, linked, database))
            return merged_flags(linker, linked, database)

        search = search_units(linker, ProgramOrigin.COMPILE_COMMANDS, flags_of, self._file)
        missed = f"no sources of {database.shown} make a program with {self._shown}"
        return _Part(search.found, (missed, *search.unclear), (*database.problems, *differing, *search.problems))

    def _of_includes(self) -> _Part:
        if self._file is not None and is_unit(self._file):
            alone = self._linker((self._file,))
            if alone.stands_alone(self._file):  # the workspace, which may be large, need not be read
                return _Part(self._searched(alone).found, ())
        linker = self._linker(self._sources.units)
        search = self._searched(linker)
        missed = f"none of {len(linker.units)} sources in {self._sources.root} has main() and {self._wanted}"
        count = self._sources.left_out_count
        left_out = (f"{count} files further away were not read: name the sources on the command line",) if count else ()
        own = include_folder_flags(linker, (self._file,)) if self._file is not None and is_unit(self._file) else ()
        return _Part(search.found, (missed, *search.unclear, *left_out), search.problems, own)

    def _of_extensions(self) -> _Part:
        search = search_extensions(self._sources, self._flags, self._file, self._tables.tables)
        return _Part(search.found, search.looked_for, search.problems)

    def _searched(self, linker: Linker) -> UnitSearch:
        search = search_units(linker, ProgramOrigin.INCLUDES, lambda linked: include_folder_flags(linker, linked.units), self._file)
        return replace(search, found=self._with_unused(search.found))

    def _with_unused(self, found: tuple[FoundProgram, ...]) -> tuple[FoundProgram, ...]:
        return tuple(replace(each, unused=self._unused(each)) for each in found)

    def _unused(self, program: FoundProgram) -> str:
        """Nothing where a person gives flags: they know what the build says."""
        if set(self._flags) - set(DEFAULT_FLAGS.arguments):
            return ""
        units = (self._sources.known(unit) for unit in program.units)
        return unused_flags(self._sources.read, self._sources.root, units, program.flags)

    @property
    def _wanted(self) -> str:
        if self._file is None:
            return "starts a kernel"
        return f"includes {self._shown}, or uses what it defines"
