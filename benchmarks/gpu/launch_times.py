"""How long programs' launches take by CUPTI's time stamps, each done a few times more on what it left; stands alone, for a GPU machine.

    python3 benchmarks/gpu/launch_times.py OUT.csv FOLDER [--seconds 190]

Each folder below FOLDER that holds ``run.json`` (``{"files": […], "arguments": […]}``) is a program: it is built with
``nvcc -O3 -arch=sm_90``, all at once on the machine's cores, and run with ``launch_times.cpp`` loaded, one after another. A program that
repeated launches break or keep from ending is run again without. OUT has a row for each kernel and launch shape of each program: how
often it was launched, the mean of each launch's first run, and the least, the median and the largest of the repeated ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

_BUILD = ("nvcc", "-O3", "-arch=sm_90", "-lineinfo", "-cudart", "shared", "-std=c++17")
_REPEATS = 5
_RUN_TIMEOUT_S = 12.0
_BUILD_TIMEOUT_S = 120.0
_COLUMNS = ("program", "kernel", "grid", "block", "launches", "first_ns", "least_ns", "median_ns", "most_ns", "repeated")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=190.0, help="no program is started after so long")
    arguments = parser.parse_args()
    end_s = time.monotonic() + arguments.seconds
    print(_output("nvidia-smi", "--query-gpu=name,driver_version,clocks.sm,clocks.max.sm", "--format=csv,noheader").strip(), flush=True)
    programs = sorted(path.parent for path in arguments.folder.rglob("run.json"))
    left_out: list[str] = []
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(os.cpu_count()) as builders, arguments.out.open("w") as out:
        writer = csv.writer(out)
        writer.writerow(_COLUMNS)
        library = _library(Path(made))
        built = [builders.submit(_built, program, Path(made) / str(number)) for number, program in enumerate(programs)]
        for program, binary in zip(programs, built, strict=True):
            name = str(program.relative_to(arguments.folder))
            if time.monotonic() > end_s:
                binary.cancel()
                left_out.append(name)
                continue
            rows, said = _timed(name, program, binary, library)
            writer.writerows(rows)
            out.flush()
            print(f"{name}: {said}", flush=True)
    print(f"left out, out of time: {left_out}")
    return 0


def _library(folder: Path) -> Path:
    root = Path(os.path.realpath(_output("sh", "-c", "readlink -f $(command -v nvcc)").strip())).parent.parent
    trees = (Path("/usr/local/cuda"), *sorted(Path("/usr/local").glob("cuda-*")), root)
    includes = [f"-I{path}" for tree in trees for path in (tree / "include", tree / "extras/CUPTI/include") if path.exists()]
    folders = [path for tree in trees for path in (tree / "lib64", tree / "extras/CUPTI/lib64") if path.exists()]
    libraries = [text for path in folders for text in (f"-L{path}", f"-Wl,-rpath,{path}")]
    source, library = Path(__file__).with_suffix(".cpp"), folder / "launch_times.so"
    flags = ("-std=c++17", "-O2", "-shared", "-fPIC", "-fvisibility=hidden")
    _output("g++", *flags, *includes, "-o", str(library), str(source), *libraries, "-lcupti", "-lcudart", "-ldl")
    return library


def _built(program: Path, binary: Path) -> Path:
    run = json.loads((program / "run.json").read_text("utf-8"))
    units = [str(program / file) for file in run["files"] if file.endswith((".cu", ".cpp"))]
    _output(*_BUILD, f"-I{program}", "-o", str(binary), *units)
    return binary


def _timed(name: str, program: Path, binary: Future[Path], library: Path) -> tuple[list[tuple[object, ...]], str]:
    arguments = json.loads((program / "run.json").read_text("utf-8"))["arguments"]
    try:
        command = (str(binary.result()), *arguments)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        return [], f"not built: {error.stderr}"
    for repeats in (_REPEATS, 0):
        start_s = time.monotonic()
        lines, said = _run(command, program, library, repeats)
        if lines:
            return _rows(name, lines), f"{len(lines)} launches in {time.monotonic() - start_s:.1f} s {said}"
    return [], said


def _run(command: tuple[str, ...], program: Path, library: Path, repeats: int) -> tuple[list[list[str]], str]:
    with tempfile.TemporaryDirectory() as folder:
        times = Path(folder) / "times"
        asked = {"LD_PRELOAD": str(library), "LAUNCH_TIMES": str(times), "LAUNCH_REPEATS": str(repeats)}
        try:
            ended = subprocess.run(
                command, cwd=program, env={**os.environ, **asked}, capture_output=True, text=True, errors="replace",
                timeout=_RUN_TIMEOUT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return [], "no end in time"
        said = "" if ended.returncode == 0 else f"status {ended.returncode}: {(ended.stdout + ended.stderr)[-200:]}"
        return [line.split("\t") for line in times.read_text("utf-8").splitlines()] if times.exists() else [], said


def _rows(name: str, lines: list[list[str]]) -> list[tuple[object, ...]]:
    first: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    again: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for kernel, grid, block, _, repeat, time_ns in lines:
        (first if repeat == "0" else again)[kernel, grid, block].append(int(time_ns))
    rows: list[tuple[object, ...]] = []
    for (kernel, grid, block), times in first.items():
        more = again[kernel, grid, block]
        kept = more or times
        rows.append((name, kernel, grid.replace(",", " "), block.replace(",", " "), len(times), round(statistics.mean(times)),
                     min(kept), round(statistics.median(kept)), max(kept), len(more)))  # fmt: skip
    return rows


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_BUILD_TIMEOUT_S).stdout


if __name__ == "__main__":
    sys.exit(main())
