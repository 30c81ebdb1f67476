"""What a running job says of itself."""

from __future__ import annotations

import pytest

from assistant.editor.progress_words import JobProgress
from assistant.model.events import CandidateTried, Event, PlanMade, StageEnded, StageStarted
from assistant.model.plan import Step
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome

_STEPS = tuple(Step(name, "k(float *)", 7, "", (), "KO101", (), 0.4) for name in ("staged-store", "fast-math"))


def _tried(technique: str, outcome: TrialOutcome) -> CandidateTried:
    return CandidateTried("J1", "C1", technique, "k(float *)", outcome, "", None)


def test_a_search_says_which_edit_it_tries_and_of_how_many() -> None:
    progress = JobProgress()
    heard: list[Event] = [
        StageStarted("J1", "profile", "counts what the kernels do now"),
        StageEnded("J1", "profile", "3 launches", 12.0),
        PlanMade("J1", "expert", _STEPS, ()),
        StageStarted("J1", "candidate", "k(float *): tries staged-store"),
        _tried("staged-store", TrialOutcome.KEPT),
        StageEnded("J1", "candidate", "k(float *)", 12.0),
        StageStarted("J1", "candidate", "k(float *): tries fast-math"),
        StageStarted("J1", "confirm", "k(float *): fresh values, repeats, checks, boundary shapes"),
    ]
    assert [progress.said(event) for event in heard] == [
        "counts what the kernels do now",
        None,
        "2 edits to try",
        "trying staged store, 1 of 2",
        "staged store: kept, 1 of 2",
        None,
        "trying fast math, 2 of 2",
        "confirming on fresh values",
    ]
    assert progress.latest == "confirming on fresh values"


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (StageStarted("J1", "build", "sm_90"), "compiling for sm_90"),
        (StageStarted("J1", "consent", "k edits host code"), "k edits host code"),
        (StageStarted("J1", "verify", ""), "verify"),
        (StageStarted("J1", "candidate", "k(float *): judges tile of the agent"), "trying tile of the agent"),
        (PlanMade("J1", "expert", (), ()), None),
        (_tried("tile", TrialOutcome.FAILED), f"tile: {OUTCOME_WORDS[TrialOutcome.FAILED]}"),
    ],
)
def test_a_stage_says_what_happens_now(event: Event, said: str | None) -> None:
    assert JobProgress().said(event) == said


def test_an_edit_whose_turn_did_not_come_is_no_progress() -> None:
    progress = JobProgress()
    progress.said(PlanMade("J1", "expert", _STEPS, ()))
    assert progress.said(_tried("block-size", TrialOutcome.NOT_TRIED)) is None
    assert progress.said(_tried("staged-store", TrialOutcome.FAILED)) == "staged store: wrong, 1 of 2"
