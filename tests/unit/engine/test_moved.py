"""A kernel that leaves other values by itself and is right together with the rest of its program."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.engine.judge.moved import may_be_moved, right_as_a_whole, right_by_its_sums
from assistant.model.verification import CannotJudge, Label, Outcome, Unjudgeable, Verification, VerificationFinding

WRONG = VerificationFinding("wrong_value", Outcome.FAIL, "out[0] is 1 instead of 2", "k()", 3, None, "out")
OPEN = VerificationFinding("order_dependent", Outcome.NEEDS_DECISION, "sums in another order")
BEYOND = VerificationFinding("out_of_bounds", Outcome.FAIL, "reads beyond the end")
Verdict = Callable[..., Verification]


def test_only_wrong_values_can_be_anothers_work(verdict: Verdict) -> None:
    assert may_be_moved(verdict(Outcome.FAIL, WRONG, OPEN))
    assert not may_be_moved(verdict(Outcome.FAIL, WRONG, BEYOND))
    assert not may_be_moved(verdict(Outcome.NEEDS_DECISION, OPEN))


def test_what_is_right_as_a_whole_is_left_to_a_person(verdict: Verdict) -> None:
    whole = verdict(Outcome.PASS, OPEN, labels=(Label.HOST_CODE,))
    decided = right_as_a_whole(verdict(Outcome.FAIL, OPEN, WRONG), whole, "several kernels are edited")
    moved, other = decided.findings
    assert decided.outcome is moved.outcome is Outcome.NEEDS_DECISION
    assert moved.message.startswith("right only together with the rest of the edit (several kernels are edited)")
    assert moved.message.endswith(WRONG.message) and (moved.code, moved.line, moved.buffer) == ("moved_work", 3, "out")
    assert other == OPEN and set(decided.labels) == {Label.HOST_CODE, Label.ASSUMPTION}


@pytest.mark.parametrize("is_judged", [True, False])
def test_what_is_wrong_or_unknown_as_a_whole_stays_wrong(verdict: Verdict, is_judged: bool) -> None:
    failed = verdict(Outcome.FAIL, WRONG)
    whole = verdict(Outcome.FAIL, WRONG) if is_judged else CannotJudge(next(iter(Unjudgeable)), "", "")
    assert right_as_a_whole(failed, whole, "B adds a fill") is failed


def test_where_blocks_share_the_work_otherwise_the_whole_programs_verdict_stands(verdict: Verdict) -> None:
    whole = verdict(Outcome.PASS, labels=(Label.HOST_CODE,))
    found = right_by_its_sums(verdict(Outcome.FAIL, WRONG), whole, ("partial",))
    assert found.outcome is Outcome.PASS and found.findings == () and found.labels == (Label.HOST_CODE,)
    assert found.missing_checks[-1].startswith(
        "kernel-level replay: B's blocks share the work otherwise, and each leaves a part of partial"
    )
    failed = verdict(Outcome.FAIL, WRONG)
    assert right_by_its_sums(failed, verdict(Outcome.FAIL, BEYOND), ("partial",)) is failed


def test_what_else_was_found_of_the_kernel_is_decided_on_all_the_same(verdict: Verdict) -> None:
    found = right_by_its_sums(verdict(Outcome.FAIL, OPEN, WRONG), verdict(Outcome.PASS), ("partial",))
    assert found.outcome is Outcome.NEEDS_DECISION and found.findings == (OPEN,)
