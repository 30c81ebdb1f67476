"""Least time at the target's peaks as a share of the predicted time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.measure.targets import target
from assistant.model.comparison import ModelTerm, PredictedTime
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import InstructionMix, LaunchProfile, LineInstructions, Method
from assistant.profile.speed_of_light import speed_of_light

_H200 = target("h200")
_SECTORS = 4_000_000


def _profile(mix: InstructionMix, unique: int | None = _SECTORS) -> LaunchProfile:
    config = LaunchConfig(Dim3(1000, 1, 1), Dim3(256, 1, 1), 0)
    return LaunchProfile(0, "k", config, Method.EMULATOR, "emulator", 1000, (), (), (LineInstructions("a.cu", 1, mix),), unique, None, ())


def _predicted(time_s: float, dram_bytes: float = 0.0) -> PredictedTime:
    return PredictedTime(time_s, "dram", (ModelTerm("dram", time_s, (("DRAM bytes", dram_bytes, "byte"),)),), "h200")


def test_data_that_dram_delivers_is_measured_by_dram_bandwidth() -> None:
    least_s = _SECTORS * 32 / _H200.dram_bytes_per_s
    found = speed_of_light(_profile(InstructionMix(fp32=1)), _predicted(2 * least_s, dram_bytes=_SECTORS * 32), _H200)
    assert found is not None and found.limit == "dram" and found.ratio == pytest.approx(0.5)


def test_traffic_that_is_repeated_does_not_raise_the_share() -> None:
    once, thrice = (speed_of_light(_profile(InstructionMix(fp32=1)), _predicted(1e-3, n * _SECTORS * 32), _H200) for n in (1, 3))
    assert once == thrice


def test_data_that_stays_in_l2_is_measured_by_its_bandwidth() -> None:
    found = speed_of_light(_profile(InstructionMix(fp32=1)), _predicted(1e-3), _H200)
    assert found is not None and found.limit == "l2" and found.ratio == pytest.approx(_SECTORS * 32 / _H200.l2_bytes_per_s / 1e-3)


@pytest.mark.parametrize(
    ("pipe", "lanes"),
    [("fp32", _H200.fp32_lanes_per_sm), ("fp64", _H200.fp64_lanes_per_sm), ("special", _H200.special_lanes_per_sm)],
)
def test_arithmetic_is_measured_by_its_pipe_with_every_lane_busy(pipe: str, lanes: int) -> None:
    count = 10**9
    found = speed_of_light(_profile(replace(InstructionMix(), **{pipe: count})), _predicted(1e-3), _H200)
    least_s = count / lanes / _H200.clock_hz / _H200.sm_count
    assert found is not None and found.limit == pipe and found.ratio == pytest.approx(least_s / 1e-3)


def test_overhead_instructions_are_no_work() -> None:
    busy = InstructionMix(fp32=1, integer=10**9, conversion=10**9, control=10**9, load_store=10**9, other=10**9)
    assert speed_of_light(_profile(busy), _predicted(1e-3), _H200) == speed_of_light(
        _profile(InstructionMix(fp32=1)), _predicted(1e-3), _H200
    )


def test_it_is_left_out_where_the_least_time_is_not_known() -> None:
    known = _profile(InstructionMix(fp32=1))
    for profile in (
        replace(known, instructions=()),
        replace(known, unique_sectors=None),
        _profile(InstructionMix(fp32=1, tensor=1)),
        _profile(InstructionMix(fp32=1, double_tensor=1)),
        _profile(InstructionMix(), unique=0),
    ):
        assert speed_of_light(profile, _predicted(1e-3), _H200) is None


def test_a_prediction_below_the_least_time_gives_no_share() -> None:
    assert speed_of_light(_profile(InstructionMix(fp32=10**12)), _predicted(1e-6), _H200) is None
