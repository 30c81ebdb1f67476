"""What one warp's access costs, against the numbers of the CUDA C++ Best Practices Guide."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3
from assistant.plan.expert.analysis.warp_pattern import (
    exchanged_lane,
    ideal_wavefront_count,
    lane_environments,
    sector_count,
    wavefront_count,
)

LANES = range(32)


@pytest.mark.parametrize(
    ("stride", "size_bytes", "sectors"),
    [(1, 4, 4), (2, 4, 8), (8, 4, 32), (4096, 4, 32), (0, 4, 1), (1, 8, 8), (1, 1, 1), (1, 16, 16)],
)
def test_sectors_of_a_strided_access(stride, size_bytes, sectors):
    assert sector_count([lane * stride for lane in LANES], size_bytes) == sectors


def test_a_shifted_access_touches_one_more_sector():
    assert sector_count([lane + 1 for lane in LANES], 4) == 5


@pytest.mark.parametrize(
    ("row_length", "size_bytes", "wavefronts"),
    [(32, 4, 32), (33, 4, 1), (16, 4, 16), (32, 8, 32), (33, 8, 2), (32, 2, 16), (34, 2, 1), (32, 16, 32), (33, 16, 4)],
)
def test_wavefronts_of_a_column(row_length, size_bytes, wavefronts):
    assert wavefront_count([lane * row_length for lane in LANES], size_bytes) == wavefronts


def test_one_word_for_all_lanes_is_one_wavefront():
    assert wavefront_count([7] * 32, 4) == 1
    assert ideal_wavefront_count([7] * 32, 4) == 1


def test_lanes_fill_rows_of_the_block():
    lanes = lane_environments(Dim3(16, 4))
    assert [(lane["threadIdx.x"], lane["threadIdx.y"]) for lane in lanes[14:18]] == [(14, 0), (15, 0), (0, 1), (1, 1)]


def test_a_short_block_has_a_short_warp():
    assert len(lane_environments(Dim3(10))) == 10


def test_exchanging_a_lane_swaps_x_and_y_of_every_builtin():
    lane = {"threadIdx.x": 1, "threadIdx.y": 2, "threadIdx.z": 3, "blockDim.x": 32, "blockDim.y": 8}
    assert exchanged_lane(lane) == {"threadIdx.y": 1, "threadIdx.x": 2, "threadIdx.z": 3, "blockDim.y": 32, "blockDim.x": 8}
