"""What an edit newly promises of pointers is held against what was launched, and against the program's text."""

from __future__ import annotations

from pathlib import Path

from assistant.model import events
from assistant.model.verification import Outcome
from tests.unit.engine.commands import HOST, SCALE, Commands

RESTRICTED = SCALE.replace("float *out, const float *x", "float *__restrict__ out, const float *__restrict__ x")
IN_PLACE = HOST.replace("(out, x, 1000)", "(x, x, 1000)")
GIVEN = HOST.replace("    cudaMalloc(&out, 4000);\n    cudaMalloc(&x, 4000);\n", "    out = given(0), x = given(1);\n")


async def judged(folder: Path, host: str) -> events.ComparisonMade:
    on = Commands(folder)
    await on.compare(SCALE + host, RESTRICTED + host)
    return on.only(events.ComparisonMade)


async def test_a_promise_that_a_recorded_launch_breaks_is_wrong(tmp_path: Path) -> None:
    found = (await judged(tmp_path, IN_PLACE)).verification
    told = "one address was passed for both `out` and `x` in the only recorded launch"
    assert [(one.code, one.outcome, one.message, one.line) for one in found.findings] == [
        ("contradicted_assumption", Outcome.FAIL, f"`__restrict__` promises that `out` and `x` never overlap, but {told}", 1)
    ]


async def test_a_promise_that_the_text_keeps_needs_no_word(tmp_path: Path) -> None:
    found = (await judged(tmp_path, HOST)).verification
    assert (found.outcome, found.findings, found.labels) == (Outcome.PASS, (), ())


async def test_a_promise_that_only_the_recorded_launches_keep_is_an_assumption(tmp_path: Path) -> None:
    found = (await judged(tmp_path, GIVEN)).verification
    assumed = "`out` never overlaps `x`: true in the only recorded launch, but the text does not show it for other inputs, "
    assert [(one.code, one.outcome, one.message, one.line) for one in found.findings] == [
        (
            "assumption",
            Outcome.NEEDS_DECISION,
            f"`__restrict__` promises that {assumed}and nothing checks it when the program runs",
            1,
        )
    ]
