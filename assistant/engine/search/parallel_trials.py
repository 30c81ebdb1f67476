"""Candidates tried on several devices at once: each takes whichever lab is free, from its first run to its timing.

A round judges them one after another; what it will judge next may be under way by then. With one lab nothing is begun ahead. Example::

    trials = ParallelTrials((judge, judge_on_the_second_gpu), accounts.holding_gpu)
    trials.begin(node, step, following)
    await trials.judge(node, step, rewrite)      # on the first; the second tries the following one
    await trials.close()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Protocol

from assistant.engine.search.context import nothing_to_do
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model.plan import Rewrite, Step

__all__ = ["ParallelTrials", "TrialJudge"]


class TrialJudge(Protocol):
    """Tries candidates on one lab, one at a time."""

    @property
    def lab(self) -> object:
        """The same for all that try candidates on one GPU."""
        ...

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial: ...

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial: ...


class ParallelTrials:
    """Trials of a kernel's search."""

    def __init__(self, judges: Sequence[TrialJudge], charged: Callable[[object], AbstractContextManager[None]]) -> None:
        """``judges``: at least one. ``charged``: entered with a judge's lab for as long as a trial takes."""
        self._free: list[TrialJudge] = list(judges)
        self._own = judges[0]
        self._count = len(judges)
        self._returned = asyncio.Condition()
        self._charged = charged
        self._ahead: list[tuple[SearchNode, Step, Rewrite, asyncio.Task[Trial]]] = []

    @property
    def count(self) -> int:
        """Candidates that can be tried at once."""
        return self._count

    @property
    def has_room(self) -> bool:
        """Whether one more may be begun ahead, with a lab left for the one that is judged now."""
        return sum(not task.done() for *_, task in self._ahead) + 1 < self._count

    @property
    def is_idle(self) -> bool:
        """Whether a lab waits for a candidate."""
        return bool(self._free)

    @asynccontextmanager
    async def own_lab(self) -> AsyncGenerator[None]:
        """The first judge's lab for something else than a candidate, when it is free."""
        async with self._returned:
            await self._returned.wait_for(lambda: self._own in self._free)
            self._free.remove(self._own)
        try:
            yield
        finally:
            await self._given_back(self._own)

    def begin(self, node: SearchNode, step: Step, rewrite: Rewrite) -> None:
        """Try it when a lab is free; nothing where there is no room, or where it was begun before."""
        if self.has_room and self._begun(node, step, rewrite) is None:
            task = asyncio.create_task(self._trial(node, step, rewrite, nothing_to_do))
            self._ahead.append((node, step, rewrite, task))

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial:
        """The trial, begun before or now. Raises what the trial raises. ``on_built``: called when one begun now has been compiled."""
        begun = self._begun(node, step, rewrite)
        if begun is None:
            return await self._trial(node, step, rewrite, on_built)
        self._ahead = [item for item in self._ahead if item[-1] is not begun]
        return await begun

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial:
        """A trial that was kept, on other values. Raises what that raises."""
        async with self._free_judge() as judge:
            return await judge.judge_again(node, trial)

    async def close(self) -> None:
        """Call off what was begun and not asked for."""
        tasks = [task for *_, task in self._ahead]
        self._ahead = []
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begun(self, node: SearchNode, step: Step, rewrite: Rewrite) -> asyncio.Task[Trial] | None:
        asked = (node.key, step, rewrite)
        return next((task for of, *what, task in self._ahead if (of.key, *what) == asked), None)

    async def _trial(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        async with self._free_judge() as judge:
            return await judge.judge(node, step, rewrite, on_built)

    @asynccontextmanager
    async def _free_judge(self) -> AsyncGenerator[TrialJudge]:
        async with self._returned:
            await self._returned.wait_for(lambda: bool(self._free))
            judge = self._free.pop(0)
        try:
            with self._charged(judge.lab):
                yield judge
        finally:
            await self._given_back(judge)

    async def _given_back(self, judge: TrialJudge) -> None:
        async with self._returned:
            self._free.insert(0, judge)
            self._returned.notify_all()
