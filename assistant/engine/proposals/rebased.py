"""A proposal moved onto newer texts of its files, with what judging it there showed."""

from __future__ import annotations

import re
from dataclasses import replace

from assistant.cuda.changes import changes_of
from assistant.engine.ids import new_id
from assistant.engine.judge import Verdict
from assistant.engine.proposals.decide import MovedChange
from assistant.model.comparison import Comparison, speed_in_words
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Outcome

__all__ = ["rebased_proposal"]

_PART = re.compile(r"\A\d+ of \d+ hunks of: ")
"""What the summary of a part of a part says already."""


def rebased_proposal(moved: MovedChange, hunk_ids: tuple[str, ...], verdict: Verdict, speed: Comparison, now_ms: int) -> Proposal:
    """A new open proposal with the change on the text as it is now; ``verdict`` compares that with ``moved.texts``, ``speed`` is its own.

    ``hunk_ids``: the change is only these hunks of the proposal; empty: all of it. Verdict, ratio, labels and evidence are those of the
    new text; of a part no prediction is known. The explanation says which numbers were another text's.
    """
    proposal = moved.proposal
    part = f"{len(hunk_ids)} of {len(proposal.hunks)} hunks" if hunk_ids else ""
    verification = verdict.verification
    return replace(
        proposal,
        id=new_id("P"),
        files=changes_of(moved.current, moved.texts),
        verification=verification,
        comparison=speed,
        labels=verification.labels,
        evidence=verdict.evidence,
        summary=f"{part} of: {_PART.sub('', proposal.summary)}" if part else proposal.summary,
        predictions=() if part else proposal.predictions,
        explanation=_explanation(proposal, part, verification.outcome, speed),
        state=ProposalState.OPEN,
        created_ms=now_ms,
        figures=verdict.figures,
    )


def _explanation(proposal: Proposal, part: str, outcome: Outcome, speed: Comparison) -> str:
    change, whole = (f"{part} of {proposal.id}'s change", "the whole change") if part else (f"The change of {proposal.id}", "it")
    speed_words = speed_in_words(speed.outcome, speed.ratio, speed.caveats)
    return (
        f"{change}, made on the text as it is now and judged there: {outcome}, {speed_words} "
        f"({speed.method}).\n\nThe explanation of {whole} on the earlier text, with that text's numbers:\n\n{proposal.explanation}"
    )
