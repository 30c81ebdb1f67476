"""How wrong the performance model is: `optimize` on programs, each candidate predicted and timed; and how fast candidates are tried.

Programs are searched a few at a time, as the emulator takes most of the time; their kernels are timed one after another.
"""

from __future__ import annotations

import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from assistant.measure.score import Scored, score
from assistant.memory.store import open_store
from assistant.model.attempt import Attempt
from assistant.model.comparison import SpeedOutcome
from benchmarks.gpu.bench import Kept
from benchmarks.table import heading, row

__all__ = ["measure_model", "model_table"]

_ROOT = Path(__file__).resolve().parents[2]
_PROGRAMS = tuple(
    path for folder in ("examples", "tests/data/h200", "tests/data/h200/unseen") for path in sorted((_ROOT / folder).glob("*.cu"))
)
_AT_ONCE = 5
_WALL_S = 120.0
_LEAST_LEFT_S = 10.0


def measure_model(kept: Kept, folder: Path, end_s: float) -> None:
    """One row for each candidate that was right and could be timed, and one for each program."""
    done = {found["program"] for found in kept.rows}
    waiting = [path for path in _PROGRAMS if path.name not in done]

    def search(path: Path) -> list[dict[str, Any]]:
        return _searched(path, folder, end_s)

    for path in waiting[:1]:  # alone: it compiles what all of them share
        for found in search(path):
            kept.add(found)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for rows in pool.map(search, waiting[1:]):
            for found in rows:
                kept.add(found)


def _searched(path: Path, folder: Path, end_s: float) -> list[dict[str, Any]]:
    left_s = end_s - time.monotonic()
    if left_s < _LEAST_LEFT_S:
        return []
    place = folder / "programs" / path.stem
    place.mkdir(parents=True, exist_ok=True)
    copied = Path(shutil.copy(path, place / path.name)).resolve()
    command = (sys.executable, "-m", "assistant", "optimize", copied.name, "--device", "gpu:0", "--accept", "none", "--json")
    home = (folder / "home").resolve()
    environment = {**os.environ, "KERNELOPT_HOME": str(home)}
    start_s = time.monotonic()
    try:
        run = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=min(left_s, _WALL_S), check=False)
        status, said = run.returncode, run.stderr[-500:] + run.stdout[-500:]
    except subprocess.TimeoutExpired:
        status, said = None, "timed out"
    seconds = time.monotonic() - start_s
    attempts = _attempts(home / "memory.sqlite3", copied)
    rows = [_row(path, attempt) for attempt in attempts if attempt.comparison is not None]
    summary: dict[str, Any] = {"program": path.name, "what": "program", "status": status, "seconds": seconds, "attempts": len(attempts)}
    return [*rows, summary if status in (0, 1) else {**summary, "said": said}]


def _attempts(memory: Path, path: Path) -> tuple[Attempt, ...]:
    if not memory.exists():
        return ()
    store = open_store(memory)
    try:
        return store.attempts(path=path, limit=10_000)
    finally:
        store.close()


def _row(path: Path, attempt: Attempt) -> dict[str, Any]:
    comparison = attempt.comparison
    assert comparison is not None
    return {
        "program": path.name,
        "what": "candidate",
        "kernel": attempt.kernel,
        "technique": attempt.technique,
        "outcome": attempt.outcome,
        "speed": comparison.outcome.value,
        "bottleneck": comparison.bottleneck_before,
        "predicted": comparison.predicted_ratio,
        "ratio": comparison.ratio,
        "low": comparison.low,
        "high": comparison.high,
        "before_s": comparison.cases[0].before_s,
        "method": comparison.method,
    }


def model_table(rows: Sequence[dict[str, Any]]) -> str:
    """Errors by bottleneck, then all: how far nine in ten predicted ratios are from the measured ones, and the sign of the gain."""
    timed = [found for found in rows if found["what"] == "candidate" and found["predicted"] is not None]
    lines = [
        _line(name, [found for found in timed if found["bottleneck"] == name]) for name in sorted({found["bottleneck"] for found in timed})
    ]
    header = ("bottleneck before", "candidates", "programs", "median factor", "nine in ten within", "right side of 1 (beyond ±5 %)")
    table = [heading(*header), *(row(*line) for line in (*lines, _line("all", timed)) if line)]
    programs = [found for found in rows if found["what"] == "program"]
    scored = score(tuple(Scored(found["bottleneck"], found["predicted"], found["ratio"]) for found in timed))
    table += ["", *(f"{error.bottleneck}: {error.count} scored, factor {error.factor:.2f}" for error in scored)]
    measured = sum(found["speed"] != SpeedOutcome.PREDICTED.value for found in rows if found["what"] == "candidate")
    ended = sum(found["status"] in (0, 1) for found in programs)
    table += ["", f"{ended} of {len(programs)} programs searched to the end; {measured} candidates timed"]
    return "\n".join(table)


def _line(name: str, of: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    if not of:
        return ()
    factors = sorted(math.exp(abs(math.log(found["predicted"] / found["ratio"]))) for found in of)
    sided = [found for found in of if abs(math.log(found["ratio"])) > math.log(1.05)]
    right = sum((found["predicted"] > 1) == (found["ratio"] > 1) for found in sided)
    covered = factors[math.ceil(0.9 * len(factors)) - 1]
    programs = len({found["program"] for found in of})
    return (name, str(len(of)), str(programs), f"{statistics.median(factors):.2f}", f"{covered:.2f}", f"{right} of {len(sided)}")
