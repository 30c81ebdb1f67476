"""Candidates compiled ahead: while one is run or judged, the CUDA compiler has it, or the next ones. Only what is timed must stand alone.

What was compiled lies in the lab's cache, where the candidate's own trial finds it. Example::

    async with BuiltAhead(job, looked, rewrites):
        ...      # judge them one by one
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from assistant.engine.job import Job
from assistant.engine.subject import candidate_of
from assistant.engine.workbench import Looked
from assistant.errors import KernelOptError
from assistant.model.plan import Rewrite
from assistant.model.verification import Label
from assistant.source.edits import apply_edits

__all__ = ["BuiltAhead"]


@dataclass
class BuiltAhead:
    """Builds of some rewrites of one version, under way while the block lasts."""

    job: Job
    version: Looked
    """What they edit."""
    rewrites: Iterable[Rewrite]
    _builds: list[asyncio.Task[None]] = field(default_factory=list[asyncio.Task[None]])

    async def __aenter__(self) -> Self:
        """Edits of host code are left out: whether they may be built is asked first."""
        self._builds = [asyncio.create_task(self._built(item)) for item in self.rewrites if Label.HOST_CODE not in item.labels]
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for build in self._builds:
            build.cancel()
        await asyncio.gather(*self._builds, return_exceptions=True)

    async def _built(self, rewrite: Rewrite) -> None:
        """Compiled with the kernel instances that the version launches; what comes of it is its trial's business."""
        text = apply_edits(self.version.subject.source.text, rewrite.edits)
        if not isinstance(text, str):
            return
        try:
            program = candidate_of(self.version.subject, text).program
        except KernelOptError:
            return
        instances = tuple(item.instance for item in self.version.counted.kernels)
        await self.job.lab.build(replace(program, kernels=instances), self.job.target.architecture)
