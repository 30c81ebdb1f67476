"""What a pair session says of an edit, an idea, a proposal, word for word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assistant.engine.judge.compared import Verdict
from assistant.engine.pair.judging import VersionJudgement
from assistant.engine.pair.words import (
    edit_answer,
    edit_detail,
    idea,
    nothing_answer,
    proposal_answer,
    report,
    started_answer,
    version_line,
)
from assistant.model.pair import TurnKind
from assistant.model.plan import Step
from assistant.model.profile import Finding, Severity
from assistant.model.proposal import Proposal
from assistant.model.verification import Outcome, Verification, VerificationFinding
from tests.unit.engine.test_pair_state import edit, speed, state, turn

PREDICTED = speed(1.5)
FINDINGS = tuple(
    Finding(code, "k", line, Severity.WARNING, f"{code} is there", (), cost)
    for code, line, cost in (("KO101", 3, None), ("KO105", 7, 0.25))
)


def judgement(verdict: Verification, assessed: Any, before: Any = None, after: Any = None, gain: Any = PREDICTED) -> VersionJudgement:
    left = tuple(replace(item, findings=FINDINGS) for item in after or assessed())
    return VersionJudgement(Verdict("k", verdict, gain, ()), None, before or assessed(), left)


def changes(assessed: Any, access: Any) -> tuple[Any, Any]:
    """Three counters: one has doubled, one is a quarter, one is a tenth."""
    before = assessed(access("global store", 3, 8, 100), access("shared load", 4, 8, 50), blocks=4)
    return before, assessed(access("global store", 3, 8, 200), access("shared load", 4, 8, 5), blocks=16)


def test_an_edit_is_answered_in_one_line(assessed: Any, access: Any, verdict: Callable[..., Verification]) -> None:
    before, after = changes(assessed, access)
    judged = judgement(verdict(), assessed, before, after)
    moved = "passes through shared memory 50 → 5 (emulator); grid 4 → 16 blocks (emulator)"
    gain = "v1: PASS, PREDICTED 1.50x against the baseline"
    method = "(performance model for h200)"
    assert edit_answer(state(), judged, None, (), "rest") == f"{gain} {method}; {moved}; next: rest"
    broken = edit_answer(state(), judged, None, ("keep it", "no x"), "rest")
    assert broken == f"{gain} {method}; {moved}; breaks “keep it”; breaks “no x”; next: rest"
    now = state(edit("v1", 1.5), edit("v2", 1.2, against_best=0.8))
    against = edit_answer(now, judged, speed(0.9), (), "rest")
    assert against.startswith(
        f"v3: PASS, PREDICTED 1.50x against the baseline, 0.90x against v1, the best so far {method}; passes through shared"
    )


def test_an_edit_that_is_wrong_or_not_judged_says_why(assessed: Any, verdict: Callable[..., Verification]) -> None:
    wrong = VerificationFinding("wrong_value", Outcome.FAIL, "B: out[3] is wrong")
    failed = judgement(verdict(Outcome.FAIL, wrong), assessed, gain=None)
    assert edit_answer(state(), failed, None, (), "fix it") == "v1: FAIL, out[3] is wrong; next: fix it"
    assert edit_answer(state(), judgement(verdict(Outcome.PASS, wrong), assessed, gain=None), None, (), "x") == "v1: PASS; next: x"
    undecided = judgement(replace(verdict(Outcome.NEEDS_DECISION), caveats=("small",)), assessed, gain=None)
    assert edit_answer(state(), undecided, speed(2.0), (), "x") == "v1: NEEDS_DECISION (small); next: x"
    assert edit_answer(state(), VersionJudgement(None, "does not compile: line 3"), None, (), "x") == "v1: does not compile: line 3"


def test_why_shows_the_verdict_every_counter_that_moved_and_what_is_left(
    assessed: Any, access: Any, verdict: Callable[..., Verification]
) -> None:
    before, after = changes(assessed, access)
    said = VerificationFinding("note", Outcome.PASS, "compared")
    gain = replace(PREDICTED, bottleneck_before="dram", bottleneck_after="l2")
    whole = replace(verdict(Outcome.PASS, said), missing_checks=("races",))
    assert edit_detail("v1: PASS", judgement(whole, assessed, before, after, gain)).splitlines() == [
        "v1: PASS",
        "",
        "- PASS: compared",
        "- not checked: races",
        "",
        f"Limited by dram before, by l2 now ({gain.method}).",
        "",
        "| counter of the kernel, all launches | baseline → now | method |",
        "|---|---|---|",
        "| passes through shared memory | 50 → 5 | emulator |",
        "| grid | 4 → 16 blocks | emulator |",
        "| global sectors | 100 → 200 | emulator |",
        "",
        "- KO105 line 7: KO105 is there",
        "- KO101 line 3: KO101 is there",
    ]
    unlimited = edit_detail("v1", judgement(verdict(), assessed, before, before))
    assert "Limited" not in unlimited and "counter" not in unlimited
    assert edit_detail("v1: no", VersionJudgement(None, "no")) == "v1: no"


def step(technique: str, finding: str, line: int) -> Step:
    return Step(technique, "k", line, "", (), finding, (), 1.0)


@pytest.mark.parametrize(
    ("steps", "said", "words"),
    [
        ([step("pad", "KO105", 7)], "be nice", "pad at line 7 (KO105, 25 % of the predicted time)"),
        ([step("pad", "KO101", 3)], "be nice", "pad at line 3 (KO101)"),
        ([step("pad", "KO105", 3)], "be nice", "pad at line 3 (KO105)"),
        ([step("pad", "KO102", 7)], "be nice", "pad at line 7 (KO102)"),
        ([step("staged-store", "KO101", 3), step("pad", "KO101", 3)], "no staged-store", "pad at line 3 (KO101)"),
        ([step("staged-store", "KO101", 3)], "no staged-store", "no edit is known for what is left (KO101 at line 3)"),
        ([], "be nice", "no edit is known for what is left (KO101 at line 3)"),
    ],
)
def test_the_next_idea_is_the_first_step_that_the_constraints_allow(steps: list[Step], said: str, words: str) -> None:
    now = state(turn(TurnKind.CONSTRAIN, said))
    assert idea(steps, FINDINGS, now) == words
    assert idea([], (), now) == "no finding is left"


def test_a_proposal_is_answered_with_what_it_was_held_against(offered: Proposal) -> None:
    made = replace(offered, summary="Pads the tile.", comparison=PREDICTED)
    words = "P0000000001: Pads the tile. PASS, PREDICTED 1.50x of the current text (performance model for h200)"
    assert proposal_answer(made) == words


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        (("a",), "nothing, because a"),
        (("a", "b"), "nothing, because a; b"),
        (("a", "b", "c", "d"), "nothing, because a; b; and 2 more reasons (why shows them)"),
    ],
)
def test_of_many_reasons_the_first_two_are_said(reasons: tuple[str, ...], words: str) -> None:
    assert nothing_answer(reasons) == words


def test_who_comes_back_hears_where_the_session_stands() -> None:
    now = replace(state(edit("v1", 1.5), edit("v2", 1.2)), session=replace(state().session, goal=None))
    words = "resumes S1 on k after 3 turns: at v2, best v1, PREDICTED 1.50x against the baseline (performance model for h200)"
    assert started_answer(now) == words


def test_each_version_has_its_line_and_its_row() -> None:
    now = state(
        edit("v1", 1.5), edit("v2", None, None), turn(TurnKind.BACK, "v0", "back at v0", text="v0"), turn(TurnKind.WHY, answer="long")
    )
    assert [version_line(now, version) for version in now.versions] == ["v0 [now]: the baseline", "v1 [best]: answered", "v2: answered"]
    piped = state(edit("v1", 1.5), edit("a | b", None, None), turn(TurnKind.SUGGEST, "", "P1"), turn(TurnKind.WHY, answer="long"))
    assert report(piped).splitlines() == [
        "# Pairing on k of k.cu",
        "",
        "Goal: half the time",
        "",
        "Best: v1, PREDICTED 1.50x against the baseline (performance model for h200). Session S1.",
        "",
        "| version | verdict | against the baseline | answer |",
        "|---|---|---|---|",
        "| v0 | | | the baseline |",
        "| v1 | PASS | PREDICTED 1.50x (performance model for h200) | v1: answered |",
        "| v2 | not judged |  | a / b: answered |",
        "",
        "- suggest: P1",
        "",
        "Speed: performance model for h200, from counted accesses.",
    ]
    bare = replace(
        state(turn(TurnKind.CONSTRAIN, "be nice"), turn(TurnKind.BACK, "v0", "back at v0", text="v0")),
        session=replace(now.session, goal=None),
    )
    assert report(bare).splitlines()[2:] == [
        "Best: v0, the baseline. Session S1.",
        "",
        "| version | verdict | against the baseline | answer |",
        "|---|---|---|---|",
        "| v0 | | | the baseline |",
        "",
        "- constraint 1: be nice (not enforced: only a model planner can read it)",
        "",
        "- back: back at v0",
    ]
