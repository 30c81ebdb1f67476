"""KO127: blocks that take longer to start than what they do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure import predict, target
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import InstructionMix, LineInstructions


@pytest.mark.parametrize("threads", [32, 64, 128, 256])
def test_blocks_of_little_work_are_reported_with_what_larger_ones_would_win(access, profile, occupancy, check, threads):
    blocks = 32768
    warps = blocks * threads // 32
    launched = profile(access("global load", warps, 5, sectors=warps), blocks=blocks, threads=threads)
    finding = check(launched, occupancy=occupancy(threads)).one("KO127")
    assert finding.message.startswith(f"Starting 32,768 blocks of {threads} threads takes 19.7 µs")

    def time_s(count: int, size: int) -> float:
        return predict(replace(launched, config=LaunchConfig(Dim3(count), Dim3(size))), None, occupancy(size), target("h200")).time_s

    best_s = min(time_s(blocks * threads // size, size) for size in (64, 128, 256, 512) if size > threads)
    assert finding.estimated_cost_ratio == pytest.approx(1 - best_s / time_s(blocks, threads), abs=0.02)


def test_blocks_of_512_threads_and_more_start_no_faster_by_being_larger(access, profile, occupancy, check):
    launched = profile(access("global load", 16384, 5, sectors=16384), blocks=32768, threads=512)
    assert "KO127" not in check(launched, occupancy=occupancy(512)).codes


def test_blocks_that_work_longer_than_they_take_to_start_are_not_reported(access, profile, occupancy, check):
    busy = LineInstructions("k.cu", 5, InstructionMix(fp32=32 * 1_000_000_000))
    launched = profile(access("global load", 4096, 5, sectors=16384), instructions=(busy,), blocks=4096, threads=128)
    assert "KO127" not in check(launched, occupancy=occupancy(128)).codes


@pytest.mark.parametrize(("threads", "is_told"), [(32, True), (64, False), (128, False)])
def test_of_blocks_that_start_in_less_than_a_launch_takes_only_very_small_ones_are_reported(
    access, profile, occupancy, check, threads, is_told
):
    launched = profile(access("global load", 4096, 5, sectors=4096), blocks=4096, threads=threads)
    assert ("KO127" in check(launched, occupancy=occupancy(threads)).codes) is is_told
