"""A queue in front of one job host: what a person asked for first, background work behind it, the newest text of a source only.

Background work on a GPU waits, and gives way, while another program of the user computes there; what a person asked for does not.
Cancelling is the same for every reason: a newer text, a person, another process, the end of the front end. Example::

    lane = Lane(JobHost("lsp"))
    work = lane.submit(Work(new_id("J"), "file:///a.cu", task, is_background=True, listener=listener))
    lane.cancel(work.id)
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
from dataclasses import replace
from typing import Protocol

from assistant.editor.gpu_hold import GpuHold
from assistant.editor.jobs import JobHost, JobRefused, refusal_of
from assistant.editor.tasks import Task
from assistant.engine import new_id
from assistant.errors import KernelOptError
from assistant.lab.gpu_users import GpuUsers
from assistant.model.events import Event
from assistant.record import Record

__all__ = ["Lane", "Work", "WorkListener"]


class WorkListener(Protocol):
    """Hears what becomes of a piece of work; called on the event loop, must not block."""

    def waits_for_consent(self, work: Work) -> None:
        """A person is asked whether its program may run, or has answered."""
        ...

    def started(self, work: Work) -> None: ...

    def reported(self, work: Work, event: Event) -> None: ...

    def waits(self, work: Work, reason: str) -> None:
        """Its GPU is in use: it starts when that is over."""
        ...

    def ended(self, work: Work, refusal: KernelOptError | None, is_cancelled: bool) -> None:
        """Once, whatever happened; work that never started included."""
        ...


class Work(Record):
    """One task of a source."""

    id: str
    """``J…``: the job's id, known before it starts."""
    key: str
    """The source it belongs to, by the front end's own name."""
    task: Task
    is_background: bool
    """It was not started by a person: it waits, and gives way."""
    listener: WorkListener


class Lane:
    """Runs one piece of work at a time."""

    def __init__(self, host: JobHost, gpu_users: GpuUsers | None = None) -> None:
        """``gpu_users``: lists the programs that background work on a GPU gives way to; None: to none."""
        self._host = host
        self._hold = None if gpu_users is None else GpuHold(gpu_users, self._look)
        self._reported_reasons: dict[str, str] = {}
        self._waiting: list[Work] = []
        self._running: Work | None = None
        self._task: asyncio.Task[KernelOptError | None] | None = None
        self._is_ending = False
        """The running work was asked to end, which is done once."""
        self._is_preempted = False
        self._is_closed = False

    @property
    def works(self) -> tuple[Work, ...]:
        """Running first, then waiting in the order they will run."""
        running = () if self._running is None else (self._running,)
        return (*running, *self._ordered())

    @property
    def running(self) -> Work | None:
        return self._running

    def is_ending(self, work_id: str) -> bool:
        """Whether it runs and was asked to end."""
        return self._is_ending and self._running is not None and self._running.id == work_id

    def reason_to_wait(self, work: Work) -> str | None:
        """Which program uses the GPU that background work is for; None: none."""
        device = work.task.gpu_device
        return None if self._hold is None or device is None or not work.is_background else self._hold.reason(device)

    async def warm_up(self) -> None:
        """Start the host before the first work needs it; one that does not start is reported by the first work."""
        with contextlib.suppress(JobRefused):
            await self._host.start()

    def submit(self, work: Work) -> Work:
        """Queue it. Background work of the same source and verb gives way to it: the latest text wins."""
        work = _renewed(work, work.id)
        for other in self.works:
            if other.is_background and other.key == work.key and other.task.verb is work.task.verb:
                self.cancel(other.id)
        self._waiting.append(work)
        if not work.is_background and self._running is not None and self._running.is_background:
            self._preempt()
        self._start_next()
        return work

    def cancel(self, work_id: str) -> bool:
        """End it, with its processes; False when it is not here (any more)."""
        for work in self._waiting:
            if work.id == work_id:
                self._waiting.remove(work)
                work.listener.ended(work, None, True)
                self._follow()
                return True
        if self._running is not None and self._running.id == work_id:
            self._is_preempted = False
            self._end_running()
            return True
        return False

    def cancel_source(self, key: str, is_background_only: bool = True) -> None:
        """End what is queued or running for a source."""
        for work in self.works:
            if work.key == key and (work.is_background or not is_background_only):
                self.cancel(work.id)

    async def close(self) -> None:
        """End everything."""
        self._is_closed = True
        for work in tuple(self._waiting):
            self.cancel(work.id)
        if self._task is not None:
            self._is_preempted = False
            self._end_running()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        if self._hold is not None:
            await self._hold.close()
        await self._host.close()

    def _ordered(self) -> list[Work]:
        return sorted(self._waiting, key=lambda work: work.is_background)

    def _preempt(self) -> None:
        """Background work in the way of a person starts again afterwards, as another job: memory keeps each start."""
        if not self._is_ending:
            self._is_preempted = True
            self._end_running()

    def _end_running(self) -> None:
        if self._task is not None and not self._is_ending:
            self._is_ending = True
            self._task.cancel()

    def _start_next(self) -> None:
        self._follow()
        ready = next((work for work in self._ordered() if not self._is_held(work)), None)
        if self._running is None and ready is not None and not self._is_closed:
            self._running = ready
            self._waiting.remove(self._running)
            self._task = asyncio.create_task(self._run(self._running))
            self._task.add_done_callback(functools.partial(self._over, self._running))
        self._report_waiting()

    def _look(self) -> None:
        """The programs on the GPUs changed."""
        if self._running is not None and self.reason_to_wait(self._running) is not None:
            self._preempt()
        self._start_next()

    def _report_waiting(self) -> None:
        """Why background work does not start, once for each reason."""
        reasons = {work: reason for work in self._waiting if (reason := self.reason_to_wait(work)) is not None}
        for work, reason in reasons.items():
            if self._reported_reasons.get(work.id) != reason:
                work.listener.waits(work, reason)
        self._reported_reasons = {work.id: reason for work, reason in reasons.items()}

    def _is_held(self, work: Work) -> bool:
        device = work.task.gpu_device
        return self._hold is not None and device is not None and work.is_background and self._hold.is_held(device)

    def _follow(self) -> None:
        """Look at the GPUs that background work is for, as long as there is any."""
        if self._hold is not None and not self._is_closed:
            wanted = (work.task.gpu_device for work in self.works if work.is_background)
            self._hold.follow(frozenset(device for device in wanted if device is not None))

    async def _run(self, work: Work) -> KernelOptError | None:
        """Why it was refused."""
        try:
            work.listener.started(work)
            async with contextlib.aclosing(self._host.run(work.task)) as events:
                async for event in events:
                    work.listener.reported(work, event)
        except JobRefused as error:
            return error
        return None

    def _over(self, work: Work, task: asyncio.Task[KernelOptError | None]) -> None:
        """However it ended: cancelled before its first step, too, which ``_run`` would not notice."""
        is_cancelled = task.cancelled()
        is_put_back, self._is_preempted = self._is_preempted and is_cancelled, False
        self._running, self._task, self._is_ending = None, None, False
        error = None if is_cancelled else task.exception()
        refusal = None if is_cancelled else task.result() if error is None else refusal_of(error)
        work.listener.ended(work, refusal, is_cancelled)
        if is_put_back:
            self._waiting.insert(0, _renewed(work, new_id("J")))
        self._start_next()
        if error is not None:
            raise error  # a defect: the event loop logs it, too


def _renewed(work: Work, job_id: str) -> Work:
    """The same work as a job of that id."""
    request = replace(work.task.request, job_id=job_id)
    return replace(work, id=job_id, task=replace(work.task, request=request))
