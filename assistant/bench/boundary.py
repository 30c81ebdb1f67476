"""The boundary of a task of a suite: whatever keeps it from a row becomes a reason, and its jobs end with it.

Example::

    row = await row_or_reason(lambda: carried_out(task, heard), task.title, 1800.0, heard)     # "no end after 1800 s (…)"
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

from assistant.bench.heard import Heard, reached_of
from assistant.errors import KernelOptError
from assistant.model import events

__all__ = ["listen", "row_or_reason"]

_log = logging.getLogger(__name__)
RowT = TypeVar("RowT")


async def row_or_reason(carried_out: Callable[[], Awaitable[RowT]], title: str, timeout_s: float, heard: Heard) -> RowT | str:
    """What was carried out, else in a sentence why there is no row."""
    try:
        async with asyncio.timeout(timeout_s):
            return await carried_out()
    except TimeoutError:
        return f"no end after {timeout_s:g} s ({reached_of(heard)})"
    except KernelOptError as error:
        return error.message
    except Exception as error:  # noqa: BLE001 - the task's boundary: the suite goes on with the next one
        _log.exception("internal error on %s", title)
        return f"internal error: {type(error).__name__}: {error}"


async def listen(stream: AsyncIterator[events.Event], heard: Heard, on_event: Callable[[events.Event], None]) -> None:
    """Take every event of a job, and see it ended."""
    try:
        async for event in stream:
            heard.take(event)
            on_event(event)
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()  # its workers end before the next job begins
