"""Our times and ratios against Nsight Compute's, on programs that nothing here was tuned for.

    python -m benchmarks.gpu.against_ncu FOLDER … [--device gpu:0] [--runs 5] [--out FILE]

In FOLDER, every ``X.cu`` is searched for faster versions (``kernelopt optimize``), and every folder with ``A.cu`` and ``B.cu`` is compared
(``kernelopt compare``). Each version with a measured speed is then built by nvcc and run ``--runs`` times under ``ncu --clock-control none
--cache-control all --metrics gpu__time_duration.sum``: its launches are grouped by kernel, grid and block, and each group's median is set
beside ours. Kernels of which Nsight Compute sees other launches than we timed are counted and left out. Exit status 1: of kernels of
20 µs or more, a time of A's is further than 10 % from Nsight Compute's, or a ratio further than 5 %.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.table import heading, row

_TIMEOUT_S = 560.0
_LEAST_S = 20e-6
_MOST_LAUNCHES = 200
"""That Nsight Compute measures of one kernel in one run."""


@dataclass(frozen=True)
class Timed:
    """One kernel of one version against the original, by us and by Nsight Compute."""

    program: str
    kernel: str
    what: str
    """The techniques, or ``pair``."""
    a_s: float
    b_s: float
    ncu_a_s: float
    ncu_b_s: float
    spread: float
    """Of Nsight Compute's medians of A over the runs: (largest - least) / median."""

    @property
    def off(self) -> float:
        return self.a_s / self.ncu_a_s - 1.0

    @property
    def ratio_off(self) -> float:
        return (self.a_s / self.b_s) / (self.ncu_a_s / self.ncu_b_s) - 1.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--device", default="gpu:0")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows: list[Timed] = []
    left_out: list[str] = []
    print(heading("program", "kernel", "what", "A, ours", "A, ncu", "off", "ratio, ours", "ratio, ncu", "off", "ncu's spread"))
    for folder in options.folders:
        for item in _measured(folder, options.device, options.runs):
            if isinstance(item, str):
                left_out.append(item)
                print(f"<!-- {item} -->", flush=True)
                continue
            rows.append(item)
            print(_shown(item), flush=True)
            if options.out is not None:
                with options.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(vars(item)) + "\n")
    return _summary(rows, left_out)


def _measured(folder: Path, device: str, runs: int) -> Iterator[Timed | str]:
    for path in sorted(folder.iterdir()):
        is_pair = (path / "A.cu").exists() and (path / "B.cu").exists()
        if path.suffix != ".cu" and not is_pair:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            place = Path(scratch)
            versions = _compared(path, device) if is_pair else _searched(path, device, place)
            original = path / "A.cu" if is_pair else path
            yield from _against(path.stem, original, versions, runs, place)


def _events(*command: str) -> list[dict[str, Any]]:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    events = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    return events or [{"event": "job_ended", "reason": ended.stderr[-300:]}]


Version = tuple[str, Path, list[tuple[str, Mapping[str, Any]]]]
"""What it is, its source, and for each kernel its speed."""


def _compared(folder: Path, device: str) -> list[Version]:
    events = _events("kernelopt", "compare", "--json", "--device", device, str(folder / "A.cu"), str(folder / "B.cu"))
    made = [event for event in events if event["event"] == "comparison" and event["kernel"] is not None and event["speed"]]
    return [("pair", folder / "B.cu", [(event["kernel"], event["speed"]) for event in made])]


def _searched(path: Path, device: str, scratch: Path) -> list[Version]:
    copy = Path(shutil.copy(path, scratch))
    events = _events("kernelopt", "optimize", "--json", "--accept", "none", "--planner", "expert", "--device", device, str(copy))
    tried = sum(event["event"] == "candidate" for event in events)
    proposals = [event for event in events if event["event"] == "proposal"]
    print(f"<!-- {path.name}: {tried} candidates, {len(proposals)} proposals; {events[-1].get('reason', '')} -->", flush=True)
    versions: list[Version] = []
    for index, proposal in enumerate(proposals):
        edited = scratch / f"edited{index}.cu"
        patched = subprocess.run(
            ("patch", "-s", "-o", str(edited), str(path)), input=proposal["diff"], text=True, capture_output=True, check=False
        )
        if patched.returncode == 0:
            versions.append(("+".join(proposal["techniques"]), edited, [(proposal["kernel"], proposal["speed"])]))
        else:
            print(f"<!-- {path.name}: patch: {patched.stdout[-200:]} -->")
    return versions


def _against(program: str, original: Path, versions: Sequence[Version], runs: int, scratch: Path) -> Iterator[Timed | str]:
    if not any(_is_measured(speed) for _, _, speeds in versions for _, speed in speeds):
        yield f"{program}: nothing was measured"
        return
    a_groups = _under_ncu(original, runs, scratch)
    for what, path, speeds in versions:
        if not any(_is_measured(speed) for _, speed in speeds):
            continue
        b_groups = _under_ncu(path, runs, scratch)
        for kernel, speed in speeds:
            if _is_measured(speed):
                yield from _paired(program, kernel, what, speed, (a_groups, b_groups))


