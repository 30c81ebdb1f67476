"""What the writer of a candidate is told of its failure: enough to fix it, nothing that host code could have printed, no seeds."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from assistant.cuda.parse import parse
from assistant.engine.search.printed import with_known_words
from assistant.engine.search.setbacks import (
    only_here,
    reason_for_planners,
    setback_of,
    setback_of_attempt,
    summary_of_attempt,
    summary_of_trial,
)
from assistant.engine.search.trials import Trial
from assistant.engine.source_version import SourceVersion
from assistant.model.build import Diagnostic, DiagnosticSeverity, KernelResources
from assistant.model.plan import AttemptSummary, Rewrite, Setback, SetbackKind, Step
from assistant.model.profile import Evidence, Method, Problem
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Label, Outcome, Verification, VerificationFinding
from tests.unit.engine.test_resume import attempt

SECRET = "root:x:0:0"
TRIAL = Trial("C1", Step("t", "k()", 3, "", (), "", (), 0.0), Rewrite("t", "k()", 3, (), "Do it.", ()), "text")


@pytest.mark.parametrize(
    ("outcome", "kind"),
    [
        (TrialOutcome.BUILD_FAILED, SetbackKind.BUILD),
        (TrialOutcome.FAILED, SetbackKind.WRONG_ANSWER),
        (TrialOutcome.NOT_BETTER, SetbackKind.NOT_FASTER),
    ],
)
def test_a_failure_that_can_be_fixed_is_a_setback(outcome: TrialOutcome, kind: SetbackKind) -> None:
    setback = setback_of(TRIAL.ended(outcome, "because"))
    assert setback is not None
    assert (setback.kind, setback.reason, setback.text) == (kind, "because", "text")


@pytest.mark.parametrize(
    "outcome", [TrialOutcome.KEPT, TrialOutcome.CONSTRAINED, TrialOutcome.NOT_ALLOWED, TrialOutcome.CANNOT_JUDGE, TrialOutcome.NOT_BUNDLED]
)
def test_what_another_edit_would_not_fix_is_none(outcome: TrialOutcome) -> None:
    assert setback_of(TRIAL.ended(outcome, "because")) is None


def only_at_its_own_sizes(verdict) -> Verification:
    found = VerificationFinding("assumption", Outcome.NEEDS_DECISION, "right only for the program's own sizes; with n=65: wrong", case=0)
    cases = (CaseResult("resized", "n=65", 1.0, Outcome.NEEDS_DECISION, 1.5, 0.2),)
    return replace(verdict(Outcome.NEEDS_DECISION, found), cases=cases)


def test_a_kept_edit_that_is_right_only_here_goes_back_unless_that_decision_was_put_off(verdict) -> None:
    verification = only_at_its_own_sizes(verdict)
    kept = replace(TRIAL, verification=verification).ended(TrialOutcome.KEPT, "faster")
    setback = setback_of(kept)
    assert setback is not None and setback.kind is SetbackKind.ONLY_HERE
    assert setback_of(kept, frozenset({Label.ASSUMPTION})) is None
    assert only_here(verification) and not only_here(replace(verification, outcome=Outcome.FAIL)), "it has a plainer fault"
    stated = VerificationFinding("assumption", Outcome.NEEDS_DECISION, "n is even")
    assert setback_of(replace(kept, verification=verdict(Outcome.NEEDS_DECISION, stated))) is None, "its writer said so"


@pytest.mark.parametrize(
    ("kind", "outcome", "case", "is_only_here"),
    [
        ("resized", Outcome.NEEDS_DECISION, 0, True),
        ("negative", Outcome.NEEDS_DECISION, 0, True),
        ("resampled", Outcome.NEEDS_DECISION, 0, False),  # the program's own kind of values
        ("tiny", Outcome.NEEDS_DECISION, 0, False),  # less exact, which is no assumption
        ("resized", Outcome.PASS, 0, False),
        ("resized", Outcome.NEEDS_DECISION, None, False),
        ("resized", Outcome.NEEDS_DECISION, 1, False),  # of a case that is not listed
    ],
)
def test_only_a_difference_on_cases_of_our_own_making_is_right_only_here(
    verdict, kind: str, outcome: Outcome, case: int | None, is_only_here: bool
) -> None:
    found = VerificationFinding("assumption", outcome, "wrong there", case=case)
    cases = (CaseResult(kind, "n=65", 1.0, Outcome.NEEDS_DECISION, 1.5, 0.2),)
    verification = replace(verdict(Outcome.NEEDS_DECISION, found), cases=cases)
    assert only_here(verification) == ((found,) if is_only_here else ())


def test_the_next_plan_gets_a_line_about_each_candidate() -> None:
    kernel, helper = "__global__ void k(float *y) { y[0] = 1; }", "__device__ int f() { return 1; }"
    before, header = parse(Source(Path("k.cu"), f"int n;\n{kernel}\n")), parse(Source(Path("f.cuh"), helper))
    others = (Source(Path("f.cuh"), helper.replace("1", "2")),)
    trial = replace(TRIAL, text=f"int n;\n#define TILE 32\n{kernel.replace('1', 'TILE')}\n", others=others, ratio=1.25)
    version = cast("SourceVersion", SimpleNamespace(files=(before, header), source=before.source))
    told = summary_of_trial(trial.ended(TrialOutcome.NOT_BETTER, "slow"), version)
    whole = f"#define TILE 32\n\n{kernel.replace('1', 'TILE')}\n\n{helper.replace('1', '2')}"
    assert told == AttemptSummary("t", 3, "Do it.", TrialOutcome.NOT_BETTER, "slow", 1.25, whole)


def test_of_a_candidate_of_an_earlier_job_its_writer_is_told_what_memory_has() -> None:
    setback = setback_of_attempt(replace(attempt(1, "tile", 3, TrialOutcome.BUILD_FAILED, text="k"), reason="expected a ;"))
    assert setback is not None and (setback.kind, setback.reason, setback.text) == (SetbackKind.BUILD, "expected a ;", "k")
    assert setback_of_attempt(attempt(1, "tile", 3, TrialOutcome.KEPT)) is None


def test_a_compilers_words_come_along() -> None:
    said = Diagnostic("k.cu", 3, 1, DiagnosticSeverity.ERROR, "expected a ;", "nvcc")
    setback = setback_of(replace(TRIAL, diagnostics=(said,)).ended(TrialOutcome.BUILD_FAILED, "does not compile"))
    assert setback is not None
    assert setback.diagnostics == (said,)


def test_what_a_candidate_printed_is_not_reported(verdict) -> None:
    printed = VerificationFinding("wrong_output", Outcome.FAIL, f"expected PASS, got {SECRET}", expected="PASS", actual=SECRET)
    wrong = VerificationFinding("wrong_value", Outcome.FAIL, "out[3]: wrong value", buffer="out", index=3, expected="1", actual="2")
    trial = replace(TRIAL, verification=verdict(Outcome.FAIL, printed, wrong)).ended(TrialOutcome.FAILED, printed.message)
    setback = setback_of(trial)
    assert setback is not None
    assert SECRET not in repr(setback)
    assert setback.findings[1] == wrong
    assert SECRET not in reason_for_planners(trial)


def test_of_what_host_code_printed_the_writer_sees_the_difference_in_words_that_it_knows(verdict) -> None:
    actual = f"sum FAIL: 0.25 {SECRET}"
    printed = VerificationFinding("wrong_output", Outcome.FAIL, f"line 2: {actual}", expected="sum PASS: 0.5", actual=actual)
    text = 'printf("sum %s: %g", ok ? "PASS" : "FAIL", sum);'
    setback = setback_of(replace(TRIAL, text=text, verification=verdict(Outcome.FAIL, printed)).ended(TrialOutcome.FAILED, printed.message))
    assert setback is not None and setback.reason == "the program prints something else"
    assert (setback.findings[0].expected, setback.findings[0].actual) == ("sum PASS: 0.5", "sum FAIL: 0.25 …:…:0:0")
    ended = replace(TRIAL, text=text, printed=actual).ended(TrialOutcome.FAILED, f"status 1: {actual}")
    assert reason_for_planners(ended) == "status 1: sum FAIL: 0.25 …:…:0:0"


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("0.125", "0.125"),
        ("12345678901 1", "… 1"),
        (" ".join("123456789" for _ in range(9)), " ".join(["123456789"] * 8 + ["…"])),
        ("sum " * 20, " ".join(["sum"] * 16 + ["…"] * 4)),
        ("sum\x1b[31m\t1e-3", "sum…[… 1e-3"),
        ("sum 1" + " " * 300, "sum 1…"),
    ],
)
def test_numbers_and_words_are_few_and_short(printed: str, shown: str) -> None:
    assert with_known_words(printed, {"sum"}) == shown


def test_what_an_edit_of_device_code_made_the_program_print_is_shown(verdict) -> None:
    printed = VerificationFinding("wrong_output", Outcome.FAIL, "line 3: 0.125 instead of 0.25", expected="0.25", actual="0.125")
    device = replace(TRIAL, has_host_code=False, verification=verdict(Outcome.FAIL, printed)).ended(TrialOutcome.FAILED, printed.message)
    setback = setback_of(device)
    assert setback is not None and setback.findings == (printed,) and setback.reason == printed.message
    crashed = replace(TRIAL, has_host_code=False, printed="3 of 8 are wrong").ended(TrialOutcome.FAILED, "status 3: 3 of 8 are wrong")
    assert reason_for_planners(crashed) == "status 3: 3 of 8 are wrong"


def test_what_its_kernels_did_comes_along_each_problem_once(assessed, access, verdict) -> None:
    problem = Problem("shared_race", "it races", "k.cu", 3, None, None, None, None, None, 1)
    fact = Evidence("E1", "global_sectors", 8.0, "sectors", 3, Method.EMULATOR, "emulator")
    resources = KernelResources("k(float*)", "_Z1kPf", "sm_90", 40, 0, 0, 0, 0, 0)
    (item,) = assessed(access("global load", 3, 8, 32))
    (launch,) = item.launches
    racing = replace(launch, profile=replace(launch.profile, problems=(problem, problem)))
    after = (replace(item, launches=(racing, racing), evidence=(fact,), resources=resources), replace(item, launches=(launch,)))
    setback = setback_of(replace(TRIAL, after=after, verification=verdict(), ratio=0.9).ended(TrialOutcome.NOT_BETTER, "slow"))
    assert setback is not None
    assert (setback.problems, setback.evidence, setback.resources, setback.ratio) == ((problem,), (fact,), resources, 0.9)
    assert setback.profiles == (racing.profile, racing.profile, launch.profile)
    assert (setback.cases, setback.findings) == (verdict().cases, ())
    bare = setback_of(TRIAL.ended(TrialOutcome.NOT_BETTER, "slow"))
    assert bare is not None and (bare.cases, bare.findings, bare.profiles, bare.resources) == ((), (), (), None)


@pytest.mark.parametrize(
    ("outcome", "shown"),
    [(Outcome.PASS, "it printed PASS"), (Outcome.NEEDS_DECISION, "it printed PASS"), (Outcome.FAIL, "the program prints something else")],
)
def test_only_the_words_of_the_failing_finding_are_taken_for_printed_ones(verdict, outcome: Outcome, shown: str) -> None:
    finding = VerificationFinding("wrong_output", outcome, "it printed PASS")
    trial = replace(TRIAL, verification=verdict(Outcome.FAIL, finding)).ended(TrialOutcome.FAILED, finding.message)
    assert reason_for_planners(trial) == shown
    assert reason_for_planners(trial.ended(TrialOutcome.FAILED, "another reason")) == "another reason"


def test_an_earlier_jobs_candidate_is_told_without_what_it_may_have_printed(predicted) -> None:
    failed = attempt(3, "t", 7, TrialOutcome.FAILED)
    told = [
        summary_of_attempt(tried)
        for tried in (replace(failed, reason=SECRET), replace(failed, outcome=TrialOutcome.KEPT, comparison=predicted(1.5)))
    ]
    assert [(tried.technique, tried.line, tried.outcome, tried.reason, tried.ratio) for tried in told] == [
        ("t", 7, TrialOutcome.FAILED, "it failed its verification", None),
        ("t", 7, TrialOutcome.KEPT, "", 1.5),
    ]


def test_last_words_of_a_crash_are_not_reported() -> None:
    trial = replace(TRIAL, printed=SECRET).ended(TrialOutcome.FAILED, f"the program ended with status 3: {SECRET}")
    setback = setback_of(trial)
    assert setback is not None
    assert setback.reason == "the program ended with status 3: …"


def test_no_seed_is_part_of_a_setback() -> None:
    assert not [field.name for field in fields(Setback) if "seed" in field.name]
