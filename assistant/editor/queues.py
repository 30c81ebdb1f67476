"""Every job of an editor session: those that wait for a person's consent, and those of the quick and the heavy lane behind it.

Example::

    queues.submit(work)              # asks for consent where that is needed, then queues the work
    queues.cancel(work.id)           # wherever it is
"""

from __future__ import annotations

import asyncio

from assistant.editor.admission import Admission
from assistant.editor.lanes import Lane, Work
from assistant.editor.tasks import Verb

__all__ = ["Queues"]


class Queues:
    """Two lanes, and the admission in front of them."""

    def __init__(self, admission: Admission, quick: Lane, heavy: Lane) -> None:
        self._admission = admission
        self._quick = quick
        self._heavy = heavy

    @property
    def works(self) -> tuple[Work, ...]:
        """Running and waiting jobs; those that wait for a person's answer last."""
        queued = (*self._quick.works, *self._heavy.works)
        ids = {work.id for work in queued}
        return (*queued, *(work for work in self._admission.works if work.id not in ids))

    @property
    def running(self) -> frozenset[str]:
        """Ids of the jobs that run; the others wait."""
        return frozenset(lane.running.id for lane in (self._quick, self._heavy) if lane.running is not None)

    def submit(self, work: Work) -> None:
        """Queue the work once it may run, in the background."""
        self._admission.ask(work)

    async def admit(self, work: Work) -> None:
        """Ends once the work is queued, or is not to run."""
        await self._admission.admit(work)

    def cancel(self, job_id: str) -> bool:
        """End a job; False when there is none of that id."""
        return self._admission.cancel(job_id) or self._quick.cancel(job_id) or self._heavy.cancel(job_id)

    def cancel_source(self, key: str, is_background_only: bool = True) -> None:
        """End what is queued or running for a source."""
        for lane in (self._quick, self._heavy):
            lane.cancel_source(key, is_background_only)

    def cancel_waiting(self, key: str, verb: Verb) -> None:
        """End background work of a stage that waits: its question was answered."""
        for work in self.works:
            if work.key == key and work.is_background and work.task.verb is verb and work.id not in self.running:
                self.cancel(work.id)

    def is_ending(self, job_id: str) -> bool:
        """Whether it runs and was asked to end."""
        return any(lane.is_ending(job_id) for lane in (self._quick, self._heavy))

    def reason_to_wait(self, work: Work) -> str | None:
        """Why a job does not start, though nothing else runs; None: it only waits its turn."""
        return "your consent to run the program" if self._admission.is_asking(work.id) else self._heavy.reason_to_wait(work)

    def asks_about(self, key: str) -> bool:
        """Whether a person is being asked whether a program may run, for this source."""
        return self._admission.asks_about(key)

    async def ask_again(self, key: str) -> None:
        """Ask what is asked about this source now, as a person wants to answer."""
        await self._admission.ask_again(key)

    def is_compiling(self, key: str) -> bool:
        """Whether a compile of a source runs, or waits."""
        return any(work.key == key and work.task.verb is Verb.INSPECT for work in self.works)

    def background_sources(self, verb: Verb) -> frozenset[str]:
        """Sources with background work in the queue of a stage."""
        lane = self._quick if verb is Verb.INSPECT else self._heavy
        return frozenset(work.key for work in lane.works if work.is_background)

    async def warm_up(self) -> None:
        """Start what inspects sources, so that the next save is answered fast."""
        await self._quick.warm_up()

    def stop_asking(self) -> None:
        """Cancel what is not queued yet."""
        self._admission.close()

    async def close(self) -> None:
        """End every job."""
        await asyncio.gather(self._quick.close(), self._heavy.close())
