"""Times of libraries: every program of the suite has calls or a reason, and what breaks the measuring process is a row like others."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from assistant.bench.suite_file import SUITE_NAME, read_suite
from benchmarks.gpu.libraries import NONE, ROWS_NAME, chosen, key_of, libraries_table, measure_libraries, read_rows

SUITE = Path(__file__).parents[3] / "benchmarks" / "suite"
TIMED = {
    "program": "relu", "size": [16777216], "library": "torch", "calls": "torch.relu(x)", "type": "float32", "differs": "",
    "median_s": 30e-6, "low_s": 29.5e-6, "high_s": 31e-6, "n": 25, "cold_s": 33.3e-6, "method": "graph of 34 calls", "difference": 0.0,
    "where": "NVIDIA H200",
}  # fmt: skip
CHILD = """
import json, os, sys
folder, rows = sys.argv[1], json.loads(os.environ["ROWS"])
path = folder + "/libraries.jsonl"
there = [json.loads(line)["calls"] for line in open(path)]
for row in rows:
    if row["calls"] in there:
        continue
    open(folder + "/libraries.running.json", "w").write(json.dumps(row))
    if row.get("dies"):
        open(path, "a").write('{"half')
        os._exit(7)
    open(path, "a").write(json.dumps(row) + "\\n")
    if row.get("spoils"):
        os._exit(3)
"""


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


@pytest.mark.parametrize("sizes", ["smallest", "3", "largest", "1,4", "all"])
def test_sizes_are_those_of_kernelopt_bench(sizes: str) -> None:
    programs = read_suite(SUITE / SUITE_NAME)
    wanted = {"smallest": [0], "3": [2], "largest": [-1], "1,4": [0, 3], "all": [0, 1, 2, 3]}[sizes]
    assert [(each.program, each.size) for each in chosen(sizes)] == [
        (program.name, program.sizes[index]) for program in programs for index in wanted
    ]


@pytest.mark.parametrize("sizes", ["", "0", "5", "tiny", "1,"])
def test_other_sizes_are_refused(sizes: str) -> None:
    with pytest.raises(ValueError, match="smallest, largest, all, or numbers"):
        chosen(sizes)


def test_programs_without_a_library_are_of_the_suite() -> None:
    assert NONE.keys() <= {program.name for program in read_suite(SUITE / SUITE_NAME)}


def test_a_half_line_is_no_row(tmp_path: Path) -> None:
    path = tmp_path / ROWS_NAME
    assert read_rows(path) == []
    path.write_text(json.dumps(TIMED) + "\n" + json.dumps(TIMED)[:30])
    assert read_rows(path) == [TIMED]


def test_a_child_that_dies_is_a_row_and_the_others_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dying, spoiling = {**TIMED, "calls": "b", "dies": True}, {**TIMED, "calls": "c", "spoils": True}
    monkeypatch.setenv("PATH", "")  # no nvcc
    monkeypatch.setenv("ROWS", json.dumps([TIMED, dying, spoiling, {**TIMED, "calls": "d"}]))
    script = tmp_path / "child.py"
    script.write_text(CHILD)
    found = measure_libraries(tmp_path, "3", time.monotonic() + 60, (sys.executable, str(script)))
    none, others = found[: len(NONE)], found[len(NONE) :]
    assert {each["program"]: each["reason"] for each in none} == NONE
    assert [each["calls"] for each in others] == ["torch.relu(x)", "b", "c", "d"]
    assert others[1]["reason"] == "its process ended with status 7"
    again = measure_libraries(tmp_path, "3", time.monotonic() + 60, (sys.executable, str(script)))
    assert list(map(key_of, again)) == list(map(key_of, found)), "nothing is timed twice"


def test_a_child_that_cannot_start_ends_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = measure_libraries(tmp_path, "3", time.monotonic() + 60, (sys.executable, "-c", "raise SystemExit(1)"))
    assert len(found) == len(NONE)


def test_the_table_has_times_or_reasons() -> None:
    failed = {**{name: TIMED[name] for name in ("program", "size", "library", "calls", "type", "differs")}, "reason": "out of memory"}
    *_, first, second, empty, where = libraries_table([TIMED, failed]).splitlines()
    timed, reason = cells(first), cells(second)
    assert (empty, where) == ("", "NVIDIA H200")
    assert timed == [
        "relu 16777216", "torch", "`torch.relu(x)`", "float32", "30.0", "29.5 to 31.0, n=25", "33.3", "0.0e+00", "",
    ]  # fmt: skip
    assert reason[4:] == ["–", "", "", "", "out of memory"]
