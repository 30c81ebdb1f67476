"""What is read from Nsight Compute's reports agrees with what another capture of the same programs found, line by line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from assistant.device.counters.report import ReportRequest, read_report
from assistant.model.profile import LaunchProfile, Method
from assistant.model.report import ProfilerReport
from assistant.profile.by_line import InstructionCounters, access_bytes, line_accesses, line_stalls

DATA = Path(__file__).parents[2] / "data"
NAMES = ("transpose", "bank_conflicts", "row_walk", "accumulator", "pipeline", "histogram", "misc")
HEADER = ("toolkit header", 0)
"""Where the other capture books what was inlined from one."""


def report(name: str) -> ProfilerReport:
    reply = read_report(ReportRequest(str(DATA / "reports" / f"{name}.ncu-rep")))
    assert reply.report is not None, reply.refusal
    return reply.report


def known(program: str) -> list[dict[str, Any]]:
    captures = [json.loads((DATA / "h200" / f"{name}.json").read_text("utf-8")) for name in ("examples", "counters")]
    return [launch for capture in captures for launch in capture["launches"] if launch["program"] == program]


def lines(launch: LaunchProfile, program: str) -> dict[tuple[str, int, str], tuple[int | None, ...]]:
    found: dict[tuple[str, int, str], tuple[int | None, ...]] = {}
    for a in launch.accesses:
        file, line = (program, a.line) if Path(a.file).name == program else HEADER
        found[file, line, a.op] = (a.requests, a.active_threads, a.sectors, a.ideal_sectors, a.wavefronts)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_counters_by_line_equal_an_earlier_capture(name: str) -> None:
    read = report(name)
    assert read.launches and read.device == "NVIDIA H200" and read.architecture == "sm_90"
    for launch, expected in zip(read.launches, known(f"{name}.cu"), strict=False):
        assert expected["kernel"] in launch.kernel and launch.method is Method.NCU
        assert lines(launch, f"{name}.cu") == {
            (row["file"], row["line"], row["op"]): tuple(
                row.get(counter) for counter in ("instructions", "active_threads", "sectors", "ideal_sectors", "wavefronts")
            )
            for row in expected["lines"]
        }


def test_a_report_shows_stalls_shares_of_peaks_registers_and_machine_code() -> None:
    read = report("transpose")
    (launch,) = read.launches
    assert sum(stall.samples for stall in launch.stalls) > 0 and "selected" not in {stall.reason for stall in launch.stalls}
    assert 0 < (launch.measurement("l1_utilisation") or 0) < 1
    assert 0 < (launch.measurement("achieved_occupancy") or 0) < (launch.measurement("theoretical_occupancy") or 0) == 1
    assert read.resources[0].registers_per_thread == known("transpose.cu")[0]["registers_per_thread"]
    assert [i.opcode for i in read.code[0].instructions if i.line == 11 and i.opcode[:3] in ("LDG", "STG")] == ["LDG.E", "STG.E"]
    executed = sum(
        line.mix.fp32 + line.mix.integer + line.mix.load_store + line.mix.control + line.mix.other for line in launch.instructions
    )
    assert executed == known("transpose.cu")[0]["totals"]["thread_instructions"]


def test_launches_beyond_the_limit_are_counted_and_not_read() -> None:
    reply = read_report(ReportRequest(str(DATA / "reports" / "pipeline.ncu-rep"), launch_limit=1))
    assert reply.report is not None
    assert (len(reply.report.launches), reply.report.unread_count) == (1, len(known("pipeline.cu")) - 1)


def test_what_is_no_report_is_refused_with_a_way_out(tmp_path: Path) -> None:
    other = tmp_path / "other.ncu-rep"
    other.write_text("no report", "utf-8")
    for path, word in ((other, "no profiled kernel"), (tmp_path / "missing.ncu-rep", "no file")):
        refusal = read_report(ReportRequest(str(path))).refusal
        assert refusal is not None and word in refusal.message and refusal.remedy


def test_without_its_package_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    refusal = read_report(ReportRequest(str(DATA / "reports" / "transpose.ncu-rep"))).refusal
    assert refusal is not None and "ncu-report" in refusal.message and "pip install" in refusal.remedy


def test_instructions_of_a_line_are_added_up_by_kind_of_access() -> None:
    loads = [
        InstructionCounters(at, opcode, "load_store", "/a.cu", 3, 32, 1000, sectors=128, ideal_sectors=100, stalls=(("wait", at),))
        for at, opcode in enumerate(("LDG.E", "LDG.E.128", "STG.E.64"), start=1)
    ]
    never = InstructionCounters(9, "LDG.E", "load_store", "/a.cu", 4, 0, 0, sectors=0, ideal_sectors=0)
    found = {(a.line, a.op): (a.requests, a.sectors, a.size_bytes) for a in line_accesses([*loads, never])}
    assert found == {(3, "global load"): (64, 256, 16), (3, "global store"): (32, 128, 8)}
    assert [(stall.reason, stall.samples) for stall in line_stalls(loads)] == [("wait", 6)]


@pytest.mark.parametrize(("opcode", "size"), [("LDG.E", 4), ("LDG.E.U8", 1), ("LDS.U.128", 16), ("STG.E.U16", 2), ("RED.E.ADD.F32", 4)])
def test_the_width_of_an_access_is_in_its_opcode(opcode: str, size: int) -> None:
    assert access_bytes(opcode) == size
