"""The versions of a comparison built while the first of them is run, where the machine has cores for it.

Example::

    async with built_ahead(job, a, b):
        before = await evaluate(job, a)
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from assistant.engine.job import Job
from assistant.engine.judge.one_program import foreign_reading
from assistant.engine.source_version import SourceVersion, as_candidate

__all__ = ["built_ahead"]


@asynccontextmanager
async def built_ahead(job: Job, before: SourceVersion, after: SourceVersion) -> AsyncGenerator[None]:
    """What is not built when the block ends is called off."""
    builds = [asyncio.create_task(build) for build in _builds(job, before, after)]
    try:
        yield
    finally:
        for build in builds:
            build.cancel()
        await asyncio.gather(*builds, return_exceptions=True)


def _builds(job: Job, before: SourceVersion, after: SourceVersion) -> list[Coroutine[Any, Any, None]]:
    """Of the edit, and of the original as candidates are built where that is another build than its user's."""
    builds: list[Coroutine[Any, Any, None]] = [_edit_built(job, before, after)]
    if after.program.is_candidate and before.program.run_command is not None:
        builds.append(job.lab.build_ahead(as_candidate(before).program, job.target.architecture))
    return builds


async def _edit_built(job: Job, before: SourceVersion, after: SourceVersion) -> None:
    """Unless it may not be compiled, which the comparison finds as well, and says."""
    if await foreign_reading(job, before, after) is None:
        await job.lab.build_ahead(after.program, job.target.architecture)
