"""The performance model reproduces what was measured on an H200."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.measure import predict, target, without_launch
from assistant.measure.calibration import LAUNCH_S, START_S
from assistant.model.profile import InstructionMix

H200 = target("h200")
COLD = replace(H200, l2_bytes=1)
"""Nsight Compute empties the caches before every launch, so nothing is found in L2 that another launch left there."""


def seconds(profile, occupancy, device=H200) -> float:
    return predict(profile, None, occupancy, device).time_s


NCU_S = 0.8e-6
"""What Nsight Compute's duration of a launch is longer than CUPTI's, which the model predicts."""


def under_ncu(m) -> float:
    """The duration that Nsight Compute would show of a measured launch."""
    return seconds(m.profile, m.occupancy, COLD) + NCU_S


def named(h200, kernel):
    return [m for m in h200 if m.profile.kernel == kernel]


def test_the_fixture_durations_are_predicted_within_a_quarter_in_the_median(h200):
    errors = [abs(math.log(under_ncu(m) / m.duration_s)) for m in h200]
    assert len(errors) == 36
    assert math.exp(statistics.median(errors)) < 1.25
    assert math.exp(max(errors)) < 2.7  # a loop that leaves early, whose loads wait for each other


def test_tiny_launches_are_limited_by_launch_or_latency(h200):
    tiny = [m for m in h200 if m.duration_s < 2.4e-6]
    assert {predict(m.profile, None, m.occupancy, COLD).bottleneck for m in tiny} <= {"launch", "latency"}


def test_the_naive_transpose_of_4096_takes_twice_as_long_as_the_tiled_one(h200):
    (naive,), (tiled,) = named(h200, "transpose_naive"), named(h200, "transpose_smem")
    ratio = seconds(naive.profile, naive.occupancy) / seconds(tiled.profile, tiled.occupancy)
    assert ratio == pytest.approx(250.4 / 124.2, rel=0.15)


def test_padding_the_tile_is_predicted_faster(h200):
    conflicted, padded = named(h200, "tr")
    assert seconds(padded.profile, padded.occupancy, COLD) < seconds(conflicted.profile, conflicted.occupancy, COLD)


def test_a_tiled_matrix_product_is_predicted_faster_than_the_naive_one(h200):
    (naive,), (tiled,) = named(h200, "mm_naive"), named(h200, "mm_tiled")
    ratio = seconds(naive.profile, naive.occupancy, COLD) / seconds(tiled.profile, tiled.occupancy, COLD)
    assert 1.1 < ratio < 2.2  # 1.35 measured; 1.7 with instructions by class, which the fixture does not have


def test_every_pair_of_versions_in_the_fixture_is_ranked_as_measured(h200):
    pairs = [
        ("hist_global", "hist_shared"),
        ("mm_naive", "mm_tiled"),
        ("alias_norestrict", "alias_restrict"),
        ("reduce_interleaved", "reduce_sequential"),
        ("transpose_naive", "transpose_smem"),
    ]
    for slow, fast in pairs:
        (before,), (after,) = named(h200, slow), named(h200, fast)
        assert before.duration_s > after.duration_s
        assert seconds(before.profile, before.occupancy) > seconds(after.profile, after.occupancy)


def test_a_global_histogram_is_limited_by_its_atomics(h200):
    (shared,), (on_global,) = named(h200, "hist_shared"), named(h200, "hist_global")
    predicted = predict(on_global.profile, None, on_global.occupancy, COLD)
    assert predicted.bottleneck == "l2"
    assert 2 < (predicted.time_s + NCU_S) / under_ncu(shared) < 16  # 5.1 measured; waiting for shared atomics is not modelled


@pytest.fixture
def chain(launch, access, occupancy):
    """256 dependent float steps per thread, one load and one store."""

    def seconds_of(mix_per_step: InstructionMix) -> float:
        """The predicted time of a launch whose threads take 256 such steps each."""
        threads = 1 << 22
        mix = InstructionMix(
            fp32=256 * threads * mix_per_step.fp32,
            fp64=256 * threads * mix_per_step.fp64,
            conversion=256 * threads * mix_per_step.conversion,
            load_store=2 * threads,
        )
        accesses = (
            access("global load", threads // 32, threads // 8),
            access("global store", threads // 32, threads // 8, line=2),
        )
        return seconds(launch(threads // 256, 256, accesses, unique=threads // 4, mix=mix), occupancy(256))

    return seconds_of


def test_a_double_literal_in_a_float_chain_costs_an_order_of_magnitude(chain):
    ratio = chain(InstructionMix(fp64=1, conversion=2)) / chain(InstructionMix(fp32=1))
    assert 10 < ratio < 17  # 14.2 measured


@pytest.mark.parametrize(("name", "flop"), [("h200", 1024), ("h100", 1024), ("a100", 512)])
def test_tensor_cores_multiply_doubles_at_the_rates_of_the_data_sheets(launch, occupancy, name, flop):
    """67 and 19.5 TFLOP/s, against 34 and 9.7."""
    device, warps = target(name), 1 << 22
    products, lanes = InstructionMix(double_tensor=100 * warps * 32), InstructionMix(fp64=100 * warps * flop // 2)
    times = [predict(launch(warps // 8, 256, (), mix=mix), None, occupancy(256), device) for mix in (products, lanes)]
    assert {time.bottleneck for time in times} == {"fp64"}
    assert 100 * warps * flop / times[0].time_s == pytest.approx(device.tensor.fp64_flop_per_s, rel=0.05)
    assert times[1].time_s / times[0].time_s == pytest.approx(2, rel=0.05)


def test_a_double_literal_in_a_streaming_kernel_costs_next_to_nothing(launch, access, occupancy):
    threads = 1 << 26
    accesses = (access("global load", threads // 32, threads // 8), access("global store", threads // 32, threads // 8, line=2))

    def streaming(**pipes: int) -> float:
        mix = InstructionMix(load_store=2 * threads, integer=3 * threads, **pipes)
        return seconds(launch(threads // 256, 256, accesses, unique=threads // 4, mix=mix), occupancy(256))

    assert 1.0 <= streaming(fp64=threads, conversion=2 * threads) / streaming(fp32=threads) < 1.1  # 1.03 measured


def test_a_thread_per_row_sum_takes_four_times_as_long_though_it_moves_eight_times_the_sectors(launch, access, occupancy):
    elements = 1 << 27
    requests, unique = elements // 32, elements // 8
    mix = InstructionMix(fp32=elements, load_store=elements, integer=elements)

    def row_sum(sectors: int) -> float:
        load = access("global load", requests, sectors, ideal=requests * 4)
        return seconds(launch(8192, 256, (load,), unique=unique, mix=mix), occupancy(256))

    assert row_sum(requests * 32) / row_sum(requests * 4) == pytest.approx(4.05, rel=0.1)


def test_streaming_reaches_nine_tenths_of_the_dram_bandwidth(launch, access, occupancy):
    threads = 1 << 27
    accesses = (access("global load", threads // 32, threads // 8), access("global store", threads // 32, threads // 8, line=2))
    predicted = predict(launch(threads // 512, 512, accesses, unique=threads // 4), None, occupancy(512), H200)
    assert predicted.bottleneck == "dram"
    assert 0.8 < threads * 8 / predicted.time_s / H200.dram_bytes_per_s <= 0.9


def test_few_resident_warps_make_a_loading_loop_latency_bound(launch, access, occupancy):
    load = access("global load", 132 * 64, 132 * 64 * 4)
    profile = launch(132, 32, (load,), unique=132 * 64 * 4)
    assert predict(profile, None, occupancy(32), H200).bottleneck == "latency"


def test_more_occupancy_hides_more_latency(launch, access, occupancy):
    load = access("global load", 1 << 18, 1 << 20)
    profile = launch(4096, 256, (load,), unique=1 << 20)
    starved = replace(occupancy(256), blocks_per_sm=1, active_warps_per_sm=8)
    assert seconds(profile, starved) > 2 * seconds(profile, occupancy(256))


def test_a_grid_with_a_block_more_than_the_device_holds_pays_for_the_busiest_sm(launch, access, occupancy):
    def conflicted(blocks: int) -> float:
        return seconds(launch(blocks, 1024, (access("shared load", blocks * 9000, wavefronts=blocks * 90_000),)), occupancy(1024))

    assert conflicted(133) > 1.8 * conflicted(132)
    assert conflicted(264) == pytest.approx(conflicted(133), rel=0.05)


def test_sampled_counters_stand_for_the_whole_grid(launch, access, occupancy):
    def counted(blocks: int):
        all_of_it = access("global load", 4096 * 8, 4096 * 256, ideal=4096 * 32)
        return launch(4096, 256, (all_of_it,), unique=4096 * 256, counted=blocks)

    whole, sampled = (predict(counted(n), None, occupancy(256), H200) for n in (4096, 64))
    assert any("64 of 4096 blocks" in note for note in sampled.notes)
    assert sampled.time_s == pytest.approx(whole.time_s, rel=0.01)
    assert any("64 of 4096 blocks" in note for note in sampled.notes)


def test_a_divergent_line_costs_its_warps_not_its_threads(launch, occupancy):
    mix = InstructionMix(fp32=1 << 30)
    together, apart = (launch(4096, 256, (), mix=mix, warp_mix=InstructionMix(fp32=(1 << 30) // lanes)) for lanes in (32, 1))
    assert seconds(apart, occupancy(256)) > 20 * seconds(together, occupancy(256))


def test_a_prediction_says_what_it_had_to_assume(launch, access):
    notes = predict(launch(1, 32, (access("global load", 1, 4),), unique=None), None, None, H200).notes
    assert any("no counts of machine code" in n for n in notes)
    assert any("distinct sectors not tracked" in n for n in notes)
    assert any("occupancy not known" in n for n in notes)


def test_no_launch_is_faster_than_the_launch_overhead_and_it_can_be_left_out(launch):
    predicted = predict(launch(1, 32, ()), None, None, H200)
    assert predicted.time_s >= 0.9e-6
    assert without_launch(predicted).time_s < 1e-7


def test_every_term_shows_its_inputs_with_units(h200):
    predicted = predict(h200[0].profile, None, h200[0].occupancy, H200)
    assert all(term.inputs and all(unit for _, _, unit in term.inputs) for term in predicted.terms)


@given(blocks=st.integers(1, 5000), wavefronts=st.integers(1, 64), more=st.integers(0, 64))
@settings(max_examples=40, deadline=None)
def test_more_wavefronts_never_make_a_launch_faster(access, launch, occupancy, blocks, wavefronts, more):
    def conflicted(factor: int) -> float:
        """The predicted time where each shared load needs ``factor`` wavefronts."""
        requests = blocks * 8
        shared = (
            access("shared store", requests, wavefronts=requests),
            access("shared load", requests, wavefronts=requests * factor),
        )
        return seconds(launch(blocks, 256, shared), occupancy(256))

    assert conflicted(wavefronts) <= conflicted(wavefronts + more)


@given(blocks=st.integers(1, 5000), loads=st.integers(1, 64), factor=st.floats(1.0, 10.0))
@settings(max_examples=40, deadline=None)
def test_a_faster_memory_never_makes_a_launch_slower(access, launch, occupancy, blocks, loads, factor):
    requests = blocks * 8 * loads
    profile = launch(blocks, 256, (access("global load", requests, requests * 4),), unique=requests * 4)
    quick = replace(H200, dram_bytes_per_s=H200.dram_bytes_per_s * factor, l2_bytes_per_s=H200.l2_bytes_per_s * factor)
    assert seconds(profile, occupancy(256), quick) <= seconds(profile, occupancy(256))


@given(
    blocks=st.integers(1, 1 << 20),
    threads=st.integers(1, 1024),
    requests=st.integers(0, 1 << 30),
    spread=st.floats(1.0, 32.0),
    unique=st.none() | st.integers(0, 1 << 30),
    counted=st.integers(0, 1 << 20),
)
@settings(max_examples=100, deadline=None)
def test_every_launch_has_a_finite_positive_time(access, launch, occupancy, blocks, threads, requests, spread, unique, counted):
    sectors = int(requests * spread)
    accesses = (
        access("global load", requests, sectors, ideal=min(sectors, requests * 4)),
        access("global atomic", requests, sectors),
    )
    profile = launch(blocks, threads, accesses, unique=unique, counted=min(counted, blocks))
    predicted = predict(profile, None, occupancy(threads), H200)
    assert math.isfinite(predicted.time_s)
    assert predicted.time_s >= max(term.time_s for term in predicted.terms)


def test_a_sum_kept_in_memory_lets_no_load_overtake_its_store(launch, access, occupancy):
    def sums(store_count: int):
        loads = access("global load", 3072, 98304, ideal=12288, line=42)
        stores = access("global store", 12 * store_count, 48 * store_count, ideal=48 * store_count, line=42)
        return predict(launch(3, 128, (loads, stores), unique=12336), None, occupancy(128), H200)

    in_memory, in_register = sums(256), sums(1)
    assert in_memory.time_s == pytest.approx(31e-6, rel=0.15)  # 31.07 µs on an H200 (tests/data/h200/examples.json)
    waiting, waiting_less = in_memory.term("latency"), in_register.term("latency")
    assert waiting is not None and waiting_less is not None
    assert waiting_less.time_s < waiting.time_s


@pytest.mark.parametrize(("threads", "measured_s"), [(32, 21.66e-6), (64, 11.79e-6), (128, 6.90e-6), (256, 4.42e-6), (512, 3.77e-6)])
def test_small_blocks_cost_the_time_to_start_them(launch, access, occupancy, threads, measured_s):
    """a[i] = b[i] + s * c[i] on 2^20 elements; one H200, driver 580, CUDA 13.0, warm caches, median of 15 series of 50 launches."""
    loads = access("global load", 2 << 15, 2 << 17, line=9)
    stores = access("global store", 1 << 15, 1 << 17, line=9)
    triad = launch((1 << 20) // threads, threads, (loads, stores), unique=3 << 17)
    in_a_row_s = predict(triad, None, occupancy(threads, 16), H200).time_s + START_S - LAUNCH_S
    assert in_a_row_s == pytest.approx(measured_s, rel=0.25)
