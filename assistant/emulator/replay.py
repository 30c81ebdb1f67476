"""Runs launches of recordings in a program's kernels, one process per case, confined, and collects what they left.

The core reads a file of jobs, one per case (``runtime/replay_job.h``), and leaves files with the results and reports of all cases and
an index of their parts (``runtime/replay.cpp``).
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

from assistant.disk.removal import remove_tree
from assistant.emulator.protocol import CaseReply, ReplayCase, ReplayReply, ReplayRequest
from assistant.emulator.report import error_name, read_report
from assistant.emulator.runner import core_environment
from assistant.emulator.symbolize import Symbolizer
from assistant.errors import CannotAnswerError
from assistant.model.recording import BufferState, PointerField, RecordedLaunch, Recording
from assistant.record import Record
from assistant.serialize import loads
from assistant.worker.child import Bounds, Command, Outcome, run_child
from assistant.worker.environment import restricted_environment
from assistant.worker.launcher import Launcher
from assistant.worker.left_behind import keep_plain_files
from assistant.worker.sandbox import Layers, confine
from assistant.workload.recorded_blobs import rename_blobs

__all__ = ["replay"]

_START_S = 10.0
"""What the process around the cases may take beyond their limits."""
_ENDED = "exit 0"
_MOST_PRINTED_BYTES = 1 << 20
"""As much as a GPU keeps of what kernels print between two synchronisations (CUDA C++ Programming Guide, "Formatted Output")."""


def replay(request: ReplayRequest, symbolizer: Symbolizer, environment: Mapping[str, str], launcher: Launcher) -> ReplayReply:
    """One reply per case, in order. Raises Interrupted, SymbolsMissing, CannotAnswerError (unreadable recording), OSError."""
    request.out.mkdir(parents=True, exist_ok=True)
    blobs = request.out / "blobs"
    blobs.mkdir(exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="job-", dir=request.out))
    try:
        lines = (line for case in request.cases for line in ("case", *_job_lines(case, symbolizer)))
        (folder / "jobs").write_text("\n".join(lines) + "\n", encoding="utf-8")
        outcome, layers = _run(request, folder, environment, launcher)
        keep_plain_files(folder)
        names = rename_blobs(folder / "blobs")
        for name in set(names.values()):
            (folder / "blobs" / name).replace(blobs / name)
        cases = [_reply(part, names, symbolizer) for part in _parts(folder)]
        unended = [_failed(_reason(outcome)) for _ in request.cases[len(cases) :]]
        return ReplayReply((*cases, *unended), layers.in_force, layers.missing, _printed(folder / "stdout"))
    finally:
        remove_tree(folder)


def _printed(file: Path) -> str:
    if not file.is_file():
        return ""
    with file.open("rb") as stream:
        return stream.read(_MOST_PRINTED_BYTES).decode("utf-8", "replace")


def _run(request: ReplayRequest, folder: Path, environment: Mapping[str, str], launcher: Launcher) -> tuple[Outcome, Layers]:
    limits = request.limits
    variables = restricted_environment(environment) | core_environment(request.mode, limits, request.sample_blocks, request.corrections)
    wall_s = request.patience * limits.wall_s
    variables |= {
        "EMU_REPLAY": str(folder),
        "EMU_CASE_PROCESSOR_S": f"{limits.wall_s * 0.9:.3f}",
        "EMU_CASE_WALL_S": f"{wall_s:.3f}",
        "EMU_LAUNCH_WALL_S": f"{wall_s * 0.9:.3f}",  # before the case's time is over: the report names the place
        "EMU_WHOLE_S": "0",
    }
    command = Command((str(request.binary),), folder, variables)
    bounds = Bounds(wall_s * len(request.cases) + _START_S, limits.memory_bytes, limits.output_bytes, limits.task_count)
    with confine((folder,)) as confinement:
        return run_child(command, bounds, folder / "stdout", folder / "stderr", confinement, launcher), confinement.layers


def _job_lines(case: ReplayCase, symbolizer: Symbolizer) -> Iterator[str]:
    recording = _load(case.recording)
    by_index = {launch.index: launch for launch in recording.launches}
    missing = [index for index in case.launches if index not in by_index]
    if missing:
        raise CannotAnswerError(f"recording {case.recording} holds no launch {missing[0]}")
    launches = [by_index[index] for index in case.launches]
    yield f"repeats {case.repeats}"
    yield f"seed {case.seed}"
    if not case.are_results_kept:
        yield "unkept"
    if case.fill is not None:
        yield f"fill {case.fill}"
    if case.shared_fill is not None:
        yield f"shared_fill {case.shared_fill}"
    yield from _buffer_lines(case.recording, recording, launches)
    for number, launch in enumerate(launches):
        yield from _launch_lines(launch, case.kernels[number] if case.kernels else launch.kernel, symbolizer)


def _load(folder: Path) -> Recording:
    try:
        return loads(Recording, (folder / "recording.json").read_bytes())
    except OSError as error:
        raise CannotAnswerError(f"cannot read the recording {folder}: {error.strerror}") from error


def _buffer_lines(folder: Path, recording: Recording, launches: Sequence[RecordedLaunch]) -> Iterator[str]:
    """Buffers with their contents before the first of the launches that reaches them, then the pointers inside them."""
    first: dict[int, BufferState] = {}
    for launch in launches:
        for state in launch.buffers:
            first.setdefault(state.buffer, state)
    buffers = {b.id: b for b in recording.buffers if b.id in first}
    for identity, buffer in buffers.items():
        blob = folder / "blobs" / first[identity].before
        is_poisoned = buffer.is_poisoned or first[identity].is_poisoned
        symbol = quote(buffer.symbol, safe="") if buffer.symbol else "-"
        path = quote(str(blob.absolute()))
        yield f"buffer {identity} {buffer.size_bytes} {buffer.space} {symbol} {path} {int(is_poisoned)}"
    for identity, buffer in buffers.items():
        for pointer in buffer.pointers:
            if pointer.buffer in buffers:
                yield f"pointer {identity} {_pointer(pointer)}"


def _launch_lines(launch: RecordedLaunch, kernel: str, symbolizer: Symbolizer) -> Iterator[str]:
    c = launch.config
    address = symbolizer.function_addresses().get(kernel, 0)
    sizes = " ".join(str(n) for n in (c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z, c.shared_bytes))
    yield f"launch {quote(kernel, safe='')} {address} {sizes}"
    if launch.is_cooperative:
        yield "cooperative"
    if launch.chosen_blocks:
        yield f"blocks {' '.join(map(str, launch.chosen_blocks))}"
    for argument in launch.arguments:
        yield f"argument {argument.size_bytes} {argument.data_hex or '-'}"
    for number, argument in enumerate(launch.arguments):
        for pointer in argument.pointers:
            yield f"argument_pointer {number} {_pointer(pointer)}"


def _pointer(pointer: PointerField) -> str:
    return f"{pointer.offset_bytes} {pointer.buffer} {pointer.buffer_offset_bytes}"


class _Part(Record):
    """What one case left."""

    result: str
    report: str
    status: str
    """``exit N``, ``signal N`` or ``timeout``."""


def _parts(folder: Path) -> Iterator[_Part]:
    """In order; of the cases that ended."""
    index = folder / "index"
    for line in index.read_text(errors="replace").splitlines() if index.exists() else ():
        *places, status = line.split(" ", 4)
        result_begin, result_end, report_begin, report_end = map(int, places)
        yield _Part(_slice(folder / "results", result_begin, result_end), _slice(folder / "report", report_begin, report_end), status)


def _slice(path: Path, begin: int, end: int) -> str:
    if begin == end:
        return ""
    with path.open("rb") as file:
        file.seek(begin)
        return file.read(end - begin).decode(errors="replace")


@dataclass
class _Result:
    """The lines of a case's result."""

    failure: str | None = None
    error: int | None = None
    after: dict[str, str] = field(default_factory=dict[str, str])
    guards: tuple[str, ...] = ()
    difference: str | None = None
    varied: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


