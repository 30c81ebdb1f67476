"""Hardware truth for the emulator's counters: run programs under Nsight Compute and write their counters per source line.

Needs a CUDA machine with ``nvcc``, ``ncu`` and its Python report module (``pip install ncu-report`` or ``--ncu-python DIR``).

    python benchmarks/h200/capture.py OUT.json program.cu [program.cu …]

Each program is built with ``nvcc -O3 -arch=sm_90 -lineinfo`` and every launch is profiled once. Per SASS instruction the report
gives the theoretical counters; they are summed by source line and kind of access. The output is the format of
``tests/data/h200/counters.json``.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

COUNTERS = {
    "instructions": "inst_executed",
    "active_threads": "thread_inst_executed_true",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "tag_requests": "memory_l1_tag_requests_global",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
}
BY_SPACE = {
    "global": ("sectors", "ideal_sectors", "tag_requests"),
    "shared": ("wavefronts", "ideal_wavefronts"),
    "local": (),
}
OPCODES = (
    (re.compile(r"^(LDG|LD)\b"), "global load"),
    (re.compile(r"^(STG|ST)\b"), "global store"),
    (re.compile(r"^(ATOMG|ATOM|RED|REDG)\b"), "global atomic"),
    (re.compile(r"^(LDS|LDSM)\b"), "shared load"),
    (re.compile(r"^(STS|STSM)\b"), "shared store"),
    (re.compile(r"^ATOMS\b"), "shared atomic"),
    (re.compile(r"^LDL\b"), "local load"),
    (re.compile(r"^STL\b"), "local store"),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--ncu-python", help="folder that holds ncu_report.py")
    parser.add_argument("--launches", type=int, default=16, help="launches profiled per program")
    arguments = parser.parse_args()
    if arguments.ncu_python:
        sys.path.insert(0, arguments.ncu_python)
    launches: list[dict[str, Any]] = []
    for program in arguments.programs:
        try:
            launches += capture(program, arguments.launches)
            print(f"{program.name}: ok", flush=True)
        except subprocess.CalledProcessError as error:
            print(f"{program.name}: {error}\n{error.stdout}\n{error.stderr}", file=sys.stderr)
    arguments.out.write_text(json.dumps({"device": device(), "launches": launches}, indent=1))
    return 0


def device() -> str:
    gpu = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").strip().replace(", ", ", driver ")
    nvcc = _output("nvcc", "--version").splitlines()[-2]
    ncu = _output("ncu", "--version").splitlines()[-1]
    return f"{gpu}; nvcc -O3 -arch=sm_90 -lineinfo ({nvcc}); Nsight Compute {ncu}; per SASS instruction, summed by line and kind of access"


def capture(program: Path, launch_limit: int) -> list[dict[str, Any]]:
    import ncu_report  # pyright: ignore[reportMissingImports]  # only on the CUDA machine

    with tempfile.TemporaryDirectory() as folder:
        binary, report = Path(folder, "program"), Path(folder, "report.ncu-rep")
        _output("nvcc", "-O3", "-arch=sm_90", "-lineinfo", "-o", str(binary), str(program))
        command = [
            "ncu",
            "--section",
            "SourceCounters",
            "--section",
            "LaunchStats",
            "--metrics",
            "gpu__time_duration.sum",
        ]
        command += [
            "--clock-control",
            "none",
            "--import-source",
            "no",
            "-c",
            str(launch_limit),
            "-f",
            "-o",
            str(report),
            str(binary),
        ]
        _output(*command)
        context = ncu_report.load_report(str(report))
        actions = [action for index in range(context.num_ranges()) for action in context.range_by_idx(index)]
        return [launch(program.name, action) for action in actions]


def launch(program: str, action: Any) -> dict[str, Any]:
    lines: dict[tuple[str, int, str], dict[str, Any]] = defaultdict(dict)
    totals: dict[str, int] = defaultdict(int)
    for counter, metric_name in COUNTERS.items():
        for pc, value in _instances(action, metric_name).items():
            sass = re.sub(r"^@!?U?P\w+\s+", "", action.sass_by_pc(pc).strip())
            opcode = sass.split()[0].split(".")[0] if sass else ""
            if counter in ("instructions", "active_threads"):
                totals["thread_instructions" if counter == "active_threads" else counter] += value
            op = next((name for pattern, name in OPCODES if pattern.match(opcode)), None)
            if op is None or not (counter in ("instructions", "active_threads") or counter in BY_SPACE[op.split()[0]]):
                continue
            if counter not in ("instructions", "active_threads"):
                totals[counter] += value
            info = action.source_info(pc)
            name = Path(info.file_name()).name if info else "?"
            key = (name, info.line() if info else 0, op) if name == program else ("toolkit header", 0, op)
            row = lines[key]
            row[counter] = row.get(counter, 0) + value
            if counter == "instructions":
                row["sites"] = row.get("sites", 0) + 1
                row.setdefault("sass", []).append(opcode if "." not in sass.split()[0] else sass.split()[0])
    return {
        "program": program,
        "kernel": action.name(),
        "grid": [action.metric_by_name(f"launch__grid_dim_{axis}").as_uint64() for axis in "xyz"],
        "block": [action.metric_by_name(f"launch__block_dim_{axis}").as_uint64() for axis in "xyz"],
        "registers_per_thread": action.metric_by_name("launch__registers_per_thread").as_uint64(),
        "duration_ns": action.metric_by_name("gpu__time_duration.sum").as_double(),
        "totals": dict(totals),
        "lines": [
            {"file": file, "line": line, "op": op, **row} for (file, line, op), row in sorted(lines.items()) if row.get("instructions")
        ],
    }


def _instances(action: Any, metric_name: str) -> dict[int, int]:
    metric = action.metric_by_name(metric_name)
    if metric is None or not metric.has_correlation_ids():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(index): metric.as_uint64(index) for index in range(metric.num_instances())}


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
