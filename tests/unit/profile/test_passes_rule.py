"""KO124: passes over an array that each go through global memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.profile import SourceFacts

SECTORS = 4096 * 256
WARPS = 4096 * 8
FACTS = SourceFacts(kernel_line=3, passes_line=41)


@pytest.fixture
def passes(access, profile):
    """A launch whose loads and stores touch a sector for each of a million threads."""
    return profile(access("global load", WARPS, 5, sectors=SECTORS), access("global store", WARPS, 6, sectors=SECTORS))


def test_launches_of_a_loop_that_doubles_what_it_passes_are_reported_at_the_launch(passes, check):
    found = check(*20 * (passes,), facts=FACTS)
    finding = found.one("KO124")
    assert finding.line == 41 and finding.estimated_cost_ratio > 0.3
    assert finding.message.startswith("20 launches from a loop that doubles or halves what it passes: each goes through global memory anew")
    assert found.value(finding, "global_sectors") == 2 * SECTORS


def test_few_launches_another_loop_and_a_kernel_with_a_tile_are_left_alone(access, passes, check):
    tile = replace(passes, accesses=(*passes.accesses, access("shared load", WARPS, 7, wavefronts=WARPS)))
    only_stores = replace(passes, accesses=passes.accesses[1:])
    assert "KO124" not in check(*3 * (passes,), facts=FACTS).codes
    assert "KO124" not in check(*20 * (passes,), facts=replace(FACTS, passes_line=0)).codes
    assert "KO124" not in check(*20 * (tile,), facts=FACTS).codes
    assert "KO124" not in check(*20 * (only_stores,), facts=FACTS).codes
