"""Which background stage runs when: compile after a pause, verify and profile after a save; debounced, latest wins.

A stage is set to run ``on_type``, ``on_save``, ``on_command`` or ``off``; opening a source counts as saving it, for what nobody has
answered yet. Many files that change on disk at once are a checkout, not work: only what is open is looked at, after it is quiet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.config import Settings, setting
from assistant.desk.tasks import Verb

__all__ = ["STAGES", "Staging", "Trigger"]

STAGES = {Verb.INSPECT: "background.compile", Verb.CHECK: "background.verify", Verb.PROFILE: "background.profile"}
"""The stages in the order they run, and the setting of each."""
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
    task: asyncio.Task[None] | None = None
    verbs: set[Verb] = field(default_factory=set[Verb])


class Staging:
    """Timers of all sources of a desk."""

    def __init__(self, start: Callable[[str, Verb], Awaitable[None]]) -> None:
        """``start`` runs one stage of one source now, if it may."""
        self._start = start
        self._pending: dict[str, _Pending] = {}

    def changed(self, key: str, trigger: Trigger, settings: Settings) -> None:
        """Plan the stages that ``trigger`` calls for, after the pause that belongs to it."""
        when = {verb: str(setting(settings, name)) for verb, name in STAGES.items()}
        verbs = {verb for verb in STAGES if _is_due(when[verb], trigger)}
        pending = self._pending.setdefault(key, _Pending())
        if trigger is Trigger.TYPED:
            pending.verbs.clear()  # what a save asked for is about an older text
        pending.verbs = {verb for verb in pending.verbs if _is_due(when[verb], Trigger.SAVED)} | verbs
        if pending.timer is not None:
            pending.timer.cancel()
        if pending.verbs:
            pause_s = {Trigger.TYPED: settings.background.pause_s, Trigger.CHANGED_ON_DISK: _SETTLE_S}.get(trigger, 0.0)
            pending.timer = asyncio.get_running_loop().call_later(pause_s, self._fire, key)

    def drop(self, key: str) -> None:
        """The source was closed."""
        pending = self._pending.pop(key, None)
        if pending is not None:
            if pending.timer is not None:
                pending.timer.cancel()
            if pending.task is not None:
                pending.task.cancel()

    def _fire(self, key: str) -> None:
        pending = self._pending.get(key)
        if pending is None:
            return
        verbs, pending.verbs, pending.timer = pending.verbs, set(), None
        if pending.task is not None:
            pending.task.cancel()
        pending.task = asyncio.create_task(self._run(key, verbs))

    async def _run(self, key: str, verbs: set[Verb]) -> None:
        for verb in STAGES:
            if verb in verbs:
                await self._start(key, verb)


def _is_due(when: str, trigger: Trigger) -> bool:
    match when:
        case "on_type":
            return True
        case "on_save":
            return trigger is not Trigger.TYPED
        case _:
            return False
