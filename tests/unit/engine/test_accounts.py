"""The meter of a job: calls are kept, charged and reported; a call that might break a cap is not made."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from assistant.engine.search.accounts import JobAccounts
from assistant.engine.search.earlier_answers import EarlierAnswers
from assistant.model import events
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
from assistant.model.profile import Severity
from assistant.ports.store import Store
from tests.unit.engine.opened_accounts import Open

SERVED = ServedModel(ModelRole.CODER, "openai", "http://localhost/v1", "small", Price(1.0, 1.0))
PLANNER = replace(SERVED, role=ModelRole.PLANNER, endpoint="http://elsewhere/v1", model="large")


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


def test_one_islands_model_that_is_turned_away_or_too_dear_does_not_stop_the_others(opened: Open) -> None:
    other = replace(SERVED, model="other")
    accounts, _ = opened(Caps())
    accounts.begin(Caps(), None, [SERVED, other])
    accounts.record(replace(call("M1", CompletionFailure(FailureKind.QUOTA, "no money", "pay"), Spending(call_count=1)), served=other))
    assert accounts.lasting(other) is not None and accounts.why_no_code is None
    accounts.record(call("M2", CompletionFailure(FailureKind.QUOTA, "none either", "pay"), Spending(call_count=1)))
    assert accounts.why_no_code == "none either"
    dear = replace(other, price=Price(100.0, 100.0))
    accounts, _ = opened(Caps(money_usd=0.10))
    accounts.begin(Caps(money_usd=0.10), None, [dear, SERVED])
    assert accounts.refusal(dear, 2000, 2000) is not None and accounts.refusal(SERVED, 2000, 2000) is None
    assert accounts.why_no_code is None


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


async def test_a_call_waits_while_those_under_way_hold_what_it_may_need(opened: Open) -> None:
    accounts, _ = opened(Caps(token_count=1_000))
    made = call("M1", Completion("{}", "small-2", 100, 100), Spending(0.0, 100, 100, 1))
    await accounts.room(SERVED, 100, 500)
    accounts.sending(replace(made.request, max_output_tokens=500), SERVED, 100)
    waiting = asyncio.create_task(accounts.room(SERVED, 100, 500))
    await asyncio.sleep(0)
    assert not waiting.done(), "600 of 1,000 are held"
    assert accounts.refusal(SERVED, 100, 500) is None, "it is no call for ever"
    accounts.record(made)
    await asyncio.wait_for(waiting, 10)
    assert accounts.spent.token_count == 200


async def test_a_call_that_never_fits_does_not_wait(opened: Open) -> None:
    accounts, _ = opened(Caps(token_count=1_000))
    made = call("M1", Completion("{}", "small-2", 100, 100), Spending(0.0, 100, 100, 1))
    accounts.sending(made.request, SERVED, 100)
    await asyncio.wait_for(accounts.room(SERVED, 100, 5_000), 10)
    assert accounts.refusal(SERVED, 100, 5_000) is not None


def test_answers_of_an_earlier_search_are_given_once_each_in_order(opened: Open) -> None:
    failed = CompletionFailure(FailureKind.TIMED_OUT, "slow", "wait")
    made = [call(name, Completion(name, "small-2", 1, 1), Spending()) for name in ("M1", "M2")]
    earlier = [replace(one, request=replace(one.request, about="plan")) for one in (*made, call("M3", failed, Spending()))]
    answers = EarlierAnswers(earlier)
    given = [answers.taken("plan") for _ in range(3)]
    assert [one and one.request.id for one in given] == ["M1", "M2", None]
    assert answers.taken("code") is None and answers.taken("") is None


def test_an_answer_that_is_taken_up_is_said_to_be_one(opened: Open) -> None:
    made = replace(call("M1", Completion("M1", "small-2", 1, 1), Spending()), job="J0")
    made = replace(made, request=replace(made.request, about="plan"))
    accounts, heard = opened(Caps(), answers=(made,))
    assert accounts.answered(replace(made.request, id="M9")) == made
    (told,) = heard.taken()
    assert isinstance(told, events.Message) and told.message == "takes up the answer to code@1 that J0 was given (M1)"
    assert accounts.answered(replace(made.request, id="M10")) is None and not heard.taken()


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


def test_a_cap_that_ends_no_call_keeps_no_model_from_writing(opened: Open) -> None:
    accounts, _ = opened(Caps(round_count=0))
    assert not accounts.may_begin_round()
    assert (accounts.ended_by, accounts.why_no_code) == ("round_count", None)


@pytest.mark.parametrize(("cap", "words"), [(Caps(token_count=10), "the cap of 10 tokens"), (Caps(money_usd=0.0), "the cap of $0.00")])
def test_a_call_that_a_cap_refuses_says_what_was_spent_and_what_going_on_takes(opened: Open, cap: Caps, words: str) -> None:
    accounts, heard = opened(cap, Spending(0.0, 3, 4, 2))
    refusal = accounts.refusal(SERVED, 5, 6)
    assert refusal is not None
    assert refusal.message == f"{words} leaves no room for the next call: $0.00 for 2 calls, 7 tokens spent"
    assert refusal.remedy is not None and refusal.remedy.startswith("the next call alone ")
    assert accounts.why_no_code == f"{words} leaves no room for a call"
    assert [event.severity for event in heard.taken() if isinstance(event, events.Message)] == [Severity.WARNING]


def test_a_call_that_fits_is_announced(opened: Open) -> None:
    accounts, heard = opened(Caps())
    for served in (SERVED, replace(SERVED, model="")):
        accounts.refusal(served, 1_200, 1)
    said = [event.detail for event in heard.taken() if isinstance(event, events.StageStarted)]
    assert said == [f"{name} at http://localhost/v1: coder, up to 1,200 tokens" for name in ("small", "openai")]


def test_a_call_that_failed_is_reported_with_its_remedy_and_one_that_was_cancelled_is_not(opened: Open) -> None:
    accounts, heard = opened(Caps())
    for kind in (FailureKind.CANCELLED, FailureKind.TIMED_OUT):
        accounts.record(call(f"M{kind}", CompletionFailure(kind, "no answer", "wait"), Spending(call_count=1)))
    told = heard.taken()
    outcomes = [(event.outcome, event.model) for event in told if isinstance(event, events.ModelCalled)]
    assert outcomes == [(CallOutcome.CANCELLED, "small"), (CallOutcome.TIMED_OUT, "small")]
    (message,) = (event for event in told if isinstance(event, events.Message))
    assert (message.message, message.remedy) == ("small did not answer (timed_out): no answer", "wait")


def test_an_answer_that_broke_off_does_not_end_its_endpoint(opened: Open) -> None:
    accounts, _ = opened(Caps())
    broke_off = CompletionFailure(FailureKind.UNREACHABLE, "gone", "start it", partial_text="{")
    accounts.record(call("M1", broke_off, Spending(call_count=1)))
    assert accounts.refusal(SERVED, 1, 1) is None


def test_who_counts_less_than_we_is_reckoned_with_as_we_count(opened: Open) -> None:
    accounts, _ = opened(Caps(token_count=10_000))
    for name, counted in (("M1", 1_500), ("M2", 500)):
        made = call(name, Completion("{}", "small-2", counted, 0), Spending(0.0, counted, 0, 1))
        accounts.sending(made.request, SERVED, 1_000)
        accounts.record(made)
    assert accounts.refusal(SERVED, 5_333, 0) is None  # 1.5 times as many, behind 2,000
    assert accounts.refusal(SERVED, 5_334, 0) is not None


@pytest.mark.parametrize(("counts", "said"), [((900, 100), ""), ((None, None), ""), ((900, 99), "900 + 99"), ((None, 99), "nothing + 99")])
def test_only_counts_that_are_not_what_is_charged_are_doubted(opened: Open, counts: tuple[int | None, int | None], said: str) -> None:
    accounts, heard = opened(Caps())
    accounts.record(call("M1", Completion("{}", "small-2", *counts), Spending(0.1, 900, 100, 1)))
    messages = [event.message for event in heard.taken() if isinstance(event, events.Message)]
    wanted = f"http://localhost/v1 counts {said} tokens for code@1, which cannot be: 900 + 100 are charged, by our own estimate"
    assert messages == ([wanted] if said else [])


def test_pieces_of_an_answer_go_to_who_watches(opened: Open) -> None:
    seen: list[tuple[ModelRole, str]] = []
    for on_writing in (None, lambda role, piece: seen.append((role, piece))):
        accounts, heard = opened(Caps(), on_writing=on_writing)
        accounts.writing(ModelRole.CODER, "int")
        assert heard.taken() == ()
    assert seen == [(ModelRole.CODER, "int")]


def test_calls_are_dated_in_milliseconds_since_1970() -> None:
    before = time.time()
    now = JobAccounts.now_ms()
    assert int(before * 1000) <= now <= time.time() * 1000
