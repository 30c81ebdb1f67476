"""Draws tasks until there are as many as are asked for, and writes them with their provenance.

In a folder: ``operators/NAME.py``, ``kernels/NAME.cu``, ``solutions/NAME.cu`` (known good versions of kernels, not for agents),
``tasks.jsonl`` (a line for each task), ``refused.jsonl`` (what the judge refused) and ``report.json`` (all that was left out, and why).
Example::

    made = await write_tasks(Asked(folder, operators=50, kernels=50, seed=7), check)
    made.kept, made.left_out
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from assistant.agents.synthesis.drawn import Drawn, Kind
from assistant.agents.synthesis.kernels import draw_kernel
from assistant.agents.synthesis.likeness import MOST_LIKENESS, too_like
from assistant.agents.synthesis.manifest import Manifest
from assistant.agents.synthesis.operators import draw_operator
from assistant.errors import CannotAnswerError, UsageError
from assistant.measure.targets import DEFAULT_TARGET, target
from assistant.model.device import Target
from assistant.record import Record
from assistant.serialize import encode

__all__ = ["LEAST_S", "MOST_S", "SCHEMA", "Asked", "Check", "Fault", "LeftOut", "Made", "draw_tasks", "read_benchmark", "write_tasks"]

SCHEMA = 1
"""Version of ``tasks.jsonl`` and ``report.json``."""
LEAST_S, MOST_S = 0.05e-3, 100e-3
"""Least times of tasks at their real sizes: shorter ones are launches alone, longer ones take too long to judge."""
_TRIES = 40
"""Draws for each task that is asked for, at most."""
_FOLDERS = {Kind.OPERATOR: "operators", Kind.KERNEL: "kernels"}
_MOST_BENCHMARK_BYTES = 1 << 20


class Asked(Record):
    """What is to be made."""

    folder: Path
    """Absolute; made, empty, or begun earlier with the same seed."""
    operators: int
    kernels: int
    seed: int = 0
    target: str = DEFAULT_TARGET
    """Whose least times are estimated."""
    benchmark: Path | None = None
    """Folder of a benchmark that no operator may be near to; None: none is compared."""
    jobs: int = 1
    """Checks at once."""


class Fault(StrEnum):
    """Why a drawn task is left out."""

    TIME = "its least time is too short or too long"
    BENCHMARK = "too like a benchmark's task"
    JUDGE = "the judge takes no such task"
    SOLUTION = "its known solution is not right"


class LeftOut(Record):
    """A drawn task that is none."""

    name: str
    code: Fault
    reason: str


class Check(Record):
    """What running a task showed."""

    left_out: LeftOut | None
    """None: it is kept."""
    predicted_ratio: float | None = None
    """Of the known solution, by the performance model; None where there is none, or it was timed."""
    measured_ratio: float | None = None
    start_s: float | None = None
    """Measured time of the start's kernel at the real sizes; None where nothing was timed."""


class Made(Record):
    """What came of it."""

    kept: int
    left_out: tuple[LeftOut, ...]


CheckTask = Callable[[Drawn, Path], Awaitable[Check]]
"""Is given a task and its file."""


def draw_tasks(kind: Kind, seed: int, count: int) -> Iterator[Drawn]:
    """Different structures, more than are asked for: some are left out. Endless draws end with the tries."""
    seen: set[str] = set()
    draw = draw_operator if kind is Kind.OPERATOR else draw_kernel
    for number in range(count * _TRIES):
        drawn = draw(seed, number)
        if drawn.structure not in seen:
            seen.add(drawn.structure)
            yield drawn


async def write_tasks(asked: Asked, check: CheckTask | None) -> Made:
    """``check``: runs a task that was written; None: nothing is run, and the manifest says so.

    What an interrupted making left is gone on with. Raises KernelOptError.
    """
    manifest = Manifest(asked.folder, asked.seed, asked.target)
    benchmark = {} if asked.benchmark is None else read_benchmark(asked.benchmark)
    on = target(asked.target)

    @cache
    def unfit(drawn: Drawn) -> LeftOut | None:
        return _unfit(drawn, on, benchmark)

    left_out = list[LeftOut]()
    for kind, count in ((Kind.OPERATOR, asked.operators), (Kind.KERNEL, asked.kernels)):
        draws = draw_tasks(kind, asked.seed, count)
        fresh = (drawn for drawn in draws if unfit(drawn) is None and drawn.name not in manifest)
        while batch := list(islice(fresh, min(asked.jobs, max(0, count - manifest.count(kind))))):
            await _write_batch(asked, batch, check, manifest)
        left_out += _left_out(kind, asked.seed, manifest, unfit)
    kept = sum(map(manifest.count, Kind))
    _write(asked.folder / "report.json", json.dumps(_report(asked, kept, left_out, len(benchmark), check is not None), indent=2) + "\n")
    return Made(kept, tuple(left_out))


