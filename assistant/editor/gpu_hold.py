"""Background work on a GPU waits while another program of the user computes there.

Polls the GPUs as long as there is background work for them, and reports changes. Example::

    hold = GpuHold(NvmlGpuUsers(), changed=lane.look)
    hold.follow(frozenset({"auto"}))
    hold.reason("auto")     # "GPU 0 is used by python train.py (process 4242)"; None: it is free
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
    """Which programs use the GPUs that background work of a lane needs."""

    def __init__(self, users: GpuUsers, changed: Callable[[], None]) -> None:
        """``changed`` is called on the event loop."""
        self._users = users
        self._changed = changed
        self._seen: dict[str, tuple[GpuProcess, ...]] = {}
        self._wanted: frozenset[str] = frozenset()
        self._looking: asyncio.Task[None] | None = None

    def follow(self, devices: frozenset[str]) -> None:
        """Poll these devices from now on; named as by ``--device``."""
        self._wanted = devices
        self._seen = {device: found for device, found in self._seen.items() if device in devices}
        if devices and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    def is_held(self, device: str) -> bool:
        """Whether work has to wait: a program computes there, or the device was not polled yet."""
        return self._seen.get(device) != ()

    def reason(self, device: str) -> str | None:
        """Which program has the GPU; None: none that is known."""
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
