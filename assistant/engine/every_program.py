"""A request in every program that has its file: who asks for it need not import what judges.

Example::

    in_programs(request, flags)     # (("bench", request in bench), ("check", request in check))
"""

from __future__ import annotations

from dataclasses import replace

from assistant.config import LoadedSettings
from assistant.engine.programs import programs_of
from assistant.engine.request import JobRequest
from assistant.engine.running import flags_of
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.program import ProgramSearch

__all__ = ["in_programs", "judging_programs"]


def judging_programs(request: JobRequest, loaded: LoadedSettings) -> tuple[tuple[str, JobRequest], ...]:
    """As ``in_programs``, each for one verdict of the whole; none where an edit is judged in the program that is meant alone.

    Raises CannotAnswerError where every program is asked for and none is found.
    """
    is_named = bool(request.extra_sources) or request.run_command is not None or request.live is not None
    if request.is_everywhere is None and (is_named or not loaded.settings.verification.in_every_program):
        return ()
    if request.is_everywhere is False or request.cases:
        return ()
    found = in_programs(replace(request, is_everywhere=True), flags_of(request, loaded))
    if not found and request.is_everywhere:
        raise CannotAnswerError(f"{request.file.name} is part of no program that was found", f"kernelopt program {request.file}")
    return found if request.is_everywhere or len(found) > 1 else ()


def in_programs(request: JobRequest, flags: Flags) -> tuple[tuple[str, JobRequest], ...]:
    """The request in each program that has its file, by the program's name. Raises CannotAnswerError where that cannot be read."""
    found = programs_of(request, flags).search.found
    return tuple((program.name, replace(request, programs=ProgramSearch((program,)))) for program in found)
