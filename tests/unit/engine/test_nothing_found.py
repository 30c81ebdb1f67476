"""The line at the end of a search without a proposal: what was tried, what came of it, and what keeps one more edit from applying."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assistant.engine.search.nothing_found import nothing_in_words
from assistant.model.plan import NO_MODEL, Decline, DeclineReason
from assistant.model.profile import Finding, Severity
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome

FAILED, NOT_BETTER = TrialOutcome.FAILED, TrialOutcome.NOT_BETTER


def declined(technique: str, line: int, code: DeclineReason | None) -> Decline:
    return Decline(technique, "k(float *)", line, f"why {technique} not", code)


def found(line: int, cost: float) -> Finding:
    return Finding("KO101", "k(float *)", line, Severity.WARNING, "words", (), estimated_cost_ratio=cost)


@pytest.mark.parametrize(
    ("outcomes", "words"),
    [
        ((), "no edit was planned"),
        ((FAILED,), "1 edit tried, wrong"),
        ((NOT_BETTER, FAILED, NOT_BETTER), "3 edits tried (not faster: 2, wrong: 1)"),
        ((TrialOutcome.KEPT, TrialOutcome.BUILD_FAILED), "2 edits tried (kept at first, not offered: 1, does not compile: 1)"),
    ],
)
def test_what_was_tried_is_counted_by_what_came_of_it(outcomes: Sequence[TrialOutcome], words: str) -> None:
    assert nothing_in_words(outcomes, (), ()) == words


def test_what_was_planned_and_could_not_be_written_is_not_called_unplanned() -> None:
    unwritten = (TrialOutcome.UNWRITTEN, TrialOutcome.NOT_ALLOWED, TrialOutcome.UNWRITTEN)
    words = f"no planned edit came to a trial ({OUTCOME_WORDS[TrialOutcome.UNWRITTEN]}: 2, {OUTCOME_WORDS[TrialOutcome.NOT_ALLOWED]}: 1)"
    assert nothing_in_words((), (), (), untried=unwritten) == words
    assert nothing_in_words((FAILED,), (), (), untried=unwritten) == "1 edit tried, wrong"


@pytest.mark.parametrize("outcome", list(TrialOutcome))
def test_every_outcome_has_words(outcome: TrialOutcome) -> None:
    assert nothing_in_words((outcome,), (), ()).startswith("1 edit tried, ")


def test_what_would_make_an_edit_of_the_costliest_line_possible_is_named() -> None:
    declines = (
        declined("dear", 4, DeclineReason.ELEMENT_CHANGES),
        declined("unknown", 4, DeclineReason.SIZE_UNKNOWN),
        declined("cheap", 9, DeclineReason.SIZE_UNKNOWN),
    )
    findings = (found(4, 0.6), found(9, 0.1))
    assert nothing_in_words((), declines, findings) == "no known edit is left to try; unknown does not apply at line 4: why unknown not"
    assert nothing_in_words((FAILED,), declines[:1], findings) == "1 edit tried, wrong; dear does not apply at line 4: why dear not"


def test_what_kept_edits_from_being_judged_is_said_once() -> None:
    race = "the original's own results are arbitrary: shared race in sums on line 9 of a.cu"
    said = nothing_in_words((TrialOutcome.CANNOT_JUDGE,) * 2, (), (), reasons=(race, race))
    assert said == f"2 edits tried (could not be judged: 2); {race}"


def test_a_decline_that_nobody_could_change_is_not_named() -> None:
    declines = (declined("a", 4, DeclineReason.ALREADY_DONE), declined("b", 4, DeclineReason.NOTHING_TO_CHANGE), declined("c", 4, None))
    assert nothing_in_words((), declines, ()) == "no known edit is left to try"


def test_why_a_model_planned_nothing_comes_before_all_else() -> None:
    declines = (declined("a", 4, DeclineReason.SIZE_UNKNOWN), Decline(NO_MODEL, "k(float *)", 1, "the key is missing"))
    assert nothing_in_words((), declines, ()) == "no edit was planned; the key is missing"
