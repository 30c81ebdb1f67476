"""The GPU worker's ``counters`` operation: recorded launches run once more under ``ncu``, whose report becomes profiles.

The launches run in a process of their own (``device.relaunch``); the worker's context stays as it is. Example::

    collect(state, request).launches[0].stalls
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from assistant.device.counters.ncu import INSTALL_NCU, NcuRefusal, command, find_cuda_tool, refusal_of
from assistant.device.counters.report import Places, ReportRequest, read_report
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.device.process import ToolRunner
from assistant.device.relaunch import MODULE, RelaunchRequest
from assistant.model.profile import LaunchProfile
from assistant.serialize import dumps

__all__ = ["CountersReply", "CountersRequest", "InstructionPlace", "collect"]

_FILL = 0xAB


@dataclass(frozen=True)
class InstructionPlace:
    """The user's line that a machine instruction belongs to, where it was inlined from a header too."""

    symbol: str
    offset_bytes: int
    file: str
    line: int


@dataclass(frozen=True)
class CountersRequest:
    """Count what launches do, on the hardware."""

    image: Image
    cases: tuple[CaseRequest, ...]
    symbols: tuple[str, ...]
    """Mangled names of the kernels in question."""
    places: tuple[InstructionPlace, ...]
    launch_limit: int
    wall_s: float


@dataclass(frozen=True)
class CountersReply:
    """Counters of every launch in order, or why there are none."""

    launches: tuple[LaunchProfile, ...]
    refusal: NcuRefusal | None = None


def collect(state: GpuState, request: CountersRequest) -> CountersReply:
    """Counters of the launches of the named kernels, in the order of the cases."""
    ncu = find_cuda_tool("ncu", os.environ)
    if ncu is None:
        return CountersReply((), NcuRefusal("missing", "Nsight Compute's ncu is not installed", INSTALL_NCU))
    with tempfile.TemporaryDirectory(prefix="counters-") as folder:
        asked, report = Path(folder, "request.json"), Path(folder, "report.ncu-rep")
        relaunch = RelaunchRequest(request.image, request.cases, _FILL, is_poison_written=True, wall_s=request.wall_s)
        asked.write_text(dumps(relaunch), "utf-8")
        program = (sys.executable, "-P", "-m", MODULE, str(asked))
        runner = ToolRunner(dict(os.environ))
        called = command(ncu, report, request.symbols, request.launch_limit, program)
        output = runner.run(called, cwd=None, timeout_s=request.wall_s, temporary=Path(folder))
        if not report.is_file():
            return CountersReply((), refusal_of(output.text, output.status is None))
        reply = read_report(ReportRequest(str(report), request.launch_limit), _places(request))
    if reply.report is None:
        said = reply.refusal
        assert said is not None
        return CountersReply((), NcuRefusal("failed", said.message, said.remedy))
    return CountersReply(reply.report.launches)


def _places(request: CountersRequest) -> dict[str, Places]:
    by_symbol: defaultdict[str, dict[int, tuple[str, int]]] = defaultdict(dict)
    for place in request.places:
        by_symbol[place.symbol][place.offset_bytes] = (place.file, place.line)
    return dict(by_symbol)
