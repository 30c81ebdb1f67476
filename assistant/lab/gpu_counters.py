"""Hardware counters of recorded launches, the parent's end: machine code and its lines, the worker's ``counters`` operation.

Example::

    counters = GpuCounters(client, compiler)
    await counters.count(program, cases, ("k(float*)",), limits)     # HardwareCounts, or a LabFailure of kind no_counters
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.build.symbols import symbol_for
from assistant.lab.compiler import Compiler
from assistant.lab.gpu_client import GpuClient
from assistant.model.profile import LaunchProfile, Method
from assistant.model.workload import Case
from assistant.ports.lab import HardwareCounts, LabFailure, Program, RunLimits
from assistant.serialize import decode, encode

__all__ = ["GpuCounters", "instruction_places"]

_START_S = 20.0
"""ncu's own start and its first connection to the driver: about 1.1 s on an idle H200."""
_LAUNCH_S = 2.0
"""Passes of a launch, each with memory restored and caches flushed: up to 0.3 s on an H200."""


class GpuCounters:
    """Implements ``ports.lab.Counters``; uses what the lab owns, and closes none of it."""

    def __init__(self, client: GpuClient, compiler: Compiler, cache: Path) -> None:
        """``cache``: keeps the library that drives CUPTI."""
        self._client = client
        self._compiler = compiler
        self._cache = cache

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits, preferred: Method = Method.NCU
    ) -> HardwareCounts | LabFailure:
        architecture = self._client.gpu.architecture
        image = await self._compiler.image(program, architecture)
        if isinstance(image, LabFailure):
            return image
        symbols = {kernel: symbol for kernel in kernels if (symbol := symbol_for(kernel, image.every_kernel)) is not None}
        places = await instruction_places(self._compiler, program, architecture, frozenset(symbols.values()))
        unplaced = set(symbols.values()) - {place["symbol"] for place in places}
        if unplaced:
            kernel = next(kernel for kernel, symbol in symbols.items() if symbol in unplaced)
            return LabFailure(
                "no_counters", f"which machine code is that of {kernel} is not clear", "kernelopt inspect shows what is compiled"
            )
        launch_count = sum(len(case.launches) for case in cases)
        wall_s = limits.wall_s + _START_S + _LAUNCH_S * launch_count
        message = {
            "image": encode(image),
            "cases": [{"recording": str(case.recording), "launches": list(case.launches)} for case in cases],
            "symbols": sorted(symbols.values()),
            "places": places,
            "launch_limit": launch_count,
            "wall_s": wall_s,
            "cache": str(self._cache),
            "preferred": preferred.value,
        }
        reply = await self._client.ask("counters", message, wall_s)
        if isinstance(reply, LabFailure):
            return reply
        shortfalls = tuple(LabFailure("no_counters", each["message"], each["remedy"]) for each in reply["refusals"])
        launches: tuple[LaunchProfile, ...] = decode(tuple[LaunchProfile, ...], reply["launches"])
        if not launches:
            return _all_of(shortfalls)
        return HardwareCounts(launches, shortfalls)


def _all_of(shortfalls: tuple[LabFailure, ...]) -> LabFailure:
    """Why no way to count gave anything, the first first, with the fix of that one."""
    if not shortfalls:
        return LabFailure("no_counters", "no launch of the kernels in question was counted", "kernelopt check shows whether they run")
    return LabFailure("no_counters", "; ".join(dict.fromkeys(each.message for each in shortfalls)), shortfalls[0].remedy)


async def instruction_places(compiler: Compiler, program: Program, architecture: str, symbols: frozenset[str]) -> list[dict[str, Any]]:
    """Every machine instruction with its line in the user's sources, where it was inlined from a header too; 0 where it has none."""
    return [
        {"symbol": code.symbol, "offset_bytes": item.offset_bytes, "file": item.file, "line": item.line, "opcode": item.opcode}
        for code in await compiler.code(program, architecture)
        if code.symbol in symbols
        for item in code.instructions
    ]
