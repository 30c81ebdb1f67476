"""Comparisons of programs whose copies differ: every kernel is judged, and the speed is of what the programs do where they differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model import events
from assistant.model.recording import DeviceStep, ShapeCount
from assistant.workload.recordings import NewCase
from tests.unit.engine.asking import Asking
from tests.unit.engine.commands import HOST, KERNELS, PROGRAMS, SCALE
from tests.unit.engine.fakes import FakePlanner

KERNEL = "scale(float *, const float *, int)"
TWICE, ONCE = f"{SCALE}// copies twice\n{HOST}", f"{SCALE}// copies once\n{HOST}"
MORE = "copies or fills differ: copy to the GPU, scale → scale"


def asking_for(*kinds: str) -> NewCase:
    """The program that asks the device for these steps."""
    case = PROGRAMS["(out, x, 1000)"]
    (launch,) = case.recording.launches
    steps = tuple(DeviceStep("launch", 0, 0) if kind == "launch" else DeviceStep(kind, -1, 0, 4000) for kind in kinds)
    recording = replace(case.recording, steps=steps, shape_counts=(ShapeCount(launch.kernel, launch.config, 1),), operations=())
    return replace(case, recording=recording)


@pytest.fixture
def on(tmp_path: Path) -> Asking:
    programs = {
        "// copies twice": asking_for("copy_to_device", "copy_to_device", "launch", "copy_to_host"),
        "// copies once": asking_for("copy_to_device", "launch", "copy_to_host"),
    }
    return Asking(tmp_path, FakePlanner("a planner"), programs=programs, kernels=KERNELS)


def verdicts(on: Asking) -> list[tuple[str | None, str, str | None, bool]]:
    """Of each kernel, and last of the program: (kernel, outcome, speed's outcome, whether it has figures of the launches)."""
    return [
        (made.kernel, made.verification.outcome.value, made.speed and made.speed.outcome.value, made.figures is not None)
        for made in on.all(events.ComparisonMade)
    ]


async def test_a_copy_that_is_left_out_is_the_programs_gain_and_no_kernels(on: Asking) -> None:
    await on.compare(TWICE, ONCE)
    assert verdicts(on) == [(KERNEL, "PASS", None, True), (None, "PASS", "PREDICTED", False)]
    whole = on.all(events.ComparisonMade)[-1].speed
    assert whole is not None and whole.ratio > 1.5 and MORE in whole.caveats
    assert (on.ending.exit_code, on.ending.reason.startswith(f"PASS, PREDICTED {whole.ratio:.2f}x ({MORE}")) == (0, True)


async def test_a_copy_more_makes_the_program_slower_whatever_its_kernels_take(on: Asking) -> None:
    await on.compare(ONCE, TWICE.replace("2.0f * x[i]", "x[i] + x[i]"))
    kernel, program = verdicts(on)
    assert (kernel[:2], program[:3]) == ((KERNEL, "PASS"), (None, "PASS", "PREDICTED"))
    whole = on.all(events.ComparisonMade)[-1].speed
    assert whole is not None and whole.ratio < 1
    assert (on.ending.exit_code, on.ending.reason.startswith("PASS, but PREDICTED")) == (1, True)


async def test_of_a_program_with_a_wrong_kernel_no_speed_is_said_whatever_its_copies(on: Asking) -> None:
    await on.compare(TWICE, ONCE.replace("2.0f * x[i]", "2.5f * x[i]"))
    assert {(outcome, speed) for _, outcome, speed, _ in verdicts(on)} == {("FAIL", None)}
    assert (on.ending.exit_code, on.ending.reason) == (1, "FAIL: B is not equivalent to A")
