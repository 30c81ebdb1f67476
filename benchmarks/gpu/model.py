"""How wrong the performance model is: `optimize` on programs, each candidate predicted and timed; and how fast candidates are tried.

Programs are searched a few at a time, as the emulator takes most of the time; their kernels are timed one after another.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from assistant.measure.calibration import LAUNCH_S
from assistant.measure.scoring import ModelError, ScoredPrediction, score
from assistant.measure.targets import target_for_device
from assistant.memory.store import open_store
from assistant.model.attempt import Attempt
from benchmarks.gpu.bench import Kept
from benchmarks.table import heading, row

__all__ = ["measure_model", "model_table", "write_accuracy", "write_accuracy_module"]

_ROOT = Path(__file__).resolve().parents[2]
_SEARCHED = tuple(path for folder in ("examples", "tests/data/h200") for path in sorted((_ROOT / folder).glob("*.cu")))
_PROFILED = (*_SEARCHED, *sorted((_ROOT / "tests/data/h200/unseen").glob("*.cu")))
_FIRST = "pipeline.cu"
"""Searched alone: it compiles what all of them share, and shows how fast candidates are tried."""
_AT_ONCE = 8
_WALL_S = 120.0
_LEAST_LEFT_S = 10.0


_ACCURACY = _ROOT / "assistant" / "measure" / "measured_error.py"
"""What the product says of its predictions."""


def measure_model(kept: Kept, folder: Path, end_s: float) -> None:
    """Rows ``candidate``: right and timed; ``launch``: a launch shape predicted and timed; ``program``: how a command went."""
    done = {(found["program"], found.get("command")) for found in kept.rows if found["what"] == "program"}
    jobs = [("optimize", path) for path in sorted(_SEARCHED, key=lambda path: path.name != _FIRST)] + [
        ("profile", path) for path in _PROFILED
    ]
    waiting = [(command, path) for command, path in jobs if (path.name, command) not in done]

    def run(job: tuple[str, Path]) -> list[dict[str, Any]]:
        return _run(*job, folder, end_s)

    for job in waiting[:1]:
        for found in run(job):
            kept.add(found)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for rows in pool.map(run, waiting[1:]):
            for found in rows:
                kept.add(found)


def _run(command: str, path: Path, folder: Path, end_s: float) -> list[dict[str, Any]]:
    left_s = end_s - time.monotonic()
    if left_s < _LEAST_LEFT_S:
        return []
    place = folder / "programs" / path.stem
    place.mkdir(parents=True, exist_ok=True)
    copied = Path(shutil.copy(path, place / path.name)).resolve()
    home = (folder / "home").resolve()
    start_s = time.monotonic()
    arguments = ("--accept", "none", "--allow-host-code") if command == "optimize" else ()
    line = (sys.executable, "-m", "assistant", command, copied.name, "--device", "gpu:0", "--json", *arguments)
    environment = {**os.environ, "KERNELOPT_HOME": str(home)}
    try:
        run = subprocess.run(line, cwd=place, env=environment, capture_output=True, text=True, timeout=min(left_s, _WALL_S), check=False)
        status, output, said = run.returncode, run.stdout, run.stderr[-500:] + run.stdout[-500:]
    except subprocess.TimeoutExpired:
        status, output, said = None, "", "timed out"
    seconds = time.monotonic() - start_s
    summary: dict[str, Any] = {"program": path.name, "what": "program", "command": command, "status": status, "seconds": seconds}
    if command == "optimize":
        attempts = _attempts(home / "memory.sqlite3", copied)
        rows = [_row(path, attempt) for attempt in attempts if attempt.comparison is not None]
        summary["attempts"] = [(attempt.outcome, attempt.created_ms) for attempt in attempts]
    else:
        rows = [_launch_row(path, event) for event in _events(output) if event["event"] == "profile_summary" and event["measured"]]
    return [*rows, summary if status in (0, 1) else {**summary, "said": said}]


def write_accuracy(rows: Sequence[dict[str, Any]]) -> None:
    """The module that the product reads, from the candidates of all programs; left as it is where there are none."""
    timed = [found for found in rows if found["what"] == "candidate" and found["predicted"] is not None]
    if not timed:
        return
    scored = [ScoredPrediction(found["bottleneck"], found["predicted"], found["ratio"], found["program"]) for found in timed]
    state = re.search(r"(?P<name>[^;,]+), (?P<rest>driver .+)$", timed[0]["method"])
    assert state is not None, "a method line ends with device and driver"
    write_accuracy_module(scored, state["name"].strip(), f"paired ABBA blocks; {state['rest']}")


def write_accuracy_module(scored: Sequence[ScoredPrediction], device_name: str, method: str, path: Path = _ACCURACY) -> None:
    """What was predicted and measured on a device, as the module that the product reads."""
    own = target_for_device(device_name)
    assert own is not None, f"no target for {device_name}"
    rounded = [replace(one, predicted_ratio=round(one.predicted_ratio, 6), measured_ratio=round(one.measured_ratio, 6)) for one in scored]
    pairs = "\n".join(f"    {_in_code(one)}," for one in rounded)
    errors = "\n".join(f"        {_in_code(error)}," for error in score(rounded))
    path.write_text(_MODULE.format(name=device_name, target=own.name, method=method, pairs=pairs, errors=errors), "utf-8")


def _in_code(value: ScoredPrediction | ModelError) -> str:
    """Its constructor's call; numbers to six places."""
    parts = (getattr(value, field.name) for field in fields(value))
    shown = (f'"{part}"' if isinstance(part, str) else f"{part:.6f}" if isinstance(part, float) else f"{part}" for part in parts)
    return f"{type(value).__name__}({', '.join(shown)})"


