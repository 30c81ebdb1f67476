"""What a row takes from the events of its jobs: costs, what waits, why there was no answer, times of declared workloads."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.bench.heard import Heard, failure_of, original_of, reached_of
from assistant.model import events
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.comparison import SpeedOutcome
from assistant.model.completion import Caps, Spending
from assistant.model.event_parts import MeasuredLaunch, SpeedReport, VerificationReport
from assistant.model.profile import Severity
from assistant.model.timeline import HOLDS_MIGRATION, Timeline
from assistant.model.verification import Outcome
from assistant.workload.timeline import WorkTotal, build_timeline_of_totals, work_of


def proposal(name: str, kernel: str, technique: str = "tiling") -> events.ProposalMade:
    verification = VerificationReport(Outcome.NEEDS_DECISION, (), (), ("precision",), (), ())
    speed = SpeedReport(SpeedOutcome.FASTER, 3.0, 2.9, 3.1, None, "good", (), "timed", None, None)
    return events.ProposalMade(
        job="J1",
        id=name,
        kernel=kernel,
        file="/a.cu",
        techniques=(technique,),
        summary="",
        diff="",
        hunk_ids=(),
        labels=("precision",),
        assumptions=(),
        verification=verification,
        speed=speed,
        evidence=(),
        explanation="",
        state="open",
    )


def decided(name: str, kind: str = "accepted") -> events.DecisionMade:
    return events.DecisionMade("J1", name, kind, (), None, None, "a test")


def heard(*told: events.Event) -> Heard:
    made = Heard()
    for event in told:
        made.take(event)
    return made


def spent(job: str, money: float | None, tokens: int) -> events.BudgetSpent:
    return events.BudgetSpent(job, Spending(money_usd=money, input_token_count=tokens), Caps())


def test_of_an_alternative_that_was_accepted_the_techniques_are_its_own() -> None:
    made = proposal("P1", "a(int)", "tiling")
    other = events.AlternativeReport("P1~1", ("fusion", "unrolling"), "", (), (), made.verification, made.speed)
    offered = replace(made, alternatives=(other,))
    assert heard(offered, replace(decided("P1"), alternative=1)).chain == ("fusion", "unrolling")
    assert heard(offered, decided("P1")).chain == ("tiling",)


def test_the_last_meter_of_each_job_is_what_it_cost() -> None:
    cost = heard(spent("J1", 0.1, 10), spent("J1", 0.5, 40), spent("J2", 0.25, 2)).cost(3.0)
    assert (cost.wall_s, cost.token_count, cost.money_usd) == (3.0, 42, 0.75)
    assert heard(spent("J1", 0.5, 40), spent("J2", None, 2)).cost(1.0).money_usd is None
    assert heard().cost(1.0).money_usd == 0


def test_what_was_accepted_is_the_chain_and_what_nobody_decided_on_waits() -> None:
    told = heard(
        proposal("P1", "a(int)", "tiling"), decided("P1"), proposal("P2", "b(int)", "fusion"), proposal("P3", "a(int)", "unrolling")
    )
    assert (told.chain, told.taken) == (("tiling",), {"P1": 0})
    assert told.waiting == ("fusion on b: NEEDS_DECISION (precision), FASTER 3.00x",), "a kernel's accepted edit has its place"


def test_time_that_is_up_takes_nothing_of_what_was_found_about_kernels() -> None:
    compared = events.JobStarted("J2", "compare", "/a.cu", "a GPU", "")
    told = heard(proposal("P1", "a(int)"), decided("P1"), compared, events.StageStarted("J2", "confirm", ""))
    assert reached_of(told) == "compare, in confirm: kept tiling on a: NEEDS_DECISION (precision), FASTER 3.00x"


def test_a_command_that_ran_twice_is_heard_as_it_ran_last() -> None:
    first, second = (events.JobStarted(job, "profile", "/a.cu", "a GPU", "") for job in ("J1", "J2"))
    ends = [events.JobEnded(job, 0, job) for job in ("J1", "J2")]
    assert heard(first, ends[0], second, ends[1]).of_command("profile") == (second, ends[1])
    assert heard(first, ends[0]).of_command("optimize") == ()


def test_a_failure_is_told_by_its_error_and_the_compilers_first_words() -> None:
    error = events.Message("J1", Severity.ERROR, "the source was refused")
    found = events.Diagnostics("J1", (Diagnostic("/p/a.cu", 3, 1, DiagnosticSeverity.ERROR, "no such name"),))
    assert failure_of((found, error, events.JobEnded("J1", 3, "ended"))) == "the source was refused: a.cu:3: no such name"
    assert failure_of((events.JobEnded("J1", 3, "no launch"),)) == "no launch"
    assert failure_of((error, events.JobEnded("J1", 0, "done"))) is None
    assert failure_of(()) == "the job did not end"


@pytest.mark.parametrize(("measured_s", "expected"), [(None, (3e-6, True)), (2e-6, (6e-6, False))])
def test_a_declared_workload_takes_all_its_launches(measured_s: float | None, expected: tuple[float, bool]) -> None:
    measured = None if measured_s is None else MeasuredLaunch(measured_s, "timed")
    launch = events.ProfileSummary("J1", "k()", "k()", (1, 1, 1), (32, 1, 1), 0, 3, "dram", 1e-6, measured=measured)
    original = original_of((launch,))
    assert (original.time_s, original.is_predicted) == (pytest.approx(expected[0]), expected[1])
    assert original_of(()).time_s is None


def test_what_works_on_managed_memory_is_held_against_its_bound_by_its_launches_alone() -> None:
    totals = [WorkTotal(work_of("launch", "k()"), 1, 13e-3)]
    run = replace(build_timeline_of_totals(totals, is_predicted=False), notes=())
    alone = events.ProfileSummary("J1", "k()", "k()", (1, 1, 1), (32, 1, 1), 0, 1, "dram", 1e-3, measured=MeasuredLaunch(1.1e-3, "timed"))

    def time_of(timeline: Timeline, *further: events.Event) -> float | None:
        return original_of((events.TimelineFound("J1", "", timeline, "one run"), *further)).time_s

    assert time_of(run, alone) == pytest.approx(13e-3)
    migrating = replace(run, notes=(HOLDS_MIGRATION,))
    assert time_of(migrating, alone) == pytest.approx(1.1e-3)
    assert time_of(migrating) == pytest.approx(13e-3), "where nothing was timed alone"
