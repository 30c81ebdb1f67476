"""How much slower the emulator runs a kernel than one core runs the plain loop, as ratios of one interleaved run."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

from assistant.lab.cpu import CpuLab
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program, RunLimits
from benchmarks.table import heading, row, spread

ROUNDS = 5
_PROGRAMS = Path(__file__).parent / "programs"
_BUDGETS = {
    ("tiled", "plain"): 2,
    ("tiled", "count"): 10,
    ("tiled", "check"): 15,
    ("saxpy", "plain"): 50,
    ("saxpy", "count"): 140,
    ("saxpy", "check"): 500,
}
"""Times that a launch may take of what it takes natively, on two cores."""


async def report(cache: Path) -> str:
    """A Markdown table."""
    with tempfile.TemporaryDirectory() as folder:
        plain = _build_plain(Path(folder))
        lab = CpuLab(Path(folder), cache, "h200")
        try:
            ratios = await _ratios(lab, plain)
        finally:
            await lab.close()
    lines = [heading("kernel", "mode", "time / plain -O2 loop", "budget")]
    for (name, mode), budget in _BUDGETS.items():
        lines.append(row(name, mode, spread(ratios[name, mode]), f"≤ {budget}"))
    return "\n".join(lines)


async def _ratios(lab: CpuLab, plain: Path) -> dict[tuple[str, str], list[float]]:
    path = _PROGRAMS / "kernels.cu"
    program = Program((Source(path, path.read_text("utf-8")),), Flags(), working_directory=path.parent)
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for _ in range(ROUNDS):
        yardstick = _times(await asyncio.to_thread(_output, plain))
        for mode in ("plain", "count", "check"):
            run = await lab.run(program, mode, RunLimits(), record=False)
            if isinstance(run, LabFailure):
                raise SystemExit(f"{mode}: {run.message}")
            for name, seconds in _times(run.stdout).items():
                ratios[name, mode].append(seconds / yardstick[name])
    return ratios


def _output(program: Path) -> bytes:
    return subprocess.run([program], check=True, capture_output=True).stdout


def _times(output: bytes) -> dict[str, float]:
    return {name: float(value) for name, value in (line.split() for line in output.decode().splitlines())}


def _build_plain(folder: Path) -> Path:
    binary = folder / "plain"
    subprocess.run(["g++", "-O2", "-o", binary, _PROGRAMS / "plain.cpp"], check=True)
    return binary


if __name__ == "__main__":
    print(asyncio.run(report(Path(tempfile.mkdtemp()))))
