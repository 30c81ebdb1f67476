"""Checks before a job is queued: which program it is about, a person's consent to run that, and the current text.

A job that was asked for always ends with a result: what prevents it is its result. Example::

    admission.ask(work)              # asks the person, if that has not been done; then queues the work, or ends it
    admission.cancel(work.id)        # also while the question is open
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.config import ConsentAnswer, ProgramConsent, find_workspace, load_settings
from assistant.editor.exact_run import exact_run, operator_run
from assistant.editor.guard import CONSENTED, Guard
from assistant.editor.jobs import refusal_of
from assistant.editor.lanes import Lane, Work
from assistant.editor.tasks import Task
from assistant.engine import judging_programs
from assistant.errors import KernelOptError, UsageError

__all__ = ["Admission", "Refuse", "Renew", "Settle"]

Settle = Callable[[Work], Awaitable[Work]]
"""The work with the program that it is about: a person may be asked which. Raises KernelOptError where that stays unclear."""
Renew = Callable[[Work], Awaitable[Work | None]]
"""The work as it is to run now that it may; None where it is no longer needed."""
Refuse = Callable[[Work], Awaitable[str | None]]
"""Why nobody is asked whether its program may run: compilers refuse the text. None: they do not."""


class Admission:
    """In front of the two lanes of an editor session."""

    def __init__(self, guard: Guard, quick: Lane, heavy: Lane, settle: Settle, renew: Renew, refusal: Refuse) -> None:
        self._guard = guard
        self._refusal = refusal
        self._settle = settle
        self._quick = quick
        self._heavy = heavy
        self._renew = renew
        self._admitting: dict[str, tuple[Work, asyncio.Task[None]]] = {}
        """By job id: work that is not queued yet."""
        self._asking: dict[str, Work] = {}
        """By job id: work about which a person is being asked, with the program that the question names."""

    @property
    def works(self) -> tuple[Work, ...]:
        """What is not queued yet."""
        return tuple(work for work, _ in self._admitting.values())

    def is_asking(self, job_id: str) -> bool:
        """Whether a person is being asked about this job."""
        return job_id in self._asking

    def asks_about(self, key: str) -> bool:
        """Whether a person is being asked about a job on this source."""
        return any(work.key == key for work in self._asking.values())

    async def ask_again(self, key: str) -> None:
        """A person wants to answer what they are asked about this source."""
        asked = next((work for work in self._asking.values() if work.key == key), None)
        if asked is not None:
            for run in await asyncio.to_thread(_runs, asked.task):
                await self._guard.may_run(run, is_asked_for=True)

    def ask(self, work: Work) -> asyncio.Task[None]:
        """Admit ``work`` in the background."""
        admitting = asyncio.create_task(self._admit(work))
        self._admitting[work.id] = (work, admitting)
        admitting.add_done_callback(functools.partial(self._admitted, work))
        return admitting

    async def admit(self, work: Work) -> None:
        """Ends once ``work`` is queued, or is not to run."""
        admitting = self.ask(work)
        try:
            await asyncio.wait((admitting,))
        except asyncio.CancelledError:
            admitting.cancel()
            raise

    def cancel(self, job_id: str) -> bool:
        """End a job that is not queued yet; False when there is none of that id."""
        return job_id in self._admitting and self._admitting[job_id][1].cancel()

    def close(self) -> None:
        for _, admitting in tuple(self._admitting.values()):
            admitting.cancel()

    async def _admit(self, work: Work) -> None:
        """Queue the work once it may run."""
        try:
            settled = await self._settle(work)
            ready = await self._renew(settled) if await self._may_run(settled) else None
        except KernelOptError as error:
            self._end(work, error, is_cancelled=False)
            return
        except Exception as error:
            self._end(work, refusal_of(error), is_cancelled=False)
            raise  # a defect: the event loop logs it, too
        if ready is None:
            self._end(work, None, is_cancelled=True)
        else:
            (self._heavy if work.task.runs_program else self._quick).submit(ready)

    def _admitted(self, work: Work, admitting: asyncio.Task[None]) -> None:
        if admitting.cancelled():
            self._end(work, None, is_cancelled=True)
        self._admitting.pop(work.id, None)

    def _end(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        """It is not among the works any more when its end is heard."""
        self._admitting.pop(work.id, None)
        work.listener.ended(work, refusal, is_cancelled)

    async def _may_run(self, work: Work) -> bool:
        """Raises UsageError where a person did not consent to a run that they started, and what reading the trust file raises."""
        if not work.task.runs_program:
            return True
        try:
            for run in await asyncio.to_thread(_runs, work.task):
                if self._guard.has_to_ask(run):
                    if (why := await self._refusal(work)) is not None:
                        return _is_refused(work, why)
                    self._asking[work.id] = work
                    work.listener.waits_for_consent(work)
                answer = await self._guard.may_run(run, is_asked_for=not work.is_background)
                if answer not in CONSENTED and not work.is_background:
                    raise _not_run(work, run.folder, answer)
                if answer not in CONSENTED:
                    return False
        finally:
            if self._asking.pop(work.id, None) is not None:
                work.listener.waits_for_consent(work)
        return True


def _is_refused(work: Work, why: str) -> bool:
    """False: it is not to run. Raises UsageError for what a person started, who is told why."""
    if work.is_background:
        return False
    raise UsageError(why, "")


def _runs(task: Task) -> tuple[ProgramConsent, ...]:
    """What the task runs: its program, and where edits are judged in every program those, too."""
    request = task.request
    if task.operator is not None:
        return (operator_run(request.file, task.operator.candidate),)
    if not task.judges_edits or not request.is_everywhere:
        return (exact_run(request),)
    others = judging_programs(request, load_settings(find_workspace(request.file)))
    return (exact_run(request), *(exact_run(each) for _, each in others))


def _not_run(work: Work, folder: Path, answer: ConsentAnswer | None) -> UsageError:
    name = work.task.request.file.name
    if answer is ConsentAnswer.NEVER:
        remedy = f"to be asked again: kernelopt trust --revoke {folder}, then kernelopt trust {folder}"
        return UsageError(f"{name} was not run: you answered Never", remedy)
    return UsageError(f"{name} was not run: no consent was given", "start the job again to be asked again")
