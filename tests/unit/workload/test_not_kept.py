"""A kernel whose grid changes with every step says once that most of its launches were counted only."""

from __future__ import annotations

from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.not_kept import launches_not_kept


def test_a_line_for_each_kernel_and_reason() -> None:
    counts = {("lu(double*)", LaunchConfig(Dim3(64 - step), Dim3(256)), "enough launches of this shape"): 8 for step in range(60)}
    counts[("lu(double*)", LaunchConfig(Dim3(2), Dim3(256)), "recording is full")] = 3
    counts[("sum(double*)", LaunchConfig(Dim3(1), Dim3(32)), "recording is full")] = 1
    assert launches_not_kept(counts) == [
        "480 launches of lu(double*) with grid (64, 1, 1), block (256, 1, 1), and 59 other shapes are counted but not kept: "
        "enough launches of this shape",
        "3 launches of lu(double*) with grid (2, 1, 1), block (256, 1, 1) are counted but not kept: recording is full",
        "1 launch of sum(double*) with grid (1, 1, 1), block (32, 1, 1) is counted but not kept: recording is full",
    ]
