"""Reads Nsight Compute's ``.ncu-rep`` files; works without a GPU and without ncu, through NVIDIA's ``ncu-report``.

That package is imported by the first report only, in a process that may end with it (``report_process``). Example::

    read_report(ReportRequest("/tmp/x.ncu-rep")).launches[0].stalls
"""

from __future__ import annotations

import importlib.util
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from assistant.build.mix import instruction_class
from assistant.device.counters.action import Action
from assistant.device.counters.protocol import InstructionPlace
from assistant.model.build import KernelCode, KernelResources, SassInstruction
from assistant.model.launch import LaunchConfig
from assistant.model.profile import LaunchProfile, Method
from assistant.model.report import ProfilerReport, ReportSource
from assistant.profile.by_line import InstructionCounters, line_accesses, line_executions, line_mixes, line_stalls
from assistant.record import Record

__all__ = ["ReportRefusal", "ReportReply", "ReportRequest", "has_report_reader", "read_report"]

_REMEDY = "pip install ncu-report"
_NO_LINES = "{kernel}: no line numbers in the compiled code; compile with -lineinfo"
_NO_COUNTERS = "{kernel}: no counters per instruction; collect them: ncu --section SourceCounters --section LaunchStats -o OUT PROGRAM"
_NO_SAMPLES = "{kernel}: no stall samples; collect them: ncu --section SourceCounters -o OUT PROGRAM"

_Places = Mapping[int, tuple[str, int]]
"""Offset of a machine instruction → the user's line that it belongs to."""


class ReportRequest(Record):
    """Read a report."""

    path: str
    launch_limit: int = 512
    """Launches read with all their counters; the others are only counted."""
    places: tuple[InstructionPlace, ...] = ()
    """Of kernels that were compiled here: the compiler's own answer, as a report names headers for what was inlined from them."""


class ReportRefusal(Record):
    """Why there is nothing to read."""

    message: str
    remedy: str


class ReportReply(Record):
    """``report``, or why there is none."""

    report: ProfilerReport | None
    refusal: ReportRefusal | None = None


def read_report(request: ReportRequest) -> ReportReply:
    """Launches of a report with their counters by line."""
    library = _library()
    if library is None:
        return _refused("reading .ncu-rep files needs NVIDIA's ncu-report package", _REMEDY)
    path = Path(request.path)
    if not path.is_file():
        return _refused(f"{path} is no file", "check the path")
    try:
        context = library.load_report(str(path))
        actions = [Action(item) for item in _kernels(context)]
    except Exception as error:  # noqa: BLE001 - whatever NVIDIA's library raises for a file that it cannot read
        return _refused(f"{path} is not a report of Nsight Compute: {error}", "make one: ncu --set full -o OUT PROGRAM")
    if not actions:
        return _refused(f"{path} holds no profiled kernel", "profile a program that launches one: ncu --set full -o OUT PROGRAM")
    return ReportReply(_report(request, actions, _by_symbol(request.places)))


def has_report_reader() -> bool:
    """Whether NVIDIA's package is installed; it is not imported."""
    return importlib.util.find_spec("ncu_report") is not None


def _library() -> ModuleType | None:
    try:
        import ncu_report
    except ImportError:
        return None
    return ncu_report


def _kernels(context: Any) -> Iterator[Any]:
    """Profiled kernels in order; ranges and graphs as a whole have no lines of their own."""
    for index in range(context.num_ranges()):
        for action in context.range_by_idx(index):
            if action.workload_type() == action.WorkloadType_KERNEL:
                yield action


def _report(request: ReportRequest, actions: list[Action], places: Mapping[str, _Places]) -> ProfilerReport:
    read = actions[: request.launch_limit]
    first: dict[str, Action] = {}
    for action in read:
        first.setdefault(action.instance, action)
    rows = [_rows(action, places.get(action.symbol, {})) for action in read]
    counters = {id(action): counted for action, counted in zip(read, rows, strict=True)}
    sources = {path: text for action in read for path, text in action.sources.items()}
    return ProfilerReport(
        path=request.path,
        device=read[0].device,
        architecture=read[0].architecture,
        launches=tuple(_profile(index, action, counted) for index, (action, counted) in enumerate(zip(read, rows, strict=True))),
        unread_count=len(actions) - len(read),
        resources=tuple(_resources(action) for action in first.values()),
        code=tuple(_code(action, counters[id(action)]) for action in first.values()),
        sources=tuple(ReportSource(path, text) for path, text in sorted(sources.items())),
        notes=tuple(note for action in first.values() for note in _notes(action, counters[id(action)])),
    )


def _by_symbol(places: Iterable[InstructionPlace]) -> dict[str, _Places]:
    """By mangled name, of instructions that have a line."""
    by_symbol: defaultdict[str, dict[int, tuple[str, int]]] = defaultdict(dict)
    for place in places:
        if place.line:
            by_symbol[place.symbol][place.offset_bytes] = (place.file, place.line)
    return dict(by_symbol)


def _rows(action: Action, places: _Places) -> tuple[InstructionCounters, ...]:
    rows: list[InstructionCounters] = []
    for instruction in action.instructions():
        offset = instruction.offset_bytes
        file, line = places.get(offset, (instruction.file, instruction.line))
        rows.append(
            InstructionCounters(
                offset_bytes=offset,
                opcode=instruction.opcode,
                kind=instruction_class(instruction.opcode),
                file=file,
                line=line,
                **action.counters_at(instruction),
                stalls=action.stalls_at(instruction),
            )
        )
    return tuple(rows)


def _profile(index: int, action: Action, rows: tuple[InstructionCounters, ...]) -> LaunchProfile:
    config = LaunchConfig(action.grid, action.block, action.dynamic_shared_bytes)
    return LaunchProfile(
        index=index,
        kernel=action.instance,
        config=config,
        method=Method.NCU,
        device=f"{action.device}, Nsight Compute",
        blocks_counted=config.grid.count,
        accesses=line_accesses(rows),
        executions=line_executions(rows),
        instructions=line_mixes(rows),
        unique_sectors=None,
        block_unique_sectors=None,
        problems=(),
        stalls=line_stalls(rows),
        measured=action.measured(),
    )


def _resources(action: Action) -> KernelResources:
    """What ptxas left in the kernel, as the launch says; it does not distinguish spills from other local memory."""
    return KernelResources(
        kernel=action.instance,
        symbol=action.symbol,
        architecture=action.architecture,
        registers_per_thread=action.count("launch__registers_per_thread"),
        spill_store_bytes=0,
        spill_load_bytes=0,
        stack_bytes=0,
        static_shared_bytes=action.count("launch__shared_mem_per_block_static"),
        constant_bytes=0,
    )


def _code(action: Action, rows: tuple[InstructionCounters, ...]) -> KernelCode:
    listing = tuple(
        SassInstruction(item.offset_bytes, item.predicate, item.opcode, item.operands, row.file, row.line)
        for item, row in zip(action.instructions(), rows, strict=True)
    )
    return KernelCode(action.instance, action.symbol, action.architecture, listing, ())


def _notes(action: Action, rows: tuple[InstructionCounters, ...]) -> Iterator[str]:
    if not rows:
        yield _NO_COUNTERS.format(kernel=action.instance)
    elif not any(row.line for row in rows):
        yield _NO_LINES.format(kernel=action.instance)
    elif not any(row.stalls for row in rows):
        yield _NO_SAMPLES.format(kernel=action.instance)


def _refused(message: str, remedy: str) -> ReportReply:
    return ReportReply(None, ReportRefusal(message, remedy))
