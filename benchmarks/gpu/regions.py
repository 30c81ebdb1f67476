"""What pairs of programs take by CUDA events around the same lines of both, without any tool of ours: the truth for verdicts on Regions.

    python -m benchmarks.gpu.regions tests/data/regions [--times N] [--only NAME …] [--out FILE]

The folder's ``timed.toml`` says where the events are set. Programs of a pair run in turn, N times each (default 15); each runs an empty
kernel and waits for the GPU before the first event, and waits for the GPU before the last.
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
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.table import heading, row, spread

_HEAD = """#include <cstdio>
static __global__ void timed_empty() {}
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
}
"""
_RUN_S = 20.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--out", type=Path, help="every time as JSON")
    options = parser.parse_args()
    places = tomllib.loads((options.folder / "timed.toml").read_text("utf-8"))
    names = [name for name in places if not options.only or name in options.only]
    found: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as scratch:

        def build(asked: tuple[str, str]) -> Path:
            return built(options.folder / asked[0], asked[1], places[asked[0]], Path(scratch))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            sides = [(name, side) for name in names for side in "AB"]
            binaries = dict(zip(sides, pool.map(build, sides), strict=True))
        print(heading("pair", "A, µs", "B, µs", "A / B"))
        for name in names:
            times: dict[str, list[float]] = {"A": [], "B": []}
            for _ in range(options.times):
                for side, of_side in times.items():
                    of_side.append(_taken_us(binaries[name, side]))
            a, b = statistics.median(times["A"]), statistics.median(times["B"])
            print(row(name, spread(times["A"]), spread(times["B"]), f"{a / b:.2f}x"), flush=True)
            found[name] = times
    if options.out is not None:
        options.out.write_text(json.dumps(found))
    return 0


def built(pair: Path, side: str, place: Mapping[str, str], scratch: Path) -> Path:
    """The program of one side with its events, built by nvcc. Raises ValueError where a line is missing."""
    lines = (pair / f"{side}.cu").read_text("utf-8").splitlines()
    begin = _line_of(lines, place.get(side, place["from"]), 0, pair)
    end = _line_of(lines, place["to"], begin + 1, pair)
    text = "\n".join((*lines[:begin], "timed_from();", *lines[begin:end], "timed_to();", *lines[end:]))
    source, binary = scratch / f"{pair.name}_{side}.cu", scratch / f"{pair.name}_{side}"
    source.write_text(f"{_HEAD}{text}\n", "utf-8")
    subprocess.run(["nvcc", "-O3", "-arch=sm_90", f"-I{pair}", "-o", str(binary), str(source)], check=True)
    return binary


def _line_of(lines: list[str], text: str, first: int, pair: Path) -> int:
    """The first line from ``first`` on, within main(), that begins with ``text``."""
    main_line = next(number for number, line in enumerate(lines) if "int main(" in line)
    found = (number for number in range(max(first, main_line), len(lines)) if lines[number].strip().startswith(text))
    number = next(found, None)
    if number is None:
        raise ValueError(f"{pair}: no line begins with {text!r}")
    return number


def _taken_us(binary: Path) -> float:
    environment = {**os.environ, "CUDA_MODULE_LOADING": "EAGER"}
    ran = subprocess.run([str(binary)], capture_output=True, text=True, timeout=_RUN_S, env=environment, check=True)
    return float(ran.stderr.split("timed_us")[1].split()[0])


if __name__ == "__main__":
    sys.exit(main())
