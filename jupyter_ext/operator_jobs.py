"""Jobs on PyTorch tasks of a notebook, one run's questions after each other; they run where those of CUDA cells do.

Example::

    await OperatorJobs(queues, cache).answer(run)      # on the session's loop; what is said meanwhile is the run's
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from assistant.editor.lanes import Work
from assistant.editor.queues import Queues
from assistant.editor.tasks import Verb
from assistant.engine import DONE, new_id
from assistant.errors import KernelOptError
from assistant.lab.cache import FIRST_BUILD, is_emulator_built
from assistant.model.events import Event
from jupyter_ext.operator_runs import Asked, OperatorRun

__all__ = ["OperatorJobs"]


class OperatorJobs:
    """Implements ``WorkListener`` for its own jobs, on the notebook's background loop."""

    def __init__(self, queues: Queues, cache: Path) -> None:
        """``cache``: where the emulator is built."""
        self._queues = queues
        self._cache = cache
        self._jobs: dict[str, _Job] = {}

    async def answer(self, run: OperatorRun) -> None:
        """One question after the other; what says no ends the run. Cancelling the run's job, or this, ends it."""
        try:
            for asked in run.asked:
                await self._answered(run, asked)
                if run.is_cancelled or run.step(asked.task.verb).exit_code != DONE:
                    break
        finally:
            run.end()

    async def _answered(self, run: OperatorRun, asked: Asked) -> None:
        task = asked.task
        work = Work(new_id("J"), str(task.request.file), task, False, self)
        job = self._jobs[work.id] = _Job(run, asked)
        run.begin(task.verb, work.id)
        if task.verb is not Verb.PROFILE and not is_emulator_built(self._cache):
            run.doing(task.verb, FIRST_BUILD)
        try:
            self._queues.submit(work)
            await job.over
        finally:
            self._queues.cancel(work.id)
            del self._jobs[work.id]

    def waits_for_consent(self, work: Work) -> None:
        """Who runs a cell asks for it by name."""

    def started(self, work: Work) -> None:
        """Its events say what it does."""

    def waits(self, work: Work, reason: str) -> None:
        """Nothing that is started here is background work, which alone waits."""

    def reported(self, work: Work, event: Event) -> None:
        job = self._jobs.get(work.id)
        if job is not None:
            job.run.hear(job.asked, event)

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        job = self._jobs.get(work.id)
        if job is None:
            return
        try:
            if refusal is not None:
                job.run.refused(work.task.verb, refusal)
            elif is_cancelled:
                job.run.cancelled(work.task.verb)
        finally:  # whatever goes wrong in showing it: what waits for the run goes on
            if not job.over.done():
                job.over.set_result(None)


class _Job:
    """One question under way; made on the loop that awaits it."""

    def __init__(self, run: OperatorRun, asked: Asked) -> None:
        self.run = run
        self.asked = asked
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
