"""What is taken of a fresh proposal without asking, what is asked, and what becomes of the answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assistant.engine.job import Job
from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.proposals.decisions import Decisions
from assistant.engine.proposals.submitted import Submission
from assistant.engine.request import Accept
from assistant.errors import UsageError
from assistant.model import events
from assistant.model.comparison import SpeedOutcome, format_ratio
from assistant.model.profile import Severity
from assistant.model.proposal import DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.ports.store import Store
from tests.changes import change
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine.commands import Commands
from tests.unit.engine.test_search import QUICK, turned


def _unheard(severity: Severity, text: str, remedy: str | None = None) -> None: ...


JOB = cast("Job", SimpleNamespace(id="J1", say=_unheard))
FASTER, PREDICTED, SAME = SpeedOutcome.FASTER, SpeedOutcome.PREDICTED, SpeedOutcome.SAME


@pytest.fixture
def decisions(store: Store) -> Decisions:
    return Decisions(cast("Any", SimpleNamespace(who="a test")), lambda: store)


@pytest.fixture
def proposal(store: Store, offered: Proposal) -> Proposal:
    before, after = "a\nb\nc\n", "A\nb\nC\n"
    offered.path.write_text(before)
    made = replace(offered, files=change(offered.path, before, after))
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
    assert (proposal.path.read_text() == proposal.files[0].after_text) is is_best_predicted


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
    assert proposal.path.read_text() == proposal.files[0].before_text


async def test_what_cannot_be_taken_says_why(decisions: Decisions, proposal: Proposal) -> None:
    said: list[tuple[str, str | None]] = []

    def say(_: Severity, text: str, remedy: str | None = None) -> None:
        said.append((text, remedy))

    before = "a\nb\nc\nd\ne\n"
    offer = replace(judged(proposal, Outcome.PASS, FASTER, 1.5, 1.4), files=change(proposal.path, before, before.replace("a", "A")))
    proposal.path.write_text(f"{before}}}}}\n")
    assert await decisions.offer(cast("Job", SimpleNamespace(id="J1", say=say)), offer, Accept.BEST, None) is None
    text = f"{proposal.id} was not accepted, nothing was written: {proposal.path.name} changed since it was judged"
    assert said == [(text, f"kernelopt accept {proposal.id} judges it on the present text first")]


def test_who_comes_second_is_told_who_was_first(decisions: Decisions, proposal: Proposal) -> None:
    (first,) = decisions.reject(proposal, "style", "no")
    assert isinstance(first, events.DecisionMade) and (first.job, first.kind, first.reason_code) == (None, "rejected", "style")
    with pytest.raises(UsageError, match=r"^P0000000001 was already rejected by a test"):
        decisions.reject(proposal, None, None)


def test_what_becomes_of_a_text_in_no_file_is_kept_and_nothing_is_written(tmp_path: Path, proposal: Proposal, store: Store) -> None:
    session, before = Commands(tmp_path, store=cast("Any", store)).session, proposal.path.read_text()
    taken = session.accept_text(proposal.id[:6])
    assert (taken.proposal, taken.kind, taken.decided_by) == (proposal.id, "accepted", "a test")
    assert (store.find_proposal(proposal.id).state, proposal.path.read_text()) == (ProposalState.ACCEPTED, before)
    undone = session.undo_text(proposal.id)
    assert (undone.proposal, undone.kind, store.find_proposal(proposal.id).state) == (proposal.id, "undone", ProposalState.UNDONE)
    session.reject(proposal.id, "style", "no")
    session.undo_text(proposal.id)
    assert store.find_proposal(proposal.id).state is not ProposalState.REJECTED, "its rejection was taken back"


KERNEL = """\
__global__ void turn(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    float v = in[y * n + x]; // naive
    // one
    // two
    // three
    // four
    // five
    // six
    if (x < n && y < n) out[x * n + y] = v;
}"""
TABLE = {"// tiled": Behaviour(turned, sectors=4), "out[x * n + y] = v": Behaviour(turned, sectors=32)}
TEXT = f"{QUICK}\n{KERNEL}\n"
TILED = TEXT.replace("// naive", "// tiled")
BOTH = TILED.replace("out[x * n + y] = v", "put(v)")


async def submitted(folder: Path) -> tuple[Commands, Proposal]:
    """Two hunks, of which the second is nothing without the first."""
    on = Commands(folder, kernels=TABLE)
    await on.hear(on.session.submit(on.request(TEXT), Submission((Source(on.request(TEXT).file, BOTH),), "uses a tile", "an agent")))
    made = on.store.find_proposal(on.only(events.ProposalMade).id)
    assert len(made.hunks) == 2
    return on, made


@pytest.mark.parametrize(
    ("taken", "text", "state"),
    [((0,), TILED, ProposalState.ACCEPTED), ((1,), TEXT, ProposalState.OPEN), ((0, 1), BOTH, ProposalState.ACCEPTED)],
)
async def test_a_part_is_judged_before_it_is_written(tmp_path: Path, taken: tuple[int, ...], text: str, state: ProposalState) -> None:
    on, made = await submitted(tmp_path)
    await on.hear(on.session.accept(made.id, tuple(made.hunks[place].id for place in taken)))
    assert made.path.read_text() == text and on.store.find_proposal(made.id).state is state
    assert len(on.all(events.ComparisonMade)) == (1 if len(taken) == 1 else 0)
    if text == TEXT:
        assert on.ending.reason.startswith("nothing was written: 1 of 2 hunks alone: FAIL: ")


@pytest.mark.parametrize("taken", [(), (0,)])
async def test_a_change_of_a_text_that_moved_on_is_judged_there_and_waits_as_a_new_proposal(tmp_path: Path, taken: tuple[int, ...]) -> None:
    on, made = await submitted(tmp_path)
    made.path.write_text(f"int above;\n{TEXT}")
    await on.hear(on.session.accept(made.id, tuple(made.hunks[place].id for place in taken)))
    assert made.path.read_text() == f"int above;\n{TEXT}"
    fresh = on.store.find_proposal(on.only(events.ProposalMade).id)
    assert fresh.files[0].after_text == f"int above;\n{TILED if taken else BOTH}"
    ended = on.all(events.JobEnded)[-1]
    part = "what you took of it (1 of 2 hunks)" if taken else "its edit"
    assert ended.exit_code == 1 and f"since {made.id} was made; {part}, moved to the present text" in ended.reason
    assert ended.reason.endswith(f"waits as {fresh.id}: kernelopt accept {fresh.id}")
    await on.hear(on.session.rebase(made.id, on.request(f"int above;\n{TEXT}"), tuple(made.hunks[place].id for place in taken)))
    assert on.ending.exit_code == 0
    assert on.store.find_proposal(on.only(events.ProposalMade).id).files[0].after_text == f"int above;\n{TILED if taken else BOTH}"


async def test_what_a_person_decides_on_stays_with_an_edit_that_moves(tmp_path: Path) -> None:
    """Nothing in the text shows what its author said of it."""
    on, first = await submitted(tmp_path)
    said = VerificationFinding("precision", Outcome.NEEDS_DECISION, "it rounds sooner")
    verification = replace(first.verification, outcome=Outcome.NEEDS_DECISION, labels=(Label.PRECISION,), findings=(said,))
    made = replace(first, id="P0000000009", verification=verification)
    on.store.add_proposal(tmp_path, made)
    made.path.write_text(f"int above;\n{TEXT}")
    await on.hear(on.session.accept(made.id, ()))
    moved = on.store.find_proposal(on.only(events.ProposalMade).id).verification
    assert moved.outcome is Outcome.NEEDS_DECISION and Label.PRECISION in moved.labels
    assert "it rounds sooner" in [finding.message for finding in moved.findings]


async def test_what_is_left_of_a_proposal_is_judged_and_takes_its_place_though_all_of_it_gains_more(tmp_path: Path) -> None:
    on, first = await submitted(tmp_path)
    made = replace(first, id="P0000000009", comparison=replace(first.comparison, ratio=99.0))
    on.store.add_proposal(tmp_path, made)
    await on.hear(on.session.rebase(made.id, on.request(TEXT), (made.hunks[0].id,)))
    fresh = on.store.find_proposal(on.only(events.ProposalMade).id)
    assert fresh.files[0].after_text == TILED and fresh.verification.cases
    assert on.store.find_proposal(made.id).state is ProposalState.SUPERSEDED
    claim = f"PASS, PREDICTED {format_ratio(fresh.comparison.ratio)}x"
    assert (
        on.ending.reason
        == f"what is left of {made.id} (1 of 2 hunks) was judged ({claim}) and waits as {fresh.id}: kernelopt accept {fresh.id}"
    )


async def test_a_change_that_does_not_hold_on_the_text_as_it_is_now_is_not_offered_again(tmp_path: Path) -> None:
    on, made = await submitted(tmp_path)
    await on.hear(on.session.rebase(made.id, on.request(f"int above;\n{TEXT}"), (made.hunks[1].id,)))
    assert on.ending.exit_code == 1 and on.all(events.ProposalMade) == []


async def test_what_is_left_of_an_undone_proposal_takes_its_place_too(tmp_path: Path) -> None:
    on, made = await submitted(tmp_path)
    await on.hear(on.session.accept(made.id, ()))
    on.session.undo(made.id)
    assert on.store.find_proposal(made.id).state is ProposalState.UNDONE
    await on.hear(on.session.rebase(made.id, on.request(TEXT), (made.hunks[0].id,)))
    assert on.only(events.ProposalMade).id != made.id and on.store.find_proposal(made.id).state is ProposalState.SUPERSEDED


async def test_what_is_left_of_a_proposal_and_does_not_hold_says_so_and_leaves_all_of_it_open(tmp_path: Path) -> None:
    on, made = await submitted(tmp_path)
    await on.hear(on.session.rebase(made.id, on.request(TEXT), (made.hunks[1].id,)))
    assert on.ending.exit_code == 1 and on.ending.reason.startswith(f"what is left of {made.id} (1 of 2 hunks) is not offered: ")
    assert on.all(events.ProposalMade) == [] and on.store.find_proposal(made.id).state is ProposalState.OPEN
