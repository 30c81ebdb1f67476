"""compute-sanitizer on recorded launches, the parent's end. What it was asked about once it is not asked about again: a tool that comes
to no end takes its whole time, in which nothing else can be measured.

Example::

    sanitizer = GpuSanitizer(client, compiler)
    await sanitizer.problems(program, cases, limits)      # (problems, what could not be looked for)
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpu_counters import instruction_places
from assistant.model.profile import Problem
from assistant.model.recording import RecordedArgument, RecordedLaunch, Recording
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, RunLimits
from assistant.serialize import decode, encode
from assistant.workload.recordings import read_recording

__all__ = ["GpuSanitizer"]

_LONGEST_S, _LONGEST_SHARED_S = 4.0, 6.0
"""Limit of each tool: racecheck took 1.2 s on small launches of an H200, the others 0.5 s. A tool that does not end in it is reported. More
where replays may use the GPU meanwhile, so that a check which ends by itself ends there, too."""
_POINTER_BYTES = 8
_Found = tuple[tuple[Problem, ...], tuple[str, ...]]
"""Problems, and what could not be looked for."""


class GpuSanitizer:
    """Uses what the lab owns, and closes none of it."""

    def __init__(self, client: GpuClient, compiler: Compiler, *, is_gpu_shared: bool = False) -> None:
        """``is_gpu_shared``: the client has this to do alone, and others replay on its GPU meanwhile."""
        self._client = client
        self._compiler = compiler
        self._longest_s = _LONGEST_SHARED_S if is_gpu_shared else _LONGEST_S
        self._known: dict[object, _Found] = {}
        """What was found, by machine code and launches."""

    async def problems(self, program: Program, cases: Sequence[Case], limits: RunLimits) -> _Found | LabFailure:
        """What memcheck, racecheck, initcheck and synccheck find in the program's kernels, and which of them came to no end."""
        architecture = self._client.gpu.architecture
        image = await self._compiler.image(program, architecture)
        if isinstance(image, LabFailure):
            return image
        asked = await asyncio.to_thread(_asked, image, cases)
        if asked in self._known:
            return self._known[asked]
        symbols = sorted(symbol for _, symbol in image.every_kernel)
        wall_s = min(self._longest_s, limits.wall_s)
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
        self._known[asked] = found = (problems, tuple(str(sentence) for sentence in reply["missing"]))
        return found


def _asked(image: Image, cases: Sequence[Case]) -> object:
    """What decides what is found: the machine code, and how each launch is started on which contents, wherever those lay."""
    cubins = (image.cubin, *(unit.cubin for unit in image.others))
    return cubins, tuple(part for case in cases for part in _started(read_recording(case.recording), case.launches))


def _started(recording: Recording, indices: Sequence[int]) -> tuple[object, ...]:
    return tuple(_start(recording, launch) for launch in recording.launches if launch.index in indices)


def _start(recording: Recording, launch: RecordedLaunch) -> object:
    states = {state.buffer: state for state in launch.buffers}
    reached = [buffer for buffer in recording.buffers if buffer.id in states]
    places = {buffer.id: place for place, buffer in enumerate(reached)}
    arguments = tuple(_passed(argument, places) for argument in launch.arguments)
    buffers = tuple(
        (one.size_bytes, one.symbol, "" if one.is_poisoned or states[one.id].is_poisoned else states[one.id].before) for one in reached
    )
    return launch.kernel, launch.config, launch.cluster, launch.chosen_blocks, arguments, buffers


def _passed(argument: RecordedArgument, places: Mapping[int, int]) -> object:
    """An argument's bytes without the addresses in it, and which buffers these lie in."""
    data = bytearray.fromhex(argument.data_hex)
    for pointer in argument.pointers:
        data[pointer.offset_bytes : pointer.offset_bytes + _POINTER_BYTES] = bytes(_POINTER_BYTES)
    return bytes(data), tuple((one.offset_bytes, places.get(one.buffer), one.buffer_offset_bytes) for one in argument.pointers)
