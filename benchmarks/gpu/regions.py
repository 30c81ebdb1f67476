"""What pairs of programs take by CUDA events, and by CUPTI's time stamps, around the same lines of both: the truth for verdicts on Regions.

    python -m benchmarks.gpu.regions tests/data/regions [--times N] [--only NAME …] [--out FILE]

The folder's ``timed.toml`` says where the events are set. Programs of a pair run in turn, N times each (default 15); each runs an empty
kernel and waits for the GPU before the first event, and waits for the GPU before the last. Events include the host's share and the first
start; time stamps run from the start of the first kernel, copy or fill between these lines to the end of the last one. Nothing of ours is
in these programs: those with time stamps are built once more with ``activity.cpp`` in them. Without CUPTI next to nvcc, or where it
refuses, the events stand alone.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from benchmarks.gpu.activity import SOURCE, Cupti, find_cupti, span_us
from benchmarks.table import heading, row, spread

_HEAD = """#include <cstdio>
static __global__ void timed_empty() {}
static __global__ void timed_last() {}
static cudaEvent_t timed_begin, timed_end;
static void timed_from() {
  cudaEventCreate(&timed_begin); cudaEventCreate(&timed_end);
  timed_empty<<<1, 1>>>(); cudaDeviceSynchronize();
  cudaEventRecord(timed_begin);
}
static void timed_to() {
  cudaDeviceSynchronize();
  cudaEventRecord(timed_end); cudaEventSynchronize(timed_end);
  float ms = 0; cudaEventElapsedTime(&ms, timed_begin, timed_end);
  std::fprintf(stderr, "timed_us %.3f\\n", ms * 1e3);
  timed_last<<<1, 1>>>(); cudaDeviceSynchronize();
}
"""
_RUN_S = 20.0
_STAMPED = ", stamped"


class OneSide(NamedTuple):
    """Programs of one side of a pair."""

    plain: Path
    stamped: Path | None
    """With CUPTI's time stamps; None where that cannot be built."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--out", type=Path, help="every time as JSON, written after each pair")
    options = parser.parse_args()
    places = tomllib.loads((options.folder / "timed.toml").read_text("utf-8"))
    names = [name for name in places if not options.only or name in options.only]
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        cupti = find_cupti()
        if cupti is None:
            print("CUPTI is not next to nvcc: no time stamps", file=sys.stderr)

        def build(asked: tuple[str, str]) -> OneSide:
            return built(options.folder / asked[0], asked[1], places[asked[0]], Path(scratch), cupti)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            sides = [(name, side) for name in names for side in "AB"]
            binaries = dict(zip(sides, pool.map(build, sides), strict=True))
        print(heading("pair", "events: A, µs", "events: B, µs", "A / B", "CUPTI: A, µs", "CUPTI: B, µs", "A / B"))
        for name in names:
            found[name] = _times({side: binaries[name, side] for side in "AB"}, options.times)
            print(row(name, *_cells(found[name], ""), *_cells(found[name], _STAMPED)), flush=True)
            if options.out is not None:
                options.out.write_text(json.dumps(found))
    return 0


def _times(sides: Mapping[str, OneSide], count: int) -> dict[str, list[float]]:
    """µs of both sides in turn: by events, and by time stamps as far as there are any."""
    times: dict[str, list[float]] = {key: [] for key in ("A", "B", f"A{_STAMPED}", f"B{_STAMPED}")}
    for _ in range(count):
        for side, binaries in sides.items():
            times[side].append(float(_run(binaries.plain).split("timed_us")[1].split()[0]))
    for _ in range(count):
        for side, binaries in sides.items():
            span = None if binaries.stamped is None else _stamped_us(binaries.stamped)
            times[f"{side}{_STAMPED}"] += [] if span is None else [span]
    return times


def _cells(times: Mapping[str, Sequence[float]], kind: str) -> tuple[str, str, str]:
    a, b = times[f"A{kind}"], times[f"B{kind}"]
    if not a or not b:
        return ("–", "–", "–")
    return (spread(list(a)), spread(list(b)), f"{statistics.median(a) / statistics.median(b):.2f}x")


def built(pair: Path, side: str, place: Mapping[str, str], scratch: Path, cupti: Cupti | None) -> OneSide:
    """The program of one side with its events, built by nvcc. Raises ValueError where a line is missing."""
    source, binary = scratch / f"{pair.name}_{side}.cu", scratch / f"{pair.name}_{side}"
    source.write_text(timed_text(pair, side, place), "utf-8")
    command = ["nvcc", "-O3", "-arch=sm_90", f"-I{pair}", str(source)]
    subprocess.run([*command, "-o", str(binary)], check=True)
    if cupti is None:
        return OneSide(binary, None)
    stamped = binary.with_name(f"{binary.name}_stamped")
    made = subprocess.run([*command, str(SOURCE), *cupti.flags, "-o", str(stamped)], check=False, capture_output=True, text=True)
    if made.returncode != 0:
        print(f"{pair.name} {side}: no time stamps: {made.stderr.strip()[:500]}", file=sys.stderr)
    return OneSide(binary, stamped if made.returncode == 0 else None)


def timed_text(pair: Path, side: str, place: Mapping[str, str]) -> str:
    """The text of one side with events. Raises ValueError where a line is missing."""
    lines = (pair / f"{side}.cu").read_text("utf-8").splitlines()
    begin = _line_of(lines, place.get(side, place["from"]), 0, pair)
    end = _line_of(lines, place["to"], begin + 1, pair)
    return "\n".join((_HEAD.rstrip(), *lines[:begin], "timed_from();", *lines[begin:end], "timed_to();", *lines[end:], ""))


def _line_of(lines: list[str], text: str, first: int, pair: Path) -> int:
    """The first line from ``first`` on, within main(), that begins with ``text``."""
    main_line = next(number for number, line in enumerate(lines) if "int main(" in line)
    found = (number for number in range(max(first, main_line), len(lines)) if lines[number].strip().startswith(text))
    number = next(found, None)
    if number is None:
        raise ValueError(f"{pair}: no line begins with {text!r}")
    return number


def _stamped_us(binary: Path) -> float | None:
    """None where the program ends badly with time stamps, or CUPTI takes none: said on standard error."""
    try:
        return span_us(_run(binary))
    except (ValueError, subprocess.SubprocessError) as error:
        print(f"{binary.name}: {error}", file=sys.stderr)
        return None


def _run(binary: Path) -> str:
    """What the program writes to standard error."""
    environment = {**os.environ, "CUDA_MODULE_LOADING": "EAGER"}
    return subprocess.run([str(binary)], capture_output=True, text=True, timeout=_RUN_S, env=environment, check=True).stderr


if __name__ == "__main__":
    sys.exit(main())
