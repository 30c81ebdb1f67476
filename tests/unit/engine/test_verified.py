"""An edit whose verdict is known: how much faster the whole program is with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.request import WHOLE_PROGRAM
from assistant.model import events
from assistant.model.recording import DeviceStep, Recording, ShapeCount
from assistant.model.source import Source
from assistant.model.verification import Label, Outcome, Verification, VerificationFinding, verified_in_turn
from assistant.ports.lab import LabFailure, Program
from assistant.workload.recordings import NewCase
from tests.contracts.fake_clock import Clock
from tests.unit.engine.asking import Asking
from tests.unit.engine.commands import KERNELS, PROGRAMS
from tests.unit.engine.test_commands import CHEAPER, WRONG, A

pytestmark = pytest.mark.usefixtures("home")


def in_order(programs: Mapping[str, NewCase]) -> dict[str, NewCase]:
    """Programs of which it is known what they did on the device one after the other."""
    return {text: replace(case, recording=_in_order(case)) for text, case in programs.items()}


def _in_order(case: NewCase) -> Recording:
    launches = case.recording.launches
    shapes = tuple(ShapeCount(launch.kernel, launch.config, 1) for launch in launches)
    steps = tuple(DeviceStep("launch", number, 0) for number in range(len(launches)))
    return replace(case.recording, shape_counts=shapes, steps=steps, operations=())


@pytest.fixture
def on(tmp_path: Path) -> Asking:
    return Asking(tmp_path, kernels={**KERNELS, "out[i] = x[i] + x[i]": replace(KERNELS["out[i] = x[i] + x[i]"], sectors=400)})


@pytest.fixture
def proved(verdict: Callable[..., Verification]) -> Verification:
    return verdict(Outcome.PASS)


async def time_verified(on: Asking, *verifications: Verification, text: str = CHEAPER) -> None:
    request = replace(on.request(A), region=WHOLE_PROGRAM)
    before, after = (Source(request.file, text) for text in (A, text))
    await on.hear(on.session.time_verified(request, (before,), (after,), verifications))


async def test_all_that_the_program_does_is_predicted_and_the_verdict_stands_as_it_was(on: Asking, proved: Verification) -> None:
    on.programs = in_order(PROGRAMS)
    await time_verified(on, proved)
    made = on.only(events.ComparisonMade)
    assert (made.kernel, made.verification.outcome) == (None, "PASS") and made.speed is not None
    assert (on.ending.exit_code, on.ending.reason.split(" ")[:2]) == (1, ["PASS,", "but"]), "the other one reads more"
    assert [stage.detail for stage in on.all(events.StageStarted)] == [
        "counts what both versions do",
        "all that the program does on the device",
    ]
    assert not [line for line in on.asked.lines if line.startswith("replay")], "nothing is verified again"


async def test_several_edits_together_are_held_against_what_reaches_the_host(on: Asking, verdict: Callable[..., Verification]) -> None:
    on.programs = in_order(PROGRAMS)
    first, second = verdict(Outcome.PASS, labels=(Label.HOST_CODE,)), verdict(Outcome.NEEDS_DECISION, labels=(Label.REASSOCIATION,))
    await time_verified(on, first, second)
    made = on.only(events.ComparisonMade)
    assert (made.verification.outcome, made.verification.labels) == (Outcome.NEEDS_DECISION, (Label.HOST_CODE, Label.REASSOCIATION))
    assert made.speed is not None and made.verification.cases == first.cases + second.cases
    assert on.asked.lines[-1].startswith("run check text 1 as a candidate"), "the original once more: what differs from run to run"
    assert not [line for line in on.asked.lines if line.startswith("replay")], "nothing is verified again"


def test_of_several_edits_the_worst_counts_and_everything_found_is_kept(verdict: Callable[..., Verification]) -> None:
    found = VerificationFinding("precision", Outcome.NEEDS_DECISION, "further from the reference", case=0)
    unsure = replace(
        verdict(Outcome.NEEDS_DECISION, found), oracle="kernel+program", missing_checks=("no racecheck",), caveats=("in part",)
    )
    both = verified_in_turn((verdict(Outcome.PASS), unsure, replace(verdict(Outcome.PASS), caveats=("in part",))))
    assert (both.outcome, both.oracle, both.missing_checks) == (Outcome.NEEDS_DECISION, "kernel+program", ("no racecheck",))
    assert both.findings == (replace(found, case=1),) and both.cases[1] == unsure.cases[0] and both.caveats == ("in part",)


async def test_several_edits_that_give_the_host_other_results_together_are_not_timed(on: Asking, proved: Verification) -> None:
    on.programs = in_order(PROGRAMS)
    await time_verified(on, proved, proved, text=WRONG)
    assert on.ending.exit_code == 3 and on.ending.reason.startswith("what reaches the host is not the same with all edits together")
    assert not on.all(events.ComparisonMade)


@pytest.mark.parametrize("outcome", [Outcome.PASS, Outcome.NEEDS_DECISION])
async def test_a_clock_times_what_both_programs_do(on: Asking, verdict: Callable[..., Verification], outcome: Outcome) -> None:
    on.programs, on.timing = in_order(PROGRAMS), Clock()
    on.timing.usual_us = 40.0
    await time_verified(on, verdict(outcome))
    made = on.only(events.ComparisonMade)
    assert made.speed is not None and (made.speed.outcome, made.verification.outcome) == ("SAME", outcome)
    assert on.ending.exit_code == 0, "what a person has to decide is no reason to fail"


async def test_a_program_of_which_the_order_is_not_known_has_no_speed(on: Asking, proved: Verification) -> None:
    await time_verified(on, proved)
    assert on.ending.exit_code == 3 and "is not judged as a whole" in on.ending.reason
    assert not on.all(events.ComparisonMade)


@pytest.mark.parametrize("is_candidate", [False, True])
async def test_a_version_that_does_not_run_leaves_no_answer(on: Asking, proved: Verification, is_candidate: bool) -> None:
    def refuse(method: str, mode: str, program: Program, _: int) -> LabFailure | None:
        is_meant = (method, mode, program.is_candidate) == ("run", "count", is_candidate)
        return LabFailure("timed_out", "it takes too long", "raise --timeout") if is_meant else None

    on.refuse = refuse
    await time_verified(on, proved)
    (told,) = on.all(events.Message)
    assert (on.ending.exit_code, told.message, told.remedy) == (3, "it takes too long", "raise --timeout")
