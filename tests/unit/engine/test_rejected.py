"""How long a rejection holds: while kernel, device functions and the edited line stay as they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.proposals.decide import Decider, DecisionRequest
from assistant.engine.proposals.rejected import FoundEdit, edits_of, refusals, rejected_before
from assistant.errors import UsageError
from assistant.model.attempt import OtherFile
from assistant.model.proposal import Decision, DecisionKind, Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.ports.store import Store
from tests.changes import change
from tests.unit.engine.test_resume import attempt

Z = "__global__ void z(float *x) { x[9] = 9; }\n"
F = "__device__ float f(float x) { return x; }\n"
K = "__global__ void k(float *x)\n{\n    x[0] = f(1);\n    x[1] = f(2);\n}\n"
LAUNCH = "void launched() { k<<<1, 32>>>(nullptr); }\n"
BEFORE = Z + F + K + LAUNCH
FIRST, SECOND = BEFORE.replace("f(1)", "f(3)"), BEFORE.replace("f(1)", "f(3)").replace("f(2)", "f(4)")
DAY_MS = int(datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture
def rejected(store: Store, offered: Proposal) -> Proposal:
    """A chain of two steps, turned down."""
    made = replace(offered, path=Path("/w/a.cu"), kernel="k(float *)", files=change(Path("/w/a.cu"), BEFORE, SECOND))
    store.add_proposal(Path("/w"), made)
    for number, line, parent, text in ((1, 6, FIRST, SECOND), (2, 5, BEFORE, FIRST)):
        store.add_attempt(attempt(number, f"t{line}", line, TrialOutcome.KEPT, parent, text))
    store.add_attempt(attempt(3, "t4", 4, TrialOutcome.FAILED, BEFORE, SECOND))
    Decider(store, "a test", DAY_MS).reject(made, DecisionRequest(DecisionKind.REJECTED, reason_code="style"))
    return made


def standing(store: Store, text: str, kernel: str = "k", path: str = "/w/a.cu") -> list[tuple[str, set[int], str]]:
    found = refusals(store, Path("/w"), parse(Source(Path(path), text)), kernel)
    return [(refusal.place.technique, set(refusal.place.lines), refusal.decision.words) for refusal in found]


@pytest.mark.usefixtures("rejected")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (BEFORE, {5}),
        (f"// above\n{BEFORE}", {6}),
        (BEFORE.replace("x[9] = 9", "x[9] = 8"), {5}),
        (BEFORE.replace("<<<1, 32>>>", "<<<2, 32>>>"), {5}),
        (BEFORE.replace("f(2)", "f(5)"), None),
        (BEFORE.replace("return x", "return -x"), None),
        (BEFORE.replace(K, ""), None),
    ],
)
def test_a_rejection_of_a_chain_holds_for_its_first_step_while_the_code_stays(store: Store, text: str, lines: set[int] | None) -> None:
    day = datetime.fromtimestamp(DAY_MS / 1000, tz=UTC).astimezone().strftime("%Y-%m-%d")
    assert standing(store, text) == ([] if lines is None else [("t5", lines, f"P0000000001, rejected on {day}: style")])


@pytest.mark.usefixtures("rejected")
def test_a_rejection_holds_for_its_own_kernel_and_file(store: Store) -> None:
    assert standing(store, BEFORE, "z") == [] == standing(store, BEFORE, path="/w/b.cu")
    assert refusals(store, Path("/elsewhere"), parse(Source(Path("/w/a.cu"), BEFORE)), "k") == ()


def test_a_rejection_in_a_cell_holds_for_each_cell_with_that_code_and_ends_the_same_offer_there(store: Store, offered: Proposal) -> None:
    cells = [Path(f"/w/{name}.ipynb.k.cu") for name in ("lab", "copy")]
    made = [
        replace(offered, id=f"P000000000{number}", path=path, kernel="k(float *)", files=change(path, BEFORE, FIRST))
        for number, path in enumerate((*cells, Path("/w/a.cu")), 1)
    ]
    for proposal in made:
        store.add_proposal(Path("/w"), proposal)
    store.add_attempt(replace(attempt(1, "t5", 5, TrialOutcome.KEPT, BEFORE, FIRST), path=cells[0]))
    decider = Decider(store, "a test", DAY_MS)
    decider.reject(made[0], DecisionRequest(DecisionKind.REJECTED))
    states = [store.find_proposal(proposal.id).state for proposal in made]
    assert states == [ProposalState.REJECTED, ProposalState.SUPERSEDED, ProposalState.OPEN]
    assert [lines for _, lines, _ in standing(store, BEFORE, path=str(cells[1]))] == [{5}]
    assert standing(store, BEFORE) == []
    assert rejected_before(store, Path("/w"), edits_of(made[1])[0]) and not rejected_before(store, Path("/w"), edits_of(made[2])[0])


def test_a_rejection_that_was_taken_back_holds_no_more(store: Store, rejected: Proposal) -> None:
    decider = Decider(store, "a test", DAY_MS)
    assert isinstance(decider.undo(store.find_proposal(rejected.id)), Decision)
    assert store.find_proposal(rejected.id).state is ProposalState.OPEN
    assert standing(store, BEFORE) == []
    with pytest.raises(UsageError, match=r"^.*open; only a rejection can be taken back"):
        decider.reopen(store.find_proposal(rejected.id))


def test_a_launch_that_was_edited_is_its_own_place(store: Store, offered: Proposal) -> None:
    after = BEFORE.replace("<<<1, 32>>>", "<<<1, 64>>>")
    made = replace(offered, path=Path("/w/a.cu"), kernel="k(float *)", files=change(Path("/w/a.cu"), BEFORE, after))
    store.add_proposal(Path("/w"), made)
    store.add_attempt(attempt(1, "block-size", 8, TrialOutcome.KEPT, BEFORE, after))
    Decider(store, "a test", DAY_MS).reject(made, DecisionRequest(DecisionKind.REJECTED))
    assert [place for _, place, _ in standing(store, BEFORE)] == [{8}]
    assert standing(store, BEFORE.replace("<<<1, 32>>>", "<<<2, 32>>>")) == []


def test_a_chain_over_two_files_begins_where_both_were_as_they_are(store: Store, offered: Proposal) -> None:
    run = Path("/w/run.cu")
    files = (*change(Path("/w/a.cu"), BEFORE, SECOND), *change(run, "32\n", "64\n"))
    made = replace(offered, path=Path("/w/a.cu"), kernel="k(float *)", files=files)
    store.add_proposal(Path("/w"), made)
    first = replace(attempt(1, "t5", 5, TrialOutcome.KEPT, BEFORE, FIRST), also=(OtherFile(run, "32\n", "64\n", False),))
    second = replace(attempt(2, "t6", 6, TrialOutcome.KEPT, FIRST, SECOND), also=(OtherFile(run, "64\n", "64\n", True),))
    for kept in (first, second, attempt(3, "t4", 4, TrialOutcome.KEPT, BEFORE, SECOND)):
        store.add_attempt(kept)
    Decider(store, "a test", DAY_MS).reject(made, DecisionRequest(DecisionKind.REJECTED))
    assert [(technique, lines) for technique, lines, _ in standing(store, BEFORE)] == [("t5", {5})]


def test_a_rejection_whose_candidates_memory_has_lost_names_no_place(store: Store, offered: Proposal) -> None:
    made = replace(offered, path=Path("/w/a.cu"), kernel="k(float *)", files=change(Path("/w/a.cu"), BEFORE, SECOND))
    store.add_proposal(Path("/w"), made)
    for number, parent, text in ((1, FIRST, SECOND), (2, SECOND, FIRST)):
        store.add_attempt(attempt(number, "t", 5, TrialOutcome.KEPT, parent, text))
    Decider(store, "a test", DAY_MS).reject(made, DecisionRequest(DecisionKind.REJECTED))
    assert standing(store, BEFORE) == []


def test_the_very_edit_and_no_other_was_rejected_before(store: Store, rejected: Proposal) -> None:
    edit = edits_of(rejected)[0]
    assert edit == FoundEdit(Path("/w/a.cu"), "k(float *)", change(Path("/w/a.cu"), BEFORE, SECOND))
    known = rejected_before(store, Path("/w"), edit)
    assert known is not None and known.words.endswith(": style")
    assert known.taken_back(edit.path) == f"kernelopt undo {rejected.id}"
    assert known.taken_back(Path("/w/lab.ipynb.k.cu")) == f"%kernelopt undo {rejected.id}"
    for other in (
        *(replace(edit, files=change(edit.path, *texts)) for texts in ((BEFORE, FIRST), (FIRST, SECOND))),
        replace(edit, kernel="z(float *)"),
    ):
        assert rejected_before(store, Path("/w"), other) is None
    Decider(store, "a test", DAY_MS).reject(store.find_proposal(rejected.id), DecisionRequest(DecisionKind.REJECTED, reason="later"))
    assert rejected_before(store, Path("/elsewhere"), edit) is None
