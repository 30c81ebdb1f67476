"""A cluster as its client uses it: each piece of work is sent to one worker that offers what it needs, and its answer comes once.

As many pieces are under way as there are workers for them; a worker that joins gets the next. Where a worker is lost, dask sends its work
to another; after some losses it is the work that is at fault. An answer of a worker that was given up cannot arrive: its connection is
closed. The same piece of work, asked for twice, is done once while anybody waits for it. Example::

    done = await cluster.run(item, "cpu")
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from assistant.cluster.executing import CarryOut
from assistant.cluster.offers import Offer, chosen_device, needed_for, offers_in, shortfall
from assistant.cluster.work import Done, Refused, Reply, WorkItem, digest_of
from assistant.errors import CannotAnswerError, KernelOptError, UsageError
from assistant.serialize import dumps, loads

__all__ = ["Cluster", "WorkLostError"]

_RETRIES = 2
"""Of work that ended in an error which is no answer, as of a disk that is full."""
_LOOK_S = 1.0
"""Between two looks at which workers there are."""
_POLL_S = 0.05
_GO_ON = "the same command, with --resume where it has that: what was finished is kept"
PATIENCE_S = 60.0
"""How long a cluster may be without any worker that would do: they may be on their way back."""


class WorkLostError(CannotAnswerError):
    """This piece of work has no answer: it failed, or its workers died, time and again. Others may have one."""


class _Shared:
    """Work that is under way, or waits for its turn, and how many wait for it."""

    def __init__(self, reply: asyncio.Task[Reply]) -> None:
        self.reply = reply
        self.waiting_count = 0


class Cluster:
    """One scheduler with its workers."""

    def __init__(self, client: Any, address: str, carry_out: CarryOut, build: str, patience_s: float = PATIENCE_S) -> None:
        """``client``: dask's, asynchronous and connected; ``carry_out``: importable by its name on workers; ``build``: this kernelopt."""
        self._client = client
        self._address = address
        self._carry_out = carry_out
        self._build = build
        self._patience_s = patience_s
        self._under_way: Counter[str] = Counter()
        """By device."""
        self._shared: dict[str, _Shared] = {}
        """By digest."""
        self._looking = asyncio.Lock()
        self._offers: tuple[Offer, ...] = ()
        self._looked_s = float("-inf")

    async def offers(self) -> tuple[Offer, ...]:
        """What its workers offer now. Raises CannotAnswerError where the scheduler does not answer."""
        async with self._looking:
            if time.monotonic() - self._looked_s >= _LOOK_S:
                try:
                    async with asyncio.timeout(self._patience_s):
                        self._offers = offers_in(await self._client.scheduler.identity(n_workers=-1))
                except (OSError, TimeoutError) as error:
                    raise self._gone() from error
                self._looked_s = time.monotonic()
            return self._offers

    async def device(self, wanted: str | None) -> str:
        """The device that ``--device`` means here (`chosen_device`, with what it raises)."""
        return chosen_device(await self.offers(), self._build, wanted)

    async def run(self, item: WorkItem, device: str) -> Done:
        """What a worker with such a device answered. Cancelling ends it there.

        Raises UsageError as the worker did, WorkLostError where this work alone has no answer, and CannotAnswerError where the cluster has
        none for anything.
        """
        digest = digest_of(item, self._build, device)
        shared = self._shared.get(digest)
        if shared is None:
            shared = self._shared[digest] = _Shared(asyncio.create_task(self._reply(item, device, digest)))
        shared.waiting_count += 1
        try:
            reply = await asyncio.shield(shared.reply)
        finally:
            shared.waiting_count -= 1
            if not shared.waiting_count:
                del self._shared[digest]
                shared.reply.cancel()
                await asyncio.wait({shared.reply})
        if isinstance(reply, Refused):
            raise UsageError(reply.message, reply.remedy)
        return reply

    async def _reply(self, item: WorkItem, device: str, digest: str) -> Reply:
        """The answer of the first worker that is free."""
        async with self._turn(device):
            key = f"kernelopt-{digest}"
            resources = needed_for(self._build, device)
            future = self._client.submit(self._carry_out, dumps(item).encode(), key=key, resources=resources, retries=_RETRIES, pure=True)
            try:
                return await self._answer(future, device)
            finally:
                future.release()

    async def _answer(self, future: Any, device: str) -> Reply:
        distributed: Any = importlib.import_module("distributed")
        waiting = asyncio.ensure_future(_outcome(future))
        try:
            missing_since_s: float | None = None
            while not (await asyncio.wait({waiting}, timeout=_LOOK_S))[0]:
                missing_since_s = None if await self._count(device) else missing_since_s or time.monotonic()
                if missing_since_s is not None and time.monotonic() - missing_since_s > self._patience_s:
                    raise self._nothing_left(device)
        finally:
            waiting.cancel()
        status, error, value = waiting.result()
        if status == "finished":
            return loads(Reply, value)  # type: ignore[arg-type]  # a union of records, which `loads` reads
        if isinstance(error, distributed.KilledWorker):
            died: Any = error
            message = f"this work was given up: {died.allowed_failures + 1} workers died while they did it"
            raise WorkLostError(message, "their own output says why; too little memory is the usual reason") from error
        if isinstance(error, KernelOptError):
            raise WorkLostError(error.message, error.remedy) from error
        if status == "error":
            raise WorkLostError(f"this work failed on its worker, {_RETRIES + 1} times: {type(error).__name__}: {error}") from error
        raise self._gone()

    @asynccontextmanager
    async def _turn(self, device: str) -> AsyncGenerator[None]:
        """As many at once as there are workers for it. Raises CannotAnswerError where there is none for too long."""
        missing_since_s: float | None = None
        while self._under_way[device] >= (count := await self._count(device)):
            missing_since_s = None if count else missing_since_s or time.monotonic()
            if missing_since_s is not None and time.monotonic() - missing_since_s > self._patience_s:
                raise self._nothing_left(device)
            await asyncio.sleep(_POLL_S)
        self._under_way[device] += 1
        try:
            yield
        finally:
            self._under_way[device] -= 1

    async def _count(self, device: str) -> int:
        """Workers that would do."""
        return sum(offer.build == self._build and offer.device == device for offer in await self.offers())

    def _nothing_left(self, device: str) -> CannotAnswerError:
        remedy = f"start workers again (kernelopt cluster worker), then {_GO_ON}"
        return CannotAnswerError(f"{shortfall(self._offers, self._build, device)}, for {self._patience_s:g} s", remedy)

    def _gone(self) -> CannotAnswerError:
        remedy = f"start it again (dask scheduler) with its workers, then {_GO_ON}"
        return CannotAnswerError(f"the scheduler at {self._address} is gone", remedy)


async def _outcome(future: Any) -> tuple[str, BaseException | None, Any]:
    """(status, error, value) of dask's future. A cancelled one raises, if awaited, what looks like a cancelled task of ours."""
    error = None
    try:
        error = await future.exception()
    except Exception as raised:  # noqa: BLE001 - whatever dask says of a future that is lost
        error = raised
    if future.status != "finished":
        return future.status, error, None
    return future.status, None, await future
