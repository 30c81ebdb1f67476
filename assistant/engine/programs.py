"""Which program a job's file is part of: as the command line names its sources, else as it is found.

Example::

    find_program(JobRequest(Path("/p/scale.cuh"), Path("/p")), flags).units     # (Path("/p/main.cu"),)
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from assistant.config import find_workspace
from assistant.disk.texts import source_text
from assistant.engine.request import JobRequest
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.program import FoundProgram, ProgramSearch
from assistant.program import chosen_program, find_programs

__all__ = ["find_program"]

_NAMES_SHOWN = 6


def find_program(request: JobRequest, flags: Flags) -> FoundProgram | None:
    """None: the file is part of none.

    Raises CannotAnswerError where several are possible and none was chosen, or what says which is damaged.
    """

    def read(path: Path) -> str | None:
        given = request.text_of(path)
        return source_text(path) if given is None else given

    workspace = find_workspace(request.file)
    search = find_programs(request.file, request.extra_sources, read, workspace, flags.arguments)
    if not search.found:
        if search.problem:
            raise CannotAnswerError(search.problem, f"kernelopt program {request.file} shows what is found")
        return None
    chosen = _chosen(request.file, workspace, search)
    return replace(chosen, unclear=search.problem)


def _chosen(file: Path, workspace: Path, search: ProgramSearch) -> FoundProgram:
    chosen = chosen_program(file, workspace)
    wanted = [program for program in search.found if chosen in (None, program.name)] or list(search.found)
    if len(wanted) == 1:
        return wanted[0]
    names = ", ".join(program.name for program in wanted[:_NAMES_SHOWN]) + (", …" if len(wanted) > _NAMES_SHOWN else "")
    message = f"{file.name} is part of {len(wanted)} programs ({names}), and none of them was chosen"
    raise CannotAnswerError(message, f"kernelopt program {file} --use {wanted[0].name} chooses one")
