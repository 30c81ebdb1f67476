"""A count that contradicts another is left out, with its reason, and nothing is predicted from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure import predict, target
from assistant.model.profile import InstructionMix, LineExecution, LineInstructions, Method
from assistant.profile.consistency import consistent

WARPS = 4096 * 8
THREADS = WARPS * 32


def test_counts_that_agree_stay_as_they_are(access, profile):
    load = access("global load", WARPS, 6, sectors=4 * WARPS)
    lines = (LineExecution("k.cu", 6, WARPS, THREADS, 100, WARPS),)
    code = (LineInstructions("k.cu", 6, InstructionMix(fp32=3 * THREADS), InstructionMix(fp32=3 * WARPS)),)
    counted = profile(load, executions=lines, instructions=code)
    assert consistent(counted) == counted


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"active_threads": 33 * WARPS}, "a warp has 32"),
        ({"active_threads": WARPS // 2}, "each needs one at least"),
        ({"ideal_sectors": 5 * WARPS}, "would be the least"),
    ],
)
def test_an_impossible_access_is_left_out(access, profile, change, words):
    wrong = replace(access("global load", WARPS, 6, sectors=4 * WARPS), **change)
    right = access("global store", WARPS, 7, sectors=4 * WARPS)
    found = consistent(profile(wrong, right))
    assert found.accesses == (right,)
    assert len(found.refused) == 1
    assert found.refused[0].startswith("line 6: ")
    assert words in found.refused[0]


def test_a_gpu_counts_requests_that_a_predicate_turned_off(access, profile):
    off = access("global store", WARPS, 7, sectors=4, ideal=4, active_threads=32)
    counted = profile(off, method=Method.NCU)
    assert consistent(counted) == counted


def test_no_branch_parts_more_often_than_it_runs(profile):
    line = LineExecution("k.cu", 9, WARPS, THREADS, 3 * WARPS, WARPS)
    found = consistent(profile(executions=(line,)))
    assert found.executions == (replace(line, divergent_branches=0, branch_executions=0),)
    assert "branches that part 98,304 times in 32,768 executions" in found.refused[0]


def test_instructions_with_fewer_lanes_than_any_line_are_refused(access, profile):
    """145.7 million warp instructions from 311 million of threads, where 27.8 lanes are active."""
    lines = (LineExecution("k.cu", 9, 1000, 27_800, 0),)
    code = (LineInstructions("k.cu", 9, InstructionMix(fp32=311_000_000), InstructionMix(fp32=145_700_000)),)
    counted = profile(access("global load", WARPS, 6, sectors=4 * WARPS), executions=lines, instructions=code)
    found = consistent(counted)
    assert found.instructions == ()
    assert "145,700,000 warp instructions are too many" in found.refused[0]
    predicted = predict(found, None, None, target("h200"))
    assert predicted.time_s < predict(counted, None, None, target("h200")).time_s
    assert any(note.startswith("left out: machine code") for note in predicted.notes)


def test_more_threads_than_warps_have_lanes_are_refused(profile):
    code = (LineInstructions("k.cu", 9, InstructionMix(fp32=64_000), InstructionMix(fp32=1000)),)
    found = consistent(profile(instructions=code))
    assert found.instructions == ()
    assert "a warp has 32 lanes" in found.refused[0]
