"""In which order kernels are searched: by measured time where there is any, else by what is predicted."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.engine.evaluate import KernelAssessment
from assistant.engine.search.kernel_order import searched_order
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import ShapeCount
from tests.unit.engine.conftest import Assess

CONFIG = LaunchConfig(Dim3(4), Dim3(64))


def kernel(assessed: Assess, name: str, *launches: tuple[float, float, int]) -> KernelAssessment:
    """``launches``: (predicted seconds, count, blocks counted)."""
    (item,) = assessed()
    (launch,) = item.launches
    made = tuple(
        replace(
            launch,
            count=count,
            predicted=replace(launch.predicted, time_s=time_s),
            profile=replace(launch.profile, blocks_counted=blocks),
        )
        for time_s, count, blocks in launches
    )
    return replace(item, instance=f"{name}(float*)", kernel=replace(item.kernel, name=name), launches=made)


def evaluation(*kernels: KernelAssessment, **times_ns: int | None) -> Any:
    shapes = tuple(ShapeCount(f"{name}(float*)", CONFIG, 1, time_ns) for name, time_ns in times_ns.items())
    recording = SimpleNamespace(shape_counts=shapes) if times_ns else None
    return SimpleNamespace(assessment=SimpleNamespace(kernels=kernels), counted=SimpleNamespace(recording=recording))


def test_what_was_measured_decides(assessed: Assess) -> None:
    long, short = kernel(assessed, "norm", (9e-6, 2.0, 4)), kernel(assessed, "project", (1e-6, 2.0, 4))
    order = searched_order(evaluation(long, short, norm=1_000, project=4_000, other=5_000))
    assert order.names == ("project", "norm") and order.shares == pytest.approx((0.4, 0.1)), "of all launches' time"
    assert order.words is not None and "project 40 %, norm 10 %" in order.words


def test_without_times_of_all_launches_predictions_decide(assessed: Assess) -> None:
    long, short = kernel(assessed, "norm", (2e-6, 512.0, 4)), kernel(assessed, "project", (100e-6, 9.0, 4))
    for times in ({}, {"norm": None, "project": 9_000}, {"project": 9_000}):
        order = searched_order(evaluation(short, long, **times))
        assert (order.names, order.shares, order.words) == (("norm", "project"), (), None)


def test_what_was_not_counted_is_not_taken_for_short(assessed: Assess) -> None:
    """The model's time of nothing is that of starting a kernel."""
    counted = kernel(assessed, "norm", (50e-6, 1.0, 4))
    in_part = kernel(assessed, "project", (3e-6, 10.0, 0), (20e-6, 1.0, 4))
    unknown = kernel(assessed, "solve", (3e-6, 1.0, 0))
    assert searched_order(evaluation(counted, in_part, unknown)).names == ("solve", "project", "norm")


def test_of_the_time_that_is_left_a_kernel_gets_what_it_takes_of_all_that_are_left(assessed: Assess) -> None:
    kernels = [kernel(assessed, name, (cost, 1.0, 4)) for name, cost in (("norm", 6e-6), ("project", 3e-6), ("solve", 1e-6))]
    order = searched_order(evaluation(*kernels))
    assert order.part_of_time(order.names) == pytest.approx(0.6)
    assert [order.share_of(name) for name in order.names] == pytest.approx([0.6, 0.3, 0.1])
    assert order.part_of_time(("project", "solve")) == pytest.approx(0.75)
    assert order.part_of_time(("solve",)) == 1.0


def test_where_nothing_was_counted_of_a_kernel_all_that_are_left_get_alike(assessed: Assess) -> None:
    counted, unknown = kernel(assessed, "norm", (50e-6, 1.0, 4)), kernel(assessed, "solve", (3e-6, 1.0, 0))
    order = searched_order(evaluation(counted, unknown))
    assert order.part_of_time(order.names) == 0.5 and order.share_of("norm") == order.share_of("solve") == 1.0
    assert order.part_of_time(("norm",)) == 1.0
