"""What candidates of one kernel's search are held against: the version that it starts from, run on the cases that they are judged on.

Prepared once for each set of kernels that candidates change, however many ask at the same time, and where cores are idle before the first
asks: a screening's while the first candidate is built and run, a confirmation's while others are screened. Example::

    async with Baselines(make, is_ahead=True) as baselines:
        baselines.begin(kernels, Look.SCREENING)       # and evaluate the candidate meanwhile
        await baselines.of(kernels, Look.SCREENING)
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from enum import Enum
from types import TracebackType
from typing import Self

from assistant.engine.judge import Baseline
from assistant.ports.lab import LabFailure

__all__ = ["Baselines", "Look"]


class Look(Enum):
    """How a candidate is looked at; each look has values of its own."""

    SCREENING = "screening"
    AGAIN = "again"
    """As while screening: the best of many measurements is too good by chance, and has to hold on other values."""
    CONFIRMING = "confirming"
    """Before it is offered, with every check."""


_Key = tuple[frozenset[str], Look]


class Baselines:
    """Baselines of one version; what is not prepared when the block ends is called off."""

    def __init__(self, make: Callable[[frozenset[str], Look], Awaitable[Baseline | LabFailure]], is_ahead: bool = False) -> None:
        """``make``: runs the version for candidates that change these kernels; ``is_ahead``: whether anything is prepared before it is
        asked for.
        """
        self._make = make
        self._is_ahead = is_ahead
        self._prepared: dict[_Key, Baseline] = {}
        self._turns: dict[_Key, asyncio.Lock] = {}
        self._begun: dict[_Key, asyncio.Task[Baseline | LabFailure]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self._call_off(list(self._begun))

    def begin(self, kernels: frozenset[str], look: Look) -> None:
        """Prepare it once, before a candidate needs it; one that fails is prepared again when it is needed."""
        key = (kernels, look)
        if self._is_ahead and key not in self._begun and key not in self._prepared:
            self._begun[key] = asyncio.create_task(self._of(key))

    async def of(self, kernels: frozenset[str], look: Look) -> Baseline | LabFailure:
        """For candidates that change these kernels (by key).

        Before a confirmation all else is called off: its candidate runs in processes that have run no version before.
        """
        key = (kernels, look)
        if look is Look.CONFIRMING:
            await self._call_off([other for other in self._begun if other != key])
        return await self._of(key)

    async def _of(self, key: _Key) -> Baseline | LabFailure:
        async with self._turns.setdefault(key, asyncio.Lock()):
            if key not in self._prepared:
                made = await self._make(*key)
                if isinstance(made, LabFailure):
                    return made
                self._prepared[key] = made
        return self._prepared[key]

    async def _call_off(self, keys: Iterable[_Key]) -> None:
        tasks = [self._begun.pop(key) for key in keys]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
