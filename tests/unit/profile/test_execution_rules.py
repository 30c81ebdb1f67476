"""KO104, KO105, KO106, KO109, KO111, KO114, KO115, KO116, KO119: machine code, resources and launch shape."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure import predict, target
from assistant.model.profile import InstructionMix, LineExecution, LineInstructions, Severity
from assistant.profile import LineFacts, LoopFacts, SourceFacts, TreeFacts

THREADS = 4096 * 256
WARPS = THREADS // 32


def streaming(access):
    """By 16 bytes a thread: there is nothing to be said of it."""
    wide = {"sectors": WARPS * 16, "size_bytes": 16}
    return access("global load", WARPS, 5, **wide), access("global store", WARPS, 6, **wide)


def code(line: int, **mix: int) -> LineInstructions:
    return LineInstructions("k.cu", line, InstructionMix(**mix))


def test_a_spilling_kernel_is_reported_at_its_name(access, profile, resources, check):
    found = check(profile(*streaming(access)), resources=resources(255, spill_store_bytes=128, spill_load_bytes=200))
    finding = found.one("KO104")
    assert (finding.line, found.value(finding, "spill_bytes")) == (3, 328)
    assert finding.estimated_cost_ratio is None


def test_a_kernel_without_spills_is_not_reported(access, profile, resources, check):
    assert "KO104" not in check(profile(*streaming(access)), resources=resources(255)).codes


def test_low_occupancy_names_its_limiter(access, profile, occupancy, resources, check):
    starved = occupancy(256, warps=16, limiter="registers")
    finding = check(profile(*streaming(access)), occupancy=starved, resources=resources(128)).one("KO105")
    assert "16 of 64 warps (25 % occupancy), limited by the registers of a thread" in finding.message


def test_blocks_that_no_sm_can_hold_are_no_matter_of_occupancy(access, profile, occupancy, resources, check):
    found = check(profile(*streaming(access)), occupancy=occupancy(1024, warps=0, limiter="registers"), resources=resources(66))
    assert "KO105" not in found.codes


def test_low_occupancy_of_a_grid_that_does_not_fill_the_device_is_the_grids_fault(access, profile, occupancy, check):
    starved = occupancy(256, warps=16, limiter="registers")
    assert "KO105" not in check(profile(access("global load", 80, 5, sectors=320), blocks=10), occupancy=starved).codes


DOUBLE_LITERAL = SourceFacts(lines=(LineFacts(7, double_literals=("0.5", "0.5")),), kernel_line=3)


def test_a_double_literal_that_became_double_arithmetic_is_reported_with_its_cost(access, profile, check):
    chain = code(7, fp64=256 * THREADS, conversion=512 * THREADS)
    found = check(profile(*streaming(access), instructions=(chain,)), facts=DOUBLE_LITERAL)
    finding = found.one("KO106")
    assert (finding.line, finding.severity) == (7, Severity.WARNING)
    assert finding.message.startswith("The double literal 0.5 makes"), "twice on the line"
    assert finding.estimated_cost_ratio == pytest.approx(0.9, abs=0.08)  # 14.2 times slower measured


def test_lines_that_share_the_cause_are_one_finding_at_the_costliest(access, profile, check):
    lines = SourceFacts(lines=(LineFacts(7, double_literals=("0.8",)), LineFacts(16, double_literals=("0.01",))), kernel_line=3)
    instructions = (code(7, fp64=THREADS, conversion=THREADS), code(16, fp64=256 * THREADS, conversion=512 * THREADS))
    found = check(profile(*streaming(access), instructions=instructions), facts=lines)
    finding = found.one("KO106")
    cited = {e.metric: [f.line for f in found.evidence if f.id in finding.evidence and f.metric == e.metric] for e in found.evidence}
    assert finding.line == 16 and "0.01" in finding.message and "line 7" in finding.message
    assert cited["fp64_instructions"] == cited["conversion_instructions"] == [16, 7]
    assert cited["predicted_saving_ratio"] == [16]


def test_the_compilers_division_routine_is_part_of_the_accident(access, profile, check):
    """Mix of ``v = v / (0.8 + 0.25 * v)`` on line 7 and of the routine that nvcc books on the closing brace (examples/pipeline.cu, sm_90).

    The performance model predicts the edited kernel, as nvcc compiles it, to be 2.0 times as fast.
    """
    line = code(
        7, fp32=24 * THREADS, fp64=72 * THREADS, conversion=16 * THREADS, special=8 * THREADS, control=32 * THREADS, other=72 * THREADS
    )
    routine = code(
        9, fp32=56 * THREADS, fp64=114 * THREADS, special=8 * THREADS, integer=215 * THREADS, control=55 * THREADS, other=181 * THREADS
    )

    def cost(*instructions):
        return check(profile(*streaming(access), instructions=instructions), facts=DOUBLE_LITERAL).one("KO106").estimated_cost_ratio

    assert cost(line, routine) > max(0.5, cost(line))
    assert check(profile(*streaming(access), instructions=(routine,)), facts=DOUBLE_LITERAL).codes == [], "alone it is no accident"


def test_a_double_literal_that_the_compiler_folded_away_is_no_finding(access, profile, check):
    single = code(7, fp32=THREADS)
    assert check(profile(*streaming(access), instructions=(single,)), facts=DOUBLE_LITERAL).codes == []


def test_without_a_compiler_the_literal_itself_is_reported(access, profile, check):
    finding = check(profile(*streaming(access)), facts=DOUBLE_LITERAL).one("KO106")
    assert finding.estimated_cost_ratio is None


def test_double_arithmetic_that_is_meant_is_no_finding(access, profile, check):
    meant = SourceFacts(declares_double=True, kernel_line=3)
    doubles = code(7, fp64=256 * THREADS, conversion=THREADS)
    assert check(profile(*streaming(access), instructions=(doubles,)), facts=meant).codes == []


def test_divergence_is_reported_where_lanes_part(access, profile, check):
    executions = (
        LineExecution("k.cu", 6, WARPS, THREADS, 0),
        LineExecution("k.cu", 8, WARPS * 16, THREADS * 8, WARPS * 12, WARPS * 16),
    )
    work = code(8, fp32=100 * THREADS)
    found = check(profile(*streaming(access), executions=executions, instructions=(work,)))
    finding = found.one("KO109")
    assert (finding.line, found.value(finding, "divergent_branch_ratio")) == (8, 0.75)
    assert finding.estimated_cost_ratio is not None


def test_divergence_is_a_share_of_the_executions_of_all_branches_of_the_line(access, profile, check):
    executions = (LineExecution("k.cu", 8, WARPS * 16, THREADS * 8, WARPS * 24, WARPS * 32),)
    found = check(profile(*streaming(access), executions=executions))
    assert found.value(found.one("KO109"), "divergent_branch_ratio") == 0.75


def test_without_machine_code_divergence_has_no_cost_and_is_information(access, profile, check):
    executions = (LineExecution("k.cu", 8, WARPS * 16, THREADS * 8, WARPS * 12, WARPS * 16),)
    finding = check(profile(*streaming(access), executions=executions)).one("KO109")
    assert (finding.estimated_cost_ratio, finding.severity) == (None, Severity.INFORMATION)


def test_one_divergent_edge_warp_is_no_finding(access, profile, check):
    executions = (LineExecution("k.cu", 6, WARPS, THREADS - 17, 1, WARPS),)
    assert check(profile(*streaming(access), executions=executions)).codes == []


def test_a_grid_smaller_than_the_device_is_reported_at_its_launch(access, profile, check):
    load = access("global load", 80_000, 5, sectors=320_000)
    finding = check(profile(load, blocks=10)).one("KO111")
    assert finding.line == 40
    assert "10 blocks leaves 122 of the 132 SMs of h200" in finding.message


@pytest.mark.parametrize(("blocks", "threads"), [(2, 256), (10, 256), (16, 1024), (3, 64)])
def test_a_tiny_grid_costs_no_more_than_smaller_blocks_would_win(access, profile, check, occupancy, blocks, threads):
    """The same threads in the best of blocks of 32 to 512: what the model then says is what the finding may claim."""
    load = access("global load", 80_000, 5, sectors=320_000)

    def time_s(grid: int, block: int) -> float:
        return predict(profile(load, blocks=grid, threads=block), None, occupancy(block), target("h200")).time_s

    now = time_s(blocks, threads)
    best = min(time_s(blocks * threads // size, size) for size in (32, 64, 128, 256, 512, 1024) if size <= threads)
    finding = check(profile(load, blocks=blocks, threads=threads)).one("KO111")
    assert finding.estimated_cost_ratio == pytest.approx(1 - best / now, abs=0.02)


def test_a_grid_of_single_warps_cannot_be_cut_further(access, profile, check):
    load = access("global load", 80_000, 5, sectors=320_000)
    assert check(profile(load, blocks=10, threads=32)).one("KO111").estimated_cost_ratio == 0.0


def test_a_last_wave_costs_no_more_than_whole_waves_would_win(access, profile, check, occupancy):
    work = access("shared load", 265 * 32 * 512, 5, wavefronts=265 * 32 * 512)

    def time_s(grid: int, block: int = 1024) -> float:
        return predict(profile(work, blocks=grid, threads=block), None, occupancy(block), target("h200")).time_s

    finding = check(profile(work, blocks=265, threads=1024), occupancy=occupancy(1024)).one("KO111")
    best = min(time_s(264), *(time_s(265 * 1024 // size, size) for size in (32, 64, 128, 256, 512)))
    assert finding.estimated_cost_ratio == pytest.approx(1 - best / time_s(265), abs=0.02)


@pytest.mark.parametrize("limiter", ["registers", "shared"])
def test_low_occupancy_costs_what_twice_the_warps_would_win(access, profile, check, occupancy, resources, limiter):
    chase = profile(access("global load", WARPS * 64, 5, sectors=WARPS * 256))
    low, twice = occupancy(256, warps=16, limiter=limiter), occupancy(256, warps=32, limiter=limiter)
    now, fixed = (predict(chase, resources(128), o, target("h200")).time_s for o in (low, twice))
    finding = check(chase, occupancy=low, resources=resources(128)).one("KO105")
    assert finding.estimated_cost_ratio == pytest.approx(max(0.0, 1 - fixed / now), abs=1e-9)


def test_a_small_grid_of_a_short_launch_is_only_information_and_comes_last(access, profile, check):
    accesses = (access("global load", 320, 5, sectors=1280), access("shared load", 80, 6, wavefronts=160, ideal_wavefronts=80))
    found = check(profile(*accesses, blocks=10))
    assert found.codes == ["KO103", "KO111"]
    assert found.findings[1].severity is Severity.INFORMATION


def test_an_almost_empty_last_wave_is_reported(access, profile, occupancy, check):
    resident = occupancy(1024)
    work = access("shared load", 265 * 32 * 512, 5, wavefronts=265 * 32 * 512)
    finding = check(profile(work, blocks=265, threads=1024), occupancy=resident).one("KO111")
    assert "50 % of their slots stay empty" in finding.message


def test_a_grid_of_many_waves_is_no_finding(access, profile, check):
    assert check(profile(*streaming(access))).codes == []


@pytest.mark.parametrize("is_unrolled", [None, False, True])
def test_a_loop_of_constant_count_is_reported_where_the_machine_code_goes_back_to_it(access, profile, check, is_unrolled):
    loop = SourceFacts(loops=(LoopFacts(8, 9, 1, trip_count=16, is_unrolled=is_unrolled),), kernel_line=3)
    counted = (code(8, integer=32 * THREADS, control=16 * THREADS), code(9, fp32=16 * THREADS))
    found = [each.message for each in check(profile(*streaming(access), instructions=counted), facts=loop).findings if each.code == "KO114"]
    assert len(found) == (not is_unrolled) and all("16 iterations" in message for message in found)


def test_a_loop_in_which_threads_wait_for_each_other_is_not_slow_for_its_counting(access, profile, check):
    loop = SourceFacts(loops=(LoopFacts(8, 9, 1, trip_count=16, has_barrier=True),), kernel_line=3)
    counted = (code(8, integer=32 * THREADS, control=16 * THREADS), code(9, fp32=16 * THREADS))
    assert check(profile(*streaming(access), instructions=counted), facts=loop).codes == []


def test_a_loop_that_the_compiler_unrolled_is_no_finding(access, profile, check):
    loop = SourceFacts(loops=(LoopFacts(8, 9, 1, trip_count=16),), kernel_line=3)
    unrolled = (code(8, integer=THREADS), code(9, fp32=16 * THREADS))
    assert check(profile(*streaming(access), instructions=unrolled), facts=loop).codes == []


HALVING = SourceFacts(loops=(LoopFacts(12, 16, 1, None, has_barrier=True, is_halving=True),), kernel_line=5)


def reduction(access, profile, threads: int = 1024):
    """1024 blocks that add up in ten steps, each of which costs a thread two integer instructions, a branch, a comparison and a barrier.

    That is what nvcc 13.0 makes for sm_90 of ``for (int s = blockDim.x / 2; s > 0; s >>= 1)`` (``kernelopt profile --json``).
    """
    all_threads = 1024 * 1024
    instructions = (
        code(12, integer=20 * all_threads, control=10 * all_threads),
        code(13, integer=10 * all_threads),
        code(14, fp32=all_threads, load_store=3 * all_threads),
        code(15, control=10 * all_threads),
    )
    accesses = (
        access("global load", 32 * 1024, 10, sectors=128 * 1024),
        access("shared load", 72 * 1024, 14, wavefronts=72 * 1024),
        access("shared store", 36 * 1024, 14, wavefronts=36 * 1024),
    )
    return profile(*accesses, blocks=1024, threads=threads, instructions=instructions)


def test_barriers_of_a_reduction_s_last_warp_are_reported_with_their_cost(access, profile, check):
    found = check(reduction(access, profile), facts=HALVING)
    finding = found.one("KO115")
    assert (finding.line, found.value(finding, "one_warp_step_ratio")) == (12, 0.5)
    assert "last 5 of the 10 steps" in finding.message and "all 32 warps" in finding.message
    assert 0.1 < finding.estimated_cost_ratio < 0.5


def test_a_reduction_that_doubles_its_distance_is_reported_too(access, profile, check):
    doubling = replace(HALVING, loops=(replace(HALVING.loops[0], is_halving=False, is_doubling=True),))
    finding = check(reduction(access, profile), facts=doubling).one("KO115")
    assert "5 of the 10 steps of this reduction could be done within a warp, but all 32 warps" in finding.message
    assert 0.1 < finding.estimated_cost_ratio < 0.5


def test_steps_that_are_written_out_are_reported_where_something_is_stored_in_shared_memory(access, profile, check):
    facts = SourceFacts(trees=(TreeFacts(12, 15),), kernel_line=5)
    finding = check(reduction(access, profile), facts=facts).one("KO115")
    assert finding.line == 12 and "Each of the 10 steps of this reduction goes through shared memory" in finding.message
    assert 0.1 < finding.estimated_cost_ratio < 0.5
    in_registers = replace(reduction(access, profile), accesses=(access("global load", 32 * 1024, 10, sectors=128 * 1024),))
    assert "KO115" not in check(in_registers, facts=facts).codes


def test_without_machine_code_the_barriers_have_no_cost(access, profile, check):
    counted = replace(reduction(access, profile), instructions=())
    assert check(counted, facts=HALVING).one("KO115").estimated_cost_ratio is None


@pytest.mark.parametrize("threads", [32, 96])
def test_a_single_warp_or_a_block_that_is_not_halved_evenly_is_no_finding(access, profile, check, threads):
    assert "KO115" not in check(reduction(access, profile, threads), facts=HALVING).codes


@pytest.mark.parametrize("change", [{"is_halving": False}, {"has_barrier": False}, {"line": 20, "end_line": 24}])
def test_a_loop_that_is_no_reduction_of_the_block_is_no_finding(access, profile, check, change):
    facts = replace(HALVING, loops=(replace(HALVING.loops[0], **change),))
    assert "KO115" not in check(reduction(access, profile), facts=facts).codes


SCAN = SourceFacts(loops=(LoopFacts(12, 16, 1, None, has_barrier=True, is_scan=True),), kernel_line=5)


def test_barriers_in_the_steps_of_a_scan_are_reported_with_their_cost(access, profile, check):
    found = check(reduction(access, profile), facts=SCAN)
    finding = found.one("KO119")
    assert (finding.line, found.value(finding, "barrier_steps")) == (12, 10)
    assert "each of the 10 steps" in finding.message and "the 32 warps" in finding.message
    assert 0.1 < finding.estimated_cost_ratio < 0.6


@pytest.mark.parametrize("change", [{"is_scan": False}, {"has_barrier": False}, {"line": 20, "end_line": 24}])
def test_a_loop_that_is_no_scan_of_the_block_is_no_finding(access, profile, check, change):
    facts = replace(SCAN, loops=(replace(SCAN.loops[0], **change),))
    assert "KO119" not in check(reduction(access, profile), facts=facts).codes


def test_a_scan_of_one_warp_is_no_finding(access, profile, check):
    assert "KO119" not in check(reduction(access, profile, 32), facts=SCAN).codes


@pytest.mark.parametrize(("file", "is_found"), [("/home/me/k.cu", True), ("/usr/include/k.cuh", False)])
def test_lines_of_a_header_are_not_taken_for_lines_of_the_source(access, profile, check, file, is_found):
    """Line 7 of the source has a double literal; double arithmetic on line 7 of a header is that header's own."""
    here = replace(DOUBLE_LITERAL, file="k.cu", declares_double=True)
    chain = replace(code(7, fp64=256 * THREADS, conversion=512 * THREADS), file=file)
    assert ("KO106" in check(profile(*streaming(access), instructions=(chain,)), facts=here).codes) == is_found


