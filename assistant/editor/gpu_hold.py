"""Background work on a GPU waits while a program of the user's own computes there.

Looks as long as somebody wants to know, and says so when the answer has become another one. Example::

    hold = GpuHold(NvmlGpuUsers(), changed=lane.look)
    hold.follow(frozenset({"auto"}))
    hold.reason("auto")     # "GPU 0 is used by python train.py (process 4242)"; None: nobody does
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from assistant.lab.gpu_users import GpuProcess, GpuUsers

__all__ = ["GpuHold"]

_POLL_S = 1.0
"""How soon background work gives way, and goes on."""


class GpuHold:
    """Who uses the GPUs that background work of one lane wants."""

    def __init__(self, users: GpuUsers, changed: Callable[[], None]) -> None:
        """``changed`` is called on the event loop."""
        self._users = users
        self._changed = changed
        self._seen: dict[str, tuple[GpuProcess, ...]] = {}
        self._wanted: frozenset[str] = frozenset()
        self._looking: asyncio.Task[None] | None = None

    def follow(self, devices: frozenset[str]) -> None:
        """The devices, as ``--device`` names them, that somebody wants to know of from now on."""
        self._wanted = devices
        self._seen = {device: found for device, found in self._seen.items() if device in devices}
        if devices and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    def is_held(self, device: str) -> bool:
        """Whether work has to wait: somebody computes there, or nobody has looked yet."""
        return self._seen.get(device) != ()

    def reason(self, device: str) -> str | None:
        """Who is waited for; None: nobody, as far as one knows."""
        found = self._seen.get(device)
        if not found:
            return None
        first, more = found[0], len(found) - 1
        others = f" and {more} more" if more else ""
        return f"GPU {first.gpu_index} is used by {first.command} (process {first.process_id}){others}"

    async def close(self) -> None:
        self._wanted = frozenset()
        if self._looking is not None:
            self._looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        try:
            while self._wanted:
                seen = {device: await self._users.of(device) for device in sorted(self._wanted)}
                seen = {device: found for device, found in seen.items() if device in self._wanted}
                if seen != self._seen:
                    self._seen = seen
                    self._changed()
                await asyncio.sleep(_POLL_S)
        finally:
            self._looking = None
