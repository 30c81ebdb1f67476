"""GPUs that this process holds alone for several requests to its workers, so that it waits for others once and not before each.

Example::

    async with held_alone(("GPU-1",), waits) as busy:      # why they did not come free, else None
        ...
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import ExitStack, asynccontextmanager

from assistant.disk.gpu_lease import GpuBusyError, all_held, lock_folder, waits_since_last

__all__ = ["held_alone"]


@asynccontextmanager
async def held_alone(uuids: Iterable[str], waits: list[tuple[float, float]]) -> AsyncGenerator[GpuBusyError | None]:
    """``waits``: is given when this process waited for them, as of `WorkerProcess.waits`."""
    held = ExitStack()
    taking = asyncio.create_task(asyncio.to_thread(held.enter_context, all_held(tuple(uuids), lock_folder())))
    try:
        await asyncio.shield(taking)
    except asyncio.CancelledError:
        taking.add_done_callback(lambda ended: None if ended.cancelled() or ended.exception() else held.close())
        raise
    except GpuBusyError as error:
        yield error
        return
    waits += waits_since_last()
    with held:
        yield None
