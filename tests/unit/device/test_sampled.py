"""What CUPTI counted on an H200, read without one: the same lines as Nsight Compute's report of the same launch."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.device.counters.answer import read_answer
from assistant.device.counters.cupti import counters_reply
from assistant.device.counters.protocol import InstructionPlace, SampledLaunch, SamplingReply
from assistant.device.counters.sampled import launch_profile
from assistant.model.profile import LaunchProfile, Method
from assistant.serialize import decode

RECORDED: dict[str, Any] = json.loads((Path(__file__).parents[2] / "data" / "counters" / "bank_conflicts.json").read_text("utf-8"))
"""A tiled transpose with bank conflicts (``tests/data/h200/examples``): both processes' answers, its code's lines, ncu's profile."""


@pytest.fixture(scope="module")
def launch() -> SampledLaunch:
    sampled, counted = (decode(SamplingReply, RECORDED[part]).launches[0] for part in ("sampled", "instructions"))
    return replace(sampled, answer=sampled.answer + counted.answer)


@pytest.fixture(scope="module")
def places() -> tuple[InstructionPlace, ...]:
    found: tuple[InstructionPlace, ...] = decode(tuple[InstructionPlace, ...], RECORDED["places"])
    return found


@pytest.fixture(scope="module")
def profile(launch: SampledLaunch, places: tuple[InstructionPlace, ...]) -> LaunchProfile:
    return launch_profile(0, launch, places, "NVIDIA H200")


def test_cupti_counts_every_line_as_ncu_does(profile: LaunchProfile) -> None:
    ncu = decode(LaunchProfile, RECORDED["ncu"])
    assert profile.accesses == ncu.accesses and profile.executions == ncu.executions
    assert [(i.line, i.mix) for i in profile.instructions] == [(i.line, i.mix) for i in ncu.instructions]
    assert (profile.method, profile.device, profile.config) == (Method.CUPTI, "NVIDIA H200, CUPTI", ncu.config)


def test_stalls_are_named_as_in_ncus_report_and_lie_on_lines(profile: LaunchProfile) -> None:
    ncu = decode(LaunchProfile, RECORDED["ncu"])
    assert sum(stall.samples for stall in profile.stalls) == 1521  # of 1,546: warps that issued wait for nothing
    assert {stall.reason for stall in ncu.stalls} & {stall.reason for stall in profile.stalls} >= {"long_scoreboard", "short_scoreboard"}
    assert max(profile.stalls, key=lambda stall: stall.samples).line == 22
    assert not [stall for stall in profile.stalls if stall.reason.endswith("_not_issued") or stall.reason == "selected"]


def test_what_cupti_does_not_give_is_absent(launch: SampledLaunch, profile: LaunchProfile, places: tuple[InstructionPlace, ...]) -> None:
    assert profile.measurement("achieved_occupancy") == pytest.approx(0.2355, abs=1e-4)
    assert profile.measurement("theoretical_occupancy") is None and profile.unique_sectors is None
    without = launch.answer.replace("smsp__sass_sectors_mem_global\t", "unknown\t").replace("smsp__sass_sectors_mem_global\n", "unknown\n")
    uncounted = launch_profile(0, replace(launch, answer=without), places, "NVIDIA H200")
    assert {access.sectors for access in uncounted.accesses} == {None}
    assert {access.sectors is None for access in profile.accesses if access.op.startswith("global")} == {False}


def test_lines_of_other_kernels_and_numbers_that_are_none_are_left_out(launch: SampledLaunch) -> None:
    other = read_answer(launch.answer + "launch\tdram__throughput.avg.pct_of_peak_sustained_elapsed\tnan\n", "_Z5otherv")
    assert other.stalls == {} and not any(other.counts.values())
    assert [one.name for one in other.measured].count("dram_utilisation") == 1


def test_a_launch_without_a_counted_instruction_was_not_counted(launch: SampledLaunch, places: tuple[InstructionPlace, ...]) -> None:
    without = "".join(line for line in launch.answer.splitlines(keepends=True) if not line.startswith("count\t"))
    assert launch_profile(0, launch, places, "NVIDIA H200").blocks_counted == launch.config.grid.count
    assert launch_profile(0, replace(launch, answer=without), places, "NVIDIA H200").blocks_counted == 0


@pytest.mark.parametrize(("dropped", "told"), [(0, ""), (15, ""), (680, "680 of 1,546 samples of where warps wait (44 %)")])
def test_samples_that_the_gpu_dropped_are_reported(
    launch: SampledLaunch, places: tuple[InstructionPlace, ...], profile: LaunchProfile, dropped: int, told: str
) -> None:
    assert "\nsamples\t1546\t0\n" in launch.answer
    losing = replace(launch, answer=launch.answer.replace("\nsamples\t1546\t0\n", f"\nsamples\t1546\t{dropped}\n"))
    reply = counters_reply(SamplingReply((losing,)), places, "NVIDIA H200")
    assert reply.launches == (profile,)
    assert [refusal.kind for refusal in reply.refusals] == ["dropped"] * bool(told)
    assert all(told in refusal.message for refusal in reply.refusals)


def test_a_reply_without_a_counted_instruction_is_refused_once(launch: SampledLaunch, places: tuple[InstructionPlace, ...]) -> None:
    without = "".join(line for line in launch.answer.splitlines(keepends=True) if not line.startswith("count\t"))
    reply = counters_reply(SamplingReply((replace(launch, answer=without),)), places, "NVIDIA H200")
    assert reply.launches == () and ["it counted no instruction" in refusal.message for refusal in reply.refusals] == [True]
