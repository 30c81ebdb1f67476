"""KO124 and KO125: passes over an array, and diagonals of a table, that each go through global memory."""

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


DIAGONALS = SourceFacts(kernel_line=3, diagonals_line=52)


@pytest.fixture
def diagonal(access, profile):
    """A launch of one block for the cells of a diagonal: neighbours in it lie a row apart."""
    return profile(access("global load", 4, 5, sectors=128), access("global store", 4, 6, sectors=128))


def test_launches_for_one_diagonal_each_are_reported_at_the_launch(diagonal, check):
    found = check(*1000 * (diagonal,), facts=DIAGONALS)
    finding = found.one("KO125")
    assert finding.line == 52 and 0.8 < finding.estimated_cost_ratio < 0.97
    assert finding.message.startswith("1,000 launches that wait for each other, one for each diagonal of a table")
    assert finding.message.endswith("would be 31") and found.value(finding, "launch_count") == 1000


@pytest.mark.parametrize(
    ("rows", "columns", "tiles"), [(96, 96, 5), (65, 65, 5), (130, 270, 13), (150, 200, 11), (128, 256, 11), (1, 512, 16)]
)
def test_diagonals_of_tiles_are_counted_by_the_longest_diagonal(access, profile, check, rows, columns, tiles):
    cells = min(rows, columns)
    store = replace(access("global store", 4, 6, sectors=128), active_threads=cells)
    longest = profile(access("global load", 4, 5, sectors=128), store)
    shorter = profile(access("global load", 4, 5, sectors=128), replace(store, active_threads=1))
    found = check(*(rows + columns - 2) * (shorter,), longest, facts=DIAGONALS)
    assert found.one("KO125").message.endswith(f"would be {tiles}")


def test_few_diagonals_another_loop_and_a_kernel_with_a_tile_have_no_such_finding(access, diagonal, check):
    tile = replace(diagonal, accesses=(*diagonal.accesses, access("shared load", 4, 7, wavefronts=4)))
    only_stores = replace(diagonal, accesses=diagonal.accesses[1:])
    assert "KO125" not in check(*100 * (diagonal,), facts=DIAGONALS).codes
    assert "KO125" not in check(*200 * (diagonal,), facts=FACTS).codes
    assert "KO125" not in check(*200 * (tile,), facts=DIAGONALS).codes
    assert "KO125" not in check(*200 * (only_stores,), facts=DIAGONALS).codes


def test_diagonals_that_move_much_are_not_reported(passes, check):
    """Millions of cells in a launch: it does not matter that there is another one."""
    many = replace(passes, accesses=tuple(replace(a, sectors=400 * SECTORS, requests=400 * WARPS) for a in passes.accesses))
    assert "KO125" not in check(*200 * (many,), facts=DIAGONALS).codes
