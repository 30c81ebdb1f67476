"""What a pair session learns from the judgement of an edit: what moved, what it breaks, why there is no verdict."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.evaluate.metrics import watched_codes
from assistant.engine.job import Ending, Job
from assistant.engine.judge.compared import ComparisonResult, UnjudgedKernel, Verdict
from assistant.engine.pair.judging import Reasons, VersionJudgement, judged
from assistant.engine.proposals.constraints import read_constraint
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.plan import Decline, Plan, Step
from assistant.model.profile import Finding, Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.ports.lab import LabFailure
from assistant.ports.planner import Planner, PlanRequest
from tests.unit.engine.fakes import FakePlanner
from tests.unit.engine.heard import Heard
from tests.unit.engine.test_pair_state import speed

JOB = cast("Job", SimpleNamespace(target=target("h200")))
ENDING = Ending(3, "it ended")


def said(line: int, severity: DiagnosticSeverity, message: str) -> Diagnostic:
    return Diagnostic("k.cu", line, 1, severity, message)


@pytest.mark.parametrize(
    ("compared", "trouble"),
    [
        (ComparisonResult(ENDING), "cannot be judged: it ended"),
        (ComparisonResult(ENDING, failure=LabFailure("crashed", "it died", "debug it")), "cannot be judged: it died; debug it"),
        (ComparisonResult(ENDING, failure=LabFailure("crashed", "it died", "")), "cannot be judged: it died"),
        (
            ComparisonResult(ENDING, unjudged=(UnjudgedKernel("no case", "give one"), UnjudgedKernel("x", None))),
            "cannot be judged: no case; give one",
        ),
        (ComparisonResult(ENDING, unjudged=(UnjudgedKernel("no case", None),)), "cannot be judged: no case"),
    ],
)
def test_what_was_not_judged_says_why_and_what_to_do(compared: ComparisonResult, trouble: str) -> None:
    answer = judged(compared, "k", JOB)
    assert (answer.trouble, answer.outcome, answer.speed, answer.labels, answer.findings) == (trouble, None, None, (), ())
    assert (answer.moved(), answer.before, answer.after, answer.parsed) == ((), (), (), None)


def test_of_what_a_compiler_says_the_first_error_is_said(verdict: Any) -> None:
    warning = said(2, DiagnosticSeverity.WARNING, "doubtful")
    errors = (warning, said(7, DiagnosticSeverity.ERROR, "expected ;\nint x"), said(9, DiagnosticSeverity.ERROR, "more"))
    failure = LabFailure("not_built", "it does not compile", "fix it", errors)
    words = "does not compile: line 7: expected ;"
    assert judged(ComparisonResult(ENDING, failure=failure), "k", JOB).trouble == words
    passed = (Verdict("k", verdict(), None, ()),)
    assert judged(ComparisonResult(ENDING, passed, failure=failure), "k", JOB).trouble == words
    assert judged(ComparisonResult(ENDING, passed, failure=replace(failure, diagnostics=(warning,))), "k", JOB).trouble is None


def test_what_speaks_for_the_verdict_comes_first_and_what_changed_most(assessed: Any, access: Any, verdict: Any) -> None:
    before = assessed(access("global store", 3, 8, 100), access("shared load", 4, 8, 50), blocks=4, warps=32)
    after = assessed(access("global store", 3, 8, 200), access("shared load", 4, 8, 5), blocks=16, warps=24)

    def order(gain: Any) -> list[str]:
        return [change.metric for change in VersionJudgement(Verdict("k", verdict(), gain, ()), None, before, after).moved()]

    better, worse = ["shared_wavefronts", "block_count"], ["global_sectors", "occupancy"]
    assert order(None) == order(speed(1.0)) == order(speed(1.5)) == [*better, *worse]
    assert order(speed(0.99)) == [*worse, *better]
    moved = VersionJudgement(None, None, before, after).moved()
    facts = [(change.before, change.after, change.method, change.is_better) for change in moved]
    assert facts == [(50, 5, "emulator", True), (4, 16, "emulator", True), (100, 200, "emulator", False), (0.5, 0.375, "occupancy", False)]
    for pair in (((), after), (before, ()), (before, before)):
        assert VersionJudgement(None, None, *pair).moved() == ()
    assert len(watched_codes()) > len(moved)


def test_findings_are_left_most_costly_first(assessed: Any) -> None:
    made = [Finding(str(cost), "k", 1, Severity.WARNING, "", (), cost) for cost in (None, 0.1, 0.3, -0.1)]
    after = tuple(replace(item, findings=tuple(made)) for item in assessed())
    assert [finding.code for finding in VersionJudgement(None, None, (), after).findings] == ["0.3", "0.1", "None", "-0.1"]


def test_only_constraints_that_a_program_can_check_are_broken_by_what_ran(assessed: Any, verdict: Any) -> None:
    constraints = [read_constraint(words, ()) for words in ("be nice", "keep block 64", "keep precision")]
    labelled = Verdict("k", verdict(labels=(Label.PRECISION,)), None, ())
    broken = VersionJudgement(labelled, None, assessed(), assessed(threads=32)).breaks(constraints)
    assert broken == (
        "keep block 64: it launches blocks of 32 threads, not of 64",
        "keep precision: it carries the label precision",
    )
    assert VersionJudgement(labelled, None, assessed(), ()).breaks(constraints) == ()


class Plans(FakePlanner):
    async def plan(self, request: PlanRequest) -> Plan:
        return Plan((Step(f"{len(request.profiles)} on {request.target.name}", "k", 1, "", (), "", (), 0.0),), (), self.name)


async def test_steps_are_planned_for_what_was_judged(assessed: Any, verdict: Any) -> None:
    planner: Planner = Plans("rules")
    whole = VersionJudgement(Verdict("k", verdict(), None, ()), None, (), assessed(), cast("Any", "a text"), target("h200"))
    assert [step.technique for step in await whole.steps(planner)] == ["1 on h200"]
    for missing in ({"parsed": None}, {"verdict": None}, {"target": None}, {"after": ()}):
        assert await replace(whole, **missing).steps(planner) == ()  # pyright: ignore[reportArgumentType]


async def test_reasons_are_those_of_what_was_tried_declined_and_said_each_once() -> None:
    heard = Heard()
    reasons = Reasons(heard)
    tried = events.CandidateTried("J1", "C1", "pad", "k", TrialOutcome.FAILED, "it is wrong", None)
    told = [
        events.Message("J1", Severity.INFORMATION, "a note"),
        tried,
        replace(tried, outcome=TrialOutcome.KEPT, reason="it is right"),
        events.PlanMade("J1", "rules", (), (Decline("tile", "k", 3, "no loop"),)),
        events.StageStarted("J1", "confirm", "a stage"),
        tried,
    ]
    for event in told:
        reasons.emit(event)
    await reasons.delivered()
    assert reasons.found == ("a note", "pad: it is wrong", "tile at line 3: no loop")
    assert heard.events == told
