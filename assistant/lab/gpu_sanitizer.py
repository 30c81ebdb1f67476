"""compute-sanitizer on recorded launches, the parent's end.

Example::

    sanitizer = GpuSanitizer(client, compiler)
    await sanitizer.problems(program, cases, limits)      # (problems, what could not be looked for)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.lab.compiler import Compiler
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_counters import instruction_places
from assistant.model.profile import Problem
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.serialize import decode, encode

__all__ = ["GpuSanitizer"]

_LONGEST_S = 4.0
"""Limit of each tool: racecheck took 1.2 s on small launches of an H200, the others 0.5 s. A tool that does not end in it is reported."""


class GpuSanitizer:
    """Uses what the lab owns, and closes none of it."""

    def __init__(self, client: GpuClient, compiler: Compiler) -> None:
        self._client = client
        self._compiler = compiler

    async def problems(
        self, program: Program, cases: Sequence[Case], limits: RunLimits
    ) -> tuple[tuple[Problem, ...], tuple[str, ...]] | LabFailure:
        """What memcheck, racecheck, initcheck and synccheck find in the program's kernels, and which of them came to no end."""
        architecture = self._client.gpu.architecture
        image = await self._compiler.image(program, architecture)
        if isinstance(image, LabFailure):
            return image
        symbols = sorted(symbol for _, symbol in image.every_kernel)
        wall_s = min(_LONGEST_S, limits.wall_s)
        places = await instruction_places(self._compiler, program, architecture, frozenset(symbols))
        message: dict[str, Any] = {
            "image": encode(image),
            "cases": [{"recording": str(case.recording), "launches": list(case.launches)} for case in cases],
            "symbols": symbols,
            "places": [place for place in places if place["line"]],
            "wall_s": wall_s,
        }
        reply = await self._client.ask("sanitize", message, wall_s)
        if isinstance(reply, LabFailure):
            return reply
        problems: tuple[Problem, ...] = decode(tuple[Problem, ...], reply["problems"])
        return problems, tuple(str(sentence) for sentence in reply["missing"])
