"""How often each machine instruction of a program's launches was executed, by Nsight Compute; stands alone, for a GPU machine.

    python3 benchmarks/gpu/instructions.py OUT.json.gz PROGRAM.cu … [--launches 8] [--seconds 200] [--ncu-python DIR]

Each program is built with ``nvcc -O3 -arch=sm_90 -lineinfo`` and its first launches are profiled once, with the clocks left alone. Of each
launch the file has, in the order of the code: opcodes, warp executions (``inst_executed``), and thread executions without those that a
predicate turned off (``thread_inst_executed_true``), and what the SM's own counters say of the launch as a whole, which is what the sums
are held against. ``benchmarks/instructions_vs_ncu.py`` compares the file with what is counted here without a GPU.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_BUILD = ("nvcc", "-O3", "-arch=sm_90", "-lineinfo")
_BY_INSTRUCTION = ("inst_executed", "thread_inst_executed", "thread_inst_executed_true")
_TOTALS = (
    "smsp__inst_executed.sum",
    "smsp__thread_inst_executed.sum",
    *(f"sm__inst_executed_pipe_{pipe}.sum" for pipe in ("alu", "cbu", "fma", "fp16", "fp64", "lsu", "uniform", "xu", "adu")),
    *(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("fp32", "fp64", "conversion", "integer", "control", "memory")),
)
"""Nsight Compute 2025.3, "Metrics Reference"; one that the device lacks is left out."""
_NCU_TIMEOUT_S = 60.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("programs", type=Path, nargs="+")
    parser.add_argument("--launches", type=int, default=8, help="launches profiled per program")
    parser.add_argument("--seconds", type=float, default=200.0, help="no program is started after so long")
    parser.add_argument("--ncu-python", type=Path, help="folder that holds ncu_report.py; by default Nsight Compute's own")
    arguments = parser.parse_args()
    sys.path.insert(0, str(arguments.ncu_python or _ncu_python()))
    end_s = time.monotonic() + arguments.seconds
    launches: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as builders:
        built = [builders.submit(_built, program, Path(folder)) for program in arguments.programs]
        for program, binary in zip(arguments.programs, built, strict=True):
            if time.monotonic() > end_s:
                print(f"{program}: left out, out of time", flush=True)
                continue
            try:
                launches += _profiled(program, binary.result(), arguments.launches)
                print(f"{program}: ok", flush=True)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                print(f"{program}: {error}\n{error.stdout}\n{error.stderr}", flush=True)
            _write(arguments.out, launches)
    return 0


def _write(out: Path, launches: list[dict[str, Any]]) -> None:
    text = json.dumps({"device": _device(), "launches": launches}, separators=(",", ":"))
    out.write_bytes(gzip.compress(text.encode(), mtime=0))


def _ncu_python() -> Path:
    found = sorted(Path("/opt/nvidia/nsight-compute").glob("*/extras/python"))
    return found[-1] if found else Path()


def _device() -> str:
    gpu = _output("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").strip().replace(", ", ", driver ")
    nvcc = _output("nvcc", "--version").splitlines()[-2]
    return f"{gpu}; {' '.join(_BUILD)} ({nvcc}); Nsight Compute {_output('ncu', '--version').splitlines()[-1]}"


def _built(program: Path, folder: Path) -> Path:
    binary = folder / f"{program.parent.name}-{program.stem}"
    _output(*_BUILD, "-o", str(binary), str(program))
    return binary


def _profiled(program: Path, binary: Path, launch_limit: int) -> list[dict[str, Any]]:
    import ncu_report  # pyright: ignore[reportMissingImports]  # on the GPU machine only

    report = binary.with_suffix(".ncu-rep")
    metrics = ",".join((*_BY_INSTRUCTION, *_TOTALS))
    command = ("ncu", "--section", "LaunchStats", "--metrics", metrics, "--clock-control", "none", "--import-source", "no")
    _output(*command, "--launch-count", str(launch_limit), "--force-overwrite", "--export", str(report), str(binary))
    context: Any = ncu_report.load_report(str(report))  # pyright: ignore  # NVIDIA gives no types, and two signatures
    actions: list[Any] = [action for index in range(context.num_ranges()) for action in context.range_by_idx(index)]
    return [_launch(f"{program.parent.name}/{program.name}", action) for action in actions]


def _launch(program: str, action: Any) -> dict[str, Any]:
    counted = {name: _instances(action, name) for name in _BY_INSTRUCTION}
    addresses = sorted({address for by_address in counted.values() for address in by_address})
    code = [_opcode(action.sass_by_pc(address)) for address in addresses]
    places = [action.source_info(address) for address in addresses]
    return {
        "program": program,
        "kernel": action.name(action.NameBase_DEMANGLED) or action.name(),
        "symbol": action.name(action.NameBase_MANGLED),
        "grid": _shape(action, "grid"),
        "block": _shape(action, "block"),
        "totals": {name: metric.as_uint64() for name in _TOTALS if (metric := action.metric_by_name(name)) is not None},
        "offsets": [address - addresses[0] for address in addresses],
        "opcodes": code,
        "lines": [place.line() if place else 0 for place in places],
        "warps": [counted["inst_executed"].get(address, 0) for address in addresses],
        "active": [counted["thread_inst_executed"].get(address, 0) for address in addresses],
        "threads": [counted["thread_inst_executed_true"].get(address, 0) for address in addresses],
    }


def _instances(action: Any, name: str) -> dict[int, int]:
    metric = action.metric_by_name(name)
    if metric is None or not metric.has_correlation_ids():
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(index): metric.as_uint64(index) for index in range(metric.num_instances())}


def _opcode(sass: str) -> str:
    return re.sub(r"^@!?U?P\w+\s+", "", sass.strip()).split()[0].rstrip(";")


def _shape(action: Any, what: str) -> list[int]:
    return [action.metric_by_name(f"launch__{what}_dim_{axis}").as_uint64() for axis in "xyz"]


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=_NCU_TIMEOUT_S).stdout


if __name__ == "__main__":
    sys.exit(main())
