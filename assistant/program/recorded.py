"""The programs of recorded builds that a file is part of, and whether the builds are as they were when they were recorded.

Example::

    search_records(sources, (), "/p/src/scale.cuh").found[0].name     # 'bin/app'
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from assistant.build.safe_flags import refused_flag
from assistant.build.units import UNIT_SUFFIXES, is_unit
from assistant.disk.real_paths import real_within
from assistant.disk.sources import source_files
from assistant.disk.texts import MOST_SOURCE_BYTES
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.program.build_record import (
    BuildRecord,
    KeptRecords,
    RecordedProgram,
    RecordedUnit,
    file_digest,
    generated_folder,
    read_records,
)
from assistant.program.database import Database, differing_macros, merged_flags
from assistant.program.given_flags import folders_in, macros_in_flags
from assistant.program.linking import LinkedProgram, Linker, is_cuda
from assistant.program.searching import headers_of
from assistant.program.sources import Sources
from assistant.program.wording import enumerated, why
from assistant.record import Record

__all__ = ["RecordSearch", "RecordedChoice", "search_records", "what_changed"]

_MOST_TAKEN_WHOLE = 24
"""Sources of archives (chosen: compiled in a minute or so)."""


class RecordSearch(Record):
    """What the recorded builds gave."""

    found: tuple[FoundProgram, ...]
    problems: tuple[str, ...]
    """In words: builds that have changed, records that cannot be used."""
    count: int
    """Builds that were recorded."""


class RecordedChoice(Record):
    """The only program that is meant."""

    record: BuildRecord
    name: str


def search_records(sources: Sources, flags: tuple[str, ...], file: str | None, only: RecordedChoice | None = None) -> RecordSearch:
    """The programs that a file is part of; None: all of them."""
    workspace = Path(sources.root)
    kept = read_records(workspace) if only is None else KeptRecords((only.record,))
    found, problems = dict[str, FoundProgram](), [kept.problem] if kept.problem else []
    for record in kept.records:
        wanted = [program for program in record.programs if program.name not in found and (only is None or only.name == program.name)]
        programs = [_WorkspaceProgram(sources, workspace, record, program, flags) for program in wanted]
        hits = [program for program in programs if program.is_about(file)]
        found.update((program.name, program.found(file)) for program in hits)
        if hits:
            problems.extend((*what_changed(workspace, record), *record.notes, *(text for program in hits for text in program.problems)))
    return RecordSearch(tuple(found.values()), tuple(dict.fromkeys(problems)), len(kept.records))


def what_changed(workspace: Path, record: BuildRecord) -> Iterator[str]:
    """In words, what is not as it was when the build was recorded, and how to record it again."""
    remedy = f"kernelopt program --record {shlex.quote(record.text)} records it again"
    remedy = remedy if record.folder == "." else f"{remedy} (in {record.folder})"
    changed = [name for name, digest in record.made_from.items() if file_digest(workspace / name) != digest]
    if changed:
        yield f"{enumerated(changed)} changed since {record.text} was recorded: {remedy}"
    used = {unit.source for program in record.programs for unit in program.units}
    gone = sorted(source for source in used if source not in record.generated and not (workspace / source).is_file())
    if gone:
        yield f"{enumerated(gone)} of the recorded build {record.text} is not there any more: {remedy}"
    new = sorted(_new_sources(workspace, record, used))
    if new:
        yield f"{enumerated(new)} came since {record.text} was recorded, which takes what it finds: {remedy}"


def _new_sources(workspace: Path, record: BuildRecord, used: set[str]) -> Iterator[str]:
    """Units next to those of the build, where it takes whatever is there."""
    if record.sources:
        folders = {os.path.dirname(source) for source in used}  # noqa: PTH120 - relative to the workspace
        for path in source_files(workspace, UNIT_SUFFIXES, MOST_SOURCE_BYTES):
            name = str(path.relative_to(workspace))
            if name not in record.sources and os.path.dirname(name) in folders:  # noqa: PTH120 - likewise
                yield name


class _WorkspaceProgram:
    """One program of a record, in the workspace as it is now."""

    def __init__(self, sources: Sources, workspace: Path, record: BuildRecord, program: RecordedProgram, flags: tuple[str, ...]) -> None:
        self._sources = sources
        self._workspace = workspace
        self._record = record
        self._program = program
        self._generated = generated_folder(workspace, record)
        self.name = program.name
        places = {unit: self._place(unit) for unit in program.units if is_unit(unit.source) and not self._object(unit)}
        self._units = {unit: place for unit, place in places.items() if place is not None}
        given = {place: self._flags(unit, place) for unit, place in self._units.items()}
        self._database = Database(f"the recorded build {record.text}", given)
        every = {place: (*words, *flags) for place, words in given.items()}
        self._linker = Linker(
            sources,
            tuple(given),
            lambda unit: folders_in(every[unit], (sources.root,)),
            lambda unit: macros_in_flags(every[unit]),
        )
        self._linked = self._link()

    def is_about(self, file: str | None) -> bool:
        """Whether the file is one of its sources or included by one, and kernels are in it."""
        if self._linked is None or not is_cuda(self._linker, self._linked.units):
            return False
        return file is None or any(file in self._linker.closure(unit) for unit in self._linked.units)

    @property
    def problems(self) -> tuple[str, ...]:
        """In words: sources that are left out, macros that differ."""
        assert self._linked is not None
        left_out = [unit.source for unit in self._program.units if not is_unit(unit.source) and not self._object(unit)]
        said = (f"{enumerated(left_out)} of {self.name} is no CUDA, C++ or C source and left out",) if left_out else ()
        return (*said, *differing_macros(self._linker, self._linked, self._database))

    def found(self, file: str | None) -> FoundProgram:
        """As the search gives it."""
        assert self._linked is not None
        included = "" if file is None or file in self._linked.units else f": {why(self._linker, self._linked, file)}"
        return FoundProgram(
            name=self.name,
            units=tuple(self._sources.path(unit) for unit in self._linked.units),
            origin=ProgramOrigin.RECORDED_BUILD,
            why=f"{self._record.text} links it{included}",
            headers=headers_of(self._linker, self._linked.units),
            flags=merged_flags(self._linker, self._linked, self._database),
            libraries=(*filter(None, map(self._object, self._program.units)), *self._program.libraries),
        )

    def _object(self, unit: RecordedUnit) -> str:
        """What the build made of a source in C, linked as it is; empty for others."""
        path = self._generated / unit.object
        return str(path) if unit.object and path.is_file() else ""

    def _place(self, unit: RecordedUnit) -> str | None:
        """Absolute and real; None for one that is gone."""
        own, generated = self._workspace / unit.source, self._generated / unit.source
        path = own if own.is_file() or unit.source not in self._record.generated else generated
        return real_within(str(path), os.path.realpath(self._workspace)) if path.is_file() else None

    def _flags(self, unit: RecordedUnit, place: str) -> tuple[str, ...]:
        """With folders for what the build generated behind those that they stand for."""
        words = [word for word in unit.flags if refused_flag((word,)) is None]
        if not self._record.generated:
            return tuple(words)
        folder = (self._workspace / unit.source).parent
        named = (folder, *(Path(each) for each in folders_in(words, (str(self._workspace),))))
        inner = (each.relative_to(self._workspace) for each in named if each.is_relative_to(self._workspace))
        further = [f"-I{self._generated / each}" for each in inner if (self._generated / each).is_dir()]
        is_generated = place.startswith(f"{self._generated}{os.sep}")
        return (*words, *further, *((f"-I{folder}",) if is_generated else ()))

    def _link(self) -> LinkedProgram | None:
        """With the sources of archives, as a linker would take them; None where none has ``main()``.

        Of an archive it takes what is used. What is used cannot always be read from texts (macros write names too), so all of it is
        taken, but for a large one and for several definitions of a name.
        """
        certain = [place for unit, place in self._units.items() if not unit.archive]
        main = next((unit for unit in (*certain, *self._units.values()) if self._linker.has_main(unit)), None)
        if main is None:
            return None
        of_archives = [place for unit, place in self._units.items() if unit.archive and not self._linker.has_main(place)]
        linked = self._linker.linked(main, certain)
        if not linked.ambiguities and (len(of_archives) <= _MOST_TAKEN_WHOLE or self._linker.lacks(linked.units)):
            return self._linker.linked(main, (*certain, *of_archives))
        while linked.ambiguities:  # a linker takes the first archive that has it
            certain.append(min(linked.ambiguities[0].units, key=of_archives.index))
            linked = self._linker.linked(main, certain)
        return linked