Groups = dict[str, list[tuple[float, float]]]
"""For each kernel the median seconds of each of its grids and blocks, shortest first, and their spread over the runs."""


def _paired(program: str, kernel: str, what: str, speed: Mapping[str, Any], groups: tuple[Groups, Groups]) -> Iterator[Timed | str]:
    name = _bare(kernel)
    cases = sorted((case for case in speed["cases"] if case["before_s"] and case["after_s"]), key=lambda case: case["before_s"])
    a, b = (side.get(name, []) for side in groups)
    if len(a) != len(cases) or len(b) != len(cases):
        yield f"{program}, {name}: {len(cases)} shapes timed, ncu sees {len(a)} and {len(b)}"
        return
    afters = sorted(cases, key=lambda case: case["after_s"])
    if [case["shape"] for case in afters] != [case["shape"] for case in cases]:
        yield f"{program}, {name}: which of ncu's launches are which shape's is not known"
        return
    for case, (ncu_a_s, spread), (ncu_b_s, _) in zip(cases, a, b, strict=True):
        yield Timed(program, f"{name} {case['shape']}".strip(), what, case["before_s"], case["after_s"], ncu_a_s, ncu_b_s, spread)


def _is_measured(speed: Mapping[str, Any] | None) -> bool:
    return speed is not None and any(case["before_s"] and case["after_s"] for case in speed["cases"])


def _under_ncu(source: Path, runs: int, scratch: Path) -> Groups:
    binary = scratch / f"{source.stem}.out"
    subprocess.run(("nvcc", "-O3", "-arch=native", "-o", str(binary), str(source)), check=True, capture_output=True, timeout=200)
    command = ("ncu", "--csv", "--clock-control", "none", "--cache-control", "all", "--metrics", "gpu__time_duration.sum")
    medians: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for _ in range(runs):
        limits = ("--print-units", "base", "--launch-count", str(_MOST_LAUNCHES))
        ended = subprocess.run(
            (*command, *limits, str(binary)), capture_output=True, text=True, timeout=300, check=False, cwd=source.parent
        )
        times: dict[tuple[str, str, str], list[float]] = defaultdict(list)
        lines = ended.stdout.splitlines()
        start = next((at for at, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
        for record in csv.DictReader(lines[start:]):
            if record.get("Metric Name") == "gpu__time_duration.sum":
                key = (_bare(record["Kernel Name"]), record["Grid Size"], record["Block Size"])
                times[key].append(float(record["Metric Value"].replace(",", "")) * 1e-9)
        for key, values in times.items():
            medians[key].append(statistics.median(values))
    groups: Groups = defaultdict(list)
    for (name, _, _), values in medians.items():
        middle = statistics.median(values)
        groups[name].append((middle, (max(values) - min(values)) / middle))
    return {name: sorted(found) for name, found in groups.items()}


def _bare(kernel: str) -> str:
    """``a::k<int>(float*)`` → ``k``."""
    found = re.search(r"(\w+)\s*(?:<.*>)?\s*(?:\(|$)", kernel.removeprefix("void "))
    return found[1] if found else kernel


def _shown(item: Timed) -> str:
    small = "" if min(item.ncu_a_s, item.ncu_b_s) >= _LEAST_S else " (below 20 µs)"
    times = (f"{item.a_s * 1e6:.1f} µs", f"{item.ncu_a_s * 1e6:.1f} µs", f"{item.off:+.1%}{small}")
    ratios = (f"{item.a_s / item.b_s:.3f}", f"{item.ncu_a_s / item.ncu_b_s:.3f}", f"{item.ratio_off:+.1%}", f"{item.spread:.1%}")
    return row(item.program, item.kernel, item.what, *times, *ratios)


def _summary(rows: Sequence[Timed], left_out: Sequence[str]) -> int:
    large = [item for item in rows if min(item.ncu_a_s, item.ncu_b_s) >= _LEAST_S]
    times = [item for item in large if abs(item.off) > 0.10]
    ratios = [item for item in large if abs(item.ratio_off) > 0.05]
    programs = {item.program for item in rows}
    print(f"\n{len(rows)} timed in {len(programs)} programs, {len(large)} of them 20 µs or more; {len(left_out)} left out")
    if large:
        off, ratio_off = (sorted(abs(value) for value in values) for values in ([i.off for i in large], [i.ratio_off for i in large]))
        print(f"A's times: median {statistics.median(off):.1%} off, at most {off[-1]:.1%}; beyond 10 %: {len(times)}")
        print(f"ratios: median {statistics.median(ratio_off):.1%} off, at most {ratio_off[-1]:.1%}; beyond 5 %: {len(ratios)}")
    return int(bool(times or ratios) or not large)


if __name__ == "__main__":
    sys.exit(main())
