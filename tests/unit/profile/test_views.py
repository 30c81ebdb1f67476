"""Signature, roofline and summary of a launch."""

from __future__ import annotations

import pytest

from assistant.measure import predict, target
from assistant.model.profile import InstructionMix, LineInstructions
from assistant.profile import distance, roofline, signature, summarize
from assistant.profile.signature import DIMENSIONS

H200 = target("h200")
WARPS = 4096 * 8


def signed(launch_profile, occupancy):
    return signature(launch_profile, occupancy(), predict(launch_profile, None, occupancy(), H200))


def strided(access, profile, scale: int = 1):
    load = access("global load", WARPS * scale, 5, sectors=WARPS * scale * 32, ideal=WARPS * scale * 4)
    return profile(load, blocks=4096 * scale, unique_sectors=WARPS * scale * 32, block_unique_sectors=WARPS * scale * 32)


def conflicted(access, profile):
    return profile(access("shared load", WARPS * 64, 5, wavefronts=WARPS * 2048, ideal_wavefronts=WARPS * 64))


def test_a_signature_holds_every_dimension_between_0_and_1(access, profile, occupancy):
    point = signed(strided(access, profile), occupancy)
    assert tuple(name for name, _ in point.vector) == DIMENSIONS
    assert all(0 <= value <= 1 for _, value in point.vector)


def test_waste_shows_in_the_signature(access, profile, occupancy):
    assert dict(signed(strided(access, profile), occupancy).vector)["load_waste"] == pytest.approx(0.875)
    shared = signed(conflicted(access, profile), occupancy)
    assert shared.label == "shared"
    assert dict(shared.vector)["conflict_waste"] == pytest.approx(31 / 32)


def test_the_same_defect_at_another_size_is_near_and_another_defect_far(access, profile, occupancy):
    one, bigger = (signed(strided(access, profile, scale), occupancy) for scale in (4, 16))
    other = signed(conflicted(access, profile), occupancy)
    assert distance(one, one) == 0
    assert distance(one, bigger) < 0.1 < distance(one, other)
    assert distance(one, other) == distance(other, one) <= 1


def test_a_launch_bound_kernel_is_labelled_latency(access, profile, occupancy):
    assert signed(profile(access("global load", 8, 5, sectors=32), blocks=1), occupancy).label == "latency"


def test_the_roofline_shows_intensity_per_level_below_its_bound(access, profile, occupancy):
    mix = LineInstructions("k.cu", 5, InstructionMix(fp32=1 << 30))
    launch_profile = profile(
        access("global load", 1 << 22, 5, sectors=1 << 24), blocks=1 << 19, unique_sectors=1 << 24, instructions=(mix,)
    )
    drawn = roofline(launch_profile, predict(launch_profile, None, occupancy(), H200), H200)
    assert [p.level for p in drawn.points] == ["DRAM", "L2", "L1"]
    assert drawn.points[0].intensity == pytest.approx((2 << 30) / (32 << 24))
    assert all(0 < p.operations_per_s <= p.bound_operations_per_s for p in drawn.points)
    assert {c.name for c in drawn.ceilings} >= {"DRAM", "fp32", "fp64"}


def test_without_machine_code_there_is_no_roofline_point(access, profile, occupancy):
    launch_profile = strided(access, profile)
    assert roofline(launch_profile, predict(launch_profile, None, occupancy(), H200), H200).points == ()


def test_the_summary_names_the_limit_and_says_predicted(access, profile, occupancy):
    summary = summarize(predict(conflicted(access, profile), None, occupancy(), H200))
    assert summary.sentence.startswith("Predicted")
    assert "shared memory" in summary.sentence
    ratios = [s.ratio for s in summary.shares]
    assert ratios == sorted(ratios, reverse=True)
    assert all(0 < r <= 1 for r in ratios)
