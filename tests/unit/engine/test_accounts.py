"""The meter of a job: calls are kept, charged and reported; a call that might break a cap is not made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.build.architectures import architecture
from assistant.engine.job import Job
from assistant.engine.request import JobRequest
from assistant.engine.search.accounts import JobAccounts
from assistant.lab.cpu import CpuLab
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.attempt import JobRow
from assistant.model.completion import (
    CallOutcome,
    Caps,
    Completion,
    CompletionFailure,
    CompletionRequest,
    FailureKind,
    ModelCall,
    ModelRole,
    Price,
    ServedModel,
    Spending,
)
from assistant.ports.lab import RunLimits
from assistant.ports.store import Store
from tests.unit.engine.heard import Heard

SERVED = ServedModel(ModelRole.CODER, "openai", "http://localhost/v1", "small", Price(1.0, 1.0))
PLANNER = replace(SERVED, role=ModelRole.PLANNER, endpoint="http://elsewhere/v1", model="large")
Open = Callable[..., tuple[JobAccounts, Heard]]


@pytest.fixture
def opened(tmp_path: Path, store: Store) -> Open:
    def make(caps: Caps, spent: Spending | None = None) -> tuple[JobAccounts, Heard]:
        """The accounts of a new job, and what it reports."""
        limits, request = architecture("sm_90"), JobRequest(tmp_path / "k.cu", tmp_path)
        assert limits is not None
        heard = Heard()
        job = Job("J1", request, CpuLab(tmp_path, tmp_path, "h200"), target("h200"), limits, tmp_path, (), RunLimits(), heard)
        store.start_job(JobRow("J1", "optimize", request.file, tmp_path, "host 1 test", 1, 1, None, None, False))
        return JobAccounts(job, store, caps, None, spent, " --planner llm"), heard

    return make


def call(name: str, answer: Completion | CompletionFailure, spending: Spending) -> ModelCall:
    request = CompletionRequest(name, ModelRole.CODER, "code@1", (), 100)
    return ModelCall(request, "J1", SERVED, answer, 1, 20, spending, is_counted_here=False)


def test_a_call_is_kept_charged_and_reported(opened: Open, store: Store) -> None:
    accounts, heard = opened(Caps())
    made = call("M1", Completion("{}", "small-2", 900, 100), Spending(0.001, 900, 100, 1))
    accounts.record(made)
    assert store.model_calls("J1") == (made,)
    called, budget = heard.taken()
    assert isinstance(called, events.ModelCalled)
    assert (called.outcome, called.model, called.input_token_count, called.output_token_count) == (
        CallOutcome.ANSWERED,
        "small-2",
        900,
        100,
    )
    assert isinstance(budget, events.BudgetSpent)
    assert budget.spent == accounts.spent == Spending(0.001, 900, 100, 1)


def test_each_failure_is_the_outcome_of_a_call() -> None:
    assert set(CallOutcome) == {"answered", *FailureKind}


def test_a_call_that_might_break_the_cap_is_refused_once_and_for_all(opened: Open) -> None:
    accounts, heard = opened(Caps(money_usd=0.01))
    assert accounts.refusal(SERVED, 5_000, 5_000) is None
    assert accounts.why_no_code is None
    heard.taken()
    refusals = [accounts.refusal(SERVED, 5_000, 5_001) for _ in range(2)]
    assert all(refusal is not None and refusal.kind is FailureKind.OVER_BUDGET for refusal in refusals)
    assert accounts.ended_by == "money_usd"
    assert accounts.why_no_code == "the cap of $0.01 leaves no room for a call"
    message, budget = heard.taken()
    assert isinstance(message, events.Message)
    assert "kernelopt optimize k.cu --planner llm --resume --budget-usd 0.02" in (message.remedy or "")
    assert isinstance(budget, events.BudgetSpent)
    assert budget.ended_by == "money_usd"


@pytest.mark.parametrize(
    ("kind", "lasts"), [(FailureKind.FORBIDDEN, True), (FailureKind.UNREACHABLE, True), (FailureKind.TIMED_OUT, False)]
)
def test_an_endpoint_that_turned_us_away_for_good_is_not_asked_again(opened: Open, kind: FailureKind, lasts: bool) -> None:
    accounts, _ = opened(Caps())
    accounts.record(call("M1", CompletionFailure(kind, "no", "fix it"), Spending(call_count=1)))
    refusal = accounts.refusal(SERVED, 1, 1)
    assert (refusal is not None) == lasts
    assert accounts.why_no_code == ("no" if lasts else None)


def test_a_dead_endpoint_ends_only_its_own_role(opened: Open) -> None:
    accounts, _ = opened(Caps())
    assert accounts.refusal(SERVED, 1, 1) is None
    gone = call("M1", CompletionFailure(FailureKind.UNREACHABLE, "gone", "start it"), Spending(call_count=1))
    accounts.record(replace(gone, served=PLANNER))
    assert accounts.refusal(PLANNER, 1, 1) is not None
    assert accounts.refusal(replace(PLANNER, model="another"), 1, 1) is not None
    assert (accounts.refusal(SERVED, 1, 1), accounts.why_no_code) == (None, None)


def test_a_model_that_is_not_there_ends_no_other_at_its_endpoint(opened: Open) -> None:
    accounts, _ = opened(Caps())
    accounts.record(
        replace(call("M1", CompletionFailure(FailureKind.NO_MODEL, "no such model", "name another"), Spending()), served=PLANNER)
    )
    assert accounts.refusal(PLANNER, 1, 1) is not None
    assert accounts.refusal(replace(PLANNER, model="another"), 1, 1) is None


def test_a_call_is_in_memory_before_it_is_sent(opened: Open, store: Store) -> None:
    accounts, _ = opened(Caps())
    made = call("M1", Completion("{}", "small-2", 900, 100), Spending(0.001, 900, 100, 1))
    accounts.sending(made.request, SERVED, 900)
    (sent,) = store.unanswered_calls("J1")
    assert (sent.id, sent.at_most) == ("M1", Spending(pytest.approx(0.001), 900, 100, 1))
    accounts.record(made)
    assert store.unanswered_calls("J1") == ()


def test_who_counts_more_than_we_is_reckoned_with(opened: Open) -> None:
    accounts, _ = opened(Caps(token_count=10_000))
    made = call("M1", Completion("{}", "small-2", 2_000, 0), Spending(0.0, 2_000, 0, 1))
    accounts.sending(made.request, SERVED, 1_000)
    accounts.record(made)
    assert accounts.refusal(SERVED, 4_000, 0) is None
    assert accounts.refusal(SERVED, 4_001, 0) is not None


def test_a_count_that_cannot_be_is_reported_once(opened: Open) -> None:
    accounts, heard = opened(Caps())
    for name in ("M1", "M2"):
        accounts.record(call(name, Completion("{}", "small-2", 10**30, 3), Spending(0.1, 4_600, 3, 1)))
    (told,) = (event for event in heard.taken() if isinstance(event, events.Message))
    assert told.message.startswith(
        "http://localhost/v1 counts more than 1,000,000,000,000 + 3 tokens for code@1, which cannot be: 4,600 + 3"
    )


def test_a_search_that_goes_on_counts_what_was_spent_before(opened: Open) -> None:
    accounts, heard = opened(Caps(token_count=10_000), Spending(None, 8_000, 1_000, 4))
    accounts.begin(Caps(token_count=10_000), Spending(None, 1, 1, 1))
    assert accounts.refusal(SERVED, 500, 501) is not None
    first = heard.taken()[0]
    assert isinstance(first, events.BudgetSpent)
    assert first.estimate == Spending(None, 1, 1, 1)


def test_rounds_are_counted_over_all_kernels(opened: Open) -> None:
    accounts, heard = opened(Caps(round_count=2))
    assert [accounts.may_begin_round() for _ in range(3)] == [True, True, False]
    assert accounts.ended_by == "round_count"
    meter = [event.spent.round_count for event in heard.taken() if isinstance(event, events.BudgetSpent)]
    assert meter == [1, 2, 2]


def test_an_emulator_costs_no_gpu_time(opened: Open) -> None:
    accounts, _ = opened(Caps(gpu_s=0.0001))
    with accounts.holding_gpu():
        pass
    assert accounts.spent.gpu_s == 0.0
