"""KO101, KO102, KO103, KO107, KO108, KO110, KO113, KO120, KO121: what memory counters show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure import predict, target
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Severity
from assistant.profile import CarriedLoad, InvariantLoad, LineFacts, LoopFacts, PointerFacts, SourceFacts, StructUse

WARPS = 4096 * 8


def streaming(access):
    """By 16 bytes a thread: there is nothing to be said of it."""
    wide = {"sectors": WARPS * 16, "size_bytes": 16}
    return access("global load", WARPS, 5, **wide), access("global store", WARPS, 6, **wide)


def test_a_coalesced_kernel_has_no_finding(access, profile, check):
    assert check(profile(*streaming(access))).findings == ()


def test_an_uncoalesced_load_is_reported_with_its_sectors_per_request(access, profile, check):
    load = access("global load", WARPS * 64, 8, sectors=WARPS * 64 * 32, ideal=WARPS * 64 * 4)
    found = check(profile(load, unique_sectors=WARPS * 256, block_unique_sectors=WARPS * 256))
    finding = found.one("KO101")
    assert finding.line == 8
    assert found.value(finding, "global_sectors_per_request") == 32
    assert "touches 32 theoretical sectors" in finding.message
    assert "4 would do" in finding.message
    assert "measured" not in finding.message
    assert finding.severity is Severity.WARNING
    assert finding.estimated_cost_ratio == pytest.approx(0.75, abs=0.1)  # 4.05 times slower measured


def test_few_threads_that_walk_rows_are_shown_a_warp_per_row_with_what_it_wins(access, profile, check):
    """``y[row] += A[row * n + j] * x[j]`` of 1000 rows of 777, a thread per row: predicted 34.8 times as fast with a warp per row."""
    load = access("global load", 49_728, 13, sectors=801_864, ideal=121_989)
    store = access("global store", 24_864, 13, sectors=97_125)
    loop = LoopFacts(12, 14, 1, trip_count=None)
    counted = profile(load, store, blocks=4, unique_sectors=97_349, block_unique_sectors=97_644)
    found = check(counted, facts=SourceFacts(kernel_line=7, loops=(loop,)))
    for code in ("KO101", "KO111"):
        assert "a warp per row would" in found.one(code).message
        assert "each thread walks a row by 1,554 loads" in found.one(code).message
        assert found.one(code).estimated_cost_ratio > 0.9
    synchronous = replace(loop, has_barrier=True)
    alone = check(counted, facts=SourceFacts(kernel_line=7, loops=(synchronous,)))
    assert "a warp per row" not in alone.one("KO101").message


def test_a_number_of_loads_that_threads_do_not_share_is_a_warps(access, profile, check):
    """Rows of different lengths: a warp goes on until its longest row is done."""
    load = replace(access("global load", 49_728, 13, sectors=801_864, ideal=121_989), active_threads=31 * 49_728)
    counted = profile(load, blocks=4, unique_sectors=97_349, block_unique_sectors=97_644)
    found = check(counted, facts=SourceFacts(kernel_line=7, loops=(LoopFacts(12, 14, 1, trip_count=None),)))
    assert "each thread walks a row, by 1,554 load requests a warp" in found.one("KO101").message


def test_load_and_store_on_the_same_line_are_one_finding_about_the_worse(access, profile, check):
    transpose = (
        access("global load", WARPS, 6, sectors=WARPS * 4),
        access("global store", WARPS, 6, sectors=WARPS * 32, ideal=WARPS * 4),
    )
    finding = check(profile(*transpose)).one("KO101")
    assert "global store request" in finding.message


@pytest.mark.parametrize(
    ("block", "sectors", "reason"),
    [
        ((256, 1), 8, "lie apart, and only 50 %"),
        ((256, 1), 12, "lie apart, and only 33 %"),
        ((256, 1), 5, "misaligned, the warp's addresses follow each other but start inside a sector"),
        ((32, 8), 5, "misaligned, the warp's addresses follow each other"),
        ((16, 16), 6, "misaligned, a warp covers 2 rows of 16 threads"),  # a 3x3 blur: every row is one sector longer
        ((16, 16), 5.33, "misaligned, a warp covers 2 rows of 16 threads"),
        ((16, 16), 8, "lie apart"),
        ((8, 32), 7.5, "misaligned, a warp covers 4 rows of 8 threads"),
        ((8, 32), 8, "rows of 8 threads start inside a sector, or step by two elements; the counts do not show which"),
        ((256, 1), 6, "short pieces that begin or end inside a sector (67 %"),
    ],
)
def test_partly_used_sectors_name_their_reason(access, profile, check, block, sectors, reason):
    load = access("global load", WARPS, 7, sectors=round(WARPS * sectors), ideal=WARPS * 4)
    found = check(profile(load, config=LaunchConfig(Dim3(4096), Dim3(*block))))
    assert found.codes == ["KO102"]
    assert reason in found.findings[0].message


def test_an_array_of_structures_is_called_that(access, profile, check):
    load = access("global load", WARPS * 3, 7, sectors=WARPS * 96, ideal=WARPS * 12)
    facts = SourceFacts(lines=(LineFacts(7, struct_fields=("x", "vx")),), kernel_line=3)
    found = check(profile(load), facts=facts)
    assert found.codes == ["KO102"]
    assert "x, vx" in found.findings[0].message


def test_an_array_of_structures_is_one_finding_that_says_what_is_moved_in_vain(access, profile, check):
    """``v = p[i].vx`` on line 7, ``p[i].x + v * p[i].m`` on line 8, of a structure of eight floats."""
    vx = access("global load", WARPS, 7, sectors=WARPS * 32, ideal=WARPS * 4)
    others = access("global load", WARPS * 2, 8, sectors=WARPS * 64, ideal=WARPS * 8)
    lines = tuple(
        LineFacts(line, struct_fields=members, structs=(StructUse("p", "Particle", 32, members, 12),))
        for line, members in ((7, ("vx",)), (8, ("x", "m")))
    )
    counted = profile(vx, others, unique_sectors=WARPS * 32, block_unique_sectors=WARPS * 32)
    found = check(counted, facts=SourceFacts(lines=lines, kernel_line=3))
    assert found.codes == ["KO102"]
    finding = found.findings[0]
    assert finding.line == 8
    assert "p is an array of Particle structures of 32 bytes, and a request takes one member of each" in finding.message
    assert "x, m, vx (lines 7 and 8), 12 of every 32 bytes, and moves the other 62 % in vain" in finding.message


def test_structures_of_three_bytes_are_never_told_to_turn_their_threads(access, profile, check):
    """``Pixel p = img[i]`` by blocks of 16 x 16 threads: three requests of 4 sectors each, where 1 would do."""
    load = access("global load", WARPS * 3, 7, sectors=WARPS * 12, ideal=WARPS * 3, size_bytes=1)
    use = StructUse("img", "Pixel", 3, ("r", "g", "b"), 3)
    whole = check(profile(load), facts=SourceFacts(lines=(LineFacts(7, structs=(use,)),), kernel_line=3))
    assert whole.codes == ["KO102"]
    assert "img is an array of Pixel structures of 3 bytes" in whole.findings[0].message
    assert whole.findings[0].message.endswith(
        "split it into an array a member, or give it __align__(4), so that one request moves all of it"
    )
    unknown = check(profile(load), facts=SourceFacts(lines=(LineFacts(7, moves_structures=True),), kernel_line=3))
    assert unknown.codes == ["KO102"]
    assert "read members of different structures, whose other members lie between" in unknown.findings[0].message
    assert check(profile(load), facts=SourceFacts(lines=(LineFacts(7),), kernel_line=3)).codes == ["KO101"]


def test_a_structure_that_is_used_whole_is_not_called_waste(access, profile, check):
    load = access("global load", WARPS * 4, 7, sectors=WARPS * 64, ideal=WARPS * 16)
    use = StructUse("p", "float4", 16, ("x", "y", "z", "w"), 16)
    facts = SourceFacts(lines=(LineFacts(7, struct_fields=use.members, structs=(use,)),), kernel_line=3)
    message = check(profile(load), facts=facts).one("KO102").message
    assert "in vain" not in message and "all of it is used, but by requests of one member each" in message


def test_gaps_from_inactive_lanes_are_not_a_layout_problem(access, profile, check):
    odd_lanes = access("global load", WARPS, 7, sectors=WARPS * 4, ideal=WARPS * 2, active_threads=WARPS * 16)
    assert check(profile(odd_lanes)).codes == []


def test_ragged_edges_of_a_grid_are_no_finding(access, profile, check):
    load = access("global load", WARPS, 7, sectors=int(WARPS * 16.1), ideal=WARPS * 16, size_bytes=16)
    assert check(profile(load)).codes == []


def test_bank_conflicts_are_reported_with_their_factor(access, profile, check):
    tile = (
        access("global load", WARPS, 5, sectors=WARPS * 4),
        access("global store", WARPS, 6, sectors=WARPS * 4),
        access("shared store", WARPS, 10, wavefronts=WARPS),
        access("shared load", WARPS, 12, wavefronts=WARPS * 32, ideal_wavefronts=WARPS),
    )
    found = check(profile(*tile))
    finding = found.one("KO103")
    assert (finding.line, found.value(finding, "shared_conflict_factor")) == (12, 32)
    assert finding.estimated_cost_ratio is not None
    assert finding.estimated_cost_ratio > 0.1


def test_conflict_free_shared_memory_is_no_finding(access, profile, check):
    tile = (access("shared store", WARPS, 10, wavefronts=WARPS), access("shared load", WARPS, 12, wavefronts=WARPS))
    assert check(profile(*streaming(access), *tile)).codes == []


ACCUMULATES = SourceFacts(
    lines=(LineFacts(9, accumulated_pointers=("o",), invariant_loads=(InvariantLoad("b"),), stored_pointers=("o",)),),
    loops=(LoopFacts(8, 10, 1, None),),
    pointers=(
        PointerFacts("a", "float", is_const=True, is_restrict=False, is_written=False),
        PointerFacts("b", "float", is_const=True, is_restrict=False, is_written=False),
        PointerFacts("o", "float", is_const=False, is_restrict=False, is_written=True),
    ),
    kernel_line=3,
)


def test_an_accumulator_in_global_memory_is_reported_with_its_stores_per_warp(access, profile, check):
    accesses = (
        access("global load", WARPS * 33, 9, sectors=WARPS * 84, ideal=WARPS * 84),
        access("global store", WARPS * 16, 9, sectors=WARPS * 64),
    )
    found = check(profile(*accesses), facts=ACCUMULATES)
    finding = found.one("KO107")
    assert found.value(finding, "global_requests_per_warp") == 16
    assert "stores o 16 times" in finding.message


def test_only_loads_of_the_accumulator_itself_are_saved_by_a_register(access, profile, check):
    """``o[i] += a[j]``: where the compiler forwards ``o[i]``, the loads that are left are of ``a`` and stay."""

    def cost(load_requests):
        """The estimated cost with that many load requests next to the accumulator's stores."""
        accesses = (
            access("global load", load_requests, 9, sectors=load_requests * 4),
            access("global store", WARPS * 16, 9, sectors=WARPS * 64),
        )
        line = LineFacts(9, accumulated_pointers=("o",), stored_pointers=("o",), read_count=1)
        return check(profile(*accesses), facts=replace(ACCUMULATES, lines=(line,))).one("KO107").estimated_cost_ratio

    assert cost(WARPS * 16) < cost(WARPS * 32)


