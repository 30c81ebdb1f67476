"""A proposal in few words: gain, verdict, what a person agrees to; and what else was tried."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.editor.offer_words import (
    accept_title,
    decided_title,
    fits,
    gain,
    judged_in_words,
    named_edit,
    offer_title,
    review_lines,
    verdict,
)
from assistant.editor.tried import others_tried
from assistant.model import event_parts, events
from assistant.model.comparison import SpeedOutcome
from assistant.model.plan import MetricPrediction
from assistant.model.proposal import PredictionOutcome, Proposal
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Label, Outcome, VerificationFinding
from tests.changes import change
from tests.contracts.fake_store import FakeStore
from tests.contracts.stored import Given
from tests.unit.editor.test_open_document import UNDONE_ELSEWHERE

_CASES = tuple(CaseResult("recorded", "n=64", 1.0, Outcome.PASS, 0.0, 0.0) for _ in range(10))


def _proposal(outcome: SpeedOutcome, ratio: float, judged: Outcome = Outcome.PASS, labels: tuple[Label, ...] = ()) -> Proposal:
    made = UNDONE_ELSEWHERE
    verification = replace(made.verification, outcome=judged, cases=_CASES)
    return replace(made, comparison=replace(made.comparison, outcome=outcome, ratio=ratio), verification=verification, labels=labels)


@pytest.mark.parametrize(
    ("outcome", "ratio", "words"),
    [
        (SpeedOutcome.PREDICTED, 1.6, "≈1.60x predicted"),
        (SpeedOutcome.FASTER, 1.834, "1.83x"),
        (SpeedOutcome.FASTER, 12.34, "12.3x"),
        (SpeedOutcome.FASTER, 140.4, "140x"),
        (SpeedOutcome.SLOWER, 0.8, "0.80x, slower"),
        (SpeedOutcome.SAME, 1.0, "as fast as before"),
        (SpeedOutcome.INCONCLUSIVE, 1.1, "speed inconclusive"),
    ],
)
def test_a_gain_has_three_digits_and_says_when_nothing_was_timed(outcome: SpeedOutcome, ratio: float, words: str) -> None:
    assert gain(_proposal(outcome, ratio)) == words


def test_what_needs_a_decision_says_on_what_also_on_the_button() -> None:
    asks = _proposal(SpeedOutcome.PREDICTED, 1.6, Outcome.NEEDS_DECISION, (Label.PRECISION,))
    assert verdict(asks) == "needs your decision: fewer digits" and accept_title(asks) == "Accept with fewer digits"
    asks = replace(asks, summary="Compute in single precision where only `pow` is double")
    assert decided_title(asks) == "≈1.60x predicted, fewer digits: Compute in single precision where only pow is double"
    plain = _proposal(SpeedOutcome.PREDICTED, 1.6)
    assert verdict(plain) == "right in 10 of 10 cases" and accept_title(plain) == "Accept"
    assert offer_title(replace(plain, model="m")) == f"≈1.60x predicted, right in 10 of 10 cases: {plain.summary}, by model m"


def test_a_title_names_the_edit_and_its_kernel_whatever_their_number() -> None:
    made = replace(UNDONE_ELSEWHERE, kernel="a.cu:rows(float *)", techniques=("warp-per-row",))
    assert named_edit(made) == "warp per row of rows"
    assert named_edit(replace(made, techniques=("warp-per-row", "vectorized-access"))) == "warp per row + vectorized access of rows"
    assert named_edit(replace(made, techniques=("warp-per-row", "x", "y", "z"))) == "warp per row + x + 2 more of rows"


def _judged(outcome: Outcome, cases: tuple[CaseResult, ...], *findings: VerificationFinding, labels: tuple[Label, ...] = ()) -> str:
    verified = event_parts.VerificationReport(outcome, findings, cases, tuple(label.value for label in labels), (), ())
    speed = event_parts.SpeedReport(SpeedOutcome.PREDICTED, 1.6, None, None, None, "", (), "model", None, None)
    return judged_in_words(
        events.ComparisonMade("J1", None, "kernel", True, "a", "b", verified, speed, (), event_parts.Device("CPU", "cpu", "h200"))
    )


def test_a_verdict_says_first_at_which_sizes_it_is_right() -> None:
    wrong = CaseResult("resized", "n=1", 1.0, Outcome.FAIL, 0.0, 0.0)
    sizes = tuple(replace(wrong, shape=f"n={n}", outcome=Outcome.PASS) for n in (7, 64, 511, 1000, 2048))
    ended = "≈1.60x predicted, judged on the current text"
    assert _judged(Outcome.PASS, sizes) == f"right at n=7; n=64; n=511; n=1000; … (5 of 5 cases), {ended}"
    long = tuple(replace(wrong, shape=f"rows={n}, columns={n}, depth={n}, channels=3", outcome=Outcome.PASS) for n in (7, 64, 511))
    assert _judged(Outcome.PASS, long).startswith("right at rows=7, columns=7, depth=7, channels=3; … (3 of 3 cases)")
    assert _judged(Outcome.PASS, (replace(wrong, shape="", outcome=Outcome.PASS),)) == f"right in 1 of 1 cases, {ended}"
    asks = f"needs your decision: fewer digits, right at n=64, {ended}"
    assert _judged(Outcome.NEEDS_DECISION, _CASES, labels=(Label.PRECISION,)) == asks
    found = VerificationFinding("wrong_value", Outcome.FAIL, "out[3] is 0, the original's is 2")
    assert _judged(Outcome.FAIL, (*_CASES, wrong), found) == f"wrong in 1 of 11 cases, {found.message}, judged on the current text"


def test_an_edit_fits_while_the_lines_that_it_changes_stand() -> None:
    before = "a\nb\nc\nd\n"
    (replaced,), (inserted,) = change(Path("/k.cu"), before, "a\nB\nc\nd\n"), change(Path("/k.cu"), before, "a\nb\nc\nnew\nd\n")
    assert [fits(replaced, text) for text in (before, f"// new\n{before}", "a\nb2\nc\nd\n", "a\nc\nd\n")] == [True, True, False, False]
    assert [fits(inserted, text) for text in (before, "a\nb2\nc\nd\n", "a\nb\nc\nmine\nd\n")] == [True, True, False]


def test_a_thread_says_gain_and_verdict_the_edit_the_counter_that_moved_and_for_what_it_holds() -> None:
    moved = PredictionOutcome(MetricPrediction("global_sectors", 150_000, 18_000, "sectors"), 18_750, True)
    made = replace(_proposal(SpeedOutcome.PREDICTED, 1.6), summary="Swap x and y.", predictions=(moved,), assumptions=("blocks of 32 × 8",))
    assert review_lines(made) == (
        "≈1.60x predicted, right in 10 of 10 cases",
        "Swap x and y.",
        "global sectors 150,000 → 18,750",
        "Right at n=64",
        "Holds for: blocks of 32 × 8",
    )


@pytest.mark.parametrize(
    ("metric", "unit", "line"),
    [
        ("global_sectors_per_request", "sectors/request", "sectors a request 32 → 4"),
        ("registers_spilled", "bytes", "registers spilled 32 → 4 bytes"),
    ],
)
def test_a_counter_says_its_unit_once(metric: str, unit: str, line: str) -> None:
    moved = PredictionOutcome(MetricPrediction(metric, 32, 4, unit), 4, True)
    assert review_lines(replace(_proposal(SpeedOutcome.PREDICTED, 1.6), predictions=(moved,)))[2] == line


def test_what_else_the_search_tried_says_why_it_was_not_offered() -> None:
    store, made = FakeStore(), Given.proposal("P01")
    ours = {"job": made.job, "kernel": made.kernel, "path": made.path}
    store.add_attempt(Given.attempt("C1", **ours))
    store.add_attempt(
        Given.attempt("C2", **ours, technique="loop-unrolling", outcome=TrialOutcome.NOT_BETTER, reason="1.00x", created_ms=2)
    )
    store.add_attempt(Given.attempt("C3", **ours, technique="staged-store", outcome=TrialOutcome.FAILED, reason="out[3]", created_ms=3))
    store.add_attempt(Given.attempt("C4", **{**ours, "kernel": "other()"}, outcome=TrialOutcome.FAILED))
    store.add_attempt(Given.attempt("C5", **{**ours, "job": "J77"}, outcome=TrialOutcome.FAILED))
    found = others_tried(store, made)
    assert [(edit.title, edit.why) for edit in found] == [("loop unrolling: not faster", "1.00x"), ("staged store: wrong", "out[3]")]
    assert found[0].before_text != found[0].after_text
