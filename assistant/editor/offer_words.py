"""An open proposal in few words: its gain, its verdict, what it changes. Pure.

Example::

    offer_title(proposal)     # '≈1.33x predicted, right in 10 of 10 cases: Pad the tile by one column'
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from assistant.cuda.linemap import LineMap
from assistant.cuda.respelled import respelled
from assistant.cuda.same_names import without_file
from assistant.engine.report import asked_in_words, gain_in_words, techniques_in_words, verdict_in_short
from assistant.model.change import FileChange
from assistant.model.comparison import format_ratio
from assistant.model.events import ComparisonMade
from assistant.model.proposal import PredictionOutcome, Proposal
from assistant.model.source import Hunk
from assistant.model.verification import CaseResult, Label, Outcome
from assistant.profile.fact_words import change_in_words, metric_in_words

__all__ = [
    "OUTDATED",
    "accept_title",
    "decided_title",
    "fits",
    "gain",
    "is_to_be_made",
    "judged_in_words",
    "named_edit",
    "offer_origin",
    "offer_title",
    "outdated_origin",
    "outdated_title",
    "review_lines",
    "sized_verdict",
    "verdict",
]

OUTDATED = "judged before the edit"
"""In place of gain and verdict, where the kernel is not the one that was judged; what is accepted is judged again."""
_TECHNIQUES_NAMED = 2
"""Of an edit made of several, in a title."""
_SHAPES_LISTED, _SHAPES_CHARACTERS = 4, 80
"""As many as are said, and how long they may be together; one is said however long it is."""


def gain(proposal: Proposal) -> str:
    """``≈1.60x predicted``, ``1.83x``."""
    return gain_in_words(proposal.comparison.outcome, proposal.comparison.ratio)


def verdict(proposal: Proposal) -> str:
    """``right in 10 of 10 cases``, ``needs your decision: fewer digits``."""
    judged = proposal.verification
    right = sum(case.outcome is Outcome.PASS for case in judged.cases)
    return verdict_in_short(judged.outcome, right, len(judged.cases), proposal.labels)


def judged_in_words(judged: ComparisonMade) -> str:
    """``right at n=1000; n=511 (10 of 10 cases), ≈1.60x predicted, judged on the current text``: the sizes come first, as notes are cut."""
    cases, speed = judged.verification.cases, judged.speed
    outcome = judged.verification.outcome
    short = sized_verdict(outcome, cases, [Label(name) for name in judged.verification.labels])
    why = [f.message for f in judged.verification.findings[:1]] if outcome is Outcome.FAIL else []
    faster = [] if speed is None or why else [gain_in_words(speed.outcome, speed.ratio)]
    return ", ".join((short, *why, *faster, "judged on the current text"))


def sized_verdict(outcome: Outcome, cases: Sequence[CaseResult], labels: Sequence[Label]) -> str:
    """``right at n=1000; n=511 (10 of 10 cases)``, ``needs your decision: fewer digits, right at n=1000``, ``wrong in 1 of 4 cases``."""
    right = sum(case.outcome is Outcome.PASS for case in cases)
    short, sizes = verdict_in_short(outcome, right, len(cases), labels), _right_sizes(cases)
    if not sizes or outcome is Outcome.FAIL:
        return short
    return f"right at {sizes} ({right} of {len(cases)} cases)" if outcome is Outcome.PASS else f"{short}, right at {sizes}"


def _right_sizes(cases: Sequence[CaseResult]) -> str:
    """``n=1000; n=511; …``: the sizes of which every case is right; empty: none are known."""
    wrong = {case.shape for case in cases if case.outcome is not Outcome.PASS}
    shapes = [shape for shape in dict.fromkeys(case.shape for case in cases) if shape and shape not in wrong]
    listed = shapes[:_SHAPES_LISTED]
    while len(listed) > 1 and len("; ".join(listed)) > _SHAPES_CHARACTERS:
        listed.pop()
    return "; ".join(listed) + ("; …" if len(shapes) > len(listed) else "")


def named_edit(proposal: Proposal) -> str:
    """What is done to which kernel: ``shared memory padding of transpose``, ``warp per row + vectorized access + 2 more of row_sums``."""
    named, more = proposal.techniques[:_TECHNIQUES_NAMED], len(proposal.techniques) - _TECHNIQUES_NAMED
    what = techniques_in_words(named) + (f" + {more} more" if more > 0 else "")
    return f"{what} of {without_file(proposal.kernel).partition('(')[0]}"


def accept_title(proposal: Proposal) -> str:
    """A button that says what is agreed to: ``Accept``, ``Accept with fewer digits``."""
    is_plain = proposal.verification.outcome is Outcome.PASS
    return "Accept" if is_plain else f"Accept with {asked_in_words(proposal.labels)}"


def fits(change: FileChange, text: str) -> bool:
    """Whether every line that it replaces, and every place that it inserts lines at, is still there, or all of the code is."""
    lines = LineMap(change.before_text, text)
    return all(map(partial(_is_there, lines), change.hunks)) or respelled(change, text) is not None


def is_to_be_made(proposal: Proposal, path: Path, text: str) -> bool:
    """Whether its edit fits a file's text, and is not in it, as where another process undid what stands here."""
    change = proposal.change_of(path)
    return change is None or (change.after_text != text and fits(change, text))


