"""A profile as people look at it: source lines with heat, shares, and what the GPU's own counters say in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.engine.report.hardware_words import measured_in_words, stalls_in_words
from assistant.engine.report.profile_parts import (
    LineHeat,
    Share,
    estimate_reasons,
    evidence_of,
    heat_step,
    instruction_shares,
    line_heat,
    share_in_words,
    source_rows,
    stall_heat,
    stall_shares,
    term_shares,
)
from assistant.model import event_parts, events
from assistant.model.comparison import ModelTerm, PredictedTime
from assistant.model.profile import Evidence, Grade, InstructionMix, LineStall, Method

FILE = "/w/a.cu"
LOAD = event_parts.ProfileLine(FILE, 2, "global load", 10, 320, 130, 40, None, None, "exact", "")
STORE = event_parts.ProfileLine(FILE, 3, "global store", 10, 320, 50, 40, None, None, "estimated", "loops were unrolled")
SHARED = event_parts.ProfileLine(FILE, 3, "shared load", 10, 320, None, None, 40, 10, "estimated", "")
IDEAL = event_parts.ProfileLine(FILE, 5, "global load", 10, 320, 40, 40, None, None, "exact", "")
FOREIGN = event_parts.ProfileLine("/w/b.cuh", 3, "global load", 10, 320, 140, 40, None, None, "exact", "")
LINES = (LOAD, STORE, SHARED, IDEAL, FOREIGN)
STALLS = (LineStall(FILE, 2, "long_scoreboard", 30), LineStall(FILE, 5, "barrier", 10), LineStall(FILE, 2, "barrier", 0))
FINDING = event_parts.ProfileFinding("KO101", 3, "warning", "", ("E2", "E9", "E1"), 0.25)
TEXT = "one\ntwo\nthree\nfour\nfive\nsix\n"


def profile(evidence: tuple[Evidence, ...] = (), stalls: tuple[LineStall, ...] = ()) -> events.Profile:
    device = event_parts.Device("NVIDIA H200", "gpu", "h200")
    return events.Profile(
        "J1", "k", "k", 0, (4, 1, 1), (32, 1, 1), 0, device, "ncu", {}, InstructionMix(), LINES, (FINDING,), evidence, (), stalls=stalls
    )


def fact(identity: str, metric: str, value: float, line: int | None = None) -> Evidence:
    return Evidence(identity, metric, value, "ratio", line, Method.NCU, "NVIDIA H200", Grade.EXACT)


def test_heat_is_what_a_line_moves_beyond_its_ideal() -> None:
    assert line_heat(LINES) == (
        LineHeat(FILE, 2, 90, 0.45, 0, 0.0),
        LineHeat(FILE, 3, 10, 0.05, 30, 1.0),
        LineHeat("/w/b.cuh", 3, 100, 0.5, 0, 0.0),
    )
    assert [heat.ratio for heat in line_heat(LINES)] == [0.45, 1.0, 0.5]
    assert line_heat((replace(LOAD, sectors=20),)) == ()
    assert line_heat((LOAD,)) == (LineHeat(FILE, 2, 90, 1.0, 0, 0.0),)
    assert line_heat((SHARED,)) == (LineHeat(FILE, 3, 0, 0.0, 30, 1.0),)


def test_rows_show_each_line_of_the_ranges_with_its_own_heat() -> None:
    rows = source_rows(TEXT, FILE, ((2, 3), (5, 5)), LINES, (FINDING, FINDING))
    assert [row.number for row in rows] == [2, 3, None, 5]
    assert [row.text for row in rows] == ["two", "three", "", "five"]
    assert [row.sectors_ratio for row in rows] == [0.45, 0.05, None, None]
    assert [row.wavefronts_ratio for row in rows] == [None, 1.0, None, None]
    assert [row.stalls_ratio for row in rows] == [None] * 4
    assert [row.heat_step for row in rows] == [2, 4, 0, 0]
    assert [row.accesses for row in rows] == [(LOAD,), (STORE, SHARED), (), (IDEAL,)]
    assert [row.codes for row in rows] == [(), ("KO101",), (), ()]


def test_where_waiting_was_sampled_it_is_the_heat() -> None:
    rows = source_rows(TEXT, FILE, ((2, 5),), LINES, (), STALLS)
    assert [row.stalls_ratio for row in rows] == [0.75, None, None, 0.25]
    assert [row.heat_step for row in rows] == [4, 0, 0, 2]
    elsewhere = tuple(replace(stall, file=name) for name in ("/a.cu", "/z.cu") for stall in STALLS)
    assert [row.stalls_ratio for row in source_rows(TEXT, FILE, ((2, 5),), LINES, (), elsewhere)] == [None] * 4
    assert stall_heat(STALLS) == {(FILE, 2): 0.75, (FILE, 5): 0.25}
    unsampled = replace(STALLS[0], line=9, samples=0)
    assert stall_heat((*STALLS, unsampled)) == stall_heat(STALLS), "no samples, no heat"
    assert stall_heat((unsampled,)) == {}


@pytest.mark.parametrize(("ratio", "step"), [(None, 0), (0.0, 1), (0.24, 1), (0.25, 2), (0.99, 4), (1.0, 4)])
def test_heat_has_four_steps(ratio: float | None, step: int) -> None:
    assert heat_step(ratio) == step


def test_evidence_comes_in_the_order_of_its_finding() -> None:
    facts = fact("E1", "a", 1.0), fact("E2", "b", 2.0)
    assert evidence_of(profile(facts), FINDING) == [facts[1], facts[0]]


def test_shares_are_of_the_whole_and_the_largest_comes_first() -> None:
    predicted = PredictedTime(4e-6, "l2", (ModelTerm("launch", 1e-6, ()), ModelTerm("dram", 0.0, ()), ModelTerm("l2", 4e-6, ())), "h200")
    assert [(share.value, share.ratio) for share in term_shares(predicted)] == [(4e-6, 1.0), (1e-6, 0.25)]
    assert instruction_shares(InstructionMix(fp32=10, load_store=30)) == [Share("load/store", 30, 0.75), Share("fp32", 10, 0.25)]
    assert stall_shares(STALLS) == [Share("long scoreboard", 30, 0.75), Share("barrier", 10, 0.25)]


def test_each_reason_of_an_estimate_has_its_lines_once() -> None:
    assert estimate_reasons((*LINES, STORE)) == {"loops were unrolled": ["3"], "no reason is recorded": ["3"]}


@pytest.mark.parametrize(
    ("ratio", "words"), [(0.0, "0 %"), (0.0049, "<1 %"), (0.005, "<1 %"), (0.006, "1 %"), (0.374, "37 %"), (1.0, "100 %")]
)
def test_a_share_is_never_shown_as_nothing(ratio: float, words: str) -> None:
    assert share_in_words(ratio) == words


def test_what_a_gpu_measured_is_one_sentence() -> None:
    whole = (
        fact("E1", "l1_utilisation", 0.47),
        fact("E2", "dram_utilisation", 0.02),
        fact("E3", "l2_utilisation", 0.99, line=3),
        fact("E4", "achieved_occupancy", 0.5),
        fact("E5", "theoretical_occupancy", 0.75),
        fact("E6", "profiled_duration", 2e-6),
    )
    assert measured_in_words(profile(whole)) == (
        "measured by ncu: L1 47 %, DRAM 2 % of the peak; occupancy 50 % of the 75 % that fit; "
        "2 µs under the profiler, which is not a measured speed"
    )
    assert measured_in_words(profile(whole[3:4])) == "measured by ncu: occupancy 50 %"
    assert measured_in_words(profile()) is None


def test_what_warps_waited_for_is_one_sentence() -> None:
    assert (
        stalls_in_words(profile(stalls=STALLS)) == "warps waited in 40 samples: long scoreboard 75 %, barrier 25 %; line 2 has 75 % of them"
    )
    of_no_line = tuple(replace(stall, line=0) for stall in STALLS)
    assert stalls_in_words(profile(stalls=of_no_line)) == "warps waited in 40 samples: long scoreboard 75 %, barrier 25 %"
    assert stalls_in_words(profile()) is None
