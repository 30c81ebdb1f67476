"""Candidates compiled ahead: while one is run or judged, the CUDA compiler has the next. Only the GPU must do nothing else while it times.

What was compiled lies in the lab's cache, where the candidate's own trial finds it. Example::

    async with BuiltAhead(job, evaluation) as ahead:
        ahead.begin(rewrites)      # and judge others meanwhile
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from assistant.engine.evaluate import Evaluation
from assistant.engine.job import Job
from assistant.engine.judge import foreign_reading
from assistant.engine.rewritten import edited_sources
from assistant.engine.source_version import candidate_of
from assistant.errors import KernelOptError
from assistant.model.plan import Rewrite
from assistant.model.verification import Label

__all__ = ["BuiltAhead"]


@dataclass
class BuiltAhead:
    """Builds of some rewrites of a version; what is not done when the block ends is called off."""

    job: Job
    evaluation: Evaluation
    """What they edit."""
    most: int | None = None
    """Builds at once; None: all."""
    _builds: dict[Rewrite, asyncio.Task[None]] = field(default_factory=dict[Rewrite, "asyncio.Task[None]"])

    def __post_init__(self) -> None:
        self._turns = contextlib.nullcontext() if self.most is None else asyncio.Semaphore(max(self.most, 1))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        for build in self._builds.values():
            build.cancel()
        await asyncio.gather(*self._builds.values(), return_exceptions=True)

    def begin(self, rewrites: Sequence[Rewrite], with_host_code: bool = False) -> None:
        """In this order, each once. Edits of host code are left out unless it is known that they may be built: that is asked first."""
        for rewrite in rewrites:
            if rewrite not in self._builds and (with_host_code or Label.HOST_CODE not in rewrite.labels):
                self._builds[rewrite] = asyncio.create_task(self._built(rewrite))

    async def _built(self, rewrite: Rewrite) -> None:
        """Compiled with the kernel instances that the version launches; what comes of it is its trial's business."""
        texts = edited_sources(self.evaluation.version, rewrite)
        if not isinstance(texts, tuple):
            return
        try:
            candidate = candidate_of(self.evaluation.version, texts)
        except KernelOptError:
            return
        if await foreign_reading(self.job, self.evaluation.version, candidate) is not None:
            return
        program = candidate.program
        instances = tuple(item.instance for item in self.evaluation.counted.kernels)
        async with self._turns:
            await self.job.lab.build(replace(program, kernels=instances), self.job.target.architecture)
