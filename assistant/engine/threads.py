"""Arithmetic on large values next to the event loop, which goes on: Ctrl-C, heartbeats and other candidates wait for none of it.

Example::

    verdict = await in_thread(judge, evidence)
    moved = await each_in_threads(partial(moved_case, seed=1), cases)

The work must be pure: a job that is cancelled leaves it at once, and nothing waits for its result then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

__all__ = ["each_in_threads", "in_thread"]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Item = TypeVar("_Item")


async def in_thread(work: Callable[_Parameters, _Result], *arguments: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
    """What ``work`` returns, which runs in a thread of its own. NumPy, hashing and files let the loop's thread run meanwhile."""
    return await asyncio.to_thread(work, *arguments, **named)


async def each_in_threads(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """What ``work`` returns for each item, in their order; several at a time, as many as asyncio's own executor has threads."""
    return list(await asyncio.gather(*(asyncio.to_thread(work, item) for item in items)))
