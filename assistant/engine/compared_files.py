"""The two sides of a comparison that names two files: which programs they are, and what of B stands in the place of what of A.

Example::

    sides = sides_of(request, version, Path("/edited/main.cu"))
    sides.b.source.path      # /p/main.cu where B's whole program is an edited copy of A's: B's texts are judged in A's places
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from assistant.build.includes import with_headers
from assistant.config import find_project
from assistant.engine.reading import read_version, source_of
from assistant.engine.request import JobRequest, about_texts
from assistant.engine.source_version import SourceVersion, as_candidate, read_source, with_text, with_texts
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.model.program import ProgramOrigin
from assistant.model.source import Source
from assistant.record import Record

__all__ = ["Sides", "sides_of"]

_NAMES_SHOWN = 4


class Sides(Record):
    """What is compared."""

    a: SourceVersion
    b: SourceVersion
    note: str = ""
    """What a person should know of how B is read; empty: nothing."""


def sides_of(request: JobRequest, version: SourceVersion, other: Path) -> Sides:
    """``version`` is A, as the request reads it; B is the file ``other``.

    Where B is part of a copy of A's program in another folder, all of the copy's texts are judged, in the places of A's. Raises UsageError
    for a B that cannot be read, CannotAnswerError where the programs are made of different files.
    """
    is_built = version.found is not None and version.found.origin is ProgramOrigin.RECORDED_BUILD
    is_started = version.program.run_command is not None or is_built
    is_extension = version.found is not None and version.found.origin is ProgramOrigin.EXTENSION
    is_part = (version.has_main or is_extension) and not version.parsed.has_main
    second = _own_program(request, version, other) if is_started or is_part else _read(request, version, other)
    edits = () if second is None else _edits(version, second)
    if len(edits) > 1:
        originals = tuple(source_of(request, source.path) for source in edits)
        before = read_version(about_texts(request, originals), version.program.flags)
        names = ", ".join(sorted(new.path.name for old, new in zip(originals, edits, strict=True) if old != new))
        note = f"{other.parent} holds a copy of the program of {request.file.name}: its {names} are judged together, in the places of these"
        return Sides(before, _limited(with_texts(before, edits), is_started), note)
    if is_started:
        # the command starts what is made of A's file: B stands in its place, in a private copy of the folder
        return Sides(version, _limited(with_text(version, read_source(other).text), True))
    if is_part:
        note = f"{other.name} is judged in the place of {request.file.name}, in the program of that file"
        return Sides(version, with_text(version, read_source(other).text), note)
    assert second is not None, "a B that is not judged in A's place is read as a program of its own"
    return Sides(version, second)


def _limited(version: SourceVersion, is_started: bool) -> SourceVersion:
    return as_candidate(version) if is_started else version


def _read(request: JobRequest, version: SourceVersion, other: Path) -> SourceVersion:
    """B in its own program."""
    return read_version(replace(request, file=other), version.program.flags)


def _own_program(request: JobRequest, version: SourceVersion, other: Path) -> SourceVersion | None:
    """As ``_read``, where B lies in another folder and its program has the files of A's; None: it is an edited file alone."""
    if other.parent == request.file.parent:
        return None
    try:
        second = _read(replace(request, run_command=None, build_command=None), version, other)
    except KernelOptError:
        return None
    return second if _files(version, second).keys() == _files(second, version).keys() else None


def _edits(a: SourceVersion, b: SourceVersion) -> tuple[Source, ...]:
    """B's texts of the files that differ, each with the path of A's file in its place; none where only the files in question do.

    Headers of both projects count, whatever they hold. Raises CannotAnswerError where one program has a file that the other has not, unless
    that is a header without kernels and nothing else differs: B is a program of its own then.
    """
    of_a, of_b = _files(a, b), _files(b, a)
    lacking = sorted(of_a.keys() ^ of_b.keys())
    is_differing = any(of_a[name] != of_b[name] for name in of_a.keys() & of_b.keys())
    if lacking and (is_differing or any(_holds(version, name) for version in (a, b) for name in lacking)):
        names = ", ".join(lacking[:_NAMES_SHOWN]) + (", …" if len(lacking) > _NAMES_SHOWN else "")
        raise CannotAnswerError(
            f"{a.source.path} and {b.source.path} are parts of programs of different files ({names})",
            "compare a program with an edited copy of it that has the same files",
        )
    root = a.source.path.parent
    differing = tuple(Source(Path(os.path.normpath(root / name)), text) for name, text in of_b.items() if text != of_a.get(name, text))
    return (Source(a.source.path, b.source.text), *differing) if differing else ()


def _files(version: SourceVersion, other: SourceVersion) -> dict[str, str]:
    """Text of each file that the program is made of and ``other`` is not, but the one in question, by its path from the folder of that one.

    Files outside of the project are left out.
    """
    own, shared = version.source.path, _texts(other)
    return {os.path.relpath(path, own.parent): text for path, text in _texts(version).items() if path != own and path not in shared}


def _texts(version: SourceVersion) -> dict[Path, str]:
    project = find_project(version.source.path)
    texts = with_headers(((str(source.path), source.text) for source in version.sources), version.program.flags.arguments)
    return {path: text for name, text in texts.items() if (path := Path(name)).is_relative_to(project)}


def _holds(version: SourceVersion, name: str) -> bool:
    """Whether it is a unit of the program, or a header with kernels."""
    return any(os.path.relpath(file.source.path, version.source.path.parent) == name for file in version.others)
