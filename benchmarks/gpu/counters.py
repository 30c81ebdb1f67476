"""What counters and compute-sanitizer cost in a warm session, and whether the hardware counts what the emulator counts.

Wall time from the question to the answer, as a front end sees it: one recorded launch, code compiled before. Example::

    measure_counters(kept, folder, end_s)
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import NoGpu, usable_gpus
from assistant.model.build import Flags
from assistant.model.profile import LaunchProfile
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports import LabFailure, Program, ProgramRun, RunLimits
from benchmarks.gpu.bench import Kept

__all__ = ["counters_table", "measure_counters"]

_EXAMPLES = Path(__file__).parents[2] / "tests" / "data" / "h200" / "examples"
_NAMES = ("transpose", "bank_conflicts", "row_walk", "accumulator", "double_literals", "pipeline")
_REPEATS = 3
"""After one call that starts the worker and fills the caches."""


def measure_counters(kept: Kept, folder: Path, end_s: float) -> None:
    """One row per example, until the clock (``time.monotonic``) reads ``end_s``."""
    asyncio.run(_measure(kept, folder, end_s))


def counters_table(rows: list[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    lines = ["| program | lines equal | ncu, s | sanitizer, s |", "|---|---|---|---|"]
    for row in rows:
        spans = (f"{statistics.median(row[name]):.2f} ({min(row[name]):.2f} to {max(row[name]):.2f})" for name in ("ncu_s", "sanitizer_s"))
        lines.append(f"| {row['program']} | {row['equal']} of {row['lines']} | {' | '.join(spans)} |")
    return "\n".join(lines)


async def _measure(kept: Kept, folder: Path, end_s: float) -> None:
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    scratch = folder / "counters"
    scratch.mkdir(parents=True, exist_ok=True)
    lab = GpuLab(CpuLab(scratch, scratch / "cache", "h200"), GpuClient(found[0], scratch), scratch, "h200")
    try:
        for name in _NAMES:
            if time.monotonic() < end_s and not kept.count(program=name):
                kept.add(await _row(lab, name))
    finally:
        await lab.close()


async def _row(lab: GpuLab, name: str) -> dict[str, Any]:
    program = Program((Source(Path(f"/src/{name}.cu"), (_EXAMPLES / f"{name}.cu").read_text("utf-8")),), Flags(("-O3",)))
    run = await lab.run(program, "count", RunLimits(), record=True)
    assert isinstance(run, ProgramRun) and run.recording_path is not None, run
    case = Case(run.recording_path, (run.profiles[0].index,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    kernels = (run.profiles[0].kernel,)
    measured = await lab.counters.count(program, [case], kernels, RunLimits())
    assert not isinstance(measured, LabFailure), measured
    ours, theirs = _by_line(run.profiles[0]), _by_line(measured[0])
    return {
        "program": name,
        "lines": len(ours | theirs),
        "equal": sum(ours.get(place) == theirs.get(place) for place in ours | theirs),
        "ncu_s": await _times(lambda: lab.counters.count(program, [case], kernels, RunLimits())),
        "sanitizer_s": await _times(lambda: lab.sanitizer.problems(program, [case], RunLimits())),
    }


async def _times(ask: Callable[[], Awaitable[object]]) -> list[float]:
    await ask()
    times: list[float] = []
    for _ in range(_REPEATS):
        start_s = time.monotonic()
        answer = await ask()
        times.append(time.monotonic() - start_s)
        assert not isinstance(answer, LabFailure), answer
    return times


def _by_line(profile: LaunchProfile) -> dict[tuple[int, str], tuple[int | None, ...]]:
    return {(a.line, a.op): (a.sectors, a.ideal_sectors, a.wavefronts, a.ideal_wavefronts) for a in profile.accesses}
