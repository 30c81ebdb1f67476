"""The emulator's counters against an H200's, per line and kind of access, before any correction by SASS.

``tests/data/h200/counters.json`` holds what Nsight Compute said of these programs. Where nvcc's optimiser leaves other accesses than
g++'s, the two differ; those lines are named here, and no others may differ.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.thorough import only

DATA = Path(__file__).parents[2] / "data"
COUNTERS = ("sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
LAUNCHES = json.loads((DATA / "h200" / "counters.json").read_text())["launches"]
PROGRAMS = sorted({launch["program"] for launch in LAUNCHES})

KNOWN_DIFFERENCES = {
    ("mm_tiled", 23, "shared load"): "ptxas fuses four loads into one of 128 bits",
    ("divergent", 54, "global load"): "nvcc unrolls the divergent loop by four; remainders pair up differently",
    ("half_guard", 72, "global load"): "nvcc merges the two branches",
    ("half_guard", 72, "global store"): "nvcc merges the two branches",
    ("half_guard", 74, "global load"): "nvcc merges the two branches",
    ("half_guard", 74, "global store"): "nvcc merges the two branches",
    ("alias_restrict", 26, "global load"): "nvcc loads before the loop",
    ("alias_restrict", 27, "global store"): "nvcc stores after the loop, on another line",
    ("alias_restrict", 28, "global load"): "nvcc loads before the loop",
    ("alias_restrict", 28, "global store"): "nvcc stores after the loop, on another line",
    ("divloop", 89, "global load"): "nvcc unrolls the divergent loop by four",
    ("early", 110, "global load"): "nvcc evaluates the condition for another set of lanes",
}


def by_line(lines: list[dict[str, Any]]) -> dict[tuple[int, str], Counter[str]]:
    """Counters per (line, op). Nsight Compute books global atomics on a toolkit header: they are compared per kernel, as line 0."""
    table: dict[tuple[int, str], Counter[str]] = defaultdict(Counter)
    for entry in lines:
        line = 0 if entry["op"] == "global atomic" else entry["line"]
        for name in COUNTERS:
            table[line, entry["op"]][name] += entry.get(name) or 0
    return {key: table[key] for key in table if not key[1].startswith("local")}


def differences(emulated: dict[str, Any], measured: dict[str, Any]) -> set[tuple[int, str]]:
    ours, theirs = by_line(emulated["accesses"]), by_line(measured["lines"])
    return {key for key in ours.keys() | theirs.keys() if +ours.get(key, Counter()) != +theirs.get(key, Counter())}


@pytest.mark.parametrize("program", only([program for program in PROGRAMS if program != "transpose_probe.cu"], PROGRAMS))
def test_counters_equal_the_hardware(build: Any, run: Any, program: str) -> None:
    emulated = run(build(f"h200/{program}"))["profiles"]
    measured = [launch for launch in LAUNCHES if launch["program"] == program]
    assert len(emulated) == len(measured)
    for ours, theirs in zip(emulated, measured, strict=True):
        kernel = theirs["kernel"].partition("<")[0]
        assert ours["kernel"].startswith(kernel)
        known = {(line, op) for name, line, op in KNOWN_DIFFERENCES if name == kernel}
        assert differences(ours, theirs) - known == set(), kernel
