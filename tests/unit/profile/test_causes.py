"""What a finding names as the cause: nothing else that the same counters would allow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.profile import InstructionMix, LineInstructions
from assistant.profile import SourceFacts
from assistant.profile.facts import LineFacts, LoopFacts

WARPS = 4096 * 8
THREADS = WARPS * 32


def test_spread_updates_of_a_whole_launch_do_not_meet_in_time(access, profile, check):
    """Sixteen million updates of a table of a million sectors: 16 a sector over the launch, at most one of the resident warps."""
    atomic = access("global atomic", 1 << 19, 5, sectors=1 << 24)
    assert "KO110" not in check(profile(atomic, blocks=1 << 16, unique_sectors=1 << 20, atomic_unique_sectors=1 << 20)).codes


def test_lanes_with_addresses_of_their_own_are_not_combined_in_the_warp(access, profile, check):
    """A histogram of 256 counters by scattered values: 20 sectors a request, each lane its own counter as far as the counts show."""
    atomic = access("global atomic", 8192, 5, sectors=163_840)
    message = check(profile(atomic, blocks=1024, atomic_unique_sectors=32)).one("KO110").message
    assert "combine in the block first" in message


def test_a_store_is_not_said_to_read(access, profile, check):
    store = access("global store", WARPS, 7, sectors=32 * WARPS, ideal=4 * WARPS)
    load = access("global load", WARPS, 8, sectors=32 * WARPS, ideal=4 * WARPS)
    messages = {f.line: f.message for f in check(profile(store, load, unique_sectors=8 * WARPS)).findings if f.code == "KO101"}
    assert "the threads of a warp write addresses far apart" in messages[7]
    assert "the threads of a warp read addresses far apart" in messages[8]
    assert not any("neighbouring" in message for message in messages.values())


def test_one_block_that_loops_over_everything_is_the_grid_s_finding(access, profile, check):
    """A block of 256 threads reads four million floats, 16,384 each."""
    requests = 8 * 16_384
    load = access("global load", requests, 6, sectors=4 * requests)
    facts = SourceFacts(loops=(LoopFacts(5, 7, 1, None),), kernel_line=3)
    finding = check(profile(load, blocks=1, unique_sectors=4 * requests), facts=facts).one("KO111")
    assert finding.estimated_cost_ratio is not None
    assert finding.estimated_cost_ratio > 0.9
    assert "share the iterations of the loop at line 5, in which a warp makes 16,384 requests at one line on average" in finding.message


def test_requests_of_a_loop_are_not_said_to_be_its_iterations(access, profile, check):
    """Two loads a line, and warps beyond the end, make requests no count of iterations."""
    load = access("global load", 2 * 7 * 1024, 6, sectors=8 * 7 * 1024)
    message = check(profile(load, blocks=1), facts=SourceFacts(loops=(LoopFacts(5, 7, 1, None),), kernel_line=3)).one("KO111").message
    assert "a warp makes 1,792 requests at one line on average" in message and "times" not in message


@pytest.mark.parametrize(
    ("blocks", "has_loop", "is_found"),
    [(256, True, True), (256, False, False), (800, True, False), (2048, True, False)],
)
def test_blocks_for_every_sm_that_leave_most_of_it_empty_could_be_more(access, profile, check, occupancy, blocks, has_loop, is_found):
    """64 MiB of floats dealt to blocks of 256 threads, of which an SM holds eight."""
    requests = (16 << 20) // 32
    load = access("global load", requests, 6, sectors=4 * requests)
    facts = SourceFacts(loops=(LoopFacts(5, 7, 1, None),) if has_loop else (), kernel_line=3)
    found = check(profile(load, blocks=blocks, unique_sectors=4 * requests), facts=facts, occupancy=occupancy(256))
    assert ("KO111" in found.codes) is is_found
    if is_found:
        finding = found.one("KO111")
        assert finding.message.startswith("A grid of 256 blocks is 24 % of what the SMs of h200 hold at once; more blocks could share the")
        assert finding.estimated_cost_ratio is not None and finding.estimated_cost_ratio > 0.1


def test_a_loop_in_which_threads_wait_for_each_other_is_not_dealt_to_blocks(access, profile, check):
    load = access("global load", 8 * 1024, 6, sectors=4 * 8 * 1024)
    facts = SourceFacts(loops=(LoopFacts(5, 7, 1, None, has_barrier=True),), kernel_line=3)
    assert "more blocks could share" not in check(profile(load, blocks=1, unique_sectors=4096), facts=facts).one("KO111").message


def test_doubles_of_argument_reduction_are_no_accident(access, profile, check):
    load = access("global load", WARPS, 6, sectors=4 * WARPS)
    reduced = LineInstructions("k.cu", 7, InstructionMix(fp32=THREADS, fp64=THREADS, conversion=THREADS))
    counted = profile(load, instructions=(reduced,))
    assert "KO106" in check(counted).codes
    sine = SourceFacts(lines=(LineFacts(7, reduces_arguments=True),), kernel_line=3)
    assert "KO106" not in check(counted, facts=sine).codes
    literal = SourceFacts(lines=(LineFacts(7, ("0.5",), reduces_arguments=True),), kernel_line=3)
    assert "KO106" in check(counted, facts=literal).codes


def test_a_private_stack_is_reported_at_its_busiest_line(access, profile, resources, check):
    load = access("global load", WARPS, 6, sectors=32 * WARPS)
    local = access("local load", 8 * WARPS, 9, sectors=256 * WARPS)
    stack = replace(resources(40), stack_bytes=14_400)
    finding = check(profile(load, local), resources=stack).one("KO117")
    assert finding.line == 9
    assert "14,400 bytes of arrays" in finding.message
    assert "KO117" not in check(profile(load, local), resources=resources(40)).codes, "the compiler kept them in registers"
    assert "KO117" not in check(profile(load, replace(local, requests=WARPS // 8)), resources=stack).codes
    spilled = replace(resources(255, spill_store_bytes=14_400), stack_bytes=14_400)
    assert "KO117" not in check(profile(load, local), resources=spilled).codes, "spills are KO104"
