"""The GPU worker's ``sanitize`` operation: recorded launches once more under each tool of compute-sanitizer.

The tools run side by side in processes of their own (``device.relaunch``), none longer than its time. Example::

    sanitize(state, request).problems[0].kind      # 'out_of_bounds'
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.build.symbols import symbol_for
from assistant.device.child_commands import relaunch_command
from assistant.device.counters.ncu import find_cuda_tool
from assistant.device.counters.protocol import InstructionPlace
from assistant.device.gpu_protocol import CaseRequest, Image
from assistant.device.gpu_state import GpuState
from assistant.device.process import ToolOutput, ToolRunner
from assistant.device.relaunch import RelaunchRequest
from assistant.device.sanitizer.reading import Place, PlaceOf, read_findings
from assistant.model.profile import Problem
from assistant.record import Record
from assistant.serialize import dumps

__all__ = ["INSTALL_SANITIZER", "TOOLS", "SanitizeReply", "SanitizeRequest", "sanitize"]

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
INSTALL_SANITIZER = (
    "install the CUDA toolkit's compute-sanitizer (Debian, Ubuntu: apt-get install cuda-sanitizer-13-0 from NVIDIA's repository)"
)
_FILL = 0xAB
_PRINT_LIMIT = 200
_ENDED = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: ", re.MULTILINE)


class SanitizeRequest(Record):
    """Look for defects in launches."""

    image: Image
    cases: tuple[CaseRequest, ...]
    symbols: tuple[str, ...]
    """Mangled names of the kernels to look at."""
    places: tuple[InstructionPlace, ...]
    wall_s: float
    """Limit for each tool."""
    tools: tuple[str, ...] = TOOLS


class SanitizeReply(Record):
    """What was found, and which tools came to no end."""

    problems: tuple[Problem, ...]
    missing: tuple[str, ...]
    """One sentence each."""


def sanitize(state: GpuState, request: SanitizeRequest) -> SanitizeReply:
    """Findings of every tool. A tool that is not there, or did not end in time, is named and finds nothing."""
    sanitizer = find_cuda_tool("compute-sanitizer", os.environ)
    if sanitizer is None:
        return SanitizeReply((), (f"compute-sanitizer is not installed: {INSTALL_SANITIZER}",))
    with tempfile.TemporaryDirectory(prefix="sanitize-") as folder, ThreadPoolExecutor(len(request.tools)) as pool:
        running = [pool.submit(_run, sanitizer, tool, request, Path(folder)) for tool in request.tools]
        outputs = [one.result() for one in running]
    problems: list[Problem] = []
    missing: list[str] = []
    for tool, output in zip(request.tools, outputs, strict=True):
        found = read_findings(output.text, tool, _place_of(request))
        problems.extend(found)
        if not _ENDED.search(output.text) or (output.status and not found):  # launches that failed by themselves were not looked at
            missing.append(_why(tool, output, request.wall_s))
    return SanitizeReply(tuple(problems), tuple(missing))


def _run(sanitizer: Path, tool: str, request: SanitizeRequest, folder: Path) -> ToolOutput:
    asked = folder / f"{tool}.json"
    is_poison_written = tool != "initcheck"
    asked.write_text(dumps(RelaunchRequest(request.image, request.cases, _FILL, is_poison_written, request.wall_s)), "utf-8")
    filters = tuple(part for symbol in request.symbols for part in ("--kernel-name", f"kernel_name={symbol}"))
    command = (
        *(str(sanitizer), "--tool", tool, "--strip-paths", "no", "--show-backtrace", "no", "--print-limit", str(_PRINT_LIMIT)),
        *filters,
        *relaunch_command(asked),
    )
    return ToolRunner(dict(os.environ)).run(command, cwd=None, timeout_s=request.wall_s, temporary=folder)


def _place_of(request: SanitizeRequest) -> PlaceOf:
    places: defaultdict[str, dict[int, Place]] = defaultdict(dict)
    for place in request.places:
        places[place.symbol][place.offset_bytes] = (place.file, place.line)

    def place_of(function: str, offset_bytes: int) -> Place | None:
        symbol = symbol_for(function, request.image.every_kernel)
        return None if symbol is None else places[symbol].get(offset_bytes)

    return place_of


def _why(tool: str, output: ToolOutput, wall_s: float) -> str:
    if output.status is None:
        return f"compute-sanitizer's {tool} did not end within {wall_s:g} s"
    lines = output.text.strip().splitlines() or ["it printed nothing"]
    of_program = [line for line in lines if not line.startswith("=========")]
    said = (of_program or lines)[-1].removeprefix("=========").strip()
    return f"compute-sanitizer's {tool} failed: {said}"
