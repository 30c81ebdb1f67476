"""Programs of a configured CMake build: each executable with the libraries that it links, as CMake's File API has them.

Nothing is run. Of several builds that have the file, the one that was configured last answers. Example::

    search_cmake(sources, (), "/p/lib/reduce.cuh").found[0].name     # 'bench', a target
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from assistant.build.units import is_unit
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.build_folders import build_folders
from assistant.program.cmake_reply import CMakeBuild, CMakeSource, CMakeTarget, DamagedReplyError, newest_index, read_reply
from assistant.program.ctest import CTestRun, ctest_runs
from assistant.program.database import Database, differing_macros, merged_flags
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import LinkedProgram, Linker, is_cuda
from assistant.program.searching import headers_of
from assistant.program.sources import Sources
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["CONFIGURED_FOLDER", "CMakeSearch", "search_cmake"]

CONFIGURED_FOLDER = ".kernelopt/cmake"
"""Below a workspace: builds that ``kernelopt program --configure`` configured."""
_MAIN = re.compile(r"\bmain\s*\(")
"""Read first, as libraries have many sources."""
_AGAIN = "configure the build again"
_LIBRARIES = frozenset({"STATIC_LIBRARY", "SHARED_LIBRARY", "MODULE_LIBRARY", "OBJECT_LIBRARY"})


class CMakeSearch(Record):
    """What the builds gave."""

    found: tuple[FoundProgram, ...]
    looked_for: tuple[str, ...]
    problems: tuple[str, ...]


def search_cmake(sources: Sources, flags: tuple[str, ...], file: str | None) -> CMakeSearch:
    """The executables that a file is part of; None: all of them. ``flags``: the user's own, for ``-I`` and ``-D``."""
    looked_for, problems = list[str](), list[str]()
    for folder, shown in _configured(sources.root):
        try:
            build = read_reply(folder, shown, sources.root)
        except DamagedReplyError as error:
            problems.append(f"what CMake left in {shown} cannot be used: {error}; {_AGAIN}")
            continue
        if build is None:
            continue
        search = _BuildSearch(build, sources, flags, file)
        found = search.programs()
        if found:
            return CMakeSearch(found, (), (*search.problems, *problems))
        looked_for.extend(search.missed())
    if not looked_for and (Path(sources.root) / "CMakeLists.txt").is_file():
        looked_for.append("CMake left nothing about its targets in the usual build folders: add --configure to have it asked")
    return CMakeSearch((), tuple(looked_for), tuple(problems))


def _configured(root: str) -> Iterator[tuple[Path, str]]:
    """(folder, its name for people) of builds with a reply, the one that was configured last first."""
    own = sorted((Path(root) / CONFIGURED_FOLDER).glob("*"))
    indexes = {folder: index for folder in (*own, *build_folders(Path(root))) if (index := newest_index(folder)) is not None}
    for folder in sorted(indexes, key=lambda folder: -indexes[folder].stat().st_mtime_ns):
        yield folder, os.path.relpath(folder, root)


class _Executable(Record):
    """One with all that its link line brings."""

    target: CMakeTarget
    parts: tuple[CMakeTarget, ...]
    """Itself first."""