@pytest.mark.parametrize(("file", "is_found"), [("/home/me/k.cu", True), ("/usr/include/k.cuh", False)])
def test_a_loop_of_the_source_does_not_count_instructions_of_a_header(access, profile, check, file, is_found):
    loop = SourceFacts(loops=(LoopFacts(8, 9, 1, trip_count=16),), kernel_line=3, file="k.cu")
    counting = replace(code(9, integer=80 * THREADS, control=32 * THREADS, fp32=16 * THREADS), file=file)
    assert ("KO114" in check(profile(*streaming(access), instructions=(counting,)), facts=loop).codes) == is_found


POWER = SourceFacts(lines=(LineFacts(7, powers=("powf(v, 2.0f)",)),), kernel_line=3)
POWERS = 64 * THREADS
"""Executions of a power in a loop of 64 rounds."""


def test_a_power_with_a_small_exponent_is_reported_with_its_cost(access, profile, check):
    """``v = powf(v, 2.0f) + 0.5f`` in such a loop, nvcc 13.0, sm_90: the edited kernel is predicted to take 0.11 of its time."""
    chain = code(7, fp32=53 * POWERS, conversion=3 * POWERS, special=POWERS, integer=7 * POWERS, control=6 * POWERS, other=4 * POWERS)
    counting = code(6, integer=POWERS // 2, control=POWERS // 2)
    finding = check(profile(*streaming(access), instructions=(counting, chain)), facts=POWER).one("KO116")
    assert (finding.line, finding.severity) == (7, Severity.WARNING)
    assert finding.message.startswith("powf(v, 2.0f) runs the general power routine, which its constant exponent does not need: ")
    assert finding.estimated_cost_ratio == pytest.approx(0.89, abs=0.06)


def test_an_exponential_beside_a_power_is_not_counted_as_one(access, profile, check):
    line = code(7, fp32=60 * THREADS, conversion=3 * THREADS, special=2 * THREADS)
    finding = check(profile(*streaming(access), instructions=(line,)), facts=POWER).one("KO116")
    assert f"{THREADS:,} powers" in finding.message


def test_a_power_that_became_two_special_functions_is_left_alone(access, profile, check):
    """-use_fast_math: LG2, FMUL, EX2."""
    fast = code(7, fp32=POWERS, special=2 * POWERS)
    assert "KO116" not in check(profile(*streaming(access), instructions=(fast,)), facts=POWER).codes


def test_the_same_instructions_without_a_power_in_the_text_are_left_alone(access, profile, check):
    chain = code(7, fp32=53 * POWERS, conversion=3 * POWERS, special=POWERS)
    assert "KO116" not in check(profile(*streaming(access), instructions=(chain,))).codes


def test_a_double_power_is_reported_without_a_cost(access, profile, check):
    facts = SourceFacts(lines=(LineFacts(7, double_powers=("pow(v, 2)",)),), kernel_line=3, declares_double=True)
    found = check(profile(*streaming(access), instructions=(code(7, fp64=4 * POWERS),)), facts=facts)
    finding = found.one("KO116")
    assert (finding.severity, finding.estimated_cost_ratio) == (Severity.INFORMATION, None)
    assert "KO116" not in check(profile(*streaming(access), instructions=(code(7, fp32=POWERS),)), facts=facts).codes


def test_a_power_of_a_loops_counter_is_told_from_one_of_a_constant(access, profile, check):
    both = LineFacts(7, double_powers=("pow(v, 2)", "pow(v, k)"), running_powers=("pow(v, k)",))
    found = check(profile(*streaming(access), instructions=(code(7, fp64=4 * POWERS),)), facts=SourceFacts(lines=(both,), kernel_line=3))
    assert found.one("KO116").message == (
        "pow(v, 2) runs the general power routine, which its constant exponent does not need; "
        "pow(v, k) runs the general power routine in each iteration, where the power before times the base would do"
    )


def test_without_machine_code_the_text_is_reported(access, profile, check):
    finding = check(profile(*streaming(access)), facts=POWER).one("KO116")
    assert (finding.line, finding.severity) == (7, Severity.INFORMATION)
