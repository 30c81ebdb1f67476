"""The compile worker that outlives a job: starting it and finding the compilers takes longer than a small kernel's compile.

A job host owns one. Cancelling a job calls off its compile, and the worker stays. Example::

    kept = KeptCompiler()
    await kept.warm_up()
    lab = CpuLab(scratch, cache, "h200", compiler=kept.worker)
    await kept.close()
"""

from __future__ import annotations

from contextlib import suppress

from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut

__all__ = ["KeptCompiler"]

_WARM_UP_DEADLINE_S = 30.0


class KeptCompiler:
    """One compile worker for all jobs of a process."""

    def __init__(self) -> None:
        self.worker = WorkerProcess("assistant.device", can_call_off=True)

    async def warm_up(self) -> None:
        """Start the worker and have it find the compilers; a worker that cannot be started is the next job's to report."""
        with suppress(WorkerDied, WorkerTimedOut, OSError):
            await self.worker.request({"op": "toolchain"}, _WARM_UP_DEADLINE_S)

    async def close(self) -> None:
        """End the worker."""
        await self.worker.close()
