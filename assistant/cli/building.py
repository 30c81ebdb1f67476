"""``--build`` and ``--run`` where no GPU runs what they start: the build is recorded, and the sources of what ``--run`` names are emulated.

Example::

    emulated(request)       # of --build "make app" --run "./app 10": the program of app's sources, with the argument 10
"""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path

import typer

from assistant.cli import exit_codes
from assistant.cli.compose import has_gpu, refused_command
from assistant.cli.console import console
from assistant.cli.jobs import run_async
from assistant.config import find_workspace, is_workspace, load_settings
from assistant.disk.texts import source_text
from assistant.engine import JobRequest
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.builds import BUILD_TIMEOUT_S, Build, recorded_build
from assistant.model.program import FoundProgram, ProgramSearch
from assistant.program.build_record import BuildRecord, RecordedProgram, read_records
from assistant.program.recorded import RecordedChoice, search_records, what_changed
from assistant.program.sources import Sources
from assistant.program.wording import enumerated

__all__ = ["build_place", "emulated", "recorded_now"]


def emulated(request: JobRequest) -> JobRequest:
    """The request without its commands, where the emulator can run what they start; as it is where a GPU is meant.

    Ends the command where the build fails. Raises CannotAnswerError for what is no product of the build.
    """
    assert request.run_command is not None
    workspace = find_workspace(request.file)
    if has_gpu(request.device or load_settings(workspace).settings.device):
        return request
    if not request.file.exists():
        raise UsageError(f"{request.file} does not exist", "check the path")
    record, program = _made_by(request, build_place(request.file))
    found = _program_of(request, record, program)
    return replace(
        request,
        build_command=None,
        run_command=None,
        arguments=request.run_command[1:] + request.arguments,
        programs=ProgramSearch((found,)),
    )


def build_place(file: Path) -> Path:
    """The workspace of the folder you are in, where builds run. Raises UsageError where the file lies in another one."""
    folder = Path.cwd()
    workspace = find_workspace(folder)
    own = find_workspace(file)
    if own == workspace or (own.is_relative_to(workspace) and not is_workspace(own)):
        return workspace
    said = f"the build runs in the folder you are in, {folder}, of the workspace {workspace}, and {file} belongs to {own}"
    raise UsageError(said, f"cd {own}, and give the command there")


def recorded_now(build: Build) -> BuildRecord:
    """Run it once; says so. Ends the command where it fails."""
    records: list[BuildRecord] = []

    async def run() -> int:
        console(is_error=True).print(f"recording {build.text}: it runs once, in a private copy of {build.workspace}", markup=False)
        records.append(await recorded_build(build))
        return exit_codes.DONE

    code = run_async(run)
    if code != exit_codes.DONE:
        raise typer.Exit(code)
    return records[0]


def _made_by(request: JobRequest, workspace: Path) -> tuple[BuildRecord, RecordedProgram]:
    """The program that ``--run`` starts, and the build that links it."""
    folder = Path.cwd().resolve()
    name = _name_of(request, folder, workspace)
    for record in _records(request, folder, workspace):
        program = next((program for program in record.programs if name in (program.name, *program.also)), None)
        if program is not None:
            return record, program
        if request.build_command is not None:
            made = enumerated([program.name for program in record.programs])
            message = f"{shlex.join(request.build_command)} links {made}, not {name}, which --run starts"
            raise CannotAnswerError(message, "name one of these")
    raise refused_command(request, "or the command that builds it with --build, which is then recorded")


def _name_of(request: JobRequest, folder: Path, workspace: Path) -> str:
    """The program that the command starts, relative to the workspace. Raises CannotAnswerError for one of the system's (python)."""
    assert request.run_command is not None
    word = request.run_command[0]
    path = Path(os.path.normpath(folder / word))
    if "/" not in word or not path.is_relative_to(workspace):
        raise refused_command(request)
    return str(path.relative_to(workspace))


def _records(request: JobRequest, folder: Path, workspace: Path) -> tuple[BuildRecord, ...]:
    """That of the command, made now where there is none that still holds; all where no command is given."""
    kept = read_records(workspace).records
    if request.build_command is None:
        return kept
    place = os.path.relpath(folder, workspace)
    for record in kept:
        if (record.command, record.folder) == (request.build_command, place) and not list(what_changed(workspace, record)):
            return (record,)
    return (recorded_now(Build(request.build_command, folder, workspace, request.timeout_s or BUILD_TIMEOUT_S)),)


def _program_of(request: JobRequest, record: BuildRecord, program: RecordedProgram) -> FoundProgram:
    workspace = find_workspace(request.file)
    flags = load_settings(workspace).settings.build.flags if request.cflags is None else request.cflags
    sources = Sources(request.file, workspace, source_text)
    search = search_records(sources, flags, sources.file, RecordedChoice(record, program.name))
    if not search.found:
        units = enumerated([unit.source for unit in program.units])
        message = f"{request.file.name} is no part of {program.name}, which is linked from {units}"
        raise CannotAnswerError(message, "name one of these files, or a header that they include")
    return replace(search.found[0], unclear="; ".join(search.problems))
