"""How long an answer is waited for: as long as pieces of it come, within a bound on the whole. Example::

patience = Patience(silence_s=300, whole_s=3600)
try:
    async with patience.waiting() as heard:
        async for piece in stream: heard()
except TimeoutError: ...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from assistant.record import Record

__all__ = ["Patience"]


class Patience(Record):
    """Bounds on one answer, retries included."""

    silence_s: float
    """Without a piece of the answer; a model's reasoning counts as far as it is sent."""
    whole_s: float

    @asynccontextmanager
    async def waiting(self) -> AsyncGenerator[Callable[[], None]]:
        """Raises TimeoutError in the block once a bound is passed; what it yields is called with each piece."""
        loop = asyncio.get_running_loop()
        end_s = loop.time() + self.whole_s

        def heard() -> None:
            if not limit.expired():
                limit.reschedule(self._next_s(end_s))

        async with asyncio.timeout_at(self._next_s(end_s)) as limit:
            yield heard

    def passed(self, who: str, waited_s: float) -> tuple[str, str]:
        """The message, and what helps, where ``who`` has not answered for ``waited_s``."""
        if waited_s < self.whole_s:
            return f"{who} sent nothing for {self.silence_s:g} s", "raise provider.timeout_s, or take a faster model"
        return f"{who} did not end its answer within {self.whole_s:g} s", "raise provider.longest_answer_s, or take a faster model"

    def _next_s(self, end_s: float) -> float:
        return min(asyncio.get_running_loop().time() + self.silence_s, end_s)