class _BuildSearch:
    """One question to one build."""

    def __init__(self, build: CMakeBuild, sources: Sources, flags: tuple[str, ...], file: str | None) -> None:
        self._build = build
        self._sources = sources
        self._flags = flags
        self._file = file
        self._unfit: list[str] = []
        self._places: dict[tuple[str, ...], tuple[tuple[str, ...], frozenset[str]]] = {}
        self.problems: list[str] = []

    def programs(self) -> tuple[FoundProgram, ...]:
        """The executables with the file, as programs."""
        found = [self._program(each) for each in map(self._executable, self._executables) if self._has_file(each)]
        programs = tuple(sorted(filter(None, found), key=lambda program: program.name))
        if programs:
            self.problems[:0] = self._stale()
        return programs

    def missed(self) -> tuple[str, ...]:
        """What to say where there is none."""
        shown = "a program" if self._file is None else self._sources.shown(self._file)
        return (f"no executable of CMake's build {self._build.shown} has {shown}, or includes it", *self._unfit, *self._stale())

    @cached_property
    def _executables(self) -> tuple[CMakeTarget, ...]:
        return tuple(target for target in self._build.targets if target.kind == "EXECUTABLE")

    def _executable(self, target: CMakeTarget) -> _Executable:
        """With the libraries that its link line and those of shared libraries name, and objects of other targets among its sources."""
        parts = {target.name: target}
        waiting = [target]
        for part in waiting:
            objects = (source.path for source in part.sources if not source.language)
            for path in (*sorted(part.linked_files), *objects):
                other = self._by_file.get(path)
                if other is not None and other.name not in parts:
                    parts[other.name] = other
                    waiting.append(other)
        return _Executable(target, tuple(parts.values()))

    @cached_property
    def _by_file(self) -> Mapping[str, CMakeTarget]:
        return {path: target for target in self._build.targets if target.kind in _LIBRARIES for path in target.artifacts}

    def _has_file(self, executable: _Executable) -> bool:
        return self._file is None or any(part.name in self._having for part in executable.parts)

    @cached_property
    def _having(self) -> Mapping[str, str]:
        """The first unit with the file, by the names of targets; the file itself where any target names it."""
        if self._file is None:
            return {}
        named = {target.name: self._file for target in self._build.targets if self._file in {source.path for source in target.sources}}
        if named and is_unit(self._file):
            return named
        linkers = ((target, self._linker(target.sources)) for target in self._build.targets)
        return {target.name: units[0] for target, linker in linkers if (units := linker.reaching(self._file))}

    def _linker(self, of: tuple[CMakeSource, ...]) -> Linker:
        """Linker of the sources that can be compiled here."""
        flags = {source.path: (*source.flags, *self._flags) for source in of if self._is_compiled(source)}
        places = {unit: self._searched(words) for unit, words in flags.items()}
        return Linker(self._sources, tuple(flags), lambda unit: places[unit][0], lambda unit: places[unit][1])

    def _searched(self, flags: tuple[str, ...]) -> tuple[tuple[str, ...], frozenset[str]]:
        """Folders and macros; the units of a target share their flags."""
        if flags not in self._places:
            self._places[flags] = folders_in(flags, (self._sources.root,)), macros_in_flags(flags)
        return self._places[flags]

    def _is_compiled(self, source: CMakeSource) -> bool:
        return bool(source.language) and is_unit(source.path) and Path(source.path).is_file()

    def _program(self, executable: _Executable) -> FoundProgram | None:
        """None where it has no kernels, or no ``main()`` that can be seen."""
        target = executable.target
        by_path = {source.path: source for part in reversed(executable.parts) for source in part.sources if self._is_compiled(source)}
        linker = self._linker(tuple(by_path.values()))
        units = self._in_order(linker, executable)
        if not units or not is_cuda(linker, units):
            return None
        if not linker.has_main(units[0]):
            self._unfit.append(f"no source of the target {target.name} has main()")
            return None
        database = Database(f"CMake's build {self._build.shown}", {unit: by_path[unit].flags for unit in units}, ())
        linked = LinkedProgram(units, {}, ())
        self.problems.extend(self._left_out(executable))
        self.problems.extend(differing_macros(linker, linked, database))
        test = self._test_of(target)
        return FoundProgram(
            name=target.name,
            units=tuple(self._sources.path(unit) for unit in units),
            origin=ProgramOrigin.CMAKE,
            why=self._why(executable, test),
            headers=headers_of(linker, units),
            flags=merged_flags(linker, linked, database),
            arguments=test.arguments if test is not None else (),
            working_directory=test.working_directory if test is not None and test.working_directory.is_dir() else None,
        )

    def _in_order(self, linker: Linker, executable: _Executable) -> tuple[str, ...]:
        """The unit with ``main()`` first. One of a library is left out where the executable has its own: the linker never asks for it."""
        own = [source.path for source in executable.target.sources if source.path in linker.units]
        mains = [unit for unit in own if linker.has_main(unit)]
        of_parts = [source.path for part in executable.parts[1:] for source in part.sources if source.path in linker.units]
        others = [unit for unit in of_parts if unit not in own]
        main_of_parts = [unit for unit in others if _MAIN.search(self._sources.text(unit) or "") and linker.has_main(unit)]
        first = mains or main_of_parts[:1]
        return tuple(dict.fromkeys((*first, *own, *(unit for unit in others if unit not in main_of_parts))))

    @cached_property
    def _tests(self) -> Mapping[str, tuple[CTestRun, ...]]:
        return ctest_runs(self._build.folder)

    def _test_of(self, target: CMakeTarget) -> CTestRun | None:
        """The first that runs it."""
        return next((run for path in target.artifacts for run in self._tests.get(path, ())), None)

    def _why(self, executable: _Executable, test: CTestRun | None) -> str:
        target = executable.target
        said = f"CMake's target {target.name} in {self._build.shown}{self._through(executable)}"
        return said if test is None else f"{said}; it runs as its test {test.name} does"

    def _through(self, executable: _Executable) -> str:
        """How it comes to have the file; all its libraries where no file is asked about."""
        if self._file is None:
            names = [part.name for part in executable.parts[1:]]
            return f" links {enumerated(names)}" if names else ""
        part = next(part for part in executable.parts if part.name in self._having)
        unit, file = self._having[part.name], self._sources.shown(self._file)
        shown = self._sources.shown(unit)
        if part is executable.target:
            return f" has {file}" if unit == self._file else f" has {shown}, which includes {file}"
        return f" links {part.name}, which has {file}" if unit == self._file else f" links {part.name}, whose {shown} includes {file}"

    def _left_out(self, executable: _Executable) -> Iterator[str]:
        """Sources of it that are not among the units, by what keeps them out."""
        compiled = [source for part in executable.parts for source in part.sources if source.language]
        missing = [source for source in compiled if not Path(source.path).is_file()]
        gone = [Path(source.path).name for source in missing if not source.is_generated]
        unmade = [Path(source.path).name for source in missing if source.is_generated]
        others = [Path(source.path).name for source in compiled if source not in missing and not is_unit(source.path)]
        place = f"CMake's build {self._build.shown}"
        if gone:
            yield f"{place} names {enumerated(gone)}, not there any more, which was left out; {_AGAIN}"
        if unmade:
            yield f"{place} makes {enumerated(unmade)} itself and has not yet, which was left out; build {executable.target.name} once"
        if others:
            yield f"{executable.target.name} also has {enumerated(others)}, left out: only CUDA, C++ and C are compiled here"

    def _stale(self) -> tuple[str, ...]:
        """That a file which says how to build was changed since."""
        newer = [path for path in self._build.inputs if _changed_ns(path) > self._build.configured_ns]
        if not Path(self._build.source).is_dir():
            return (f"CMake's build {self._build.shown} is of {self._build.source}, which is not there any more; {_AGAIN}",)
        shown = enumerated([self._sources.shown(os.path.realpath(path)) for path in newer])
        return (f"CMake's build {self._build.shown} is older than {shown}; {_AGAIN}",) if newer else ()


def _changed_ns(path: str) -> int:
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0
