"""The exact run that a person is asked about: the program, its build flags, and the Python reference that it is compared with.

A header, or a source without ``main()``, is run by its program: the question is about that, and asked once for all of its files.

When any of them changes, the person is asked again. The answer holds for editors and for agents alike. Example::

    exact_run(request).digest      # changes with the content of the file that ``reference = "ref.py:f"`` names
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from assistant.config import ProgramConsent, find_workspace
from assistant.editor.file_texts import text_of, text_on_disk
from assistant.editor.run_words import run_folder, run_in_words
from assistant.engine import JobRequest, database_flags
from assistant.model.program import FoundProgram, ProgramOrigin
from assistant.model.workload import DeclaredWorkload
from assistant.workload.blocks import find_workloads, parse_sidecar, sidecar_path

__all__ = ["exact_run", "operator_run"]


def exact_run(request: JobRequest) -> ProgramConsent:
    """``request.cflags`` come from the settings; None: they name none."""
    declared = _declared_by(request.file, text_of(request, request.file))
    flags = (*(request.cflags or _known_flags(request.file)), *(flag for item in declared for flag in item.flags))
    references = sorted({item.reference.rpartition(":")[0] for item in declared if item.reference is not None})
    read = _sha256(request.file.parent / name for name in references) if references else None
    program = next(iter(request.programs.found), None) if request.programs is not None else None
    if program is None:
        words = run_in_words(request, None, flags, text_of(request, request.file))
        return ProgramConsent(
            find_workspace(request.file), (str(request.file),), flags, read, words=words, runs_in=request.working_directory
        )
    units = tuple(str(unit) for unit in program.units)
    command = (*units, *_commands(program), *program.arguments)
    joined = _joined(program.flags, flags)
    folder = find_workspace(program.units[0] if program.units else request.file)
    words = run_in_words(request, program, joined)
    return ProgramConsent(folder, command, joined, read, words=words, runs_in=run_folder(request, program))


def operator_run(task: Path, candidate: Path | None) -> ProgramConsent:
    """A PyTorch task is Python that is run as it is; a candidate runs beside it, confined."""
    files = dict.fromkeys((str(task), *(() if candidate is None else (str(candidate),))))
    return ProgramConsent(find_workspace(task), tuple(files))


def _commands(program: FoundProgram) -> tuple[str, ...]:
    """What is started in the place of its ``main()``, and what builds that."""
    return (*(program.build_command or ()), *(program.run_command or ())) if program.origin is ProgramOrigin.EXTENSION else ()


def _joined(flags: tuple[str, ...], own: tuple[str, ...]) -> tuple[str, ...]:
    """As the program is built with both."""
    return tuple(dict.fromkeys((*flags, *own)))


def _declared_by(path: Path, text: str) -> tuple[DeclaredWorkload, ...]:
    """The workloads that ``text`` and its sidecar file declare; the job reports what cannot be read there."""
    found = [*find_workloads(path, text)]
    sidecar = sidecar_path(path)
    if sidecar.is_file():
        found += parse_sidecar(sidecar, text_on_disk(sidecar))
    return tuple(item for item in found if isinstance(item, DeclaredWorkload))


def _known_flags(path: Path) -> tuple[str, ...]:
    """The flags in the workspace's ``compile_commands.json``."""
    try:
        return database_flags(path) or ()
    except (OSError, ValueError):
        return ()


def _sha256(paths: Iterable[Path]) -> str:
    """Digest of the files one after the other; an unreadable one has a digest of its own."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            digest.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError:
            digest.update(b"-")
    return digest.hexdigest()
