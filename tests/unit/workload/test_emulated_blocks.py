"""What the emulator runs of a launch that a GPU runs whole: bounded by threads, whatever the launch is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import Recording
from assistant.workload.chosen_blocks import threads_run
from assistant.workload.emulated_blocks import WHOLE_THREADS, emulated_blocks, emulated_part, with_fewest_blocks
from tests.unit.workload.launches import launched


def recording(blocks: int, threads: int) -> Recording:
    case, _ = launched(LaunchConfig(Dim3(blocks), Dim3(threads)), {"n": 8}, np.zeros(8, np.float32))
    return case.recording


@pytest.mark.parametrize(("blocks", "threads"), [(1, 1), (512, 256), (WHOLE_THREADS, 1)])
def test_a_small_launch_is_its_own_shrunken_shape(blocks: int, threads: int) -> None:
    small = recording(blocks, threads)
    assert emulated_part(small, (0,), is_own_size=True) is small


@pytest.mark.parametrize("blocks", [1 << 13, 1 << 14, 1 << 20, (1 << 31) - 1])
@pytest.mark.parametrize("threads", [32, 256, 1024])
def test_what_is_run_of_a_large_launch_does_not_grow_with_it(blocks: int, threads: int) -> None:
    (launch,) = recording(blocks, threads).launches
    assert launch.config.thread_count > WHOLE_THREADS
    chosen = emulated_blocks(launch, is_own_size=True)
    assert 16 <= len(chosen) <= 64 and {0, blocks - 1} <= set(chosen)
    assert threads_run(replace(launch, chosen_blocks=chosen)) <= 1 << 14


def test_a_size_of_our_own_is_chosen_by_its_work_and_runs_whole_up_to_a_million_threads() -> None:
    assert emulated_blocks(recording(4096, 256).launches[0], is_own_size=False) == ()
    assert emulated_blocks(recording(8192, 256).launches[0], is_own_size=False) != ()


def test_blocks_that_were_chosen_already_stay() -> None:
    large = recording(1 << 16, 256)
    chosen = replace(large, launches=(replace(large.launches[0], chosen_blocks=(3, 5)),))
    assert emulated_part(chosen, (0,), is_own_size=True) == chosen


def test_no_part_is_run_of_what_needs_all_its_blocks() -> None:
    large = recording(1 << 16, 256)
    (launch,) = large.launches
    together = replace(large, launches=(replace(launch, is_cooperative=True),))
    assert "cooperative" in str(emulated_part(together, (0,), is_own_size=True))
    row = replace(large, launches=(launch, replace(launch, index=1)))
    assert "several launches" in str(emulated_part(row, (0, 1), is_own_size=True))
    assert isinstance(emulated_part(row, (1,), is_own_size=True), Recording)


def test_of_blocks_that_take_long_four_are_left() -> None:
    few = with_fewest_blocks(recording(264, 256), (0,))
    assert few is not None and len(few.launches[0].chosen_blocks) == 4
    assert with_fewest_blocks(recording(4, 256), (0,)) is None
