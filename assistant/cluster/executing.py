"""A worker's side of a piece of work: it is read, carried out, and answered; it ends early where no client wants it any more.

dask calls the function that a client names with the bytes that it sent, in a thread of the worker's process. Example::

    def carry_out(payload: bytes) -> bytes:                 # importable, so that only its name travels
        return answered(payload, loop.submit, work)
"""

from __future__ import annotations

import concurrent.futures
import importlib
import logging
import os
import time
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from assistant.cluster.build_name import own_build
from assistant.cluster.offers import CPU, offer_of
from assistant.cluster.work import Done, Place, Refused, Reply, WorkItem
from assistant.errors import UsageError
from assistant.lab.gpus import NoGpu, list_gpus
from assistant.serialize import dumps, loads

__all__ = ["CarryOut", "Submit", "Work", "answered"]

CarryOut = Callable[[bytes], bytes]
Work = Callable[[WorkItem], Coroutine[Any, Any, str]]
"""JSON text of what came of it. Raises UsageError for what makes no sense anywhere; after any other error it is tried again."""
Submit = Callable[[Coroutine[Any, Any, str]], concurrent.futures.Future[str]]
"""Starts a coroutine on the loop that the process keeps."""

_ASK_S = 0.5
_NOT_OURS = "this worker was not started by kernelopt cluster worker, so nothing is run on it"


class _UnwantedError(Exception):
    """No client waits for the answer."""


def answered(payload: bytes, submit: Submit, work: Work) -> bytes:
    """What a worker sends back."""
    began_s = time.monotonic()
    reply: Reply
    try:
        place = _here()
        value = _waited_for(submit(work(loads(WorkItem, payload))))
        reply = Done(value, place, round(time.monotonic() - began_s, 3))
    except UsageError as error:
        reply = Refused(error.message, error.remedy)
    return dumps(reply).encode()


def _waited_for(future: concurrent.futures.Future[str]) -> str:
    """Its result; cancelled once no client waits for it, as dask does not end a thread."""
    while True:
        try:
            return future.result(_ASK_S)
        except concurrent.futures.TimeoutError:
            if future.done():
                return future.result()  # its own time-out
            if not _is_wanted():
                future.cancel()
                raise _UnwantedError from None


def _is_wanted() -> bool:
    """Whether the scheduler still asks for what this thread does: a task whose clients are gone is ``cancelled`` on its worker
    (dask.distributed, "Worker State Machine")."""
    distributed: Any = importlib.import_module("distributed")
    worker: Any = distributed.get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state != "cancelled"


def _here() -> Place:
    """Raises UsageError on a worker that was not started to run such work; one that is not what it said it is leaves."""
    distributed: Any = importlib.import_module("distributed")
    worker: Any = distributed.get_worker()
    offer = offer_of(str(worker.name), worker.state.total_resources)
    if offer is None:
        raise UsageError(_NOT_OURS, "kernelopt cluster worker ADDRESS")
    build = own_build()
    if build != offer.build:
        _leave(worker, f"{offer.worker} was started with kernelopt {offer.build} and has {build} by now: start it again")
    if offer.device == CPU:
        return Place(offer.worker, os.getpid(), build, CPU)
    gpus = list_gpus(os.environ)
    if isinstance(gpus, NoGpu):
        _leave(worker, f"the GPU of {offer.worker} is gone: {gpus.reason}; {gpus.remedy}")
    return Place(offer.worker, os.getpid(), build, gpus[0].name, gpus[0].uuid, gpus[0].driver_version)


def _leave(worker: Any, why: str) -> NoReturn:
    """Its work goes to another worker. It would otherwise fail fast, and so be given all there is."""
    logging.getLogger("distributed.worker").error(why)
    worker.loop.add_callback(worker.close, reason=why)
    distributed: Any = importlib.import_module("distributed")
    raise distributed.Reschedule
