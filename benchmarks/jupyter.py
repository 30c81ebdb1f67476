"""What ``%%kernelopt`` costs a notebook's own process: the time that it adds to a cell, and the memory next to a large array.

Each figure is of a process of its own, with IPython's shell and no front end; what workers do is not counted.
``python -m benchmarks.jupyter`` prints the table.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.table import heading, row, spread

_REPEATS = 15
_LARGE_BYTES = 1 << 30
_MIB = 1 << 20
_SMALL = "x = numpy.ones(1024, numpy.float32); out = numpy.zeros_like(x)"
_CELL = """__global__ void scale(float *out, const float *x, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] * 2.0f;
}
"""
_LINE = "--args n=x.size --grid (x.size+1023)//1024 --block 1024"


def report(folder: Path) -> str:
    """Both tables, as Markdown; ``folder`` receives a configuration that lets a launch have so much data."""
    (folder / "kernelopt.toml").write_text("[limits]\nlaunch_bytes = 4294967296\nmemory_bytes = 17179869184\n")
    added, memory = _answer("overhead", folder), _answer("memory", folder)
    return "\n".join(
        (
            heading("what a notebook's process pays", "budget", "figure"),
            row("`%%kernelopt`, 2 arrays of 4 KiB, everything cached", "≤ 0.3 s", f"{spread(added['plain_s'])} s"),
            row("the same with `--ref`: own values and three draws", "—", f"{spread(added['referred_s'])} s"),
            row("a call of the kernel", "—", f"{spread(added['call_s'])} s"),
            row("binding 1 GiB for the checks: peak memory next to it", "≤ 32 MiB", _memory_words(memory, "opened")),
            row("a call of the kernel on it", "≤ 32 MiB", _memory_words(memory, "called")),
        )
    )


def _memory_words(memory: dict[str, list[float]], what: str) -> str:
    return f"{memory[f'{what}_mib'][0]:.1f} MiB, {memory[f'{what}_s'][0]:.1f} s"


def _answer(what: str, folder: Path) -> dict[str, list[float]]:
    command = (sys.executable, "-m", "benchmarks.jupyter", what)
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise RuntimeError(ended.stderr)
    return json.loads(ended.stdout.splitlines()[-1])


def _shell() -> object:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_cell("import numpy")
    shell.run_line_magic("load_ext", "jupyter_ext")
    shell.run_cell(_SMALL)
    _run(shell, "--until check --wait")  # loads what is loaded once, compiles what is compiled once
    return shell


def _run(shell: object, line: str, cell: str = _CELL) -> float:
    """Seconds that the cell took."""
    began_s = time.perf_counter()
    shell.run_cell_magic("kernelopt", f"{_LINE} {line}", cell)
    return time.perf_counter() - began_s


def _overhead() -> dict[str, list[float]]:
    shell = _shell()
    shell.run_cell("def ref(x): return x * 2")
    times, with_reference, calls = [], [], []
    for _ in range(_REPEATS):
        times.append(_run(shell, "--until check"))
        shell.run_line_magic("kernelopt", "wait")
        with_reference.append(_run(shell, "--until check --ref ref"))
        shell.run_line_magic("kernelopt", "wait")
        began_s = time.perf_counter()
        shell.user_ns["scale"]()
        calls.append(time.perf_counter() - began_s)
    shell.run_line_magic("unload_ext", "jupyter_ext")
    return {"plain_s": times, "referred_s": with_reference, "call_s": calls}


def _memory() -> dict[str, list[float]]:
    """The kernel reads all of the large input and writes one value a block, so that only one array is large."""
    shell = _shell()
    cell = _CELL.replace("if (i < n) out[i] = x[i] * 2.0f;", "if (i < n && i % 262144 == 0) out[i / 262144] = x[i] * 2.0f;")
    shell.run_cell(f"x = numpy.ones({_LARGE_BYTES // 4}, numpy.float32); out = numpy.zeros(1024, numpy.float32)")
    _reset_peak()
    before = _peak_bytes()
    opened_s = _run(shell, "--until check", cell)
    shell.run_line_magic("kernelopt", "cancel")
    opened = _peak_bytes()
    _reset_peak()
    began_s = time.perf_counter()
    shell.user_ns["scale"]()
    called_s = time.perf_counter() - began_s
    called = _peak_bytes()
    assert (shell.user_ns["out"] == 2).all()
    shell.run_line_magic("unload_ext", "jupyter_ext")
    return {
        "opened_mib": [(opened - before) / _MIB],
        "opened_s": [opened_s],
        "called_mib": [(called - before) / _MIB],
        "called_s": [called_s],
    }


def _reset_peak() -> None:
    """``proc(5)``, ``/proc/pid/clear_refs``: 5 sets the peak to what is resident now."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) << 10


def main(what: str | None) -> None:
    if what is None:
        with tempfile.TemporaryDirectory() as folder:
            print(report(Path(folder)))
    else:
        print(json.dumps(_overhead() if what == "overhead" else _memory()))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