def test_possible_aliasing_is_reported_where_an_unchanging_load_repeats(access, profile, check):
    accesses = (
        access("global load", WARPS * 33, 9, sectors=WARPS * 84),
        access("global store", WARPS * 16, 9, sectors=WARPS * 64),
    )
    finding = check(profile(*accesses), facts=ACCUMULATES).one("KO113")
    assert finding.message.startswith("b is loaded again")
    assert "__restrict__" in finding.message


def test_loads_that_rows_share_are_reported_where_fewer_threads_would_fill_the_gpu(access, profile, check):
    accesses = (access("global load", WARPS * 3, 9, sectors=WARPS * 12), access("global store", WARPS, 9, sectors=WARPS * 4))
    stencil = replace(profile(*accesses), config=LaunchConfig(Dim3(64, 512), Dim3(32, 8)))
    facts = SourceFacts(kernel_line=3, four_rows_loads_ratio=0.5)
    found = check(stencil, facts=facts)
    assert found.value(found.one("KO121"), "own_row_loads_ratio") == 0.5
    assert "a thread of 4 rows needs 50 % of the loads" in found.one("KO121").message
    small = replace(stencil, config=LaunchConfig(Dim3(8, 64), Dim3(32, 8)))
    flat = replace(stencil, config=LaunchConfig(Dim3(64 * 512), Dim3(256)))
    for other, said in ((small, facts), (flat, facts), (stencil, replace(facts, four_rows_loads_ratio=0.95)), (stencil, SourceFacts())):
        assert "KO121" not in check(other, facts=said).codes


