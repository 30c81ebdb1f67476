"""Plain replays on GPUs: device code, one request to a worker for as many cases as it takes, another worker after a lost one.

Cases are spread over those GPUs that the lab was given and that have nothing else to do; what is measured stays on its first. On the first
GPU replays that are asked for at the same time have a worker each, as far as there are some; the cases of one are never parted there, as a
case is also run behind another one. Example::

    replays = GpuReplays((client,), compiler, scratch)
    await replays.run(program, cases, ReplayOptions(repeats=20), limits)
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.record import Record
from assistant.serialize import encode

__all__ = ["GpuReplays"]


class _Order(Record):
    """What every case of a replay shares."""

    image: Image
    helpers: str
    options: ReplayOptions
    limits: RunLimits
    out: Path

    def message(self, cases: Sequence[Case]) -> dict[str, Any]:
        return {
            "image": encode(self.image),
            "helpers": self.helpers,
            "cases": [{"recording": str(case.recording), "launches": list(case.launches)} for case in cases],
            "out": str(self.out),
            "fill": self.options.fill,
            "shared_fill": self.options.shared_fill,
            "repeats": max(1, self.options.repeats),
            "seed": self.options.seed,
            "wall_s": self.limits.wall_s,
        }


class GpuReplays:
    """Asks the workers of a lab; uses what the lab owns, and closes none of it."""

    def __init__(self, clients: tuple[GpuClient, ...], compiler: Compiler, scratch: Path, further: tuple[GpuClient, ...] = ()) -> None:
        """``clients``: at least one; all their GPUs have the same architecture. ``further``: more workers on the first one's GPU."""
        self._clients = clients
        self._on_first = (clients[0], *further)
        self._under_way = [0] * len(self._on_first)
        """Replays asked of each of them."""
        self._compiler = compiler
        self._scratch = scratch
        self._helpers: str | None = None

    async def helper_code(self) -> str | LabFailure:
        """The cubin of the worker's own kernels."""
        if self._helpers is None or not await asyncio.to_thread(Path(self._helpers).exists):  # a cache gives up what was used longest ago
            found = await self._compiler.helpers(self._clients[0].gpu.architecture)
            if isinstance(found, LabFailure):
                return found
            self._helpers = found
        return self._helpers

    async def run(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        image = await self._compiler.image(program, self._clients[0].gpu.architecture)
        if isinstance(image, LabFailure):
            return image
        helpers = await self.helper_code()
        if isinstance(helpers, LabFailure):
            return helpers
        out = self._scratch / "gpu-replays"  # of all of them: what a case leaves again is there
        await asyncio.to_thread(out.mkdir, parents=True, exist_ok=True)
        order = _Order(image, helpers, options, limits, out)
        with self._own_worker() as own:
            idle = (own, *(client for client in self._clients[1:] if not client.is_busy))
            parts = _parts(cases, len(idle))
            asked = (_every_case(client, order, part) for client, part in zip(idle, parts, strict=True) if part)
            runs: list[CaseRun] = []
            for found in await asyncio.gather(*asked):
                if isinstance(found, LabFailure):
                    return found
                runs.extend(found)
        return ReplayRun(tuple(runs), out / "blobs")

    @contextmanager
    def _own_worker(self) -> Generator[GpuClient]:
        """Of the workers on the first GPU the one with the least to do, held for a replay; of equal ones the first."""
        places = range(len(self._on_first))
        place = min(places, key=lambda at: self._under_way[at] + self._on_first[at].is_busy) if len(places) > 1 else 0
        self._under_way[place] += 1
        try:
            yield self._on_first[place]
        finally:
            self._under_way[place] -= 1


def _parts(cases: Sequence[Case], count: int) -> list[Sequence[Case]]:
    """``cases`` cut into ``count`` runs of nearly the same length, in order."""
    bounds = [len(cases) * index // count for index in range(count + 1)]
    return [cases[start:end] for start, end in pairwise(bounds)]


async def _every_case(client: GpuClient, order: _Order, cases: Sequence[Case]) -> tuple[CaseRun, ...] | LabFailure:
    """All cases, by as many workers as it takes: a case that costs its worker's context does not concern the next."""
    done: list[CaseRun] = []
    batch = len(cases)
    while len(done) < len(cases):
        wanted = cases[len(done) : len(done) + batch]
        reply = await client.ask("replay", order.message(wanted), order.limits.wall_s * len(wanted), order.options.is_fresh)
        if not isinstance(reply, LabFailure):
            done.extend(_case_run(case) for case in reply["cases"])
        elif reply.kind not in ("crashed", "timed_out"):
            return reply
        elif batch > 1:
            batch = 1  # one of them ended the worker: which?
        else:
            done.append(_failed("timed out" if reply.kind == "timed_out" else "crashed"))
    return tuple(done)


def _case_run(reply: dict[str, Any]) -> CaseRun:
    return CaseRun(
        ok=reply["error"] is None,
        error=reply["error"],
        after=_contents(reply["after"]),
        guards_intact=reply["guards_intact"],
        repeat_difference=reply["repeat_difference"],
        problems=(),
        profiles=(),
        varied=tuple(_contents(left) for left in reply["varied"]),
    )


def _contents(blobs: list[list[Any]]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted((int(buffer), str(blob)) for buffer, blob in blobs))


def _failed(error: str) -> CaseRun:
    return CaseRun(False, error, (), guards_intact=True, repeat_difference=None, problems=(), profiles=())
