"""How long libraries take for what the suite's programs compute, on the same shapes and types: cuBLAS, cuDNN, cuSOLVER, CUB, PyTorch.

    python -m benchmarks.gpu libraries --sizes 3 [--out FOLDER] [--seconds N]
    python -m benchmarks.gpu.libraries --sizes 3 …        # the same, where nothing of kernelopt's is installed

Needs a PyTorch for CUDA in this Python, and nvcc for CUB. ``libraries.jsonl`` in FOLDER gets a line for each program, size and library as
soon as it is timed; what is there is not timed again. The measuring is a child's (`library_run`), so that calls that break their
process are a row with that reason, and the others go on. `library_table` sets the rows next to those of ``kernelopt bench``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.gpu.library_build import CubBuild
from benchmarks.table import heading, row

__all__ = [
    "NONE",
    "ROWS_NAME",
    "RUNNING_NAME",
    "Rows",
    "Sized",
    "chosen",
    "key_of",
    "libraries_table",
    "measure_libraries",
    "print_libraries",
    "read_rows",
]

Rows = Sequence[dict[str, Any]]

ROWS_NAME = "libraries.jsonl"
RUNNING_NAME = "libraries.running.json"
"""What the child is at: where it died, that is why there is no row."""
_SUITE = Path(__file__).resolve().parents[1] / "suite" / "suite.toml"
_WORDS = ("smallest", "largest", "all")
_CAPTURE_FAILED = 3
_CHILD = (sys.executable, "-m", "benchmarks.gpu.library_run")
_OWN_S = 3.0
"""Kept for the end of the child and the table."""

NONE = {
    "montecarlo": "no library walks each path with the program's own random numbers; cuRAND's are others, and PyTorch would write every "
    "step's prices",
    "adi": "cuSPARSE solves batches of tridiagonal systems, but neither it nor PyTorch or CUB has a half step, whose right-hand sides are "
    "made of the other direction's neighbours",
    "fdtd": "no library has the update of three staggered fields; in PyTorch it would be several passes over slices for each step",
    "needleman_wunsch": "no library here fills an alignment's score matrix, where each cell depends on three before it",
    "nbody": "no library here adds up softened forces between all pairs; PyTorch would write n by n differences",
}
"""Programs that no library does, and why."""


class Sized(NamedTuple):
    """A program at a size."""

    program: str
    size: tuple[int, ...]
    smallest: tuple[int, ...]
    """Where results are checked."""


def chosen(sizes: str) -> tuple[Sized, ...]:
    """The suite's programs at ``smallest``, ``largest``, ``all`` or numbers of sizes from 1, as in ``kernelopt bench``; ValueError for
    others."""
    return tuple(
        Sized(program["name"], tuple(size), tuple(program["sizes"][0]))
        for program in tomllib.loads(_SUITE.read_text("utf-8"))["program"]
        for size in _sizes(program["sizes"], sizes)
    )


def _sizes(known: list[list[int]], asked: str) -> Iterator[list[int]]:
    if asked in _WORDS:
        yield from {"smallest": known[:1], "largest": known[-1:], "all": known}[asked]
        return
    for word in asked.split(","):
        if not word.isdigit() or not 1 <= int(word) <= len(known):
            raise ValueError(f"sizes {asked!r}: give smallest, largest, all, or numbers from 1 to {len(known)} with commas")
        yield known[int(word) - 1]


def key_of(row: dict[str, Any]) -> tuple[object, ...]:
    """Tells a row from all others."""
    return (row["program"], tuple(row["size"]), row["library"], row["calls"])


def read_rows(path: Path) -> list[dict[str, Any]]:
    """All whole lines; none where there is no file."""
    if not path.exists():
        return []
    text = path.read_text("utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]


def measure_libraries(folder: Path, sizes: str, end_s: float, child: tuple[str, ...] = _CHILD) -> list[dict[str, Any]]:
    """All rows of the folder, those that were missing timed until ``end_s`` (as ``time.monotonic`` counts).

    Raises ValueError for unknown sizes."""
    wanted = chosen(sizes)
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ROWS_NAME
    _cut_half_line(path)
    _write_none(path, wanted)
    with CubBuild(folder):
        while time.monotonic() < end_s - _OWN_S:
            before = len(read_rows(path))
            status = _status((*child, str(folder), "--sizes", sizes), folder, end_s)
            if status is None or status == 0:
                break
            if status != _CAPTURE_FAILED and not _blamed(folder, status):
                print(f"The child ended with status {status} before it began with an operation.", flush=True)
            if len(read_rows(path)) == before:
                break
    return read_rows(path)


def _status(child: tuple[str, ...], folder: Path, end_s: float) -> int | None:
    """What the child ended with; None where time was up."""
    left_s = end_s - time.monotonic()
    command = (*child, "--seconds", f"{left_s - _OWN_S:.1f}")
    environment = {**os.environ, "NVIDIA_TF32_OVERRIDE": "0"}
    (folder / RUNNING_NAME).unlink(missing_ok=True)
    try:
        return subprocess.run(command, cwd=_SUITE.parents[2], env=environment, timeout=left_s, check=False).returncode
    except subprocess.TimeoutExpired:
        print("time is up: what is not timed yet is timed when this is started again", flush=True)
        return None


def _blamed(folder: Path, status: int) -> bool:
    """Whether a row says now what the child died of."""
    running = folder / RUNNING_NAME
    if not running.exists():
        return False
    at = json.loads(running.read_text("utf-8"))
    path = folder / ROWS_NAME
    _cut_half_line(path)
    if key_of(at) not in {key_of(each) for each in read_rows(path)}:
        _append(path, {**at, "reason": f"its process ended with status {status}"})
    return True


def _cut_half_line(path: Path) -> None:
    if path.exists():
        text = path.read_text("utf-8")
        path.write_text(text[: text.rfind("\n") + 1], "utf-8")


def _write_none(path: Path, wanted: Iterable[Sized]) -> None:
    there = {key_of(each) for each in read_rows(path)}
    for sized in wanted:
        if sized.program in NONE:
            found = {"program": sized.program, "size": list(sized.size), "library": "none", "calls": "", "reason": NONE[sized.program]}
            if key_of(found) not in there:
                _append(path, found)


def _append(path: Path, found: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(found) + "\n")


def libraries_table(rows: Rows) -> str:
    """A line for each program, size and library, and why there is no time where there is none."""
    lines = [_line(each) for each in rows]
    where = dict.fromkeys(each["where"] for each in rows if "where" in each)
    return "\n".join(
        (heading("program", "library", "calls", "type", "median, µs", "range, n", "cold, µs", "off by", "differs"), *lines, "", *where)
    )


def _line(found: dict[str, Any]) -> str:
    title = " ".join((found["program"], *map(str, found["size"])))
    named = (title, found["library"], found["calls"] and f"`{found['calls']}`", found.get("type", ""))
    if found.get("median_s") is None:
        return row(*named, "–", "", "", "", found["reason"])
    spread = f"{found['low_s'] * 1e6:.1f} to {found['high_s'] * 1e6:.1f}, n={found['n']}"
    cold = "–" if found.get("cold_s") is None else f"{found['cold_s'] * 1e6:.1f}"
    off = "not checked" if found.get("difference") is None else f"{found['difference']:.1e}"
    return row(*named, f"{found['median_s'] * 1e6:.1f}", spread, cold, off, found["differs"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.libraries")
    parser.add_argument("--sizes", default="largest", help="smallest, largest, all, or numbers of sizes from 1 with commas")
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/bench-gpu"))
    parser.add_argument("--seconds", type=float, default=500.0)
    options = parser.parse_args()
    try:
        print_libraries(options.out, options.sizes, options.seconds)
    except ValueError as error:
        parser.error(str(error))


def print_libraries(folder: Path, sizes: str, seconds: float) -> None:
    """Measures for so long, then prints the table of all rows in the folder. Raises ValueError for unknown sizes."""
    print(libraries_table(measure_libraries(folder, sizes, time.monotonic() + seconds)))


if __name__ == "__main__":
    main()
