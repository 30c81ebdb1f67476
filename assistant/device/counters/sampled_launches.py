"""Which process of CUPTI's is asked what, and when: one that stays warm, and one for each launch whose instructions are counted.

Example::

    launches = SampledLaunches(lambda: SamplingProcess(library, os.environ))
    launches.counted(request, time.monotonic() + 60)     # every launch with the lines of all its parts
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from assistant.device.counters.protocol import Part, SampledLaunch, SamplingReply, SamplingRequest

__all__ = ["Process", "SampledLaunches"]

_MOST_READY = 4
"""Processes that wait for a request, each with a context of some 500 MB."""
_AHEAD = 2
"""Processes that are started for the launches to come: each spends most of its time on its start."""


class Process(Protocol):
    """As `SamplingProcess`, which says what the methods do."""

    @property
    def is_alive(self) -> bool: ...

    def send(self, request: SamplingRequest) -> None: ...

    def receive(self, end_s: float) -> SamplingReply: ...

    def close(self) -> None: ...


class SampledLaunches:
    """Keeps the process that stays warm."""

    def __init__(self, start: Callable[[], Process]) -> None:
        self._start = start
        self._warm: Process | None = None
        self._spares: list[Process] = []
        """Ready for the next launches whose instructions are counted."""

    def get_ready(self, request: SamplingRequest, end_s: float) -> None:
        """Start what this request will be asked of, which takes longer than many an answer. A process that does not start is left to that.

        It queues nothing on the GPU.
        """
        started = list[Process]()
        if self._warm is None or not self._warm.is_alive:
            self._warm = self._start()
            started.append(self._warm)
        wanted = min(_MOST_READY, request.launch_limit) if request.part is Part.SAMPLED else 0
        spares = [self._start() for _ in range(wanted - len(self._spares))]
        self._spares += spares
        started += spares
        for process in started:
            process.send(replace(request, part=Part.READY, cases=()))
        for process in started:
            if process.receive(end_s).is_lost:
                process.close()

    def counted(self, request: SamplingRequest, end_s: float) -> SamplingReply:
        """Stalls and whole launches by the warm process, then each launch's instructions by one that has started meanwhile.

        Nothing is asked of two processes at once: each would count while the other's kernels run. ``end_s``: by ``time.monotonic``.
        """
        started = self._taken_spares() or [self._start()]
        try:
            sampled = self._sampled(request, end_s)
            launches: list[SampledLaunch] = []
            failures = list(sampled.failures)
            for at, launch in enumerate(sampled.launches):
                while len(started) < min(at + _AHEAD, len(sampled.launches)):
                    started.append(self._start())
                started[at].send(replace(request, part=Part.INSTRUCTIONS, first_launch=at, launch_limit=1))
                counted = started[at].receive(end_s)
                started[at].close()
                failures += counted.failures
                launches.append(replace(launch, answer=launch.answer + "".join(one.answer for one in counted.launches)))
            return SamplingReply(tuple(launches), tuple(failures))
        finally:
            for process in started:
                process.close()

    def _taken_spares(self) -> list[Process]:
        spares, self._spares = self._spares, []
        return [spare for spare in spares if spare.is_alive]

    def asked(self, request: SamplingRequest, end_s: float) -> SamplingReply:
        """One request, of the process that stays warm."""
        return self._asked_warm(request, end_s)

    def _sampled(self, request: SamplingRequest, end_s: float) -> SamplingReply:
        """Once more by a new process where the old one takes new code for that of before."""
        reply = self._asked_warm(request, end_s)
        return self._asked_warm(request, end_s) if reply.is_stale else reply

    def _asked_warm(self, request: SamplingRequest, end_s: float) -> SamplingReply:
        if self._warm is None or not self._warm.is_alive:
            self._warm = self._start()
        self._warm.send(request)
        reply = self._warm.receive(end_s)
        if reply.is_lost:
            self._warm.close()
        return reply
