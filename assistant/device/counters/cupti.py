"""The GPU worker's end of the processes that drive CUPTI: one that stays warm, and one for each launch whose instructions are counted.

Example::

    cupti = CuptiRuns(os.environ, "NVIDIA H200")
    cupti.collect(request)                      # CountersReply with profiles of Method.CUPTI
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from assistant.device.counters.answer import read_answer
from assistant.device.counters.failure import PERMIT_COUNTERS, CountingFailure
from assistant.device.counters.library import counters_library
from assistant.device.counters.protocol import (
    CountersReply,
    CountersRequest,
    InstructionPlace,
    Part,
    SampledLaunch,
    SamplingReply,
    SamplingRequest,
)
from assistant.device.counters.sampled import launch_profile
from assistant.device.counters.sampled_launches import SampledLaunches
from assistant.device.counters.sampling_process import SamplingProcess
from assistant.device.cupti import LibraryNotBuiltError
from assistant.device.process import ToolRunner, tool_environment
from assistant.device.toolchain import find_toolchain, installed_wheel_tree

__all__ = ["CuptiRuns", "counters_reply", "refusal_of_cupti"]

_START_S = 20.0
"""A context and CUPTI's first use: about 1 s on an idle H200."""
_TOLD_RATIO = 0.01
"""Share of the warp samples: if fewer are lost, no stall's share that is shown changes."""
_KNOWN: tuple[tuple[str, str, str, str], ...] = (
    ("INSUFFICIENT_PRIVILEGES", "forbidden", "this user may not read the GPU's counters", PERMIT_COUNTERS),
    (
        "HARDWARE_BUSY",
        "busy",
        "another tool (DCGM, a second profiler) holds the GPU's counters",
        "end it, or let DCGM pause: dcgmi profile --pause",
    ),
    (
        "NOT_SUPPORTED",
        "unsupported",
        "CUPTI does not read this GPU's counters, or not those of this MIG slice of it",
        "use another GPU, or a whole one: gpu timing and the emulator's counters are used until then",
    ),
    ("did not end within", "timed_out", "the launches with CUPTI's counters did not end in time", "raise --timeout or shrink the workload"),
)
"""(part of what failed, kind, message, remedy); CUPTI 13.0, "Result Codes"."""


def refusal_of_cupti(failure: str) -> CountingFailure:
    """What stood in the way, by the call that failed."""
    for text, kind, message, remedy in _KNOWN:
        if text in failure:
            return CountingFailure(kind, f"{message} ({failure})", remedy)
    return CountingFailure("failed", f"CUPTI failed: {failure}", "install Nsight Compute's ncu, which counts without it")


def counters_reply(reply: SamplingReply, places: Sequence[InstructionPlace], device: str) -> CountersReply:
    """What the processes counted, as profiles, and what they could not. ``device``: its name."""
    of_symbol: defaultdict[str, list[InstructionPlace]] = defaultdict(list)
    for place in places:
        of_symbol[place.symbol].append(place)
    launches = tuple(launch_profile(at, one, of_symbol[one.symbol], device) for at, one in enumerate(reply.launches))
    refusals = [refusal_of_cupti(text) for text in dict.fromkeys(reply.failures)]
    if not all(profile.blocks_counted for profile in launches):
        return CountersReply((), tuple(refusals or [refusal_of_cupti("it counted no instruction")]))
    return CountersReply(launches, (*refusals, *_dropped(reply.launches)))


class CuptiRuns:
    """Keeps the library, and the processes that are started with it."""

    def __init__(self, environment: Mapping[str, str], device: str) -> None:
        """``device``: its name, for profiles."""
        self._environment = dict(environment)
        self._device = device
        self._library: Path | LibraryNotBuiltError | None = None
        self._launches: SampledLaunches | None = None

    def collect(self, request: CountersRequest) -> CountersReply:
        """Counters of the launches in question, as far as CUPTI gives them."""
        try:
            reply = self._with(request.cache).counted(_asked(request), time.monotonic() + request.wall_s + _START_S)
        except LibraryNotBuiltError as error:
            return CountersReply((), (CountingFailure("missing", error.message, error.remedy),))
        return counters_reply(reply, request.places, self._device)

    def get_ready(self, cache: Path, request: SamplingRequest) -> None:
        """Start the processes that this request will be asked of; where that fails, the request says why."""
        with suppress(LibraryNotBuiltError):
            self._with(cache).get_ready(request, time.monotonic() + _START_S)

    def get_ready_to_collect(self, request: CountersRequest) -> None:
        """As `get_ready`, for ``collect``."""
        self.get_ready(request.cache, _asked(request))

    def sample(self, cache: Path, request: SamplingRequest) -> SamplingReply:
        """What the process that stays warm answers to one request."""
        try:
            return self._with(cache).asked(request, time.monotonic() + request.wall_s + _START_S)
        except LibraryNotBuiltError as error:
            return SamplingReply((), (error.message,))

    def _with(self, cache: Path) -> SampledLaunches:
        """Raises LibraryNotBuiltError."""
        if self._launches is None:
            library = self._built(cache)
            self._launches = SampledLaunches(lambda: SamplingProcess(library, self._environment))
        return self._launches

    def _built(self, cache: Path) -> Path:
        """Looked for once: where it cannot be built, it could not be built a moment later."""
        if self._library is None:
            runner = ToolRunner(tool_environment(self._environment))
            toolchain = find_toolchain(self._environment, installed_wheel_tree(), runner=runner)
            try:
                self._library = counters_library(toolchain, cache, runner)
            except LibraryNotBuiltError as error:
                self._library = error
        if isinstance(self._library, LibraryNotBuiltError):
            raise self._library
        return self._library


def _asked(request: CountersRequest) -> SamplingRequest:
    return SamplingRequest(Part.SAMPLED, request.image, request.cases, request.symbols, 0, request.launch_limit, request.wall_s)


def _dropped(launches: Sequence[SampledLaunch]) -> tuple[CountingFailure, ...]:
    """That samples of where warps wait were lost, where they were more than a few."""
    answers = [read_answer(launch.answer, launch.symbol) for launch in launches]
    every, dropped = sum(answer.sampled_count for answer in answers), sum(answer.dropped_count for answer in answers)
    if dropped <= _TOLD_RATIO * every:
        return ()
    share = f"{dropped:,} of {every:,} samples of where warps wait ({100 * dropped / every:.0f} %)"
    message = f"the GPU dropped {share}: stalls are counted from the others"
    return (CountingFailure("dropped", message, "profile a larger workload, which is sampled less often, or install Nsight Compute's ncu"),)
