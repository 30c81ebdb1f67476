"""What is taken of a fresh proposal without asking, what is asked, and what becomes of the answer."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.cuda.hunks import hunks
from assistant.engine.job import Job
from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.proposals.decisions import Decisions
from assistant.engine.request import Accept
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.comparison import SpeedOutcome
from assistant.model.proposal import DecisionKind, Proposal, ProposalState
from assistant.model.verification import Outcome
from assistant.ports.store import Store

JOB = cast("Job", SimpleNamespace(id="J1"))
FASTER, PREDICTED, SAME = SpeedOutcome.FASTER, SpeedOutcome.PREDICTED, SpeedOutcome.SAME


@pytest.fixture
def decisions(store: Store) -> Decisions:
    return Decisions(cast("Any", SimpleNamespace(who="a test")), lambda: store)


@pytest.fixture
def proposal(store: Store, offered: Proposal) -> Proposal:
    before, after = "a\nb\nc\n", "A\nb\nC\n"
    offered.path.write_text(before)
    made = replace(offered, before_text=before, after_text=after, hunks=hunks(before, after))
    store.add_proposal(offered.path.parent, made)
    return made


def judged(proposal: Proposal, verdict: Outcome, speed: SpeedOutcome, ratio: float, low: float | None) -> Proposal:
    comparison = replace(proposal.comparison, outcome=speed, ratio=ratio, low=low)
    return replace(proposal, verification=replace(proposal.verification, outcome=verdict), comparison=comparison)


@pytest.mark.parametrize(
    ("verdict", "speed", "ratio", "low", "is_best", "is_best_predicted"),
    [
        (Outcome.PASS, FASTER, 1.5, None, True, True),
        (Outcome.PASS, PREDICTED, 1.5, None, False, True),
        (Outcome.PASS, PREDICTED, 1.0, None, False, False),
        (Outcome.PASS, PREDICTED, 1.5, 1.1, True, True),
        (Outcome.PASS, PREDICTED, 1.5, 1.0, False, False),
        (Outcome.PASS, SAME, 1.5, 1.1, False, False),
        (Outcome.NEEDS_DECISION, FASTER, 1.5, 1.1, False, False),
        (Outcome.FAIL, FASTER, 1.5, 1.1, False, False),
    ],
)
async def test_only_what_passes_and_is_proved_faster_is_taken_without_asking(
    decisions: Decisions,
    proposal: Proposal,
    verdict: Any,
    speed: Any,
    ratio: float,
    low: float | None,
    is_best: bool,
    is_best_predicted: bool,
) -> None:
    offer = judged(proposal, verdict, speed, ratio, low)
    taken = [await decisions.offer(JOB, offer, accept, None) is not None for accept in (Accept.NONE, Accept.ASK, Accept.BEST)]
    assert taken == [False, False, is_best]
    assert (await decisions.offer(JOB, offer, Accept.BEST_PREDICTED, None) is not None) is (is_best_predicted and not is_best)
    assert (proposal.path.read_text() == proposal.after_text) is is_best_predicted


async def answered(decisions: Decisions, proposal: Proposal, answer: DecisionRequest | None) -> events.DecisionMade | None:
    async def ask(asked: Proposal) -> DecisionRequest | None:
        assert asked == proposal
        return answer

    return await decisions.offer(JOB, proposal, Accept.ASK, ask)


async def test_a_person_leaves_it_open_takes_a_part_or_turns_it_down(decisions: Decisions, proposal: Proposal, store: Store) -> None:
    assert await answered(decisions, proposal, None) is None
    assert store.find_proposal(proposal.id).state is ProposalState.OPEN
    first = DecisionRequest(DecisionKind.PARTIALLY_ACCEPTED, (proposal.hunks[0].id[:6],), "style", "enough")
    taken = await answered(decisions, proposal, first)
    assert taken == events.DecisionMade("J1", proposal.id, "partially_accepted", (proposal.hunks[0].id,), "style", "enough", "a test")
    assert proposal.path.read_text() == "A\nb\nc\n"
    assert await answered(decisions, proposal, DecisionRequest(DecisionKind.REJECTED)) is None  # somebody was first
    decisions.undo(store.find_proposal(proposal.id))
    refused = await answered(decisions, store.find_proposal(proposal.id), DecisionRequest(DecisionKind.REJECTED, reason="no"))
    assert refused is not None and (refused.kind, refused.reason, refused.hunk_ids) == ("rejected", "no", ())
    assert proposal.path.read_text() == proposal.before_text


def test_who_comes_second_is_told_who_was_first(decisions: Decisions, proposal: Proposal) -> None:
    (first,) = decisions.reject(proposal, "style", "no")
    assert isinstance(first, events.DecisionMade) and (first.job, first.kind, first.reason_code) == (None, "rejected", "style")
    with pytest.raises(UsageError, match="P0000000001 was already rejected by a test"):
        decisions.reject(proposal, None, None)
