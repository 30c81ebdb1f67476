"""An open proposal in few words: its gain, its verdict, what it changes. Pure.

Example::

    offer_title(proposal)     # 'shared-memory-padding: ≈1.33x predicted, right in 10 of 10 cases'
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.engine.report import asked_in_words, gain_in_words, verdict_in_short
from assistant.model.proposal import PredictionOutcome, Proposal
from assistant.model.verification import CaseResult, Outcome
from assistant.profile.fact_words import change_in_words, metric_in_words

__all__ = ["accept_title", "cases_in_words", "gain", "offer_origin", "offer_title", "review_lines", "verdict"]

_SHAPES_LISTED = 4


def gain(proposal: Proposal) -> str:
    """``≈1.60x predicted``, ``1.83x``."""
    return gain_in_words(proposal.comparison.outcome, proposal.comparison.ratio)


def verdict(proposal: Proposal) -> str:
    """``right in 10 of 10 cases``, ``needs your decision: fewer digits``."""
    judged = proposal.verification
    right = sum(case.outcome is Outcome.PASS for case in judged.cases)
    return verdict_in_short(judged.outcome, right, len(judged.cases), proposal.labels)


def cases_in_words(cases: Sequence[CaseResult]) -> str:
    """``10 of 10 cases right, at n=1000; n=511``: at which sizes a verdict holds; empty without cases."""
    right = [case for case in cases if case.outcome is Outcome.PASS]
    shapes = [*dict.fromkeys(case.shape for case in right)]
    sizes = "; ".join(shapes[:_SHAPES_LISTED]) + ("; …" if len(shapes) > _SHAPES_LISTED else "")
    counted = f"{len(right)} of {len(cases)} cases right"
    return "" if not cases else f"{counted}, at {sizes}" if sizes else counted


def accept_title(proposal: Proposal) -> str:
    """A button that says what is agreed to: ``Accept``, ``Accept with fewer digits``."""
    is_plain = proposal.verification.outcome is Outcome.PASS
    return "Accept" if is_plain else f"Accept with {asked_in_words(proposal.labels)}"


def offer_title(proposal: Proposal) -> str:
    """``shared-memory-padding in 2 files: ≈1.33x predicted, right in 10 of 10 cases, by model NAME``."""
    what = " + ".join(proposal.techniques) + (f" in {len(proposal.files)} files" if len(proposal.files) > 1 else "")
    author = "" if proposal.model is None else f", by model {proposal.model}"
    return f"{what}: {gain(proposal)}, {verdict(proposal)}{author}"


def offer_origin(proposal: Proposal) -> tuple[str, ...]:
    """What it does, its verdict, where its gain comes from, and what both lack; a line each."""
    speed = proposal.comparison
    interval = "" if speed.low is None or speed.high is None else f", 95 % interval {speed.low:.2f} to {speed.high:.2f}"
    caveats = (*proposal.verification.caveats, *speed.caveats)
    return (proposal.summary, verdict(proposal), f"{gain(proposal)} ({speed.method}{interval})", *caveats)


def review_lines(proposal: Proposal) -> tuple[str, ...]:
    """What stands in the thread of a hunk: gain and verdict, what the edit does, for what it holds."""
    changed = [_change(p) for p in proposal.predictions if p.actual is not None]
    caveats = (*proposal.verification.caveats, *proposal.comparison.caveats)
    holds = "; ".join((*proposal.assumptions, *caveats))
    lines = (f"{gain(proposal)}, {verdict(proposal)}", proposal.summary, *changed[:1])
    return (*lines, f"Holds for: {holds}") if holds else lines


def _change(outcome: PredictionOutcome) -> str:
    """``global sectors 150,000 → 18,750``, as counted."""
    prediction = outcome.prediction
    change = change_in_words(prediction.metric, prediction.before, outcome.actual or 0.0, prediction.unit)
    return f"{metric_in_words(prediction.metric)} {change}"
