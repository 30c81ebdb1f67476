"""KO112: blocks with idle lanes, and blocks too small to fill an SM."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure import predict, target
from assistant.model.profile import InstructionMix, LineInstructions


@pytest.mark.parametrize("threads", [1, 32, 100])
def test_a_block_shape_costs_what_the_same_threads_in_usual_blocks_would_win(access, profile, check, occupancy, threads):
    warps = -(-threads // 32)
    blocks = 32768
    load = access("global load", blocks * warps, 5, sectors=blocks * warps * 4, active_threads=blocks * threads)
    held = occupancy(threads, warps=min(64, 32 * warps), limiter="blocks")
    finding = check(profile(load, blocks=blocks, threads=threads), occupancy=held).one("KO112")
    total = blocks * threads

    def time_s(size: int) -> float:
        full = replace(load, requests=min(load.requests, -(-total // 32)))
        return predict(profile(full, blocks=-(-total // size), threads=size), None, occupancy(size), target("h200")).time_s

    now = predict(profile(load, blocks=blocks, threads=threads), None, held, target("h200")).time_s
    best = min(now, *(time_s(size) for size in (64, 128, 256)))
    assert finding.estimated_cost_ratio == pytest.approx(1 - best / now, abs=0.02)


@pytest.mark.parametrize(("threads", "words"), [(100, "78 % of the lanes"), (32, "too few"), (1, "3 % of the lanes")])
def test_a_block_shape_that_wastes_lanes_or_slots_is_reported(access, profile, occupancy, check, threads, words):
    load, held = access("global load", 16384, 5, sectors=65536), occupancy(threads, warps=min(64, 32 * -(-threads // 32)), limiter="blocks")
    finding = check(profile(load, threads=threads), occupancy=held).one("KO112")
    assert words in finding.message


@pytest.mark.parametrize(("blocks", "warps", "limiter"), [(500, 32, "blocks"), (31 * 132, 32, "blocks"), (4096, 8, "registers")])
def test_blocks_of_a_warp_are_enough_where_an_sm_does_not_get_as_many_as_it_may_hold(
    access, profile, occupancy, check, blocks, warps, limiter
):
    load = access("global load", 16384, 5, sectors=65536)
    busy = LineInstructions("k.cu", 5, InstructionMix(fp32=32 * 1_000_000_000))
    launched, held = profile(load, instructions=(busy,), blocks=blocks, threads=32), occupancy(32, warps=warps, limiter=limiter)
    assert "KO112" not in check(launched, occupancy=held).codes


def test_of_few_blocks_with_idle_lanes_nothing_is_said_of_their_number(access, profile, occupancy, check):
    load = access("global load", 500, 5, sectors=2000)
    found = check(profile(load, blocks=500, threads=20), occupancy=occupancy(20, warps=32, limiter="blocks"))
    assert "fill 62 % of the lanes" in found.one("KO112").message and "too few" not in found.one("KO112").message
