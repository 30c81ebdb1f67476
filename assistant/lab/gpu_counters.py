"""Hardware counters of recorded launches, the parent's end: machine code and its lines, the worker's ``counters`` operation.

Example::

    counters = GpuCounters(client, compiler)
    await counters.count(program, cases, ("k(float*)",), limits)     # LaunchProfiles, or a LabFailure of kind no_counters
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.build.symbols import symbol_for
from assistant.lab.compiler import Compiler
from assistant.lab.gpu_client import GpuClient
from assistant.model.build import Build
from assistant.model.profile import LaunchProfile
from assistant.model.workload import Case
from assistant.ports import LabFailure, Program, RunLimits
from assistant.serialize import decode, encode

__all__ = ["GpuCounters", "instruction_places"]

_START_S = 20.0
"""ncu's own start and its first connection to the driver: about 1.1 s on an idle H200."""
_LAUNCH_S = 2.0
"""Eight passes of a launch, each with memory restored and caches flushed: up to 0.3 s on an H200."""


class GpuCounters:
    """Implements ``ports.Counters``; uses what the lab owns, and closes none of it."""

    def __init__(self, client: GpuClient, compiler: Compiler) -> None:
        self._client = client
        self._compiler = compiler

    async def count(
        self, program: Program, cases: Sequence[Case], kernels: Sequence[str], limits: RunLimits
    ) -> tuple[LaunchProfile, ...] | LabFailure:
        architecture = self._client.gpu.architecture
        image = await self._compiler.image(program, architecture)
        if isinstance(image, LabFailure):
            return image
        symbols = {kernel: symbol for kernel in kernels if (symbol := symbol_for(kernel, image.kernels)) is not None}
        launch_count = sum(len(case.launches) for case in cases)
        wall_s = limits.wall_s + _START_S + _LAUNCH_S * launch_count
        message = {
            "image": encode(image),
            "cases": [{"recording": str(case.recording), "launches": list(case.launches)} for case in cases],
            "symbols": sorted(symbols.values()),
            "places": await instruction_places(self._compiler, program, architecture, frozenset(symbols.values())),
            "launch_limit": launch_count,
            "wall_s": wall_s,
        }
        reply = await self._client.ask("counters", message, wall_s)
        if isinstance(reply, LabFailure):
            return reply
        if reply["refusal"] is not None:
            return LabFailure("no_counters", reply["refusal"]["message"], reply["refusal"]["remedy"])
        launches: tuple[LaunchProfile, ...] = decode(tuple[LaunchProfile, ...], reply["launches"])
        return launches


async def instruction_places(compiler: Compiler, program: Program, architecture: str, symbols: frozenset[str]) -> list[dict[str, Any]]:
    """Every machine instruction's line in the user's sources, as the disassembler tells it through inlined calls."""
    build = await compiler.built_for_device(program, architecture)
    if not isinstance(build, Build):
        return []
    return [
        {"symbol": code.symbol, "offset_bytes": item.offset_bytes, "file": item.file, "line": item.line}
        for code in build.code
        if code.symbol in symbols
        for item in code.instructions
        if item.line
    ]
