"""KO122: loops through memory that the first thread of a block runs alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.profile import InstructionMix, LineInstructions
from assistant.profile import LoopFacts, SourceFacts

ALONE = SourceFacts(loops=(LoopFacts(12, 13, 1, None, is_first_threads=True),), kernel_line=5)


def test_a_loop_that_one_thread_runs_for_its_block_is_reported_without_a_cost_where_there_is_no_machine_code(access, profile, check):
    counted = profile(access("shared load", 192 * 1024, 13, wavefronts=192 * 1024), blocks=1024, threads=192)
    finding = check(counted, facts=ALONE).one("KO122")
    assert (finding.line, finding.estimated_cost_ratio) == (12, None)
    assert "One thread goes through 768 bytes of memory in this loop, for the 192 threads of its block" in finding.message


def test_a_table_that_one_thread_fills_costs_its_instructions_in_full_warps(access, profile, check):
    loads = access("global load", 512 * 1024, 13, sectors=512 * 1024, active_threads=512 * 1024)
    mix = InstructionMix(integer=2048 * 1024, load_store=512 * 1024)
    counted = replace(profile(loads, blocks=1024, threads=256), instructions=(LineInstructions("k.cu", 13, mix, warp_mix=mix),))
    found = check(counted, facts=ALONE)
    finding = found.one("KO122")
    assert found.value(finding, "alone_bytes") == 2048 and finding.estimated_cost_ratio > 0.5


def test_of_loops_in_one_another_that_one_thread_runs_the_outer_one_is_reported(access, profile, check):
    nest = SourceFacts(
        loops=(LoopFacts(12, 16, 1, None, is_first_threads=True), LoopFacts(13, 15, 2, None, is_first_threads=True)), kernel_line=5
    )
    counted = profile(access("shared store", 192 * 1024, 14, wavefronts=192 * 1024), blocks=1024, threads=192)
    assert check(counted, facts=nest).one("KO122").line == 12


@pytest.mark.parametrize(("count", "threads"), [(8, 256), (192, 32)])
def test_a_value_for_each_warp_or_a_block_of_one_warp_is_nothing_to_report(access, profile, check, count, threads):
    counted = profile(access("shared load", count * 1024, 13, wavefronts=count * 1024), blocks=1024, threads=threads)
    assert "KO122" not in check(counted, facts=ALONE).codes
