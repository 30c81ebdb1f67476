"""A build that a person has recorded, or configured by CMake, from an editor, so that what it links is what runs their kernels.

Both run code of the user's: the folder must be trusted, and the exact command is asked about first. Example::

    await recorded(Path("/p/sum.cu"), ("make",), guard, showing)     # 'recorded: make links demo'
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from assistant.config import ProgramConsent, RunPurpose, find_project
from assistant.editor.guard import CONSENTED, Guard
from assistant.errors import UsageError
from assistant.lab.builds import Build, recorded_build
from assistant.lab.configuring import configure_project, project_root
from assistant.program.wording import enumerated

__all__ = ["Showing", "configured", "recorded"]

Showing = Callable[[str], AbstractAsyncContextManager[None]]
"""Shows a person that something runs, by what it is, as long as it does."""


async def recorded(path: Path, command: tuple[str, ...], guard: Guard, showing: Showing) -> str:
    """Run the build of the file's project once, in the project's folder; what it links, in words.

    Raises UsageError where the folder is not trusted or no consent is given, CannotAnswerError where the build fails.
    """
    project = find_project(path)
    build = Build(command, project, project)
    await _demand_consent(path, ProgramConsent(project, command, purpose=RunPurpose.RECORDING), build.text, guard)
    async with showing(f"records {build.text}"):
        record = await recorded_build(build)
    return f"recorded: {record.text} links {enumerated([program.name for program in record.programs])}"


async def configured(path: Path, options: tuple[str, ...], guard: Guard, showing: Showing) -> str:
    """Have CMake configure the file's project in a folder of kernelopt's own; which one, in words. Raises as ``recorded`` does."""
    source = project_root(path)
    command = ("cmake", *options, str(source))
    await _demand_consent(path, ProgramConsent(find_project(path), command, purpose=RunPurpose.CONFIGURING), "CMake", guard)
    async with showing(f"configures {source.name}"):
        made = await configure_project(path, options)
    stand_in = "; kernelopt answered it in the place of nvcc" if made.is_stand_in else ""
    return f"{made.cmake} configured {made.source} in {made.folder.relative_to(find_project(path))}{stand_in}"


async def _demand_consent(path: Path, run: ProgramConsent, name: str, guard: Guard) -> None:
    guard.demand_trust(path)
    if await guard.may_run(run, is_asked_for=True) not in CONSENTED:
        raise UsageError(f"{name} was not run: no consent was given", "choose it again to be asked again")
