"""The tables ``[program.NAME]`` that a workspace has for a file, checked word by word; what cannot be used is reported with its line.

Example::

    read_tables(Path("/p/src/a.cu"), Path("/p"), read).tables[0].sources     # ('/p/src/main.cu', '/p/src/a.cu')
"""

from __future__ import annotations

import difflib
import posixpath
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from assistant.build.flags import absolute_flags
from assistant.build.safe_flags import refused_flag
from assistant.config.paths import CONFIG_NAME, PYPROJECT_NAME
from assistant.config.program_keys import PROGRAM_KEYS, PROGRAM_SECTION
from assistant.disk.patterns import is_pattern, matching
from assistant.program.sources import ReadFile
from assistant.record import Record
from assistant.workload.toml_lines import KeyPath, key_lines

__all__ = ["ProgramTable", "Tables", "read_tables"]

_SECTIONS: tuple[tuple[str, KeyPath], ...] = ((CONFIG_NAME, ()), (PYPROJECT_NAME, ("tool", "kernelopt")))


class ProgramTable(Record):
    """One table, with absolute paths."""

    name: str
    place: str
    """For people: ``kernelopt.toml:4``."""
    sources: tuple[str, ...]
    """None in a table that says how a PyTorch extension of its name is run."""
    flags: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    working_directory: Path | None = None
    build_command: tuple[str, ...] | None = None
    run_command: tuple[str, ...] | None = None


class Tables(Record):
    """What a workspace says of programs."""

    file: Path | None
    """The nearest file with such tables; None: there is none."""
    tables: tuple[ProgramTable, ...] = ()
    problems: tuple[str, ...] = ()
    """Problems of tables that are left out, one sentence each."""


class _UnusableError(Exception):
    """A table that cannot be used; the text says where and why."""


def read_tables(file: Path, workspace: Path, read: ReadFile) -> Tables:
    """Those of the nearest file at or above ``file``, up to the workspace. Paths are resolved ones."""
    for folder in _folders(file, workspace):
        for name, section in _SECTIONS:
            text = read(folder / name) if (folder / name).is_file() else None
            if text is None or PROGRAM_SECTION not in text:
                continue
            tables = _TableFile(folder / name, section, text, workspace).tables()
            if tables.tables or tables.problems:
                return tables
    return Tables(None)


def _folders(file: Path, workspace: Path) -> Iterator[Path]:
    folder = file if file.is_dir() else file.parent
    yield from (each for each in (folder, *folder.parents) if each.is_relative_to(workspace))


class _TableFile:
    """One file with tables."""

    def __init__(self, path: Path, section: KeyPath, text: str, workspace: Path) -> None:
        self._path = path
        self._section = section
        self._text = text
        self._shown = str(path.relative_to(workspace))
        self._lines: Mapping[KeyPath, int] = {}

    def tables(self) -> Tables:
        try:
            values: object = tomllib.loads(self._text)
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            return Tables(self._path, problems=(f"{self._shown} is not valid TOML: {error}",))
        self._lines = key_lines(self._text)
        for key in (*self._section, PROGRAM_SECTION):
            values = cast("dict[str, object]", values).get(str(key), {}) if isinstance(values, dict) else {}
        if not isinstance(values, dict):
            return Tables(self._path, problems=(f'{self._place()}: program is no table: write [program.NAME] with sources = ["main.cu"]',))
        found, problems = list[ProgramTable](), list[str]()
        for name, table in cast("dict[str, object]", values).items():
            try:
                found.append(self._table(name, table))
            except _UnusableError as error:
                problems.append(str(error))
        return Tables(self._path, tuple(found), tuple(problems))

    def _place(self, *keys: str) -> str:
        """``kernelopt.toml:7``, of the key or of what it stands in."""
        path: KeyPath = (*self._section, PROGRAM_SECTION, *keys)
        line = next((self._lines[path[:length]] for length in range(len(path), 0, -1) if path[:length] in self._lines), 1)
        return f"{self._shown}:{line}"

    def _table(self, name: str, table: object) -> ProgramTable:
        if not isinstance(table, dict):
            raise _UnusableError(f'{self._place(name)}: program.{name} is no table: write [program.{name}] with sources = ["main.cu"]')
        values = cast("dict[str, object]", table)
        for key, value in values.items():
            self._check(name, key, value)
        if "sources" not in values and "run" not in values:
            raise _UnusableError(f'{self._place(name)}: [program.{name}] has no sources: write sources = ["main.cu", "kernels/*.cu"]')
        words = {key: self._words(name, key, values[key]) for key in values if key not in ("sources", "cwd")}
        return ProgramTable(
            name=name,
            place=self._place(name),
            sources=self._sources(name, cast("list[str]", values.get("sources", []))),
            flags=self._flags(name, words.get("flags", ())),
            arguments=words.get("args", ()),
            working_directory=self._folder(name, values.get("cwd")),
            build_command=words.get("build"),
            run_command=words.get("run"),
        )

    def _check(self, name: str, key: str, value: object) -> None:
        """Raises for a key that is none and for a value of another type."""
        place = self._place(name, key)
        known = PROGRAM_KEYS.get(key)
        if known is None:
            near = difflib.get_close_matches(key, PROGRAM_KEYS, n=1)
            remedy = f"did you mean {near[0]}?" if near else f"it may have {', '.join(PROGRAM_KEYS)}"
            raise _UnusableError(f"{place}: [program.{name}] has no key {key}: {remedy}")
        is_texts = isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))
        if not ((isinstance(value, str) and not known.is_list_only) or (is_texts and not known.is_text_only)):
            raise _UnusableError(f"{place}: {key} of [program.{name}] must be {known.expected}")
        if key in ("sources", "run", "build") and not value:
            raise _UnusableError(f"{place}: {key} of [program.{name}] is empty: fill it in, or leave it out")

    def _words(self, name: str, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, str):
            return tuple(cast("list[str]", value))
        try:
            return tuple(shlex.split(value))
        except ValueError as error:
            raise _UnusableError(
                f"{self._place(name, key)}: {key} of [program.{name}] has an open quote: close it, or write a list"
            ) from error

    def _sources(self, name: str, written: list[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(path for each in written for path in self._source(name, each)))

    def _source(self, name: str, written: str) -> Iterator[str]:
        """The files that one word stands for. Raises where there is none."""
        place = self._place(name, "sources")
        if is_pattern(written):
            found = matching(self._path.parent, written)
            if not found:
                raise _UnusableError(f"{place}: no file matches {written} in sources of [program.{name}]: correct it, or leave it out")
            yield from (str(path.resolve()) for path in found)
            return
        path = self._path.parent / written
        if not path.is_file():
            raise _UnusableError(f"{place}: sources of [program.{name}] name {written}, and there is no such file: correct the path")
        yield str(path.resolve())

    def _flags(self, name: str, words: tuple[str, ...]) -> tuple[str, ...]:
        refused = refused_flag(words)
        if refused is not None:
            place = self._place(name, "flags")
            raise _UnusableError(
                f"{place}: the flag {refused} of [program.{name}] is not taken, as it can start programs or write files: leave it out"
            )
        return absolute_flags(words, str(self._path.parent))

    def _folder(self, name: str, written: object) -> Path | None:
        if not isinstance(written, str):
            return None
        folder = Path(posixpath.normpath(self._path.parent / written))
        if not folder.is_dir():
            raise _UnusableError(
                f"{self._place(name, 'cwd')}: cwd of [program.{name}] is {written}, and there is no such folder: correct the path"
            )
        return folder
