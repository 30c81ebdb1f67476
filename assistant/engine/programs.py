"""Which program a job's file is part of: as the command line names its sources, else as it is found.

Example::

    find_program(JobRequest(Path("/p/scale.cuh"), Path("/p")), flags).units     # (Path("/p/main.cu"),)
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

from assistant.config import find_project, find_workspace, user_paths
from assistant.disk.texts import source_text
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.program import FoundProgram, ProgramOrigin, ProgramSearch
from assistant.profile.quantity import first_of
from assistant.program import KeptFacts, chosen_program, find_extensions, find_programs
from assistant.program.build_files import BuildWay, build_hint
from assistant.record import Record

__all__ = [
    "FilePrograms",
    "answer_key",
    "find_extension",
    "find_program",
    "others_sha256",
    "programs_of",
    "python_remedy",
    "without_script",
]

_NAMES_SHOWN = 6
_CUDA_UNIT = ".cu"
_NAME_MACRO = "-DTORCH_EXTENSION_NAME="
"""Names the Python module; no kernel depends on it."""


class KernelPlace(Record):
    """A kernel of another file."""

    name: str
    """Qualified."""
    file: Path
    line: int


class FilePrograms(Record):
    """The programs that a file is part of, and which of them is meant."""

    file: Path
    search: ProgramSearch
    chosen: str | None = None
    """By a person, once, by its name; None: none was."""
    others_sha256: str = ""
    """Hash over ``program``, as ``others_sha256`` makes it."""
    hint: str = ""
    """How the workspace's build could say more, where includes alone do not say enough."""
    way: BuildWay | None = None
    """The same for an editor, which offers it wherever nothing but includes was found."""
    elsewhere: tuple[KernelPlace, ...] = ()
    """For an editor, of a file with ``main()`` and no kernel: those of its program's other files."""

    @property
    def meant(self) -> tuple[FoundProgram, ...]:
        """The chosen one where it is still found, else all."""
        chosen = tuple(program for program in self.search.found if program.name == self.chosen)
        return chosen or self.search.found

    @property
    def program(self) -> FoundProgram | None:
        """The one that runs the file; None: there is none, or a person has to choose."""
        if len(self.meant) != 1:
            return None
        hint = self.hint if self.meant[0].origin is ProgramOrigin.INCLUDES else ""
        return replace(self.meant[0], unclear="; ".join(filter(None, (self.search.problem, hint))))

    def settled(self) -> FoundProgram | None:
        """As ``program``. Raises CannotAnswerError where several are possible, or what says which is damaged."""
        if not self.search.found and self.search.problem:
            raise CannotAnswerError(self.search.problem, self.hint or f"kernelopt program {self.file} shows what is found")
        if len(self.meant) > 1:
            names = first_of([program.name for program in self.meant], _NAMES_SHOWN)
            message = f"{self.file.name} is part of {len(self.meant)} programs ({names}), and none of them was chosen"
            raise CannotAnswerError(message, f"kernelopt program {self.file} --use {self.meant[0].name} chooses one")
        return self.program or self._alone()

    def _alone(self) -> FoundProgram | None:
        """The file by itself, with the folders that its includes need; None where it needs none."""
        if not self.search.flags:
            return None
        why = f"{self.file.name} belongs to no program"
        return FoundProgram(self.file.name, (self.file,), ProgramOrigin.INCLUDES, why, flags=self.search.flags)


def programs_of(request: JobRequest, flags: Flags) -> FilePrograms:
    """Reads what is needed of the workspace, texts of the request first. Raises CannotAnswerError where the choices cannot be read."""

    def read(path: Path) -> str | None:
        return _text(request, path)

    project = find_project(request.file)
    search = find_programs(request.file, request.extra_sources, read, project, flags.arguments, KeptFacts(user_paths().cache))
    chosen = _chosen(request.file, search)
    found = FilePrograms(request.file, search, chosen, hint=build_hint(project, request.file) if search.problem else "")
    return replace(found, others_sha256=others_sha256(request, found.program))


def find_program(request: JobRequest, flags: Flags) -> FoundProgram | None:
    """None: the file is part of none, and needs nothing to be compiled by itself.

    Raises CannotAnswerError where several are possible and none was chosen, or what says which is damaged.
    """
    return programs_of(request, flags).settled()


def _chosen(file: Path, search: ProgramSearch) -> str | None:
    return chosen_program(file, find_workspace(file), [program.name for program in search.found]) if search.found else None


def find_extension(request: JobRequest, flags: Flags) -> FoundProgram | None:
    """The PyTorch extension that a file with workloads of its own is part of: its flags and headers are needed, nothing of it is started.

    Raises CannotAnswerError where several build the file with different flags and none was chosen.
    """
    search = _extensions(request, flags)
    chosen = _chosen(request.file, search)
    found = FilePrograms(request.file, search, chosen)
    alike = {_flags_but_the_name(program) for program in found.meant}
    program = found.meant[0] if len(alike) == 1 else found.settled() if alike else None
    return without_script(program, request.file)


def without_script(found: FoundProgram | None, file: Path) -> FoundProgram | None:
    """An extension as a workload declared in ``file`` needs it, which takes the place of what starts it; None for any other program.

    Of the units a source needs itself alone: a folder whose every source is built may hold an edited copy of it, too.
    """
    if found is None or found.origin is not ProgramOrigin.EXTENSION:
        return None
    units = tuple(unit for unit in found.units if unit.resolve() == file.resolve()) or found.units
    return replace(found, units=units, build_command=None, run_command=None)


def python_remedy(request: JobRequest, flags: Flags) -> str:
    """What to name in the place of a Python file that has PyTorch build CUDA sources; empty where it has not."""
    search = _extensions(request, flags)
    units = dict.fromkeys(unit for program in search.found for unit in program.units if unit.suffix == _CUDA_UNIT)
    if units:
        names = " and ".join(dict.fromkeys(program.extension or "" for program in search.found))
        return f"it runs the PyTorch extension {names}: name a CUDA source of that: {', '.join(map(str, units))}"
    return "; ".join(search.looked_for)


def _extensions(request: JobRequest, flags: Flags) -> ProgramSearch:
    def read(path: Path) -> str | None:
        return _text(request, path)

    return find_extensions(request.file, read, find_project(request.file), flags.arguments, KeptFacts(user_paths().cache))


def _flags_but_the_name(program: FoundProgram) -> tuple[str, ...]:
    return tuple(flag for flag in program.flags if not flag.startswith(_NAME_MACRO))


def answer_key(text_sha256: str, others: str) -> str:
    """What an answer on a file is kept by: its text, and ``others_sha256`` of its program."""
    return f"{text_sha256}+{others}" if others else text_sha256


def others_sha256(request: JobRequest, program: FoundProgram | None) -> str:
    """Hash over all that a file's program is made of and built with, but the file itself: where it changes, answers on the file may change.

    Empty where the file alone is the program, or there is none.
    """
    if program is None or program.files == (request.file,):
        return ""
    digest = hashlib.sha256()
    for path in sorted(program.files):
        text = "" if path == request.file else _text(request, path) or ""
        digest.update(hashlib.sha256(f"{path}\0{text}".encode("utf-8", "surrogatepass")).digest())
    digest.update(json.dumps([program.flags, program.arguments, str(program.working_directory)]).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _text(request: JobRequest, path: Path) -> str | None:
    given = request.text_of(path)
    return source_text(path) if given is None else given
