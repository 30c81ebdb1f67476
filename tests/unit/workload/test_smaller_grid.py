"""Launches with fewer blocks: half and an odd third along x, everything else as it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.derive import contents_of
from assistant.workload.smaller_grid import with_smaller_grids
from tests.unit.workload.launches import launched

X = np.arange(8, dtype=np.float32)


@pytest.mark.parametrize(("blocks", "fewer"), [(160, [80, 53]), (3, [1]), (2, [1]), (1, []), (6, [3])])
def test_half_of_the_blocks_and_an_odd_number(blocks: int, fewer: list[int]) -> None:
    case, _ = launched(LaunchConfig(Dim3(blocks, 4), Dim3(32)), {"n": 8}, X)
    made = with_smaller_grids(case)
    assert [one.recording.launches[0].config for one in made] == [LaunchConfig(Dim3(count, 4), Dim3(32)) for count in fewer]
    assert all(contents_of(one) == contents_of(case) and one.origin.kind == "smaller_grid" for one in made)


def test_a_launch_of_clusters_keeps_its_blocks() -> None:
    case, _ = launched(LaunchConfig(Dim3(8), Dim3(32)), {"n": 8}, X)
    launches = tuple(replace(launch, cluster=Dim3(4)) for launch in case.recording.launches)
    assert with_smaller_grids(replace(case, recording=replace(case.recording, launches=launches))) == ()


def test_a_cooperative_launch_keeps_its_blocks() -> None:
    case, _ = launched(LaunchConfig(Dim3(8), Dim3(32)), {"n": 8}, X)
    launches = tuple(replace(launch, is_cooperative=True) for launch in case.recording.launches)
    assert with_smaller_grids(replace(case, recording=replace(case.recording, launches=launches))) == ()
