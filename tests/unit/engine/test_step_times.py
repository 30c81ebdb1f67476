"""What is predicted of launches, copies and fills that stand next to each other: how long, and how much of the machine each takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.engine.evaluate.assessment import Assessment, CountedRun
from assistant.engine.evaluate.step_times import known_operation, known_times
from assistant.measure.targets import target
from assistant.model.build import CompilerMissing
from assistant.model.launch import Dim3, LaunchConfig

H200 = target("h200")


@pytest.mark.parametrize(("kind", "ratio"), [("fill", 1.0), ("copy_on_device", 1.0), ("copy_to_host", 0.0)])
def test_copies_and_fills_on_the_device_keep_its_memory_busy(kind: str, ratio: float) -> None:
    known = known_operation(kind, 1 << 28, H200)
    assert known.room_ratio == pytest.approx(ratio, abs=0.02)
    assert known.body_s == pytest.approx(known.time.time_s, rel=0.1) and known.body_s <= known.time.time_s


def test_launches_are_known_by_instance_and_configuration_where_they_were_counted(assessed, access) -> None:
    (item,) = assessed(access("global load", 2, 64, 256))
    (launch,) = item.launches
    other = replace(launch.profile, kernel="j(float*)")
    uncounted = replace(launch.profile, config=LaunchConfig(Dim3(9), Dim3(9)), blocks_counted=0)
    counted = CountedRun((), (launch.profile, other, uncounted), (), None)
    known = known_times(Assessment(CompilerMissing("", ""), counted, (item,)), H200)
    assert known.keys() == {("k(float*)", launch.profile.config), ("j(float*)", launch.profile.config)}
    own = known["k(float*)", launch.profile.config]
    assert own.time == launch.predicted and 0.0 < own.room_ratio <= 1.0
    bare = replace(item, launches=(replace(launch, profile=replace(launch.profile, blocks_counted=0)),))
    assert known_times(Assessment(CompilerMissing("", ""), CountedRun((), (), (), None), (bare,)), H200) == {}