def outdated_title(proposal: Proposal) -> str:
    """As ``offer_title``, where the kernel was edited since."""
    return f"{OUTDATED}: {_what(proposal)}"


def offer_title(proposal: Proposal) -> str:
    """``≈1.33x predicted, right in 10 of 10 cases: Pad the tile by one column, in 2 files, by model NAME``."""
    author = "" if proposal.model is None else f", by model {proposal.model}"
    return f"{gain(proposal)}, {verdict(proposal)}: {_what(proposal)}{author}"


def decided_title(proposal: Proposal) -> str:
    """As ``offer_title``, once a person has decided: ``≈1.78x predicted, fewer digits: Compute in single precision``."""
    judged = asked_in_words(proposal.labels) if proposal.verification.outcome is Outcome.NEEDS_DECISION else verdict(proposal)
    return f"{gain(proposal)}, {judged}: {_what(proposal)}"


def outdated_origin(proposal: Proposal) -> tuple[str, ...]:
    """As ``offer_origin``, where the kernel was edited since."""
    return (proposal.summary, f"{OUTDATED}: {gain(proposal)}, {verdict(proposal)}; accepting it has it judged again")


def offer_origin(proposal: Proposal) -> tuple[str, ...]:
    """What it does, its verdict, where its gain comes from, and what both lack; a line each."""
    speed = proposal.comparison
    interval = "" if speed.low is None or speed.high is None else f", 95 % interval {format_ratio(speed.low)} to {format_ratio(speed.high)}"
    caveats = (*proposal.verification.caveats, *speed.caveats)
    return (proposal.summary, verdict(proposal), f"{gain(proposal)} ({speed.method}{interval})", *caveats)


def review_lines(proposal: Proposal) -> tuple[str, ...]:
    """What stands in the thread of a hunk: gain and verdict, what the edit does, at which sizes it is right, for what it holds."""
    changed = [_change(p) for p in proposal.predictions if p.actual is not None]
    caveats = (*proposal.verification.caveats, *proposal.comparison.caveats)
    holds = "; ".join((*proposal.assumptions, *caveats))
    sizes = _right_sizes(proposal.verification.cases)
    lines = (f"{gain(proposal)}, {verdict(proposal)}", proposal.summary, *changed[:1], *([f"Right at {sizes}"] if sizes else []))
    return (*lines, f"Holds for: {holds}") if holds else lines


def _change(outcome: PredictionOutcome) -> str:
    """``global sectors 150,000 → 18,750``, as counted."""
    prediction = outcome.prediction
    change = change_in_words(prediction.metric, prediction.before, outcome.actual or 0.0, prediction.unit)
    return f"{metric_in_words(prediction.metric)} {change}"


def _what(proposal: Proposal) -> str:
    """Lists, buttons and messages show no Markdown."""
    return proposal.summary.partition("\n")[0].rstrip(".").replace("`", "") + (
        f", in {len(proposal.files)} files" if len(proposal.files) > 1 else ""
    )


def _is_there(lines: LineMap, hunk: Hunk) -> bool:
    around = range(hunk.before_line, hunk.before_line + len(hunk.before)) if hunk.before else (hunk.before_line - 1, hunk.before_line)
    now = [lines.line(line) for line in around]
    return all(a is not None and b == a + 1 for a, b in pairwise(now)) and now[0] is not None