def _left_out(kind: Kind, seed: int, manifest: Manifest, unfit: Callable[[Drawn], LeftOut | None]) -> Iterator[LeftOut]:
    """In the order in which they were drawn, up to the last that was kept or refused."""
    open_names = manifest.names(kind)
    for drawn in draw_tasks(kind, seed, len(open_names)):
        if not open_names:
            return
        fault = unfit(drawn)
        if fault is not None:
            yield fault
        elif drawn.name in manifest.refused:
            line = manifest.refused[drawn.name]
            yield LeftOut(drawn.name, Fault[line["code"].upper()], line["reason"])
        open_names.discard(drawn.name)


async def _write_batch(asked: Asked, batch: Sequence[Drawn], check: CheckTask | None, manifest: Manifest) -> None:
    """Check some at once. They are kept in the order in which they were drawn, however many run at once."""
    files = [asked.folder / _FOLDERS[drawn.kind] / drawn.file_name for drawn in batch]
    for drawn, file in zip(batch, files, strict=True):
        _write(file, drawn.text)
    checks: Sequence[Check | None] = [None] * len(batch)
    if check is not None:
        checks = await asyncio.gather(*map(check, batch, files))
    for drawn, file, found in zip(batch, files, checks, strict=True):
        fault = None if found is None else found.left_out
        if fault is not None:
            file.unlink()
            manifest.refuse(_entry(fault))
            continue
        if drawn.solution is not None:
            _write(asked.folder / "solutions" / file.name, drawn.solution)
        manifest.keep(_provenance(asked, drawn, file, found))


def read_benchmark(folder: Path) -> dict[str, str]:
    """Texts of Python files below a folder, by names without their ending. Raises UsageError where there are none."""
    paths = [path for path in sorted(folder.rglob("*.py")) if path.is_file() and path.stat().st_size <= _MOST_BENCHMARK_BYTES]
    texts = {path.stem: path.read_text("utf-8", "replace") for path in paths}
    found = {name: text for name, text in texts.items() if "forward" in text}
    if not found:
        raise UsageError(f"{folder} has no Python file with a forward function", "name the folder of the benchmark's tasks")
    return found


def least_time_s(drawn: Drawn, on: Target) -> float:
    """By bytes and operations at the real sizes, at the target's peaks (fp64 and 16-bit at their own rate; matrices on fp32 units)."""
    lanes = {"double": on.fp64_lanes_per_sm, "float16": on.half_lanes_per_sm, "bfloat16": on.half_lanes_per_sm}
    rate = 2 * lanes.get(drawn.dtype, on.fp32_lanes_per_sm) * on.sm_count * on.clock_hz
    return max(drawn.moved_bytes / on.dram_bytes_per_s, drawn.operation_count / rate)


def _unfit(drawn: Drawn, on: Target, benchmark: dict[str, str]) -> LeftOut | None:
    """Why nothing is to be run of it; None where it may be."""
    time_s = least_time_s(drawn, on)
    if not LEAST_S <= time_s <= MOST_S:
        limits = f"not between {LEAST_S * 1e3:g} and {MOST_S * 1e3:g} ms"
        return LeftOut(drawn.name, Fault.TIME, f"{time_s * 1e3:.3g} ms on {on.name}, {limits}")
    near = too_like(drawn.name, drawn.text, benchmark) if drawn.kind is Kind.OPERATOR else None
    if near is None:
        return None
    return LeftOut(drawn.name, Fault.BENCHMARK, f"{near.other}: {near.ratio:.2f}, more than {MOST_LIKENESS}")


def _provenance(asked: Asked, drawn: Drawn, file: Path, found: Check | None) -> dict[str, Any]:
    about = {name: value for name, value in encode(drawn).items() if name not in {"text", "solution"}}
    about |= {"sizes": dict(drawn.sizes), "real_sizes": dict(drawn.real_sizes)}
    return {
        "schema": SCHEMA,
        "file": file.relative_to(asked.folder).as_posix(),
        "solution": None if drawn.solution is None else f"solutions/{file.name}",
        "split": drawn.split.value,
        **about,
        "least_time_s": least_time_s(drawn, target(asked.target)),
        "target": asked.target,
        "checked": None if found is None else {name: value for name, value in encode(found).items() if name != "left_out"},
    }


def _report(asked: Asked, kept: int, left_out: list[LeftOut], benchmark_count: int, is_checked: bool) -> dict[str, Any]:
    compared = {"folder": str(asked.benchmark), "tasks": benchmark_count, "most_likeness": MOST_LIKENESS}
    return {
        "schema": SCHEMA,
        "seed": asked.seed,
        "kept": kept,
        "is_checked": is_checked,
        "benchmark": None if asked.benchmark is None else compared,
        "left_out": [_entry(each) for each in left_out],
    }


def _entry(fault: LeftOut) -> dict[str, Any]:
    return {"name": fault.name, "code": fault.code.name.lower(), "reason": fault.reason}


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise CannotAnswerError(f"{path} cannot be written: {error.strerror}", "free space, or name another folder") from error
