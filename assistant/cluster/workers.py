"""Workers of this machine: one process for each GPU, and others that have none, started again where they die.

Each works for one client at a time, on one piece of work at a time. Example::

    await serve("tcp://10.0.0.5:8786", planned_workers(usable_gpus(os.environ), None, cpu_count=1), on_joined)
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from assistant.cluster.build_name import own_build
from assistant.cluster.offers import CPU, needed_for
from assistant.config import user_paths
from assistant.disk.temporary import OwnFolder
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.gpus import GpuSearch, NoGpu
from assistant.record import Record

__all__ = ["WorkerPlan", "local_home", "nannies", "planned_workers", "serve", "started"]

_TEMPORARY = "tmp"
_JOIN_S = 300.0
"""Starting a process takes a minute where a machine is very busy."""


class WorkerPlan(Record):
    """One worker to be started."""

    name: str
    device: str
    """``cpu``, or the name of its GPU."""
    visible: str
    """``CUDA_VISIBLE_DEVICES`` of its process: one GPU, or none."""


def planned_workers(gpus: GpuSearch, indices: Sequence[int] | None, cpu_count: int) -> tuple[WorkerPlan, ...]:
    """One for each GPU of ``indices`` (None: of all) and ``cpu_count`` without. Raises UsageError for a GPU that is not there."""
    found = () if isinstance(gpus, NoGpu) else gpus
    chosen = [gpu for gpu in found if indices is None or gpu.index in indices]
    if indices is not None and len(chosen) < len(set(indices)):
        why = f"{gpus.reason}: {gpus.remedy}" if isinstance(gpus, NoGpu) else f"there are {len(found)}"
        raise UsageError(f"--gpus names GPUs that are not there ({why})", "nvidia-smi -L lists them")
    host, process = socket.gethostname(), os.getpid()
    plans = [WorkerPlan(f"{host}-{process}-gpu{gpu.index}", gpu.name, gpu.uuid) for gpu in chosen]
    plans += [WorkerPlan(f"{host}-{process}-cpu{number}", CPU, "") for number in range(cpu_count)]
    if not plans:
        raise UsageError("there is no GPU here and no worker without one was asked for", "--cpu 1 starts one")
    return tuple(plans)


def nannies(
    address: str, plans: Sequence[WorkerPlan], folder: Path, build: str, security: Any = None, log_level: int = logging.WARNING
) -> list[Any]:
    """dask's watchers of these workers, not started yet; a worker that dies is started again."""
    distributed: Any = importlib.import_module("distributed")
    return [
        distributed.Nanny(
            address,
            name=plan.name,
            nthreads=1,
            resources=needed_for(build, plan.device),
            env={
                "CUDA_VISIBLE_DEVICES": plan.visible,
                "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
                "KERNELOPT_HOME": str(folder),
                "TMPDIR": str(folder / _TEMPORARY),  # what a killed worker leaves there goes with the others
            },
            memory_limit=0,  # the judge limits what it runs by itself
            local_directory=str(folder),
            dashboard=False,
            config={"distributed.worker.http.routes": []},
            silence_logs=log_level,
            death_timeout=_JOIN_S,
            security=security,
        )
        for plan in plans
    ]


async def serve(address: str, plans: Sequence[WorkerPlan], on_joined: Callable[[], None]) -> None:
    """Work for a scheduler until it ends, or until this is cancelled. Raises CannotAnswerError where it does not answer."""
    with local_home() as folder:
        async with started(nannies(address, plans, folder, own_build())) as watchers:
            on_joined()
            await asyncio.gather(*(each.finished() for each in watchers))


@asynccontextmanager
async def started(watchers: list[Any]) -> AsyncGenerator[list[Any]]:
    """Workers that are there when the block begins, and ended when it ends. Raises CannotAnswerError where they find no scheduler."""
    try:
        try:
            await asyncio.gather(*watchers)
        except Exception as error:  # dask raises AssertionErrors, too, where a start takes longer than it may
            cause = error.__cause__ or error
            why = str(cause).strip() or type(cause).__name__
            address = watchers[0].scheduler_addr
            raise CannotAnswerError(f"no worker could join the scheduler at {address}: {why}", "dask scheduler starts one") from error
        yield watchers
    finally:
        await asyncio.gather(*(each.close() for each in watchers), return_exceptions=True)


def local_home() -> OwnFolder:
    """kernelopt's home of the workers: the settings of the user who started them do not count, earlier builds are used."""
    folder = OwnFolder("worker")
    cache = user_paths().cache
    cache.mkdir(parents=True, exist_ok=True)
    (folder.path / "cache").symlink_to(cache)
    (folder.path / _TEMPORARY).mkdir()
    return folder
