"""What `compare` adds to the other figures: a process of its own. The same code against itself, each time in a fresh worker.

Example::

    measure_workers(kept, folder, end_s)
    print(workers_table(kept.rows))
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import NoGpu, usable_gpus
from assistant.measure.paired import compare_timing
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case, CaseOrigin
from assistant.ports.lab import Program, ProgramRun, RunLimits
from benchmarks.gpu.bench import Kept
from benchmarks.table import heading, row

__all__ = ["measure_workers", "workers_table"]

_PROGRAM = Path(__file__).parents[2] / "examples" / "pipeline.cu"
"""Several kernels in one program: one worker times all of them."""
_COUNT = 20


def measure_workers(kept: Kept, folder: Path, end_s: float) -> None:
    """One row per worker and kernel, until the clock (``time.monotonic``) reads ``end_s``."""
    scratch = folder / "workers"
    scratch.mkdir(parents=True, exist_ok=True)
    asyncio.run(_measure(kept, scratch, end_s))


def workers_table(rows: Sequence[dict[str, Any]]) -> str:
    """As it stands in docs/measurements.md."""
    names = list(dict.fromkeys(found["kernel"] for found in rows))
    header = ("kernel", "time", "workers", "SAME", "INCONCLUSIVE", "FASTER or SLOWER", "interval holds 1", "ratio: median, range")
    lines = [_line(name, [found for found in rows if found["kernel"] == name]) for name in names]
    return "\n".join((heading(*header, "standard deviation", "time between workers: standard deviation"), *lines))


def _line(name: str, of: Sequence[dict[str, Any]]) -> str:
    ratios, times = [found["ratio"] for found in of], [found["a_s"] for found in of]
    outcomes = [sum(found["outcome"] in wanted for found in of) for wanted in (("SAME",), ("INCONCLUSIVE",), ("FASTER", "SLOWER"))]
    held = sum(found["low"] <= 1 <= found["high"] for found in of)
    spreads = [statistics.stdev(values) / statistics.mean(values) if len(values) > 1 else 0.0 for values in (ratios, times)]
    return row(
        name,
        f"{statistics.median(times) * 1e6:.3g} µs",
        str(len(of)),
        *map(str, outcomes),
        str(held),
        f"{statistics.median(ratios):.4f}, {min(ratios):.4f} to {max(ratios):.4f}",
        *(f"{100 * value:.3f} %" for value in spreads),
    )


async def _measure(kept: Kept, scratch: Path, end_s: float) -> None:
    found = usable_gpus(os.environ)
    if isinstance(found, NoGpu):
        raise SystemExit(f"{found.reason}: {found.remedy}")
    lab = GpuLab(CpuLab(scratch, scratch / "cache", "h200"), GpuClient(found[0], scratch), scratch, "h200")
    try:
        program = Program((Source(_PROGRAM, _PROGRAM.read_text("utf-8")),), Flags(("-O3",)))
        run = await lab.run(program, "plain", RunLimits(), record=True)
        assert isinstance(run, ProgramRun) and run.recording_path is not None and run.recording is not None, run
        first = {launch.kernel: launch.index for launch in reversed(run.recording.launches)}
        cases = [Case(run.recording_path, (index,), CaseOrigin("recorded", name, 0, 1.0, 1.0)) for name, index in first.items()]
        for turn in range(len({known["turn"] for known in kept.rows}), _COUNT):
            if time.monotonic() < end_s:
                options = TimingOptions(seed=turn, is_fresh=True)
                timing = await lab.timing.time(program, program, [(case, case) for case in cases], options, RunLimits())
                assert isinstance(timing, PairTiming), timing
                for compared in _rows(timing, turn):
                    kept.add(compared)
    finally:
        await lab.close()


def _rows(timing: PairTiming, turn: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for case in timing.cases:
        compared = compare_timing(PairTiming((case,), timing.device), turn)
        values = {"ratio": compared.ratio, "low": compared.low, "high": compared.high, "a_s": compared.cases[0].before_s}
        rows.append({"turn": turn, "kernel": case.shape.partition("(")[0], "outcome": compared.outcome.value, **values})
    return rows