CARRIES = SourceFacts(
    lines=(LineFacts(9, carried_loads=(CarriedLoad("y", 9),), stored_pointers=("y",), read_count=2),),
    loops=(LoopFacts(8, 10, 1, None),),
    kernel_line=3,
)


def test_a_value_that_goes_through_memory_to_the_next_iteration_is_reported_with_its_cost(access, profile, check):
    store = access("global store", WARPS * 16, 9, sectors=WARPS * 64)
    found = check(profile(access("global load", WARPS * 32, 9, sectors=WARPS * 128), store), facts=CARRIES)
    finding = found.one("KO120")
    assert found.value(finding, "carried_requests_per_warp") == 16
    assert "of y that the iteration before stored, by 16 requests" in finding.message
    assert finding.estimated_cost_ratio > 0.1


def test_no_carried_load_is_reported_where_the_compiler_left_only_other_loads(access, profile, check):
    store = access("global store", WARPS * 16, 9, sectors=WARPS * 64)
    assert "KO120" not in check(profile(access("global load", WARPS * 16, 9, sectors=WARPS * 64), store), facts=CARRIES).codes


def test_neither_is_reported_when_the_compiler_kept_the_values_in_registers(access, profile, check):
    accesses = (access("global load", WARPS, 9, sectors=WARPS * 4), access("global store", WARPS, 9, sectors=WARPS * 4))
    assert not {"KO107", "KO113"} & {*check(profile(*accesses), facts=ACCUMULATES).codes}


