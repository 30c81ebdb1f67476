"""Kernels of one comparison run side by side: as many as the lab has workers for and memory has room for. Nothing is timed meanwhile.

What is found comes in the order of the kernels, whichever is done first, so that a comparison reports the same on every machine. Example::

    for some in in_parts(pairs, kernels_at_once(lab.at_once, memory_bytes, contents_bytes)):
        async with begun([run(pair) for pair in some]) as tasks:
            answers = [await task for task in tasks]
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from assistant.engine.evaluate import Evaluation

__all__ = ["begun", "both", "called_off", "contents_bytes_of", "in_parts", "kernels_at_once", "machine_bytes"]

_CONTENTS_PER_KERNEL = 48
"""Times the contents of the program's buffers that a kernel's cases take at most in memory: some cases at the launch's own size, each with
what it holds before and after, in every run of both versions, in float64, and moved by one unit in the last place."""
_Answer = TypeVar("_Answer")
_Other = TypeVar("_Other")
_Item = TypeVar("_Item")


def kernels_at_once(worker_count: int, memory_bytes: int, contents_bytes: int) -> int:
    """At least one. ``contents_bytes``: what the buffers of the program's launches hold together."""
    fitting = memory_bytes // max(1, _CONTENTS_PER_KERNEL * contents_bytes)
    return max(1, min(worker_count, fitting))


def machine_bytes() -> int:
    """The machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def contents_bytes_of(evaluation: Evaluation) -> int:
    """What the buffers of the version's recorded launches hold together; 0 where nothing was recorded."""
    recording = evaluation.counted.recording
    return 0 if recording is None else sum(buffer.size_bytes for buffer in recording.buffers)


def in_parts(items: Sequence[_Item], count: int) -> Iterator[Sequence[_Item]]:
    """``items`` in order, ``count`` of them at a time."""
    return (items[at : at + count] for at in range(0, len(items), count))


@asynccontextmanager
async def begun(works: Sequence[Coroutine[Any, Any, _Answer]]) -> AsyncGenerator[Sequence[asyncio.Task[_Answer]]]:
    """All of ``works``, which have ended up to the first, in their order, that raises: what comes behind it is of no use then.

    What has not ended when the block is left is called off.
    """
    tasks = [asyncio.create_task(work) for work in works]
    try:
        for task in tasks:
            await asyncio.wait([task])
            if task.cancelled() or task.exception() is not None:
                break
        yield tasks
    finally:
        await called_off(*tasks)


async def both(first: Coroutine[Any, Any, _Answer], second: Coroutine[Any, Any, _Other]) -> tuple[_Answer, _Other]:
    """What both return; where one raises, the other is called off."""
    other = asyncio.create_task(second)
    try:
        return await first, await other
    finally:
        await called_off(other)


async def called_off(*tasks: asyncio.Task[Any]) -> None:
    """Cancel those that have not ended, and wait until they have."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
