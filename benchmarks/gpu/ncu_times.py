"""What Nsight Compute measures of a program's launches, by kernel and shape. Knows nothing of times of ours.

Example::

    runs = [profiled(binary) for _ in range(5)]
    shape_times(runs)   # {Shape("scale", (4096, 1, 1), (256, 1, 1)): ShapeTime(2.1e-05, 0.01, 3)}
"""

from __future__ import annotations

import csv
import os
import re
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from assistant.device.counters.ncu import INSTALL_NCU, find_cuda_tool

__all__ = ["CLOCKS", "TIME", "Launch", "NoLaunches", "Shape", "ShapeTime", "bare", "launches_of", "ncu_path", "profiled", "shape_times"]

TIME = "gpu__time_duration.sum"
CLOCKS = (TIME, "smsp__cycles_elapsed.max", "smsp__cycles_elapsed.avg.per_second", "dram__cycles_elapsed.avg.per_second")
"""What tells how fast the clocks were while a launch was timed."""
_NS = 1e-9
"""In seconds: ncu's base unit of time."""
_MOST_LAUNCHES = 200
"""That are measured in one run."""
_TIMEOUT_S = 120.0
_SHOWN = 300
"""Characters at the end of what ncu said."""
_NAME = re.compile(r"(\w+)\s*(?:<.*>)?\s*(?:\(|$)")


@dataclass(frozen=True)
class Launch:
    """One launch of one run."""

    kernel: str
    """As ncu demangles it."""
    grid: tuple[int, ...]
    block: tuple[int, ...]
    metrics: dict[str, tuple[float, str]] = field(default_factory=dict[str, tuple[float, str]])
    """Values and units by ncu's name; without those that ncu could not measure."""


@dataclass(frozen=True, order=True)
class Shape:
    """Launches that are told apart neither by ncu nor by a timing of ours."""

    kernel: str
    """Without namespaces, template arguments and parameters."""
    grid: tuple[int, ...]
    block: tuple[int, ...]


@dataclass(frozen=True)
class ShapeTime:
    """Of the launches of one shape in several runs."""

    median_s: float
    """Median over the runs of each run's median."""
    spread_ratio: float
    """(largest - least) / median of the runs' medians."""
    launch_count: int
    """In the last run."""


@dataclass(frozen=True)
class NoLaunches:
    """Nsight Compute measured nothing."""

    reason: str


def profiled(
    binary: Path, metrics: Sequence[str] = (TIME,), cache_control: Literal["all", "none"] = "all"
) -> tuple[Launch, ...] | NoLaunches:
    """One run of a program under ncu, clocks left as they are, in the order of its launches; caches emptied before each unless ``none``."""
    how = ("--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", cache_control)
    what = ("--metrics", ",".join(metrics), "--launch-count", str(_MOST_LAUNCHES))
    command = (str(ncu_path()), *how, *what, str(binary))
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, cwd=binary.parent, check=False)
    except subprocess.TimeoutExpired:
        return NoLaunches(f"ncu took more than {_TIMEOUT_S:.0f} s")
    said = f"ncu ended with {ended.returncode}: {ended.stdout[-_SHOWN:]} {ended.stderr[-_SHOWN:]}"
    return launches_of(ended.stdout) or NoLaunches(said)


def ncu_path() -> Path:
    """Where ncu is; ends the program where it is not installed."""
    found = find_cuda_tool("ncu", os.environ)
    if found is None:
        raise SystemExit(f"no ncu: {INSTALL_NCU}")
    return found


def launches_of(output: str) -> tuple[Launch, ...]:
    """What ``ncu --csv`` printed: a line for each metric of each launch, below what the program and ncu itself print."""
    lines = output.splitlines()
    start = next((index for index, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    found: dict[int, Launch] = {}
    for record in csv.DictReader(lines[start:]):
        if not record.get("Metric Name"):
            continue
        launch = Launch(record["Kernel Name"], _integers(record["Grid Size"]), _integers(record["Block Size"]))
        launch = found.setdefault(int(record["ID"]), launch)
        value = _number(record["Metric Value"])
        if value is not None:
            launch.metrics[record["Metric Name"]] = (value, record["Metric Unit"])
    return tuple(found[index] for index in sorted(found))


def shape_times(runs: Iterable[Sequence[Launch]]) -> dict[Shape, ShapeTime]:
    """By shape, over several runs of one program."""
    medians: dict[Shape, list[float]] = defaultdict(list)
    counts: dict[Shape, int] = {}
    for run in runs:
        times: dict[Shape, list[float]] = defaultdict(list)
        for launch in run:
            if TIME in launch.metrics:
                times[Shape(bare(launch.kernel), launch.grid, launch.block)].append(launch.metrics[TIME][0] * _NS)
        for shape, values in times.items():
            medians[shape].append(statistics.median(values))
            counts[shape] = len(values)
    return {shape: _shape_time(values, counts[shape]) for shape, values in medians.items()}


def bare(kernel: str) -> str:
    """``void a::k<int>(float*)`` → ``k``."""
    found = _NAME.search(kernel.removeprefix("void "))
    return found[1] if found else kernel


def _shape_time(medians: Sequence[float], launch_count: int) -> ShapeTime:
    middle = statistics.median(medians)
    return ShapeTime(middle, (max(medians) - min(medians)) / middle, launch_count)


def _integers(text: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", text))


def _number(text: str) -> float | None:
    """None for ``n/a``, which stands for what could not be measured."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None
