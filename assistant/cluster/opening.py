"""Which cluster ``--cluster`` means: a scheduler by its address, or ``local:N``, workers on this machine for as long as the command runs.

Example::

    async with open_cluster("local:2", carry_out) as cluster: ...
"""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from assistant.cluster.build_name import own_build
from assistant.cluster.client import Cluster
from assistant.cluster.executing import CarryOut
from assistant.cluster.workers import local_home, nannies, planned_workers, started
from assistant.errors import CannotAnswerError, UsageError
from assistant.lab.gpus import NoGpu, usable_gpus

__all__ = ["demand_dask", "open_cluster"]

_LOCAL = "local"
_CONNECT_S = 10.0
_MOST_DEATHS = 3
"""So many workers of this machine may die on the same piece of work; then it is given up."""
_SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://")


@asynccontextmanager
async def open_cluster(word: str, carry_out: CarryOut) -> AsyncGenerator[Cluster]:
    """Raises UsageError for other words, CannotAnswerError where dask is not installed, or nothing answers at the address."""
    kind, _, number = word.partition(":")
    if kind == _LOCAL:
        if not number.isdecimal() or int(number) < 1:
            raise UsageError(f"--cluster local:N takes a number of workers, not {word!r}", "local:2 starts two on this machine")
        async with _local_scheduler(int(number)) as (address, security), _connected(address, security, carry_out) as cluster:
            yield cluster
        return
    if not word.startswith(_SCHEMES):
        raise UsageError(f"--cluster takes local:N or a scheduler's address (tcp://HOST:8786), not {word!r}", "dask scheduler prints it")
    demand_dask()
    async with _connected(word, None, carry_out) as cluster:
        yield cluster


def demand_dask() -> Any:
    """`dask.distributed`, which only a cluster needs. Raises CannotAnswerError where it is not installed."""
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise CannotAnswerError(f"work on a cluster needs dask.distributed: {error}", "pip install 'kernelopt[dask]'") from error
    logging.getLogger("distributed").setLevel(logging.ERROR)  # it reports every connection; what matters to people is raised
    return distributed


@asynccontextmanager
async def _connected(address: str, security: Any, carry_out: CarryOut) -> AsyncGenerator[Cluster]:
    distributed = demand_dask()
    try:
        client = await distributed.Client(address, asynchronous=True, security=security, timeout=_CONNECT_S, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise CannotAnswerError(f"no scheduler answers at {address}: {error}", "dask scheduler starts one and prints where") from error
    try:
        yield Cluster(client, address, carry_out, own_build())
    finally:
        await client.close()


@asynccontextmanager
async def _local_scheduler(count: int) -> AsyncGenerator[tuple[str, Any]]:
    """``count`` workers without a GPU and as many with one, as far as there are GPUs, on connections that only this command has the key of:
    another user of the machine could otherwise have workers run what they like."""
    distributed = demand_dask()
    gpus = usable_gpus(os.environ)
    plans = planned_workers(gpus if isinstance(gpus, NoGpu) else gpus[:count], None, count)
    security = distributed.Security.temporary()
    async with AsyncExitStack() as stack:
        home = stack.enter_context(local_home())
        own: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.scheduler.allowed-failures": _MOST_DEATHS - 1}
        with importlib.import_module("dask.config").set(own):
            scheduler = distributed.Scheduler(
                host="127.0.0.1",
                port=0,
                protocol="tls",
                security=security,
                dashboard=False,
                dashboard_address="127.0.0.1:0",
                local_directory=str(home),
            )
        await stack.enter_async_context(scheduler)
        await stack.enter_async_context(started(nannies(scheduler.address, plans, home, own_build(), security, logging.CRITICAL)))
        yield scheduler.address, security
