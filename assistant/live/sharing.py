"""Arrays of a GPU read by a worker: their process makes handles of their memory, and the worker copies it into shared memory.

Where memory cannot be shared it is copied in the user's process, and that is said. Example::

    reader = SharedReader(loop)
    made = live_workload(folder, shapes, file, None, ReferenceLimits(), reader.names)
    reader.note()            # None, or why a copy was made here
    await reader.close()
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.live.cuda_driver import UserDriver, installed
from assistant.live.faults import KernelFailed
from assistant.live.loop import BackgroundLoop
from assistant.live.snapshot import Region

__all__ = ["SharedReader"]

_READ_S = 60.0
"""Starting the worker and its context, and a few hundred MiB: about 2 s."""


class SharedReader:
    """Reads the shared arrays of one notebook; a worker for each GPU that arrays are on, which ends by itself when it has not been asked
    for two minutes."""

    def __init__(self, loop: BackgroundLoop) -> None:
        self._loop = loop
        self._driver: UserDriver | None = None
        self._workers: dict[str, WorkerProcess] = {}
        self._reason: str | None = None

    def names(self, regions: tuple[Region, ...], blobs: Path) -> tuple[str, ...] | None:
        """The regions' files in ``blobs`` by their names; None where they must be copied here (`note` says why)."""
        try:
            uuid, shared = self._shared(regions)
        except KernelFailed as refused:
            self._reason = f"their memory cannot be shared with a worker ({refused.message})"
            return None
        answer = self._loop.wait(self._read(uuid, {"op": "read_shared", "regions": shared, "out": str(blobs)}))
        if isinstance(answer, str):
            self._reason = f"no worker could read them ({answer})"
            return None
        return answer

    def note(self) -> str | None:
        """Why the last arrays were copied in this process, once."""
        reason, self._reason = self._reason, None
        return reason

    async def close(self) -> None:
        for worker in self._workers.values():
            await worker.close()

    def _shared(self, regions: tuple[Region, ...]) -> tuple[str, list[dict[str, Any]]]:
        """(the GPU's UUID, a handle for each region), once all work on them has ended. Raises KernelFailed."""
        if self._driver is None:
            self._driver = UserDriver(installed())
        index = int(regions[0].arrays[0].device.rpartition(":")[2])
        self._driver.use_device(index)
        self._driver.wait()
        handles = [self._driver.shared(region.address) for region in regions]
        shared = [
            {"handle": handle.hex(), "offset_bytes": offset, "size_bytes": region.size_bytes}
            for (handle, offset), region in zip(handles, regions, strict=True)
        ]
        return self._driver.uuid(index), shared

    async def _read(self, uuid: str, message: dict[str, Any]) -> tuple[str, ...] | str:
        """The files' names, or why there are none."""
        failure = ""
        for _ in range(2):  # one that rested may end just as it is asked
            worker = self._workers.get(uuid)
            if worker is None:
                environment = {**os.environ, "CUDA_VISIBLE_DEVICES": uuid, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
                worker = self._workers[uuid] = WorkerProcess("assistant.device", environment, arguments=("--gpu", "0"))
            try:
                reply = await worker.request(message, _READ_S)
            except WorkerTimedOut as error:
                return str(error)
            except WorkerDied as error:
                failure = str(error)
                continue
            return tuple(reply["result"]["blobs"]) if reply["ok"] else str(reply["error"]["message"])
        return failure
