"""Impossible gains are put aside, possible ones pass."""

from __future__ import annotations

import pytest

from assistant.measure import target
from assistant.measure.bounds import Quarantine, bound_ratio, least_time_s, quarantine
from assistant.model.comparison import Comparison, SpeedOutcome

H200 = target("h200")


def faster(ratio: float, low: float) -> Comparison:
    return Comparison(SpeedOutcome.FASTER, ratio, low, ratio * 1.01, 0.01, "good", (), "paired timing")


def test_a_large_footprint_is_bounded_by_dram_and_a_small_one_by_l2(launch):
    large, small = (launch(1, 32, (), unique=sectors) for sectors in (1 << 25, 1 << 15))
    assert least_time_s(large, H200) == pytest.approx((1 << 30) / 4.8e12)
    assert least_time_s(small, H200) == pytest.approx((1 << 20) / H200.l2_bytes_per_s)


def test_what_a_kernel_writes_may_still_be_in_l2_when_it_ends(launch, access):
    sectors = 1 << 23
    reads, writes = (launch(1, 32, (access(op, sectors // 4, sectors),), unique=sectors) for op in ("global load", "global store"))
    assert least_time_s(reads, H200) == pytest.approx(sectors * 32 / 4.8e12)
    assert least_time_s(writes, H200) == pytest.approx((sectors * 32 - H200.l2_bytes) / 4.8e12)


def test_no_footprint_passes_l2_faster_than_l2_goes(launch, access):
    sectors = H200.l2_bytes // 32 + 1
    writes = launch(1, 32, (access("global store", sectors // 4, sectors),), unique=sectors)
    assert least_time_s(writes, H200) == pytest.approx(sectors * 32 / H200.l2_bytes_per_s)


def test_without_distinct_sectors_there_is_no_bound(launch):
    assert least_time_s(launch(1, 32, ()), H200) is None


def test_a_gain_beyond_the_bound_is_quarantined():
    judged = quarantine(faster(30.0, 29.0), bound_ratio(1e-3, 1e-4))
    assert isinstance(judged, Quarantine)
    assert judged.comparison.outcome is SpeedOutcome.INCONCLUSIVE
    assert "29.00" in judged.reason


def test_a_possible_gain_passes_unchanged():
    comparison = faster(2.0, 1.9)
    assert quarantine(comparison, bound_ratio(1e-3, 1e-4)) is comparison
