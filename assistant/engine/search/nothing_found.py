"""Why a search ends without a proposal, in one line: what was tried and what came of it, and what keeps the next edit from applying.

Example::

    nothing_in_words((TrialOutcome.FAILED, TrialOutcome.NOT_BETTER), declines, findings)
    # "2 edits tried (wrong: 1, not faster: 1); private histogram does not apply at line 5: the size of `bins` is not known"
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from assistant.engine.report import technique_in_words
from assistant.model.plan import NO_MODEL, Decline, DeclineReason
from assistant.model.profile import Finding
from assistant.model.trial import OUTCOME_WORDS, TrialOutcome
from assistant.profile.quantity import counted_noun

__all__ = ["NO_EDIT_FOUND", "nothing_in_words"]

NO_EDIT_FOUND = "no edit found: "
"""Begins the end of such a search."""

_WORDS = OUTCOME_WORDS | {TrialOutcome.KEPT: "kept at first, not offered"}
_UNTELLING = frozenset(
    {DeclineReason.NOTHING_TO_CHANGE, DeclineReason.ALREADY_DONE, DeclineReason.ALREADY_TRIED, DeclineReason.NO_GAIN, None}
)
"""Such a decline says nothing that would have to change for an edit to apply."""
_UNKNOWN = frozenset({DeclineReason.SIZE_UNKNOWN, DeclineReason.BOUND_UNKNOWN, DeclineReason.LAUNCH_UNKNOWN, DeclineReason.TYPE_UNKNOWN})


def nothing_in_words(
    outcomes: Sequence[TrialOutcome],
    declines: Sequence[Decline],
    findings: Sequence[Finding],
    untried: Sequence[TrialOutcome] = (),
    reasons: Sequence[str] = (),
) -> str:
    """``outcomes``: of all that was tried, on every kernel; ``declines``: what did not apply; ``findings``: of the code as it is;
    ``untried``: of what was planned and came to no trial; ``reasons``: why edits were not offered or could not be judged, of
    which the first is said."""
    return "; ".join(part for part in (_tried(outcomes, declines, untried), *reasons[:1], _next(declines, findings)) if part)


def _tried(outcomes: Sequence[TrialOutcome], declines: Sequence[Decline], untried: Sequence[TrialOutcome]) -> str:
    if not outcomes and untried:
        return f"no planned edit came to a trial ({_counted(untried)})"
    if not outcomes:
        is_model_missing = any(decline.technique == NO_MODEL for decline in declines)
        return "no edit was planned" if is_model_missing or not declines else "no known edit is left to try"
    if len(outcomes) == 1:
        return f"1 edit tried, {_WORDS[outcomes[0]]}"
    return f"{counted_noun(len(outcomes), 'edit')} tried ({_counted(outcomes)})"


def _counted(outcomes: Sequence[TrialOutcome]) -> str:
    counts = Counter(_WORDS[outcome] for outcome in outcomes)
    return ", ".join(f"{words}: {count}" for words, count in counts.most_common())


def _next(declines: Sequence[Decline], findings: Sequence[Finding]) -> str:
    """What would have to hold for one more edit: of the costliest line, what a person may make known first."""
    model = next((decline for decline in declines if decline.technique == NO_MODEL), None)
    if model is not None:
        return model.reason

    def weight(decline: Decline) -> tuple[float, bool]:
        costs = (finding.estimated_cost_ratio or 0.0 for finding in findings if finding.line == decline.line)
        return max(costs, default=0.0), decline.code in _UNKNOWN

    telling = max((decline for decline in declines if decline.code not in _UNTELLING), key=weight, default=None)
    return "" if telling is None else f"{technique_in_words(telling.technique)} does not apply at line {telling.line}: {telling.reason}"
