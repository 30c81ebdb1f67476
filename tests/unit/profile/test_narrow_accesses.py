"""KO118: kernels that stream through memory, and loops that do, by few bytes a thread and access."""

from __future__ import annotations

import pytest

from assistant.model.profile import Severity
from assistant.profile.facts import LoopFacts, SourceFacts
from assistant.profile.wording import main_clause

WARPS = 8 * 4096


def streamed(access, size_bytes):
    """A load and a store of so many bytes a thread, of 32,768 blocks of 256 threads."""
    sizes = {"sectors": size_bytes * 8 * WARPS, "size_bytes": size_bytes}
    return access("global load", 8 * WARPS, 5, **sizes), access("global store", 8 * WARPS, 5, **sizes)


@pytest.mark.parametrize(("size_bytes", "part"), [(1, "16th"), (2, "8th"), (4, "quarter"), (8, "half")])
def test_streaming_by_narrow_accesses_is_reported_with_what_wide_ones_carry(access, profile, check, size_bytes, part):
    result = check(profile(*streamed(access, size_bytes), blocks=8 * 4096, unique_sectors=16 * size_bytes * WARPS))
    finding = result.one("KO118")
    assert main_clause(finding.message).endswith(f"a thread, where one of 16 would do with a {part} of the requests"), "says what is wrong"
    assert result.value(finding, "global_access_bytes") == size_bytes
    assert finding.severity is Severity.INFORMATION


def test_wide_accesses_and_grids_that_fewer_threads_would_not_fill_are_left_alone(access, profile, check):
    assert "KO118" not in check(profile(*streamed(access, 16), blocks=8 * 4096)).codes
    assert "KO118" not in check(profile(*streamed(access, 4), blocks=4096)).codes, "a quarter of 3.9 waves"
    facts = SourceFacts(loops=(LoopFacts(4, 6, 1, None),), kernel_line=3)
    assert "KO118" in check(profile(*streamed(access, 4), blocks=4096), facts=facts).codes, "a loop keeps its threads"


def test_a_grid_that_fewer_threads_would_not_fill_is_reported_where_the_model_sees_a_gain_all_the_same(access, profile, check):
    def found(blocks, **more):
        moved = {"sectors": 32 * blocks, "size_bytes": 4}
        load, store = access("global load", 8 * blocks, 5, **moved), access("global store", 8 * blocks, 5, **moved)
        return check(profile(load, store, blocks=blocks, unique_sectors=64 * blocks), **more)

    result = found(4096)
    assert result.value(result.one("KO118"), "predicted_saving_ratio") >= 0.1, "starting the blocks of a million elements takes longest"
    assert "KO118" not in found(64).codes, "nothing to be gained"
    loop = SourceFacts(loops=(LoopFacts(4, 6, 1, None),), kernel_line=3)
    assert "KO118" not in found(264, facts=loop).codes, "there, no fewer blocks are to be started"


DEALT = SourceFacts(loops=(LoopFacts(4, 6, 1, None, is_dealt=True), LoopFacts(9, 11, 1, None, is_dealt=True)), kernel_line=3)
"""Two loops of a kernel that deal elements out to its threads."""


def row_sums(access, rounds, size_bytes=4, line=5):
    """A load of the loop at line 4, so often by each warp, and what puts the sums together in shared memory."""
    sizes = {"sectors": rounds * size_bytes * WARPS, "size_bytes": size_bytes}
    return access("global load", rounds * WARPS, line, **sizes), access("shared load", 4 * WARPS, 7, wavefronts=4 * WARPS)


def test_loops_that_deal_elements_out_may_use_vectors_whatever_else_the_kernel_does(access, profile, check):
    loads, sums = row_sums(access, 6)
    again = row_sums(access, 6, line=10)[0]
    result = check(profile(loads, again, sums, blocks=4096, block_unique_sectors=24 * WARPS), facts=DEALT)
    assert result.one("KO118").line == 5, "twice the elements, but each loop has each of them once"
    assert "KO118" in check(profile(loads, sums, blocks=1), facts=DEALT).codes, "the threads have the work of several already"


@pytest.mark.parametrize(("rounds", "size_bytes"), [(3, 4), (1, 8), (12, 16)])
def test_threads_without_a_whole_vector_or_with_wide_accesses_are_left_alone(access, profile, check, rounds, size_bytes):
    assert "KO118" not in check(profile(*row_sums(access, rounds, size_bytes), blocks=4096), facts=DEALT).codes


def test_loops_that_deal_nothing_out_are_left_alone_beside_shared_memory(access, profile, check):
    facts = SourceFacts(loops=(LoopFacts(4, 6, 1, None),), kernel_line=3)
    assert "KO118" not in check(profile(*row_sums(access, 6), blocks=4096), facts=facts).codes


def test_elements_that_one_dealing_loop_loads_again_are_another_matter(access, profile, check):
    counted = profile(*row_sums(access, 6), blocks=4096, block_unique_sectors=8 * WARPS)
    assert "KO118" not in check(counted, facts=DEALT).codes, "three times"


def test_scattered_repeated_or_shared_accesses_are_another_matter(access, profile, check):
    load, store = streamed(access, 4)
    scattered = access("global load", 8 * WARPS, 5, sectors=256 * WARPS, ideal=32 * WARPS)
    assert "KO118" not in check(profile(scattered, store, blocks=8 * 4096)).codes
    assert "KO118" not in check(profile(load, store, blocks=8 * 4096, block_unique_sectors=8 * WARPS)).codes, "loaded four times"
    assert "KO118" not in check(profile(load, store, access("shared load", WARPS, 6, wavefronts=WARPS), blocks=8 * 4096)).codes
