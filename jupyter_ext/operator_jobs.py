"""Jobs on PyTorch tasks of a notebook, awaited one at a time; they run where those of CUDA cells do.

Example::

    events = await OperatorJobs(queues).answer(task, on_stage=print)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from assistant.editor.lanes import Work
from assistant.editor.queues import Queues
from assistant.editor.tasks import Task
from assistant.engine import new_id
from assistant.errors import CannotAnswerError, KernelOptError
from assistant.model.events import Event, StageStarted

__all__ = ["OperatorJobs"]

_REMEDY = "run the cell again"


class OperatorJobs:
    """Implements ``WorkListener`` for its own jobs, on the notebook's background loop."""

    def __init__(self, queues: Queues) -> None:
        self._queues = queues
        self._answers: dict[str, _Answer] = {}

    async def answer(self, task: Task, on_stage: Callable[[str], None], timeout_s: float | None = None) -> tuple[Event, ...]:
        """All that the job says. A caller that is cancelled, or waited for as long as it may, ends the job.

        Raises CannotAnswerError where it ended before its end, and what refused it.
        """
        work = Work(new_id("J"), str(task.request.file), task, False, self)
        answer = self._answers[work.id] = _Answer(on_stage)
        try:
            self._queues.submit(work)
            return await asyncio.wait_for(answer.over, timeout_s)
        except TimeoutError:
            raise CannotAnswerError(f"it was ended after {timeout_s:g} s, as --timeout says", "give it more time") from None
        finally:
            self._queues.cancel(work.id)
            del self._answers[work.id]

    def waits_for_consent(self, work: Work) -> None:
        """Who runs a cell asks for it by name."""

    def started(self, work: Work) -> None:
        """Its events say what it does."""

    def waits(self, work: Work, reason: str) -> None:
        """Nothing that is started here is background work, which alone waits."""

    def reported(self, work: Work, event: Event) -> None:
        answer = self._answers.get(work.id)
        if answer is not None:
            answer.take(event)

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        answer = self._answers.get(work.id)
        if answer is not None:
            answer.end(CannotAnswerError("cancelled", _REMEDY) if is_cancelled and refusal is None else refusal)


class _Answer:
    """What one job has said so far; made on the loop that awaits it."""

    def __init__(self, on_stage: Callable[[str], None]) -> None:
        self.over: asyncio.Future[tuple[Event, ...]] = asyncio.get_running_loop().create_future()
        self._events: list[Event] = []
        self._on_stage = on_stage

    def take(self, event: Event) -> None:
        self._events.append(event)
        if isinstance(event, StageStarted):
            self._on_stage(event.detail or event.stage)

    def end(self, refusal: KernelOptError | None) -> None:
        if self.over.done():
            return
        if refusal is not None:
            self.over.set_exception(refusal)
        else:
            self.over.set_result(tuple(self._events))