def test_a_restrict_pointer_is_not_suspected(access, profile, check):
    pointers = tuple(PointerFacts(p.name, "float", p.is_const, True, p.is_written) for p in ACCUMULATES.pointers)
    facts = SourceFacts(ACCUMULATES.lines, ACCUMULATES.loops, pointers, 3)
    accesses = (
        access("global load", WARPS * 33, 9, sectors=WARPS * 84),
        access("global store", WARPS * 16, 9, sectors=WARPS * 64),
    )
    assert "KO113" not in check(profile(*accesses), facts=facts).codes


def test_a_naive_matrix_product_loads_its_sectors_over_and_over(access, profile, check):
    requests = WARPS * 1024
    loads = (
        access("global load", requests, 9, sectors=requests * 2),
        access("global load", requests, 10, sectors=requests * 2),
        access("global store", WARPS, 11, sectors=WARPS * 4),
    )
    found = check(profile(*loads, unique_sectors=3 << 17, block_unique_sectors=4096 * 4224))
    finding = found.one("KO108")
    assert finding.line in (9, 10)
    assert found.value(finding, "load_reuse_in_block") == pytest.approx(requests * 4 / (4096 * 4224))
    assert finding.estimated_cost_ratio is not None
    assert finding.estimated_cost_ratio > 0.2


def test_a_tile_whose_elements_serve_one_product_each_is_read_over_and_over(access, profile, check):
    loads = access("shared load", WARPS * 512, 9, wavefronts=WARPS * 512, ideal=WARPS * 512)
    store = access("shared store", WARPS * 32, 7, wavefronts=WARPS * 32, ideal=WARPS * 32)
    found = check(profile(loads, store), facts=ACCUMULATES)
    finding = found.one("KO108")
    assert finding.line == 9 and "by 16 times as many requests as fill them" in finding.message
    assert found.value(finding, "shared_wavefronts") == WARPS * 512
    assert finding.estimated_cost_ratio is not None and finding.estimated_cost_ratio > 0.2


def test_a_reduction_and_a_stencil_read_their_tiles_a_few_times(access, profile, check):
    for reads in (2, 7):
        loads = access("shared load", WARPS * 32 * reads, 9, wavefronts=WARPS * 32 * reads, ideal=WARPS * 32 * reads)
        store = access("shared store", WARPS * 32, 7, wavefronts=WARPS * 32, ideal=WARPS * 32)
        assert "KO108" not in check(profile(loads, store), facts=ACCUMULATES).codes


def test_a_tiled_product_is_not_called_redundant(access, profile, check):
    load = access("global load", WARPS * 64, 9, sectors=WARPS * 256)
    assert "KO108" not in check(profile(load, unique_sectors=1 << 18, block_unique_sectors=WARPS * 256)).codes


def test_atomics_that_meet_in_few_sectors_are_reported(access, profile, check):
    data = 32 * 256
    accesses = (
        access("global load", 8192, 4, sectors=data, size_bytes=1),
        access("global atomic", 8192, 5, sectors=167_426, ideal=32_768),
    )
    found = check(profile(*accesses, blocks=32, unique_sectors=data + 32, block_unique_sectors=data + 1024, atomic_unique_sectors=32))
    finding = found.one("KO110")
    assert found.value(finding, "atomic_sector_reuse") == pytest.approx(167_426 / 32 / 32)
    assert finding.estimated_cost_ratio is not None
    assert finding.estimated_cost_ratio > 0.3


