"""The units of a workspace's ``compile_commands.json`` and what they are compiled with.

Such a file has no link lines, so that it says what may be linked, not what is. Example::

    database = read_database(Path("/p"))
    database.flags["/p/src/a.cu"]           # ("-I/p/include", "-O2")
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from assistant.build.flags import CompileEntry, compile_entries, entry_flags
from assistant.build.safe_flags import refused_flag
from assistant.build.units import is_unit
from assistant.disk.real_paths import real_within
from assistant.disk.texts import read_bytes
from assistant.program.build_folders import build_folders
from assistant.program.given_flags import FOLDER_FLAGS, macro_flags
from assistant.program.linking import LinkedProgram, Linker
from assistant.program.sources import MOST_FILES
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["Database", "differing_macros", "merged_flags", "read_database"]

_NAME = "compile_commands.json"
_MOST_BYTES = 64 << 20
"""Largest database that is read (chosen: some 50,000 entries)."""
_MOST_FLAG_BYTES = 1 << 20
"""Largest file with flags, named by an entry, that is read."""


class Database(Record):
    """What one database says."""

    shown: str
    """For people: its path in the workspace."""
    flags: Mapping[str, tuple[str, ...]]
    """By unit, for all that are there."""
    problems: tuple[str, ...] = ()


def read_database(workspace: Path) -> Database | None:
    """The first that there is: of the workspace's root, else of its usual build folders; None: there is none."""
    path = next((folder / _NAME for folder in build_folders(workspace) if (folder / _NAME).exists()), None)
    if path is None:
        return None
    shown = str(path.relative_to(workspace))
    try:
        text = read_bytes(path, _MOST_BYTES).decode("utf-8", "surrogateescape")
        entries = compile_entries(text, str(path.parent.resolve()))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        return Database(shown, {}, (f"{shown} cannot be used: {reason}; configure the build again",))
    return _database(shown, entries, os.path.realpath(workspace))


def _database(shown: str, entries: tuple[CompileEntry, ...], root: str) -> Database:
    flags: dict[str, tuple[str, ...]] = {}
    stale, problems = list[str](), list[str]()
    for entry in entries:
        file = real_within(entry.file, root) if "\0" not in entry.file else ""
        if not is_unit(file) or len(flags) >= MOST_FILES:
            continue
        if not Path(file).is_file():
            stale.append(entry.file.removeprefix(f"{root}{os.sep}"))
            continue
        try:
            words = tuple(word for word in entry_flags(entry, _flags_text) if refused_flag((word,)) is None)
        except ValueError as error:
            problems.append(f"{shown}: {error}; configure the build again")
            continue
        if flags.setdefault(file, words) != words:
            problems.append(f"{shown} has {Path(file).name} with different flags; those of its first entry are used")
    if stale:
        names = enumerated(stale)
        problems.insert(0, f"{shown} names sources that are gone, which were left out: {names}; configure the build again")
    return Database(shown, flags, tuple(dict.fromkeys(problems)))


def merged_flags(linker: Linker, linked: LinkedProgram, database: Database) -> tuple[str, ...]:
    """What all units of a program can be compiled with: every folder for includes, macros that agree, and what all CUDA units share."""
    every = [database.flags.get(unit, ()) for unit in linked.units]
    folders = [flag for flags in every for flag in flags if flag.startswith(FOLDER_FLAGS)]
    differing = {name for name, _ in _differences(linker, linked, database)}
    macros = [flag for flags in every for name, flag in macro_flags(flags).items() if name not in differing]
    device = [database.flags.get(unit, ()) for unit in linked.units if unit.endswith(".cu")] or every
    known = {*folders, *(flag for flags in every for flag in macro_flags(flags).values())}
    shared = [flag for flag in device[0] if flag not in known and all(flag in flags for flags in device)]
    return tuple(dict.fromkeys((*folders, *macros, *shared)))


def differing_macros(linker: Linker, linked: LinkedProgram, database: Database) -> tuple[str, ...]:
    """In words, macros that the units of a program are compiled with differently."""
    return tuple(
        f"{database.shown} compiles the units of one program with {enumerated(ways)}: {name} was left out; give it with --cflags"
        for name, ways in _differences(linker, linked, database)
    )


def _differences(linker: Linker, linked: LinkedProgram, database: Database) -> Iterator[tuple[str, list[str]]]:
    """(macro, the ways in which units have it); one that a unit has not and does not mention may as well be there."""
    given = {unit: macro_flags(database.flags.get(unit, ())) for unit in linked.units}
    for name in dict.fromkeys(name for macros in given.values() for name in macros):
        ways: dict[str, str] = {}
        for unit, macros in given.items():
            if name in macros or _mentions(linker, unit, name):
                ways.setdefault(macros.get(name, f"no {name}"), unit)
        if len(ways) > 1:
            yield name, [f"{flag} ({linker.sources.shown(unit)})" for flag, unit in ways.items()]


def _mentions(linker: Linker, unit: str, word: str) -> bool:
    closure = linker.closure(unit)
    return any(path in closure for path in linker.sources.with_word(word))


def _flags_text(path: Path) -> str:
    return read_bytes(path, _MOST_FLAG_BYTES).decode("utf-8")
