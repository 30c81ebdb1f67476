"""The timing's own rules, on a virtual GPU whose truth is known."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.device.driver import ModuleHandle
from assistant.device.timing.blocks import take_blocks
from assistant.device.timing.case import CaseTimer, Tools
from assistant.device.timing.gate import GatedQueue, Span
from assistant.device.timing.kit import Kit, pointer
from assistant.device.timing.peaks import measure_peaks
from assistant.device.timing.selftest import LaunchCopies, self_test
from assistant.device.timing.warm import LEAST_WARM_S, warm_up
from assistant.measure.paired import compare_timing, method_of, pairs_of
from assistant.model.comparison import SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.timing import Block, CaseTiming, PairTiming, TimedDevice, TimedResult, TimingOptions
from tests.unit.device.virtual_gpu import NODE_S, START_S, Body, VirtualGpu, number

OPTIONS = TimingOptions(seed=3, wall_s=5.0)
CONFIG = LaunchConfig(Dim3(1), Dim3(32))
SLOT_CALLS = 9
"""Of a kernel of 60 µs."""


def kit_of(gpu: VirtualGpu) -> Kit:
    return Kit(gpu, lambda name: gpu.function(ModuleHandle(1), name))


def tools_of(gpu: VirtualGpu, is_held_down: Callable[[], bool] = lambda: False) -> Tools:
    return Tools(lambda: gpu.now_s, is_held_down)


def timed(
    bodies: dict[str, Body], with_buffer: bool = False, is_restored: bool = False, has_graphs: bool = True
) -> tuple[CaseTiming, VirtualGpu]:
    """Kernels ``a`` and ``b``, given the address of one buffer of 16 bytes each where they are to have one."""
    gpu = VirtualGpu(bodies)
    gpu.has_graphs = has_graphs
    kit = kit_of(gpu)
    buffers = [gpu.allocate(16) for _ in range(4)]
    launches = {
        version: [[gpu.prepare(gpu.function(ModuleHandle(1), name), CONFIG, (pointer(buffer),))] for buffer in buffers]
        for version, name in (("A", "a"), ("B", "b"))
    }
    changed = [[(buffer, 16)] if with_buffer else [] for buffer in buffers]
    copies = LaunchCopies(kit, launches, changed, is_restored)
    timer = CaseTimer(kit, copies, OPTIONS, tools_of(gpu))
    case = timer.run("n=1", 1.0)
    return replace(case, odd_results=tuple(TimedResult(version, ()) for version, _ in timer.results)), gpu


def odd_versions(case: CaseTiming) -> set[str]:
    return {result.version for result in case.odd_results}


def judged(case: CaseTiming) -> tuple[SpeedOutcome, float]:
    comparison = compare_timing(PairTiming((case,), TimedDevice("", "", "", "")), seed=1)
    return comparison.outcome, comparison.ratio


def noisy(time_s: float, spread: float) -> Body:
    rng = random.Random(5)
    return lambda gpu, arguments: time_s * rng.gauss(1.0, spread)


def test_a_short_kernel_is_timed_in_graphs_without_the_share_of_their_nodes() -> None:
    case, _ = timed({"a": lambda gpu, arguments: 5.0e-6, "b": lambda gpu, arguments: 4.5e-6})
    assert (case.method, case.calls_per_slot >= 100) == ("graph", True)
    outcome, ratio = judged(case)
    assert outcome is SpeedOutcome.FASTER
    assert ratio == pytest.approx(5.0 / 4.5, rel=1e-3)


def test_a_long_kernel_is_timed_between_events_of_its_own() -> None:
    case, _ = timed({"a": lambda gpu, arguments: 100e-6, "b": lambda gpu, arguments: 103e-6})
    assert case.method == "events"
    assert judged(case) == (SpeedOutcome.SLOWER, pytest.approx(100 / 103, rel=1e-6))


def test_without_graphs_a_short_kernel_is_timed_between_events_and_that_is_said() -> None:
    case, _ = timed({"a": lambda gpu, arguments: 5.0e-6, "b": lambda gpu, arguments: 4.5e-6}, has_graphs=False)
    assert case.method == "events"
    assert "has no graphs" in case.notes[0]
    assert judged(case)[1] == pytest.approx(5.0 / 4.5, rel=1e-3)


def test_a_drift_of_the_clock_is_no_gain() -> None:
    def drifting(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        return 100e-6 * (1 + 0.5 * gpu.now_s)

    outcome, ratio = judged(timed({"a": drifting, "b": drifting})[0])
    assert outcome is SpeedOutcome.SAME
    assert ratio == pytest.approx(1.0, abs=2e-3)


def test_l2_is_emptied_before_each_call_and_outside_the_timed_span() -> None:
    case, gpu = timed({"a": lambda gpu, arguments: 200e-6, "b": lambda gpu, arguments: 200e-6})
    starts = [index for index, name in enumerate(gpu.launched) if name in "ab" and index > 10]
    assert all(gpu.launched[index - 1] == "kernelopt_read" for index in starts)
    assert case.blocks[0].times_s[0] == pytest.approx(200e-6, rel=1e-6)


def test_a_kernel_that_adds_in_place_starts_each_call_from_the_first_contents() -> None:
    seen: list[int] = []

    def adds(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        cell = gpu.bytes_at(number(arguments[0]), 1)
        seen.append(cell[0])
        cell[0] = (cell[0] + 1) % 256
        return 3e-6

    case, _ = timed({"a": adds, "b": adds}, with_buffer=True, is_restored=True)
    assert set(seen) == {0}
    assert case.calls_per_slot <= case.copy_count
    assert odd_versions(case) == set()


def test_a_version_that_works_only_while_nothing_is_measured_is_named() -> None:
    calls = {"b": 0}

    def honest(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        gpu.bytes_at(number(arguments[0]), 4)[:] = struct.pack("<I", 7)
        return 60e-6

    def lazy(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        calls["b"] += 1
        if calls["b"] > 10:
            return 1e-6
        return honest(gpu, arguments)

    case, _ = timed({"a": honest, "b": lazy}, with_buffer=True)
    assert odd_versions(case) == {"B"}
    assert case.checked_count == 6


def test_a_version_that_stops_working_after_most_calls_is_named() -> None:
    calls = {"b": 0}

    def honest(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        gpu.bytes_at(number(arguments[0]), 4)[:] = struct.pack("<I", 7)
        return 60e-6

    def tired(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        calls["b"] += 1
        return honest(gpu, arguments) if calls["b"] <= 8 + 39 * SLOT_CALLS else 1e-6

    case, _ = timed({"a": honest, "b": tired}, with_buffer=True)
    assert (case.calls_per_slot, len(case.blocks)) == (SLOT_CALLS, 20)
    assert odd_versions(case) == {"B"}


def test_results_that_vary_from_run_to_run_are_kept_for_the_judge_of_values() -> None:
    rng = random.Random(1)

    def varying(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        gpu.bytes_at(number(arguments[0]), 1)[0] = rng.randrange(256)
        return 60e-6

    case, _ = timed({"a": varying, "b": varying}, with_buffer=True)
    assert (odd_versions(case), case.checked_count, case.unchecked_versions) == ({"A", "B"}, 6, ())
    assert len(case.odd_results) <= 2 * 4, "no more than a few of each"


def test_versions_with_another_number_of_launches_are_timed_with_what_more_launches_cost() -> None:
    gpu = VirtualGpu({"a": lambda gpu, arguments: 60e-6, "b": lambda gpu, arguments: 30e-6})
    kit = kit_of(gpu)
    one, half = (gpu.prepare(gpu.function(ModuleHandle(1), name), CONFIG, ()) for name in "ab")
    more, fewer = {"A": ((one,),), "B": ((half, half),)}, {"A": ((half, half),), "B": ((half,),)}
    for launches, ratio in ((more, 60e-6 / (60e-6 + START_S)), (fewer, (60e-6 + NODE_S) / 30e-6)):
        case = CaseTimer(kit, LaunchCopies(kit, launches), OPTIONS, tools_of(gpu)).run("all", 1.0)
        assert case.launches_per_call == 2
        assert judged(case)[1] == pytest.approx(ratio, rel=0.02)


def test_spans_are_not_timed_where_the_host_was_too_slow_to_queue_them() -> None:
    gpu = VirtualGpu({}, is_slow_host=True)
    assert GatedQueue(kit_of(gpu)).times((Span(work=lambda: None),)) is None


def test_blocks_are_added_until_a_against_a_is_known_well_enough() -> None:
    rng = random.Random(2)
    quiet = take_blocks(lambda version: rng.gauss(1e-4, 1e-7), OPTIONS, lambda: 0.0, lambda: False)
    loud = take_blocks(lambda version: rng.gauss(1e-4, 2e-6), OPTIONS, lambda: 0.0, lambda: False)
    assert (len(quiet.blocks), quiet.stop) == (20, "width")
    assert len(loud.blocks) > 60


def test_a_slow_shape_stops_when_its_time_is_up() -> None:
    now = iter(range(10_000))
    taken = take_blocks(lambda version: 1.0, OPTIONS, lambda: float(next(now)), lambda: False)
    assert taken.stop == "time"
    assert len(taken.blocks) < 20


def test_blocks_taken_while_heat_holds_the_clocks_down_are_taken_again() -> None:
    hot = iter([True, False])
    taken = take_blocks(lambda version: 1e-4, OPTIONS, lambda: 0.0, lambda: next(hot))
    assert (len(taken.blocks), taken.hot_count, taken.late_count, taken.is_hot) == (20, 20, 0, False)


def test_a_slow_shape_on_a_hot_gpu_keeps_its_blocks_and_says_so() -> None:
    now = iter(range(10_000))
    taken = take_blocks(lambda version: 1.0, OPTIONS, lambda: float(next(now)), lambda: True)
    assert taken.blocks and (taken.hot_count, taken.is_hot) == (0, True)


def test_blocks_that_were_not_queued_in_time_leave_room_for_those_dropped_for_heat() -> None:
    slots, hot = iter([None, *[1e-4] * 10_000]), iter([True, False, False])
    taken = take_blocks(lambda version: next(slots), OPTIONS, lambda: 0.0, lambda: next(hot))
    assert (taken.late_count, taken.hot_count, len(taken.blocks)) == (1, 19, 20)


def test_small_buffers_are_cold_only_in_the_first_calls_of_a_graph_and_that_is_said() -> None:
    bodies: dict[str, Body] = {"a": lambda gpu, arguments: 5e-6, "b": lambda gpu, arguments: 5e-6}
    warm, _ = timed(bodies, with_buffer=True)
    assert (warm.cold_call_count, warm.calls_per_slot > 4) == (4, True)
    assert "the first 4 calls of each cold, the others warm" in method_of(PairTiming((warm,), TimedDevice("", "", "", "")))
    nothing_to_find, _ = timed(bodies)
    assert nothing_to_find.cold_call_count == nothing_to_find.calls_per_slot


def test_an_empty_kernel_that_became_slower_is_spoken_of() -> None:
    def slower(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        return 1e-6 if gpu.now_s > 0.02 else 0.0

    case, _ = timed({"a": lambda gpu, arguments: 60e-6, "b": lambda gpu, arguments: 60e-6, "kernelopt_empty": slower})
    assert case.notes == ("the empty kernel that is subtracted took 2.80 µs before and 3.80 µs after",)


def test_a_block_pairs_the_mean_of_its_two_slots_of_each_version() -> None:
    pairs = pairs_of((Block("ABBA", (1.0, 2.0, 8.0, 4.0)), Block("BAAB", (2.0, 1.0, 4.0, 8.0))))
    assert pairs.a_s == pytest.approx((2.0, 2.0))
    assert pairs.b_s == pytest.approx((4.0, 4.0))


def test_the_self_test_passes_where_the_timing_is_right() -> None:
    gpu = VirtualGpu({})
    found = self_test(kit_of(gpu), tools_of(gpu), seed=1)
    assert found.failures == ()
    assert found.slowed_ratio == pytest.approx(20 / 21, rel=1e-3)


def test_the_self_test_notices_a_device_that_favours_one_side() -> None:
    turn = iter(range(10**9))

    def erratic(gpu: VirtualGpu, arguments: tuple[bytes, ...]) -> float:
        return 10e-6 * (1 + (next(turn) % 400_000 > 150_000) * 0.2)

    gpu = VirtualGpu({"kernelopt_spin": erratic})
    assert not self_test(kit_of(gpu), tools_of(gpu), seed=1).has_passed


def test_peaks_are_the_best_of_several_calls() -> None:
    gpu = VirtualGpu({})
    peaks = measure_peaks(kit_of(gpu), "GPU-0", "580")
    assert peaks.fp32_per_s == pytest.approx(2 * peaks.fp64_per_s, rel=0.01)
    assert peaks.dram_bytes_per_s > 0


def test_warming_up_goes_by_the_clock_and_not_by_a_count() -> None:
    now, clocks = [0.0], [345e6]

    def start() -> None:
        now[0] += 0.01
        clocks[0] = min(1980e6, clocks[0] + 40e6)

    warm_up(start, lambda: now[0], lambda: clocks[0])
    assert now[0] > LEAST_WARM_S
    assert clocks[0] == 1980e6


def blocks_of(slot_s: float, options: TimingOptions) -> int:
    now_s = 0.0

    def slot(version: str) -> float:
        nonlocal now_s
        now_s += slot_s
        return slot_s

    return len(take_blocks(slot, options, lambda: now_s, lambda: False).blocks)


@pytest.mark.parametrize(("slot_s", "fewest", "count"), [(0.1, 5, 5), (0.1, 8, 8), (1.0, 8, 8), (0.01, 8, 20)])
def test_slow_kernels_get_their_fewest_blocks_and_no_more(slot_s: float, fewest: int, count: int) -> None:
    options = TimingOptions(seed=1, wall_s=1.5, fewest_block_count=fewest)
    assert blocks_of(slot_s, options) == count


def test_where_every_block_is_dropped_the_time_ends_it() -> None:
    ticks = iter(range(1000))
    taken = take_blocks(lambda _: None, TimingOptions(seed=1, wall_s=3.0, fewest_block_count=8), lambda: float(next(ticks)), lambda: False)
    assert taken.blocks == () and taken.stop == "time" and taken.late_count >= 8