_MODULE = '''"""How wrong the performance model was where a GPU re-measured its predictions.

Written by ``make bench-gpu PART=model``, ``python -m benchmarks.model_fit error`` or ``python -m benchmarks.predicted_vs_measured``
with ``--write``: measure again instead of editing.
"""

from __future__ import annotations

from assistant.measure.scoring import ModelAccuracy, ModelError, ScoredPrediction

__all__ = ["MODEL_ACCURACY", "REMEASURED"]

REMEASURED = (
{pairs}
)
"""Edits of the expert planner, each predicted and timed against the version that it edits."""

MODEL_ACCURACY = ModelAccuracy(
    device_name="{name}",
    target="{target}",
    method="{method}",
    errors=(
{errors}
    ),
)
"""Accuracy over `REMEASURED`: all, then by bottleneck where that was kept; fields as in `ModelError`, in their order."""
'''


def _events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def _launch_row(path: Path, event: dict[str, Any]) -> dict[str, Any]:
    names = ("kernel", "instance", "grid", "block", "bottleneck", "predicted_time_s", "speed_of_light_ratio", "speed_of_light_limit")
    return {"program": path.name, "what": "launch", **{name: event[name] for name in names}, **event["measured"]}


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
    """Errors of predicted ratios of two versions, and of predicted times of single launches, by the model's bottleneck."""
    timed = [found for found in rows if found["what"] == "candidate" and found["predicted"] is not None]
    launches = [found for found in rows if found["what"] == "launch" and found["predicted_time_s"] is not None]
    ratios = [(found["bottleneck"], found["predicted"], found["ratio"], found["program"]) for found in timed]
    times = [(found["bottleneck"], found["predicted_time_s"] - LAUNCH_S, found["time_s"], found["program"]) for found in launches]
    programs = [found for found in rows if found["what"] == "program"]
    ended = sum(found["status"] in (0, 1) for found in programs)
    sided = [(predicted, measured) for _, predicted, measured, _ in ratios if abs(math.log(measured)) > _CLEAR]
    right = sum((predicted > 1) == (measured > 1) for predicted, measured in sided)
    return "\n".join(
        (
            heading(
                "bottleneck before", "candidates", "programs", "predicted / measured ratio: median", "median factor", "nine in ten within"
            ),
            *_lines(ratios),
            "",
            heading("bottleneck", "launch shapes", "programs", "predicted / measured time: median", *_ERRORS),
            *_lines(times),
            "",
            f"{right} of {len(sided)} candidates beyond ±5 % predicted on the right side of 1; {ended} of {len(programs)} commands ended",
        )
    )


_CLEAR = math.log(1.05)
_ERRORS = ("median factor", "nine in ten within")
Judged = tuple[str, float, float, str]
"""(bottleneck, predicted, measured, program)"""


def _lines(judged: Sequence[Judged]) -> list[str]:
    names = sorted({name for name, *_ in judged})
    return [row(*_line(name, [item for item in judged if item[0] == name])) for name in names] + (
        [row(*_line("all", judged))] if judged else []
    )


def _line(name: str, of: Sequence[Judged]) -> tuple[str, ...]:
    logs = [math.log(max(predicted, 1e-12) / measured) for _, predicted, measured, _ in of]
    factors = sorted(math.exp(abs(log)) for log in logs)
    covered = factors[math.ceil(0.9 * len(factors)) - 1]
    programs = len({program for *_, program in of})
    median = math.exp(statistics.median(logs))
    return (name, str(len(of)), str(programs), f"{median:.2f}", f"{statistics.median(factors):.2f}", f"{covered:.2f}")
