"""Which programs a file is part of, looked for on a thread, one file at a time, and kept until a file of its project changes.

Example::

    searches = ProgramSearches()
    await searches.find(request)                 # FilePrograms(…), from the disk and the request's texts
    searches.forget((Path("/p/main.cu"),))       # saved: looked for again when next asked
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assistant.config import find_project, find_workspace, load_settings
from assistant.editor.program_kernels import kernels_elsewhere
from assistant.engine import FilePrograms, JobRequest, flags_of, programs_of
from assistant.errors import KernelOptError
from assistant.model.program import STANDS_ALONE, ProgramOrigin, ProgramSearch
from assistant.program.build_files import build_way
from assistant.record import Record

__all__ = ["ProgramSearches"]


class _Answer(Record):
    """What came of a search."""

    programs: FilePrograms
    project: Path
    """In which its sources were looked for."""
    flags: tuple[str, ...] | None
    """Flags from the settings under which it was made."""


class ProgramSearches:
    """The searches of a front end. Nothing here waits on the event loop but ``find``."""

    def __init__(self) -> None:
        self._answers: dict[Path, _Answer] = {}
        self._change_count = 0
        """Changes of files so far: an answer that was sought during one is given, and not kept."""
        self._one_at_a_time = asyncio.Lock()

    def known(self, request: JobRequest) -> FilePrograms | None:
        """The answer as things are; None: it has to be looked for."""
        answer = self._answers.get(request.file)
        return answer.programs if answer is not None and answer.flags == request.cflags else None

    async def find(self, request: JobRequest) -> FilePrograms:
        """The answer; what keeps it from being found is in it."""
        known = self.known(request)
        if known is not None:
            return known
        async with self._one_at_a_time:
            known = self.known(request)  # another job may have asked the same
            if known is not None:
                return known
            changes = self._change_count
            answer = await asyncio.to_thread(_search, request)
            if changes == self._change_count:
                self._answers[request.file] = answer
            return answer.programs

    def forget(self, changed: Iterable[Path]) -> None:
        """These files changed: what was found in their projects may not hold any more."""
        self._change_count += 1
        paths = tuple(changed)
        for file, answer in tuple(self._answers.items()):
            if any(path.is_relative_to(answer.project) for path in paths):
                del self._answers[file]


def _search(request: JobRequest) -> _Answer:
    workspace = find_workspace(request.file)
    try:
        programs = _found(request, workspace)
    except KernelOptError as error:
        programs = FilePrograms(request.file, ProgramSearch((), problem=error.message))
    return _Answer(programs, find_project(request.file), request.cflags)


def _found(request: JobRequest, workspace: Path) -> FilePrograms:
    """A text that is in no file of its own, such as a string in a Python file, stands alone."""
    if not request.file.is_file():
        return FilePrograms(request.file, STANDS_ALONE)
    programs = programs_of(request, flags_of(request, load_settings(workspace)))
    programs = replace(programs, elsewhere=kernels_elsewhere(request, programs.program))
    if any(program.origin is not ProgramOrigin.INCLUDES for program in programs.search.found):
        return programs
    return replace(programs, way=build_way(find_project(request.file), request.file))
