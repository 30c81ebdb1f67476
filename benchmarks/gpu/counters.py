"""What counters and compute-sanitizer cost in a warm session, and whether ncu, CUPTI and the emulator count alike.

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
from assistant.model.profile import LaunchProfile, Method
from assistant.model.source import Source
from assistant.model.workload import Case, CaseOrigin
from assistant.ports import HardwareCounts, LabFailure, Program, ProgramRun, RunLimits
from benchmarks.gpu.bench import Kept

__all__ = ["counters_table", "measure_counters"]

_DATA = Path(__file__).parents[2] / "tests" / "data" / "h200"
_PROGRAMS = (
    *(f"examples/{name}" for name in ("accumulator", "bank_conflicts", "block_size", "double_literals", "good_reduce", "good_saxpy")),
    *(f"examples/{name}" for name in ("pipeline", "row_walk", "transpose")),
    *(f"unseen/{name}" for name in ("conv2d_filter", "histogram256", "matmul_rect", "scan_blelloch", "softmax_rows", "stencil2d_halo")),
)
_REPEATS = {"ncu_s": 2, "cupti_s": 5, "sanitizer_s": 3}
"""Of each program, after one call that starts what is kept warm and fills the caches."""
_SANITIZED = 3
"""Programs on which compute-sanitizer is timed, too."""


def measure_counters(kept: Kept, folder: Path, end_s: float) -> None:
    """One row per program, until the clock (``time.monotonic``) reads ``end_s``."""
    asyncio.run(_measure(kept, folder, end_s))


def counters_table(rows: list[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    head = ("program", "lines", "CUPTI equals ncu", "emulator equals ncu", "ncu, s", "CUPTI, s", "sanitizer, s")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [
        f"| {' | '.join((row['program'], str(row['lines']), str(row['cupti_equal']), str(row['equal']), *_spans(row)))} |" for row in rows
    ]
    for name in ("ncu_s", "cupti_s"):
        times = sorted(time for row in rows for time in row[name])
        if times:
            p95 = times[min(len(times) - 1, int(0.95 * len(times)))]
            lines.append(
                f"\n{name}: median {statistics.median(times):.2f}, p95 {p95:.2f}, {times[0]:.2f} to {times[-1]:.2f}, n={len(times)}"
            )
    lines += [f"\n{row['program']}: {difference}" for row in rows for difference in row["differences"]]
    return "\n".join(lines)


def _spans(row: dict[str, Any]) -> tuple[str, ...]:
    """Median and range of each way; a dash where it was not timed."""
    return tuple(
        f"{statistics.median(row[name]):.2f} ({min(row[name]):.2f} to {max(row[name]):.2f})" if row[name] else "–"
        for name in ("ncu_s", "cupti_s", "sanitizer_s")
    )


async def _measure(kept: Kept, folder: Path, end_s: float) -> None:
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    scratch = folder / "counters"
    scratch.mkdir(parents=True, exist_ok=True)
    lab = GpuLab(CpuLab(scratch, scratch / "cache", "h200"), GpuClient(found[0], scratch), scratch, "h200")
    try:
        for name in _PROGRAMS:
            if time.monotonic() < end_s and not kept.count(program=name):
                kept.add(await _row(lab, name))
    finally:
        await lab.close()


async def _row(lab: GpuLab, name: str) -> dict[str, Any]:
    program = Program((Source(Path(f"/src/{name}.cu"), (_DATA / f"{name}.cu").read_text("utf-8")),), Flags(("-O3",)))
    run = await lab.run(program, "count", RunLimits(), record=True)
    assert isinstance(run, ProgramRun) and run.recording_path is not None, run
    case = Case(run.recording_path, (run.profiles[0].index,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    kernels = (run.profiles[0].kernel,)

    async def counted(method: Method) -> LaunchProfile:
        counts = await lab.counters.count(program, [case], kernels, RunLimits(), method)
        assert isinstance(counts, HardwareCounts) and counts.launches[0].method is method, counts
        return counts.launches[0]

    ours, ncu, cupti = _by_line(run.profiles[0]), _by_line(await counted(Method.NCU)), _by_line(await counted(Method.CUPTI))
    places = ours | ncu | cupti
    return {
        "program": name,
        "lines": len(places),
        "equal": sum(ours.get(place) == ncu.get(place) for place in places),
        "cupti_equal": sum(cupti.get(place) == ncu.get(place) for place in places),
        "differences": [
            f"{place}: ncu {ncu.get(place)}, CUPTI {cupti.get(place)}" for place in places if cupti.get(place) != ncu.get(place)
        ],
        "ncu_s": await _times(lambda: counted(Method.NCU), _REPEATS["ncu_s"]),
        "cupti_s": await _times(lambda: counted(Method.CUPTI), _REPEATS["cupti_s"]),
        "sanitizer_s": await _sanitized(lab, program, case) if name in _PROGRAMS[:_SANITIZED] else [],
    }


async def _sanitized(lab: GpuLab, program: Program, case: Case) -> list[float]:
    await lab.sanitizer.problems(program, [case], RunLimits())
    return await _times(lambda: lab.sanitizer.problems(program, [case], RunLimits()), _REPEATS["sanitizer_s"])


async def _times(ask: Callable[[], Awaitable[object]], repeats: int) -> list[float]:
    times: list[float] = []
    for _ in range(repeats):
        start_s = time.monotonic()
        answer = await ask()
        times.append(time.monotonic() - start_s)
        assert not isinstance(answer, LabFailure), answer
    return times


def _by_line(profile: LaunchProfile) -> dict[tuple[int, str], tuple[int | None, ...]]:
    """(line, kind of access) → requests, threads, sectors, ideal sectors, wavefronts, ideal wavefronts."""
    return {
        (a.line, a.op): (a.requests, a.active_threads, a.sectors, a.ideal_sectors, a.wavefronts, a.ideal_wavefronts)
        for a in profile.accesses
    }
