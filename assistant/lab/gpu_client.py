"""The parent's end of one GPU worker: starts it, asks it, replaces it when its context is lost.

Example::

    client = GpuClient(gpu, scratch)
    reply = await client.ask("memory", {}, deadline_s=30)       # the result as JSON, or a LabFailure
    await client.close()
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from assistant.lab.gpus import Gpu
from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.ports.lab import LabFailure

__all__ = ["GpuClient"]

_LEASE_S = 120.0
"""How long a worker waits for the GPU while another front end measures on it (``disk.gpu_lease``)."""
_START_S = 30.0
"""Starting Python, the driver and a context: about 2 s on an idle machine."""
_RESTED_S = 90.0
"""A worker that was not asked for so long is replaced: it ends by itself soon (``device.gpu_worker``), maybe while it is asked."""
_REMEDIES = {
    "out_of_memory": "free memory on the GPU, or give the program smaller arguments",
    "busy": "try again, or use --device cpu",
    "storage": "make room where results and temporary files go",
    "lost": "kernelopt check shows what the kernel does wrong",
}


class GpuClient:
    """One worker on one GPU, started with the first request and warm from then on."""

    def __init__(self, gpu: Gpu, scratch: Path | None, driver: str = "auto") -> None:
        """``scratch`` receives temporary files, None: the system's place.

        ``driver``: the Python binding, ``auto``, ``cuda`` or ``pycuda``.
        """
        self.gpu = gpu
        self._answered_s = time.monotonic()
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu.uuid, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
        if scratch is not None:
            environment["TMPDIR"] = str(scratch)
        self._worker = WorkerProcess("assistant.device", environment, arguments=("--gpu", "0", "--driver", driver), is_last=_is_lost)

    @property
    def waits(self) -> list[tuple[float, float]]:
        """As of `WorkerProcess`."""
        return self._worker.waits

    @property
    def is_busy(self) -> bool:
        """Whether it is asked for something else right now."""
        return self._worker.is_busy

    async def ask(self, op: str, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any] | LabFailure:
        """The result of one operation. ``deadline_s`` is what it may take on the device; a worker that does not keep it is ended.

        ``is_fresh``: by a worker that was asked nothing before, though others ask meanwhile.

        Kinds of failure: ``crashed`` (the worker ended), ``timed_out``, ``out_of_memory``, ``storage``, ``busy``, ``lost`` (it cost the
        context; the next request finds a new one), ``internal``.
        """
        has_rested = not self.is_busy and time.monotonic() - self._answered_s > _RESTED_S
        try:
            reply = await self._worker.request({"op": op, **message}, deadline_s + _LEASE_S + _START_S, is_fresh or has_rested)
        except WorkerTimedOut as error:
            return LabFailure("timed_out", str(error), "raise --timeout or shrink the workload")
        except WorkerDied as error:
            return LabFailure("crashed", str(error), "kernelopt doctor")
        self._answered_s = time.monotonic()
        if not reply["ok"]:
            kind, text = str(reply["error"]["kind"]), str(reply["error"]["message"])
            known = kind if kind in _REMEDIES else "internal"
            return LabFailure(known, f"{self.gpu.name}: {text}", _REMEDIES.get(kind, "kernelopt doctor"))
        result: dict[str, Any] = reply["result"]
        return result

    async def restart(self) -> None:
        """End the worker with its context; the next request starts another."""
        await self._worker.close()

    async def close(self) -> None:
        """End the worker and everything it started."""
        await self._worker.close()


def _is_lost(reply: dict[str, Any]) -> bool:
    """Whether the request cost the worker its context."""
    return bool(reply["result"].get("is_lost")) if reply["ok"] else reply["error"]["kind"] == "lost"
