"""Which other programs use the files that an edit changes: it is judged in one of them, and the verdict lists the rest.

Example::

    await unjudged_programs(job, before, after)
    # ("other programs that use common.cuh: bench_transpose.cu (kernelopt compare --every-program judges an edit in all of them)",)
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from assistant.engine.job import Job
from assistant.engine.judge.changes import edited_files
from assistant.engine.programs import programs_of
from assistant.engine.source_version import SourceVersion
from assistant.errors import KernelOptError
from assistant.profile.quantity import first_of

__all__ = ["unjudged_programs"]

_NAMES_SHOWN = 6


async def unjudged_programs(job: Job, before: SourceVersion, after: SourceVersion) -> tuple[str, ...]:
    """A sentence for each edited file that programs use which did not run; nothing of files that are in no program, or on no disk."""
    if before.found is None or before.selection.live is not None:
        return ()
    paths = [old.source.path for old, _ in edited_files(before, after)]
    return tuple([note for path in paths if (note := await asyncio.to_thread(_unjudged_users_of, job, before, path)) is not None])


def _unjudged_users_of(job: Job, version: SourceVersion, path: Path) -> str | None:
    if not path.is_file():
        return None
    request = replace(job.request, file=path, extra_sources=(), programs=None)
    try:
        found = programs_of(request, version.program.flags).search.found
        asked = programs_of(job.request, version.program.flags).search.found if job.request.is_everywhere else ()
    except KernelOptError:  # the record of programs is damaged, which commands on that file report
        return None
    judged = {source.path for source in version.sources} | {path for program in asked for path in program.units}
    names = [program.name for program in found if not judged.issuperset(program.units)]
    if not names:
        return None
    shown = first_of(names, _NAMES_SHOWN)
    return f"other programs that use {path.name}: {shown} (kernelopt compare --every-program judges an edit in all of them)"
