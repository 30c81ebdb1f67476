"""Which kernels a comparison answers for, and by whose names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.model import events
from assistant.ports.lab import LabFailure, Program
from tests.unit.engine.asking import FEW, Asking
from tests.unit.engine.commands import KERNELS, PROGRAMS
from tests.unit.engine.test_commands import CHEAPER, PAIR, A, edited

pytestmark = pytest.mark.usefixtures("home")
KEY = "scale(float *, const float *, int)"


@pytest.fixture
def on(tmp_path: Path) -> Asking:
    return Asking(tmp_path, kernels=KERNELS)


def verdicts(on: Asking) -> list[tuple[str | None, str]]:
    return [(made.kernel, made.verification.outcome.value) for made in on.all(events.ComparisonMade)]


async def test_a_kernel_that_b_calls_otherwise_is_answered_for_by_the_name_that_a_has(on: Asking) -> None:
    program = PROGRAMS["(out, x, 1000)"]
    launches = tuple(replace(launch, kernel=launch.kernel.replace("scale", "grow")) for launch in program.recording.launches)
    on.programs = {"grow<<<": replace(program, recording=replace(program.recording, launches=launches)), **PROGRAMS}
    await on.compare(A, CHEAPER.replace("scale", "grow"), cases=FEW)
    assert verdicts(on) == [(KEY, "PASS")] and on.ending.exit_code == 0


async def test_a_kernel_that_the_lab_cannot_run_leaves_no_answer_where_the_edit_concerns_it(on: Asking) -> None:
    def refuse(method: str, mode: str, program: Program, _: int) -> LabFailure | None:
        is_meant = method == "replay" and any(name.startswith("both") for name in program.kernels)
        return LabFailure("timed_out", "both takes too long", "raise --timeout") if is_meant else None

    on.refuse = refuse
    await on.compare(PAIR, edited("2.0f * x[i];", "x[i] + x[i];", PAIR), cases=FEW)
    assert (verdicts(on), on.ending.exit_code) == ([(KEY, "PASS")], 0), "the other one is left as it was"
    await on.compare(PAIR, edited("if (i < n) x", "if (n > i) x", PAIR), cases=FEW)
    (told,) = on.all(events.Message)
    assert (verdicts(on), on.ending.exit_code, on.ending.reason) == ([], 3, "both takes too long")
    assert (told.message, told.remedy) == ("both takes too long", "raise --timeout")
    await on.compare(PAIR, PAIR.replace("int main()", "static int k;\nint main()"), cases=FEW)
    assert (verdicts(on), on.ending.exit_code) == ([(KEY, "PASS")], 3), "other host code concerns all kernels"
