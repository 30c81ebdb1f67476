"""The programs that a recorded build linked: from each link through objects and archives back to the sources that were compiled.

Example::

    programs, notes = linked_programs(calls, copies, Path("/p"), frozenset({"gen/table.cu"}))
    programs[0].units[0].source     # 'src/main.cu'
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from assistant.build.compiler_calls import Action, CompilerCall, NotedCall
from assistant.build.flags import absolute_flags
from assistant.disk.real_paths import real_within
from assistant.program.build_record import RecordedProgram, RecordedUnit
from assistant.program.given_flags import FOLDER_FLAGS
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["linked_programs"]

_OF_COMPILERS = frozenset({"cudart", "cudart_static", "cudadevrt", "cuda", "stdc++", "gcc", "gcc_s", "c", "m"})
"""Libraries that compilers, and the emulator, bring by themselves."""
_TOOLKIT_HEADER = "cuda_runtime_api.h"
_LIBRARY_SUFFIXES = (".o", ".a", ".so", ".lo")
_OF_A_CONFIGURATION = "CMakeFiles"
"""Below it lies what CMake compiles to find out about compilers."""


class _BuiltFile(Record):
    """What stands behind one file that the build made."""

    units: tuple[RecordedUnit, ...] = ()
    libraries: tuple[str, ...] = ()
    members: Mapping[str, tuple[RecordedUnit, ...]] | None = None
    """For an archive, its members by name; None for what is linked whole."""
    missing: tuple[str, ...] = ()
    """Objects of the workspace that no call made."""


def linked_programs(
    calls: Iterable[NotedCall],
    copies: Iterable[tuple[str, str]],
    workspace: Path,
    generated: frozenset[str],
    objects: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[RecordedProgram, ...], tuple[str, ...]]:
    """(programs by name, doubts in words).

    ``copies``: (file, the program that it is a copy of); ``generated``: sources that the build made, relative to the workspace;
    ``objects``: those of sources in C, by their paths, as they are kept.
    """
    assembly = _Assembly(workspace, generated, objects)
    for noted in calls:
        assembly.add(noted)
    places: dict[str, list[str]] = {}
    for copied, program in copies:
        places.setdefault(assembly.shown(program), []).append(assembly.shown(copied))
    linked = sorted(assembly.programs.values(), key=lambda each: each.name)
    programs = tuple(replace(each, also=tuple(places.get(each.name, ()))) for each in linked)
    return programs, tuple(assembly.notes)


class _Assembly:
    """Follows the calls of a build in their order."""

    def __init__(self, workspace: Path, generated: frozenset[str], objects: Mapping[str, str]) -> None:
        self._workspace = workspace
        self._objects = objects
        self._generated = generated
        self._made: dict[str, _BuiltFile] = {}
        self._by_digest: dict[str, _BuiltFile] = {}
        self.programs: dict[str, RecordedProgram] = {}
        """By name."""
        self.notes: dict[str, None] = {}

    def shown(self, path: str) -> str:
        """Relative to the workspace where it lies there."""
        return posixpath.relpath(path, self._workspace) if Path(path).is_relative_to(self._workspace) else path

    def add(self, noted: NotedCall) -> None:
        call = noted.call
        match call.action:
            case Action.COMPILE:
                for unit, object_file in zip(self._units(noted), (unit.object for unit in call.units), strict=True):
                    self._keep(noted, object_file, _BuiltFile(() if unit is None else (unit,)))
            case Action.ARCHIVE:
                self._keep(noted, call.output, self._archive(noted))
            case Action.DEVICE_LINK:  # it holds nothing that its inputs do not hold
                self._keep(noted, call.output, _BuiltFile())
            case Action.SHARED | Action.PARTIAL:
                self._keep(noted, call.output, self._whole(noted))
            case Action.LINK:
                self._add_program(noted)
            case Action.OTHER:
                pass

    def _keep(self, noted: NotedCall, file: str | None, made: _BuiltFile) -> None:
        if file is None:
            return
        self._made[file] = made
        if file in noted.digests:
            self._by_digest[noted.digests[file]] = made

    def _units(self, noted: NotedCall) -> list[RecordedUnit | None]:
        """None for a source that is gone: a build tries its compiler with such."""
        flags = tuple(flag for flag in absolute_flags(noted.call.flags, noted.folder) if self._is_needed(flag))
        places = [(self._place(unit.source), self._objects.get(unit.object or "", "")) for unit in noted.call.units]
        return [None if place is None else RecordedUnit(place, flags, kept) for place, kept in places]

    def _is_needed(self, flag: str) -> bool:
        """Not a folder of CUDA's own headers, which every compiler of it, and the emulator, finds by itself; nor one that is not there."""
        folder = next((Path(flag.removeprefix(prefix)) for prefix in FOLDER_FLAGS if flag.startswith(prefix)), None)
        if folder is None or folder.is_relative_to(self._workspace):
            return True
        return folder.is_dir() and not (folder / _TOOLKIT_HEADER).is_file()

    def _place(self, source: str) -> str | None:
        real = self.shown(real_within(source, os.path.realpath(self._workspace)))
        if Path(source).is_file():
            return real
        return next((name for name in (self.shown(source), real) if name in self._generated), None)

    def _archive(self, noted: NotedCall) -> _BuiltFile:
        """Members are replaced by others of their name, and stay otherwise."""
        before = self._made.get(noted.call.output or "", _BuiltFile(members={}))
        members = dict(before.members or {})
        missing = list(before.missing)
        for file in noted.call.inputs:
            made = self._of(noted, file)
            if made is not None:
                members[posixpath.basename(file)] = made.units
            elif not file.startswith("-"):
                missing.append(self.shown(file))
        return _BuiltFile(members=members, missing=tuple(missing))

    def _of(self, noted: NotedCall, file: str) -> _BuiltFile | None:
        """What stands behind an input; known again where the build moved or copied it."""
        return self._by_digest.get(noted.digests.get(file, "")) or self._made.get(file)

    def _whole(self, noted: NotedCall) -> _BuiltFile:
        """All that a link puts together."""
        units: dict[RecordedUnit, None] = {unit: None for unit in self._units(noted) if unit is not None}
        libraries, missing = dict[str, None](), list[str]()
        is_whole = any("--whole-archive" in flag for flag in noted.call.flags)
        for word in noted.call.inputs:
            file = _library_file(noted.call, word, self._made) if word.startswith("-l") else word
            made = self._of(noted, file) if file is not None else None
            if made is not None:
                units.update(dict.fromkeys(made.units))
                units.update(dict.fromkeys(self._members(made, "" if is_whole else self.shown(file or ""))))
                libraries.update(dict.fromkeys(made.libraries))
                missing.extend(made.missing)
            elif word.startswith(("-l", "-L")):
                libraries[word] = None
            elif word.endswith(_LIBRARY_SUFFIXES) or ".so." in posixpath.basename(word):
                self._add_file(word, libraries, missing)
        return _BuiltFile(tuple(units), tuple(_of_others(libraries)), missing=tuple(missing))

    def _members(self, made: _BuiltFile, archive: str) -> Iterator[RecordedUnit]:
        for units in (made.members or {}).values():
            yield from (replace(unit, archive=archive) for unit in units)

    def _add_file(self, file: str, libraries: dict[str, None], missing: list[str]) -> None:
        """A file that no call made: a library that the project brings, or an object that was not built again."""
        if file.endswith((".o", ".lo")) and Path(file).is_relative_to(self._workspace):
            missing.append(self.shown(file))
        elif Path(file).is_file():
            libraries[file] = None

    def _add_program(self, noted: NotedCall) -> None:
        made, output = self._whole(noted), noted.call.output
        if output is None or not made.units or _OF_A_CONFIGURATION in output.split("/"):
            return
        name = self.shown(output)
        self.programs.pop(name, None)
        self.programs[name] = RecordedProgram(name, _without_repeats(made.units), made.libraries)
        if made.missing:
            files = enumerated(made.missing)
            self.notes[f"{name} is linked from {files}, made by no compiler that was seen"] = None


def _library_file(call: CompilerCall, word: str, made: Mapping[str, _BuiltFile]) -> str | None:
    """The file of ``-lNAME`` that the build made itself; None for a library of others."""
    folders = [each[2:] for each in call.inputs if each.startswith("-L")]
    name = word[2:]
    names = (name[1:],) if name.startswith(":") else (f"lib{name}.so", f"lib{name}.a")
    return next((f"{folder}/{file}" for folder in folders for file in names if f"{folder}/{file}" in made), None)


def _of_others(words: Iterable[str]) -> list[str]:
    """Without those that compilers bring; folders only where a library is left that may lie there."""
    kept = [word for word in words if not (word.startswith("-l") and word[2:] in _OF_COMPILERS)]
    is_needed = any(word.startswith("-l") for word in kept)
    return [word for word in kept if not word.startswith("-L") or (is_needed and Path(word[2:]).is_dir())]


def _without_repeats(units: Sequence[RecordedUnit]) -> tuple[RecordedUnit, ...]:
    """Each source once: as it is linked in any case, where it is that too."""
    known: dict[str, RecordedUnit] = {}
    for unit in units:
        before = known.setdefault(unit.source, unit)
        if before.archive and not unit.archive:
            known[unit.source] = unit
    return tuple(known.values())
