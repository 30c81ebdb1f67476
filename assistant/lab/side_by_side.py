"""Two questions asked at the same time; where one fails or is cancelled, the other is not waited for.

Example::

    recorded, emulated = await side_by_side(gpu.run(program), cpu.run(program))
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["side_by_side"]

_A = TypeVar("_A")
_B = TypeVar("_B")


async def side_by_side(first: Coroutine[Any, Any, _A], second: Coroutine[Any, Any, _B]) -> tuple[_A, _B]:
    """Both answers. Raises what the first of them to fail raises, as it is."""
    other = asyncio.create_task(second)
    try:
        answer = await first
        return answer, await other
    finally:
        if not other.done():
            other.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await other
