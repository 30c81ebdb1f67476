"""The PyTorch extensions that a file is part of, as programs: what starts one is a Python script.

Example::

    search_extensions(sources, (), "/p/csrc/kernels.cu", ()).found[0].run_command     # ('python', 'test_ops.py')
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assistant.build.units import is_unit
from assistant.disk.real_paths import real_within
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.extensions import Extension, mentions_extension, read_extensions
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import Linker
from assistant.program.python_scripts import Script, Scripts
from assistant.program.searching import headers_of
from assistant.program.sources import Sources
from assistant.program.tables import ProgramTable
from assistant.program.torch_place import TorchPlace, torch_place
from assistant.program.unbuilt_extension import NO_TORCH
from assistant.program.wording import enumerated
from assistant.record import Record

__all__ = ["ExtensionSearch", "extension_names", "search_extensions"]

_BUILD = ("build_ext", "--inplace", "--force")
_PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
_STANDARD = ("-std", "--std")
_INCLUDED = ("-include=torch/types.h",)
"""What ``load_inline`` puts before a text (PyTorch 2, ``torch/utils/cpp_extension.py``)."""
_SOURCE_FOLDER = "src"
"""Folder of packages, in projects that keep them apart from the rest."""


class ExtensionSearch(Record):
    """What the Python files gave."""

    found: tuple[FoundProgram, ...]
    problems: tuple[str, ...]
    """In words, of extensions that were found."""
    looked_for: tuple[str, ...]
    """In words, what there is instead; empty where no Python file builds an extension."""


def extension_names(scripts: Scripts, workspace: Path) -> frozenset[str]:
    """Names of all extensions that the Python files build."""
    return frozenset(each.name for each in _extensions(scripts, workspace))


def search_extensions(sources: Sources, flags: tuple[str, ...], file: str | None, tables: tuple[ProgramTable, ...]) -> ExtensionSearch:
    """The extensions that a file is part of, once for each script that runs one; None: all of them.

    ``tables``: what a person says of extensions, by their names.
    """
    root = Path(sources.root)
    scripts = Scripts(root, sources.read)
    extensions = [_with_table(each, tables) for each in _extensions(scripts, root)]
    inline = tuple(_inline(scripts, root, file))
    if not extensions:
        return ExtensionSearch((), (), inline)
    torch, hits = torch_place(root), [_Hit(sources, each, flags) for each in extensions]
    meant = [hit for hit in hits if file is None or hit.has(file)]
    found = [program for hit in meant for program in hit.programs(scripts, torch, _table_of(hit.extension, tables))]
    problems = [problem for hit in meant for problem in hit.extension.problems]
    if meant and torch is None:
        problems.append(NO_TORCH)
    unread = [] if meant else [problem for hit in hits for problem in hit.extension.problems]
    names = enumerated([each.name for each in extensions])
    shown = "a CUDA source" if file is None else sources.shown(file)
    looked_for = (f"no PyTorch extension ({names}) has {shown}", *unread, *inline)
    return ExtensionSearch(_named_apart(found), tuple(dict.fromkeys(problems)), looked_for)


def _extensions(scripts: Scripts, workspace: Path) -> Iterator[Extension]:
    for path, text in scripts.texts:
        if mentions_extension(text):
            yield from read_extensions(path, text, workspace).found


def _inline(scripts: Scripts, workspace: Path, file: str | None) -> Iterator[str]:
    """CUDA texts inside Python files that cannot be read."""
    for path, text in scripts.texts:
        if file in (None, str(path)) and mentions_extension(text):
            yield from read_extensions(path, text, workspace).inline


def _table_of(extension: Extension, tables: tuple[ProgramTable, ...]) -> ProgramTable | None:
    return next((table for table in tables if table.name == extension.name), None)


def _with_table(extension: Extension, tables: tuple[ProgramTable, ...]) -> Extension:
    """With the sources and flags that a person wrote, in the place of those that could not be read."""
    table = _table_of(extension, tables)
    if table is None:
        return extension
    sources = tuple(map(Path, table.sources)) or extension.sources
    problems = () if table.sources else extension.problems
    return replace(extension, sources=sources, flags=(*extension.flags, *table.flags), problems=problems)


def _named_apart(programs: list[FoundProgram]) -> tuple[FoundProgram, ...]:
    """One script may run several extensions."""
    names = [program.name for program in programs]
    return tuple(
        program if names.count(program.name) == 1 else replace(program, name=f"{program.name} ({program.extension})")
        for program in programs
    )


class _Hit:
    """One extension, in the workspace as it is now."""

    def __init__(self, sources: Sources, extension: Extension, flags: tuple[str, ...]) -> None:
        self._sources = sources
        self.extension = extension
        self._texts = () if extension.text_line is None else extension.sources
        units = [real_within(str(each), sources.root) for each in extension.sources if is_unit(str(each)) and each.is_file()]
        every = (*extension.flags, *flags)
        folders, macros = folders_in(every, (sources.root,)), macros_in_flags(every)
        own = tuple(folder for folder in folders if sources.is_inside(f"{folder}{os.sep}"))
        self._linker = Linker(sources, tuple(dict.fromkeys(units)), lambda _: own, lambda _: macros)

    def has(self, file: str) -> bool:
        """Whether a source is the file or includes it; a Python file is part of what it builds."""
        return file in map(str, (self.extension.file, *self._texts)) or bool(self._linker.reaching(file))

    def programs(self, scripts: Scripts, torch: TorchPlace | None, table: ProgramTable | None) -> Iterator[FoundProgram]:
        """One for each script; one that nothing starts where there is no script."""
        extension = self.extension
        if table is not None and table.run_command is not None:
            yield replace(
                self._program(table.name, torch, f"{table.place} starts it"),
                arguments=table.arguments,
                working_directory=table.working_directory or extension.folder,
                build_command=table.build_command or self._build(extension.folder, torch),
                run_command=table.run_command,
            )
            return
        started = scripts.importing(extension.name) if extension.is_of_setup else scripts.running(extension.file)
        for script in started:
            yield self._of_script(script, torch)
        if not started:
            key = extension.name if extension.name.isidentifier() else f'"{extension.name}"'
            problem = f'no script that runs it was found: write [program.{key}] with run = "python …" into kernelopt.toml'
            yield replace(self._program(extension.name, torch, "nothing starts it"), unclear=problem)

    def _of_script(self, script: Script, torch: TorchPlace | None) -> FoundProgram:
        extension = self.extension
        shown = self._sources.shown(str(script.path))
        uses = "imports it" if extension.is_of_setup or script.path != extension.file else "runs it"
        places = (extension.folder, extension.file.parent, script.path.parent, *(each.parent for each in extension.sources))
        folder = Path(os.path.commonpath(places))
        return replace(
            self._program(shown, torch, f"{shown} {uses}"),
            working_directory=self._sources.path(str(folder)) if str(folder) != self._sources.root else Path(self._sources.root),
            build_command=self._build(folder, torch),
            run_command=self._run(script, folder, torch),
        )

    def _run(self, script: Script, folder: Path, torch: TorchPlace | None) -> tuple[str, ...]:
        """From ``folder``, which holds all that is needed."""
        extension = self.extension
        start = extension.folder if not extension.is_of_setup else folder
        path = os.path.relpath(script.path, start)
        command = (_python(torch), *(_PYTEST if script.is_of_pytest else ()), path)
        return _environment(folder, start, self._import_folders(script, start)) + command

    def _import_folders(self, script: Script, start: Path) -> list[str]:
        """Where the built extension is imported from, and Python does not look by itself."""
        if not self.extension.is_of_setup:
            return []
        root = self.extension.folder
        folders = [root, *([root / _SOURCE_FOLDER] if (root / _SOURCE_FOLDER).is_dir() else [])]
        return [os.path.relpath(each, start) for each in folders if each != script.path.parent]

    def _build(self, folder: Path, torch: TorchPlace | None) -> tuple[str, ...] | None:
        """None where the script builds it."""
        extension = self.extension
        if not extension.is_of_setup:
            return None
        return (*_environment(folder, extension.file.parent, []), _python(torch), extension.file.name, *_BUILD)

    def _program(self, name: str, torch: TorchPlace | None, started: str) -> FoundProgram:
        extension, shown = self.extension, self._sources.shown
        units = tuple(dict.fromkeys(self._linker.units))
        how = "builds" if extension.is_of_setup else "loads"
        is_inline = extension.text_line is not None
        what = f"its text from line {extension.text_line} on" if is_inline else enumerated([shown(unit) for unit in units])
        return FoundProgram(
            name=name,
            units=self._texts or tuple(self._sources.path(unit) for unit in units),
            origin=ProgramOrigin.EXTENSION,
            why=f"{shown(str(extension.file))} {how} {extension.name} of {what}; {started}",
            headers=headers_of(self._linker, units),
            flags=_with_torch(extension, torch),
            extension=extension.name,
            said_in=shown(str(extension.file)),
        )


def _with_torch(extension: Extension, torch: TorchPlace | None) -> tuple[str, ...]:
    """PyTorch's flags and the extension's own, which may name another standard."""
    given = () if torch is None else torch.flags(extension.name)
    has_standard = any(flag.startswith(_STANDARD) for flag in extension.flags)
    included = _INCLUDED if given and extension.text_line is not None else ()
    return (*(flag for flag in given if not (has_standard and flag.startswith(_STANDARD))), *included, *extension.flags)


def _python(torch: TorchPlace | None) -> str:
    return sys.executable if torch is None else torch.python


def _environment(folder: Path, start: Path, imported_from: list[str]) -> tuple[str, ...]:
    """The words that start a command in another folder, or with modules from elsewhere; none where neither is needed."""
    words = [*(["-C", os.path.relpath(start, folder)] if start != folder else [])]
    words += [f"PYTHONPATH={os.pathsep.join(imported_from)}"] if imported_from else []
    return ("env", *words) if words else ()