def test_warps_without_an_atomic_meet_nowhere(access, profile, check):
    """Blocks of eight warps, of which one adds the block's bins: 16 warps for each of two sectors, not 128."""
    accesses = (access("global load", WARPS, 9, sectors=4 * WARPS), access("global atomic", 16, 12, sectors=32))
    found = check(profile(*accesses, blocks=16, unique_sectors=4 * WARPS + 2, block_unique_sectors=4 * WARPS, atomic_unique_sectors=2))
    assert found.value(found.one("KO110"), "atomic_sector_reuse") == 16


@pytest.mark.parametrize(("threads", "is_larger"), [(256, True), (512, True), (1024, False)])
def test_tables_that_blocks_add_once_ask_for_fewer_blocks(access, profile, check, threads, is_larger):
    """A thousand blocks that each add 256 counters, eight lanes to a sector."""
    atomic = access("global atomic", 1024 * 8, 15, sectors=1024 * 32)
    counted = profile(atomic, blocks=1024, threads=threads, unique_sectors=WARPS, atomic_unique_sectors=32)
    finding = check(counted).one("KO110")
    assert ("fewer, larger blocks would do it less often" in finding.message) == is_larger
    assert ("combine in the block first" in finding.message) != is_larger


def test_a_histogram_is_contended_however_much_data_it_reads(access, profile, check):
    """2^19 bytes read a byte a thread, into 64 counters of 4 bytes."""
    accesses = (access("global load", 16_384, 9, sectors=16_384, size_bytes=1), access("global atomic", 16_384, 9, sectors=110_310))
    found = check(profile(*accesses, blocks=120, unique_sectors=16_392, block_unique_sectors=17_344, atomic_unique_sectors=8))
    finding = found.one("KO110")
    assert found.value(finding, "atomic_sector_reuse") == pytest.approx(110_310 / 8 / (16_384 / (120 * 8)))
    assert finding.estimated_cost_ratio > 0.5


@pytest.mark.parametrize("counters", [1, 8, 32, 256])
@pytest.mark.parametrize("load_sectors", [16_384, 65_536, 1 << 20])
def test_a_kernel_that_waits_for_its_atomics_is_reported(access, profile, check, counters, load_sectors):
    """Whatever else it touches: where the model's largest term is the atomics' queue, that is a finding, and the costliest."""
    atomic = access("global atomic", 65_536, 9, sectors=400_000)
    load = access("global load", 65_536, 9, sectors=load_sectors)
    counted = profile(load, atomic, blocks=1024, unique_sectors=load_sectors + counters, atomic_unique_sectors=counters)
    assert predict(counted, None, None, target("h200")).own_bottleneck == "l2"
    assert check(counted).findings[0].code == "KO110"


def test_lanes_that_update_one_address_are_reported(access, profile, check):
    atomic = access("global atomic", WARPS, 5, sectors=WARPS)
    assert "32 atomics in one sector" in check(profile(atomic, unique_sectors=WARPS)).one("KO110").message


def test_atomics_that_the_compiler_combines_in_the_warp_are_no_finding(access, profile, check):
    """``atomicAdd(count, 1)`` of 20,000 threads in 625 warps."""
    atomic = replace(access("global atomic", 625, 12, sectors=625), is_aggregated=True)
    load = access("global load", 625, 12, sectors=2500)
    counted = profile(load, atomic, blocks=79, unique_sectors=2501, atomic_unique_sectors=1)
    assert "KO110" not in check(counted).codes
    assert "combine in the block first" in check(profile(load, replace(atomic, is_aggregated=False), blocks=79)).one("KO110").message


def test_atomics_of_each_warp_on_words_of_its_own_are_no_finding(access, profile, check):
    """Sixteen rounds of ``atomicAdd(&own[i], x)``: the same sectors again and again, but never another warp's."""
    atomic = access("global atomic", 16 * WARPS, 5, sectors=16 * 4 * WARPS)
    assert check(profile(atomic, unique_sectors=4 * WARPS, atomic_unique_sectors=4 * WARPS)).codes == []


def test_sixteen_small_counters_in_a_sector_are_not_called_one_address(access, profile, check):
    atomic = access("global atomic", WARPS, 5, sectors=2 * WARPS, size_bytes=2)
    assert check(profile(atomic, unique_sectors=2 * WARPS)).codes == []


def test_one_atomic_a_block_is_no_finding(access, profile, check):
    atomic = access("global atomic", 4096, 5, sectors=4096, active_threads=4096)
    assert check(profile(*streaming(access), atomic, unique_sectors=WARPS * 8 + 1)).codes == []


def test_contended_shared_atomics_are_not_called_bank_conflicts(access, profile, check):
    atomic = access("shared atomic", WARPS, 5, wavefronts=WARPS * 8, ideal_wavefronts=WARPS)
    assert check(profile(atomic)).codes == ["KO110"]
