"""What a terminal says while a search goes on: findings that cost next to nothing, candidates, tuned numbers."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assistant.cli.search_screen import SearchScreen, briefly
from assistant.model.events import CandidateTried, FindingsFound, PlanMade, TuningEnded, TuningPoint
from assistant.model.plan import NO_MODEL, Decline
from assistant.model.profile import Finding, Severity
from assistant.model.trial import TrialOutcome


def test_findings_of_the_same_code_share_a_line_that_names_code_lines_and_cause() -> None:
    assert briefly((("KO103", 18), ("KO111", 30), ("KO103", 16))) == (
        "KO103 lines 16 and 18: shared memory bank conflicts (less than 1%)",
        "KO111 line 30: grid too small or uneven (less than 1%)",
    )


def test_a_cheap_finding_is_named_with_its_place_and_a_costly_one_explained() -> None:
    costly = Finding("KO101", "k()", 7, Severity.WARNING, "Scattered.", (), 0.4)
    cheap = Finding("KO103", "k()", 18, Severity.INFORMATION, "Conflicts.", (), 0.004)
    out = io.StringIO()
    SearchScreen(Console(file=out), is_verbose=False).findings(FindingsFound("J1", "k()", (costly, cheap), ()))
    lines = out.getvalue().splitlines()
    assert lines[-2].startswith("  KO101 line 7: Scattered. (about 40%")
    assert lines[-1] == "  KO103 line 18: shared memory bank conflicts (less than 1%)"


@pytest.mark.parametrize(("costs", "is_said"), [((0.92, 0.36), True), ((0.6, 0.3), False), ((0.97,), False)])
def test_where_shares_are_more_than_the_whole_a_line_says_that_they_overlap(costs: tuple[float, ...], is_said: bool) -> None:
    found = tuple(Finding("KO101", "k()", line, Severity.WARNING, "Scattered.", (), cost) for line, cost in enumerate(costs, 1))
    out = io.StringIO()
    SearchScreen(Console(file=out), is_verbose=False).findings(FindingsFound("J1", "k()", found, ()))
    assert ("shares overlap" in out.getvalue()) == is_said


def test_findings_of_another_file_than_the_asked_one_name_it() -> None:
    costly = Finding("KO106", "k()", 6, Severity.WARNING, "Slow.", (), 0.4)
    cheap = Finding("KO103", "k()", 18, Severity.INFORMATION, "Conflicts.", (), 0.004)
    out = io.StringIO()
    SearchScreen(Console(file=out), is_verbose=False).findings(FindingsFound("J1", "k()", (costly, cheap), (), "/p/envelope.cuh"))
    lines = out.getvalue().splitlines()
    assert lines[-2].startswith("  KO106 envelope.cuh:6: Slow.")
    assert lines[-1] == "  KO103 envelope.cuh line 18: shared memory bank conflicts (less than 1%)"


def heads(*told: FindingsFound | CandidateTried) -> list[str]:
    """The lines that name the kernel."""
    out = io.StringIO()
    screen = SearchScreen(Console(file=out), is_verbose=False)
    for event in told:
        screen.findings(event) if isinstance(event, FindingsFound) else screen.candidate(event)
    return [line for line in out.getvalue().splitlines() if line.startswith("k(")]


def test_findings_are_an_edits_only_where_one_was_kept() -> None:
    found = FindingsFound("J1", "k()", (), ())
    failed, kept = (CandidateTried("J1", "C1", "padding", "k", outcome, "", None) for outcome in (TrialOutcome.FAILED, TrialOutcome.KEPT))
    assert heads(found, failed, found) == ["k(): no findings", "k(): no findings"]
    assert heads(found, failed, kept, failed, found)[1] == "k() after this edit: no findings"
    assert heads(found, kept, FindingsFound("J2", "k()", (), ()))[1] == "k(): no findings"
    assert heads(found, kept, FindingsFound("J1", "k(int)", (), ()))[1] == "k(int) after this edit: no findings", "it has a parameter more"


@pytest.mark.parametrize("method", ["timed", "predicted"])
def test_a_candidates_ratio_says_how_it_came_about(method: str) -> None:
    out = io.StringIO()
    screen = SearchScreen(Console(file=out), is_verbose=False)
    screen.candidate(CandidateTried("J1", "C1", "padding", "k", TrialOutcome.KEPT, "fewer sectors", 1.5, method=method))
    screen.flush()
    assert f" {method} 1.50x " in out.getvalue()


@pytest.mark.parametrize("outcome", [TrialOutcome.KEPT, TrialOutcome.NOT_BETTER])
def test_no_setting_is_called_the_best_where_none_was_kept(outcome: TrialOutcome) -> None:
    out = io.StringIO()
    points = tuple(TuningPoint((("BLOCKS", count),), outcome, "", ratio) for count, ratio in ((64, 1.5), (128, 1.4)))
    event = TuningEnded("J1", "k", "more-blocks", points, points[0].values, 2, "predicted")
    SearchScreen(Console(file=out), is_verbose=False).tuning(event)
    assert out.getvalue().count("best") == (outcome is TrialOutcome.KEPT)


def test_a_setting_that_was_timed_again_is_one_setting() -> None:
    out = io.StringIO()
    ratios = ((64, 1.5), (128, 1.9), (128, 1.7))
    points = tuple(TuningPoint((("BLOCKS", count),), TrialOutcome.KEPT, "", ratio) for count, ratio in ratios)
    event = TuningEnded("J1", "k", "more-blocks", points, points[1].values, 2, "timed")
    SearchScreen(Console(file=out), is_verbose=False).tuning(event)
    assert "2 settings tried of 2, timed" in out.getvalue()
    assert "BLOCKS = 128: 1.70x" in out.getvalue() and "1.90x" not in out.getvalue()


def test_a_plan_that_no_model_made_is_no_technique_that_does_not_apply() -> None:
    out = io.StringIO()
    decline = Decline(NO_MODEL, "k()", 6, "the cap leaves no room")
    SearchScreen(Console(file=out), is_verbose=False).plan(PlanMade("J1", "llm:small", (), (decline,)))
    assert out.getvalue().splitlines()[-1].strip() == "– no model planned: the cap leaves no room"
