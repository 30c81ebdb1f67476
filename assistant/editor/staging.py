"""Which background stage runs when: compile after a pause, verify and profile after a save; debounced, latest wins.

A stage is set to run ``on_type``, ``on_save``, ``on_command`` or ``off``; opening a source counts as saving it, for stages
without an answer yet. Many files that change at once are a checkout: only open sources are looked at, once changes stop, the one that was
looked at last first, and never more than a few are queued.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.config import Settings, setting
from assistant.editor.tasks import Verb

__all__ = ["QUEUED_SOURCES", "STAGES", "Staging", "Trigger"]

STAGES = {Verb.INSPECT: "background.compile", Verb.CHECK: "background.verify", Verb.PROFILE: "background.profile"}
"""The stages in the order they run, and the setting of each."""
QUEUED_SOURCES = 2
"""Sources of which background work is queued at a time, in each lane (chosen: one that runs, and one that follows at once)."""
_LANES = (frozenset({Verb.INSPECT}), frozenset({Verb.CHECK, Verb.PROFILE}))
"""Stages that stand in one queue: compiling does not wait until others were verified."""
_SETTLE_S = 1.0
"""After a change on disk: a checkout or a build writes more."""


class Trigger(StrEnum):
    """Why a source is looked at."""

    OPENED = "opened"
    TYPED = "typed"
    SAVED = "saved"
    CHANGED_ON_DISK = "changed on disk"


@dataclass
class _Pending:
    timer: asyncio.TimerHandle | None = None
    verbs: set[Verb] = field(default_factory=set[Verb])
    """What waits for the pause to be over."""
    due: set[Verb] = field(default_factory=set[Verb])
    """What waits for room in its queue."""
    tasks: dict[frozenset[Verb], asyncio.Task[None]] = field(default_factory=dict[frozenset[Verb], asyncio.Task[None]])


class Staging:
    """Timers of all sources of an editor session."""

    def __init__(
        self,
        start: Callable[[str, Verb], Awaitable[None]],
        queued: Callable[[Verb], frozenset[str]],
        most_sources: int = QUEUED_SOURCES,
    ) -> None:
        """``start`` runs a stage of a source now, if it may; ``queued``: sources with background work in a stage's queue."""
        self._start = start
        self._queued = queued
        self._most_sources = most_sources
        self._pending: dict[str, _Pending] = {}
        """The source that was looked at last comes last."""

    def changed(self, key: str, trigger: Trigger, settings: Settings) -> None:
        """Plan the stages that ``trigger`` calls for, after the pause that belongs to it."""
        when = {verb: str(setting(settings, name)) for verb, name in STAGES.items()}
        verbs = {verb for verb in STAGES if _is_due(when[verb], trigger)}
        pending = self._pending.setdefault(key, _Pending())
        waiting = pending.verbs | pending.due
        if trigger is Trigger.TYPED:
            waiting.clear()  # what a save asked for is about an older text
        pending.verbs, pending.due = {verb for verb in waiting if _is_due(when[verb], Trigger.SAVED)} | verbs, set()
        if pending.timer is not None:
            pending.timer.cancel()
        if pending.verbs:
            pause_s = {Trigger.TYPED: settings.background.pause_s, Trigger.CHANGED_ON_DISK: _SETTLE_S}.get(trigger, 0.0)
            pending.timer = asyncio.get_running_loop().call_later(pause_s, self._fire, key)

    def is_to_run(self, key: str, verb: Verb) -> bool:
        """Whether a stage of a source is planned and not queued yet."""
        pending = self._pending.get(key)
        return pending is not None and (verb in pending.verbs | pending.due or any(verb in verbs for verbs in pending.tasks))

    def look_at(self, key: str) -> None:
        """A person looks at this source now: it comes first."""
        if key in self._pending:
            self._pending[key] = self._pending.pop(key)

    def drop(self, key: str) -> None:
        """The source was closed."""
        pending = self._pending.pop(key, None)
        if pending is not None:
            if pending.timer is not None:
                pending.timer.cancel()
            for task in pending.tasks.values():
                task.cancel()

    def go_on(self) -> None:
        """Start what there is room for in the queues.

        While a person is asked whether a program may be run, other sources wait, but not the one that was looked at last.
        """
        for verbs in _LANES:
            wanting = [key for key, pending in self._pending.items() if pending.due & verbs]
            if not wanting:
                continue
            queued = self._queued(next(iter(verbs)))
            starting = {key for key, pending in self._pending.items() if verbs in pending.tasks}
            latest = next(reversed(self._pending))
            for key in reversed(wanting):
                before = (queued if key == latest else queued | starting) - {key}
                if len(before) < self._most_sources:
                    self._begin(key, verbs)
                    starting.add(key)

    def _begin(self, key: str, verbs: frozenset[Verb]) -> None:
        pending = self._pending[key]
        task = asyncio.create_task(self._run(key, pending.due & verbs))
        pending.due -= verbs
        pending.tasks[verbs] = task
        task.add_done_callback(functools.partial(self._started, key, verbs))

    def _fire(self, key: str) -> None:
        pending = self._pending.get(key)
        if pending is None:
            return
        pending.due, pending.verbs, pending.timer = pending.verbs, set(), None
        for task in pending.tasks.values():
            task.cancel()
        pending.tasks.clear()
        self.go_on()

    async def _run(self, key: str, verbs: set[Verb]) -> None:
        for verb in STAGES:
            if verb in verbs:
                await self._start(key, verb)

    def _started(self, key: str, verbs: frozenset[Verb], task: asyncio.Task[None]) -> None:
        pending = self._pending.get(key)
        if pending is not None and pending.tasks.get(verbs) is task:
            del pending.tasks[verbs]
        self.go_on()
        if not task.cancelled():
            task.result()  # a defect: the event loop logs it


def _is_due(when: str, trigger: Trigger) -> bool:
    match when:
        case "on_type":
            return True
        case "on_save":
            return trigger is not Trigger.TYPED
        case _:
            return False