def _reply(part: _Part, names: Mapping[str, str], symbolizer: Symbolizer) -> CaseReply:
    result = _read_result(part.result if part.status == _ENDED else "", names)  # a killed case may leave half a line
    report = read_report(part.report, symbolizer)
    error = _case_error(result, part.status)
    return CaseReply(
        ok=error is None,
        error=error,
        after={} if error is not None else result.after,
        guards_intact=not result.guards,
        repeat_difference=result.difference,
        problems=report.problems,
        profiles=report.profiles,
        sites=report.sites,
        varied=() if error is not None else tuple(result.varied),
    )


def _failed(error: str) -> CaseReply:
    return CaseReply(ok=False, error=error, after={}, guards_intact=True, repeat_difference=None, problems=(), profiles=(), sites=())


def _reason(outcome: Outcome) -> str:
    """Why cases did not end."""
    return "out of memory" if outcome.memory_exceeded else "timed out" if outcome.timed_out else "crashed: the replay ended early"


def _case_error(result: _Result, status: str) -> str | None:
    if status == "timeout":
        return "timed out"
    if status != _ENDED:
        return f"crashed: {status}"
    if result.failure is not None:
        return result.failure
    if result.error is None:
        return "crashed: no result"
    return None if result.error == 0 else error_name(result.error)


def _read_result(text: str, names: Mapping[str, str]) -> _Result:
    result = _Result()
    for line in text.splitlines():
        item, *fields = line.split(" ")
        match item:
            case "failure":
                result.failure = unquote(fields[0])
            case "error":
                result.error = int(fields[0])
            case "after":
                result.after[fields[0]] = names[fields[1]]
            case "varied":
                result.varied.append({})
            case "varied_after":
                result.varied[-1][fields[0]] = names[fields[1]]
            case "unwritten":
                raise OSError(int(fields[0]), os.strerror(int(fields[0])))
            case "guard":
                result.guards = (*result.guards, f"buffer {fields[0]}, offset {fields[1]}")
            case "difference":
                repeat, buffer, offset, one, other = fields
                result.difference = f"repeat {repeat} differs in buffer {buffer} at byte {offset}: {one} became {other}"
            case _:
                pass
    return result
