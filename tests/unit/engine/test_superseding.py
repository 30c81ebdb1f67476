"""What a rerun of a search does to proposals that are open already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.proposals.rejected import edits_of
from assistant.engine.proposals.superseding import better_open, offered_already, offered_for_another_kernel, store_and_supersede, successor
from assistant.model.comparison import SpeedOutcome
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Outcome
from assistant.ports.store import Store
from tests.changes import change


@pytest.fixture
def fast(offered: Proposal) -> Proposal:
    """Open, predicted to gain 3.52x."""
    return _of(offered, "P01", 3.52, created_ms=1)


def test_a_better_edit_of_the_same_text_stays_open(store: Store, fast: Proposal) -> None:
    fresh = _of(fast, "P02", 1.62)
    assert [known.id for known in _better(store, fast, fresh)] == ["P01"]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"before": "another"}, "it was made for another text"),
        ({"kernel": "other()"}, "it edits another kernel"),
        ({"after": "as before"}, "it is the very same edit"),
    ],
)
def test_what_is_not_another_edit_of_the_same_kernel_gives_way(other: dict[str, str], reason: str, store: Store, fast: Proposal) -> None:
    made = _of(fast, "P02", 1.62)
    files = change(fast.path, other.get("before", "a\n"), other.get("after", "P02"))
    fresh = replace(made, files=files, kernel=other.get("kernel", made.kernel))
    old = replace(fast, files=change(fast.path, "a\n", "as before"))
    assert _better(store, old, fresh) == (), reason


def test_a_search_that_goes_on_finds_the_very_edit_that_it_had_offered(store: Store, fast: Proposal) -> None:
    folder = fast.path.parent
    store_and_supersede("J1", store, folder, fast)
    edit = edits_of(fast)[0]
    assert offered_already(store, folder, edit) == fast
    assert offered_already(store, folder, replace(edit, files=change(fast.path, "a\n", "another"))) is None
    store_and_supersede("J1", store, folder, _of(fast, "P03", 4.0))
    assert offered_already(store, folder, edit) is None, "another one took its place"


def test_the_very_edit_of_another_kernel_is_found(store: Store, fast: Proposal) -> None:
    store_and_supersede("J1", store, fast.path.parent, fast)
    edit = edits_of(fast)[0]
    assert offered_for_another_kernel(store, fast.path.parent, edit) is None
    assert offered_for_another_kernel(store, fast.path.parent, replace(edit, kernel="other()")) == fast
    other = replace(edit, kernel="other()", files=change(fast.path, "a\n", "another"))
    assert offered_for_another_kernel(store, fast.path.parent, other) is None


@pytest.mark.parametrize(("ratio", "is_better"), [(3.51, True), (3.52, False), (3.53, False)])
def test_only_an_edit_that_gains_more_stays_open_and_a_better_verdict_is_no_hindrance(
    store: Store, fast: Proposal, ratio: float, is_better: bool
) -> None:
    doubtful = replace(fast.verification, outcome=Outcome.NEEDS_DECISION)
    for fresh in (_of(fast, "P02", ratio), replace(_of(fast, "P02", ratio), verification=doubtful)):
        assert bool(_better(store, fast, fresh)) is is_better


def test_a_faster_edit_with_a_worse_verdict_gives_way(store: Store, fast: Proposal) -> None:
    doubtful = replace(fast, verification=replace(fast.verification, outcome=Outcome.NEEDS_DECISION))
    assert _better(store, doubtful, _of(fast, "P02", 1.62)) == ()


def test_ratios_of_different_measures_are_not_compared(store: Store, fast: Proposal) -> None:
    assert _better(store, fast, _of(fast, "P02", 1.62, method="performance model for a100")) == ()
    measured = _of(fast, "P02", 1.62)
    assert _better(store, fast, replace(measured, comparison=replace(measured.comparison, outcome=SpeedOutcome.FASTER))) == ()


def test_a_search_says_what_became_of_the_open_ones(store: Store, fast: Proposal) -> None:
    folder = fast.path.parent
    assert store_and_supersede("J1", store, folder, fast) == ()
    (kept_open,) = store_and_supersede("J1", store, folder, _of(fast, "P02", 1.62))
    assert kept_open.message.startswith("P01 (PASS, PREDICTED 3.52x) stays open") and kept_open.remedy == "kernelopt show P01"
    told = store_and_supersede("J1", store, folder, _of(fast, "P03", 4.0))
    assert [message.message.partition(",")[0] for message in told] == [f"P03 takes the place of {old}" for old in ("P01", "P02")]
    assert [known.id for known in store.proposals(folder, frozenset({ProposalState.OPEN}))] == ["P03"]


def test_the_open_one_succeeds_whatever_came_later(store: Store, fast: Proposal) -> None:
    for number in (1, 2, 3):
        store.add_proposal(fast.path.parent, _of(fast, f"P0{number}", 1.5, created_ms=number), frozenset({"P02"}))
    store.mark("P03", ProposalState.STALE)
    after = successor(store, store.find_proposal("P01"))
    assert after is not None and after.id == "P02"


def test_where_none_can_be_decided_on_the_newest_of_the_kernel_succeeds(store: Store, fast: Proposal) -> None:
    for number in (1, 2, 3):
        store.add_proposal(fast.path.parent, _of(fast, f"P0{number}", 1.5, created_ms=number))
    store.add_proposal(fast.path.parent, replace(_of(fast, "P04", 1.5, created_ms=4), kernel="other()"))
    store.mark("P03", ProposalState.STALE)
    after = successor(store, store.find_proposal("P01"))
    assert after is not None and after.id == "P03"


def test_nothing_succeeds_the_newest(store: Store, fast: Proposal) -> None:
    store.add_proposal(fast.path.parent, fast)
    assert successor(store, fast) is None


def _of(proposal: Proposal, proposal_id: str, ratio: float, method: str | None = None, created_ms: int = 9) -> Proposal:
    speed = replace(proposal.comparison, ratio=ratio, method=proposal.comparison.method if method is None else method)
    return replace(proposal, id=proposal_id, files=change(proposal.path, "a\n", proposal_id), comparison=speed, created_ms=created_ms)


def _better(store: Store, old: Proposal, fresh: Proposal) -> tuple[Proposal, ...]:
    folder: Path = old.path.parent
    store.add_proposal(folder, old)
    return better_open(store, folder, fresh)
