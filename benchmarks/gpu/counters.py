"""What counters and compute-sanitizer cost in a warm session, and whether ncu and CUPTI count alike.

Wall time from the question to the answer, as a front end sees it: one recorded launch, code compiled and worker started before. Example::

    measure_counters(kept, folder, end_s)
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
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
from assistant.ports.lab import HardwareCounts, LabFailure, Program, ProgramRun, RunLimits
from benchmarks.gpu.bench import Kept

__all__ = ["counters_table", "measure_counters"]

_DATA = Path(__file__).parents[2] / "tests" / "data" / "h200"
_PROGRAMS = (
    *(f"examples/{name}" for name in ("accumulator", "bank_conflicts", "block_size", "double_literals", "good_reduce", "good_saxpy")),
    *(f"examples/{name}" for name in ("pipeline", "row_walk", "transpose")),
    *(f"unseen/{name}" for name in ("conv2d_filter", "histogram256", "matmul_rect", "scan_blelloch", "softmax_rows", "stencil2d_halo")),
)
_ByLine = dict[tuple[int, str], tuple[int | None, ...]]
_REPEATS = {"ncu_s": 3, "cupti_s": 5, "sanitizer_s": 3}
"""Of each program, after calls on the first that start what is kept warm and fill the caches."""
_SANITIZED = 3
"""Programs on which compute-sanitizer is timed, too."""


def measure_counters(kept: Kept, folder: Path, end_s: float) -> None:
    """One row per program, until the clock (``time.monotonic``) reads ``end_s``."""
    asyncio.run(_measure(kept, folder, end_s))


def counters_table(rows: list[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    head = ("program", "lines", "CUPTI equals ncu", "ncu, s", "CUPTI, s", "sanitizer, s")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    lines += [f"| {' | '.join((row['program'], str(row['lines']), str(row['equal']), *_spans(row)))} |" for row in rows]
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


@dataclass(frozen=True)
class _Recorded:
    """A program whose first launch is counted, on a lab of its own."""

    name: str
    lab: GpuLab
    program: Program
    kernel: str
    case: Case

    async def counted(self, method: Method) -> LaunchProfile:
        counts = await self.lab.counters.count(self.program, [self.case], (self.kernel,), RunLimits(), method)
        assert isinstance(counts, HardwareCounts) and counts.launches[0].method is method, counts
        return counts.launches[0]


async def _measure(kept: Kept, folder: Path, end_s: float) -> None:
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    scratch = folder / "counters"
    client = GpuClient(found[0], scratch)
    labs: dict[str, GpuLab] = {}
    for name in (name for name in _PROGRAMS if not kept.count(program=name)):
        own = scratch / name
        own.mkdir(parents=True, exist_ok=True)
        labs[name] = GpuLab(CpuLab(own, scratch / "cache", "h200"), client, own, "h200", is_client_kept=True)
    try:
        room = asyncio.Semaphore(max(1, (os.cpu_count() or 1) // 2))
        programs = await asyncio.gather(*(_recorded(name, lab, room) for name, lab in labs.items()))
        for method in (Method.NCU, Method.CUPTI):
            await programs[0].counted(method)
        for recorded in programs:
            if time.monotonic() < end_s:
                kept.add(await _row(recorded))
    finally:
        for lab in labs.values():
            await lab.close()
        await client.close()


async def _recorded(name: str, lab: GpuLab, room: asyncio.Semaphore) -> _Recorded:
    program = Program((Source(Path(f"/src/{name}.cu"), (_DATA / f"{name}.cu").read_text("utf-8")),), Flags(("-O3",)))
    async with room:
        run = await lab.run(program, "count", RunLimits(), record=True)
        assert isinstance(run, ProgramRun) and run.recording_path is not None, run
        await lab.build(program, lab.client.gpu.architecture)
    case = Case(run.recording_path, (run.profiles[0].index,), CaseOrigin("recorded", "", 0, 1.0, 1.0))
    return _Recorded(name, lab, program, run.profiles[0].kernel, case)


async def _row(recorded: _Recorded) -> dict[str, Any]:
    by_ncu, ncu_s = await _counts(recorded, Method.NCU, _REPEATS["ncu_s"])
    by_cupti, cupti_s = await _counts(recorded, Method.CUPTI, _REPEATS["cupti_s"])
    ncu, cupti = _by_line(by_ncu), _by_line(by_cupti)
    places = ncu | cupti
    is_sanitized = recorded.name in _PROGRAMS[:_SANITIZED]
    return {
        "program": recorded.name,
        "lines": len(places),
        "equal": sum(cupti.get(place) == ncu.get(place) for place in places),
        "differences": [f"{place}: ncu {ncu.get(place)}, CUPTI {cupti.get(place)}" for place in _unequal(ncu, cupti)],
        "ncu_s": ncu_s,
        "cupti_s": cupti_s,
        "stalls": [_top_stalls(by_ncu), _top_stalls(by_cupti)],
        "measured": [{one.name: one.value for one in profile.measured} for profile in (by_ncu, by_cupti)],
        "sanitizer_s": await _sanitized(recorded) if is_sanitized else [],
    }


async def _counts(recorded: _Recorded, method: Method, repeats: int) -> tuple[LaunchProfile, list[float]]:
    """The last profile, and how long each took."""
    profiles: list[LaunchProfile] = []

    async def ask() -> object:
        profiles.append(await recorded.counted(method))
        return profiles[-1]

    times = await _times(ask, repeats)
    return profiles[-1], times


async def _sanitized(recorded: _Recorded) -> list[float]:
    def ask() -> Awaitable[object]:
        return recorded.lab.sanitizer.problems(recorded.program, [recorded.case], RunLimits())

    await ask()
    return await _times(ask, _REPEATS["sanitizer_s"])


async def _times(ask: Callable[[], Awaitable[object]], repeats: int) -> list[float]:
    times: list[float] = []
    for _ in range(repeats):
        start_s = time.monotonic()
        answer = await ask()
        times.append(time.monotonic() - start_s)
        assert not isinstance(answer, LabFailure), answer
    return times


def _by_line(profile: LaunchProfile) -> _ByLine:
    """(line, kind of access) → requests, threads, sectors, ideal sectors, wavefronts, ideal wavefronts."""
    return {
        (a.line, a.op): (a.requests, a.active_threads, a.sectors, a.ideal_sectors, a.wavefronts, a.ideal_wavefronts)
        for a in profile.accesses
    }


def _unequal(
    one: dict[tuple[int, str], tuple[int | None, ...]], other: dict[tuple[int, str], tuple[int | None, ...]]
) -> list[tuple[int, str]]:
    return [place for place in one | other if one.get(place) != other.get(place)]


def _top_stalls(profile: LaunchProfile) -> dict[str, float]:
    """Each reason's share of all samples, the five most frequent."""
    samples: Counter[str] = Counter()
    for stall in profile.stalls:
        samples[stall.reason] += stall.samples
    return {reason: count / samples.total() for reason, count in samples.most_common(5)}
