"""A question to a model: within the budget, repaired at most twice, recorded however it ends."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from assistant.model.completion import Completion, CompletionFailure, CompletionRequest, FailureKind, ModelRole, Price
from assistant.plan.llm.code.library import load_prompts
from assistant.plan.llm.reading.answers import SUMMARY
from assistant.plan.llm.reading.schemas import SummaryReply
from assistant.plan.llm.talk import Answer, NoAnswer, Talk
from assistant.plan.tokens import estimated_tokens, most_message_tokens
from assistant.ports.provider import OnText
from tests.contracts.fake_model import FakeModel
from tests.unit.plan.llm.bed import Ledger, settings, stamps

GOOD = '{"summary": "Short."}'


async def ask(model: FakeModel, ledger: Ledger, **sections: dict[str, object]) -> Answer[SummaryReply] | NoAnswer:
    library = load_prompts()
    talk = Talk(model, ledger, library, settings(**sections), stamps())
    return await talk.ask(ModelRole.SUMMARISER, library.render("summarise", {"signal": "static", "text": "loops"}), SUMMARY)


async def test_an_answer_comes_with_its_model_and_call() -> None:
    provider, ledger = FakeModel([GOOD]), Ledger()
    answer = await ask(provider, ledger, provider={"temperature": 0.2, "seed": 7, "max_output_tokens": 500})
    assert isinstance(answer, Answer)
    assert (answer.value, answer.model, answer.calls) == (SummaryReply(summary="Short."), "small-2", ("M1",))
    request = provider.requests[0]
    assert (request.prompt, request.temperature, request.seed, request.max_output_tokens) == ("summarise@1", 0.2, 7, 500)
    assert [message.author for message in request.messages] == ["system", "user"]
    assert ledger.pieces == [GOOD]


async def test_a_malformed_answer_is_repaired_in_the_same_conversation() -> None:
    provider, ledger = FakeModel(["Sorry.", GOOD]), Ledger()
    answer = await ask(provider, ledger)
    assert isinstance(answer, Answer)
    assert answer.calls == ("M1", "M2")
    repair = provider.requests[1]
    assert repair.prompt == "repair-reply@2"
    assert [message.author for message in repair.messages] == ["system", "user", "assistant", "user"]
    assert "holds no JSON object" in repair.messages[-1].text


async def test_bytes_that_are_no_utf_8_are_sent_as_characters() -> None:
    provider, library = FakeModel([GOOD]), load_prompts()
    prompt = library.render("summarise", {"signal": "static", "text": "// Gr\udcf6\udcdfe"})
    await Talk(provider, Ledger(), library, settings(), stamps()).ask(ModelRole.SUMMARISER, prompt, SUMMARY)
    assert "// Größe" in provider.requests[0].messages[-1].text


async def test_there_are_two_repairs_at_most() -> None:
    provider, ledger = FakeModel(["one", "two", "three", GOOD]), Ledger()
    answer = await ask(provider, ledger)
    assert isinstance(answer, NoAnswer)
    assert answer.failure.kind is FailureKind.BAD_REPLY
    assert answer.calls == ("M1", "M2", "M3")
    assert [call.request.id for call in ledger.calls] == ["M1", "M2", "M3"]


async def test_an_answer_that_was_cut_is_asked_for_shorter() -> None:
    provider, ledger = FakeModel([Completion('{"summary": "a', "small-2", 10, 20, is_cut=True), GOOD]), Ledger()
    assert isinstance(await ask(provider, ledger), Answer)
    assert "stopped at the limit of its length" in provider.requests[1].messages[-1].text


async def test_a_megabyte_is_not_sent_back() -> None:
    provider, ledger = FakeModel(["x" * (1 << 20), GOOD]), Ledger()
    assert isinstance(await ask(provider, ledger), Answer)
    assert provider.requests[1].messages[2].text == "x" * 30_000 + "\n[…]\n" + "x" * 30_000


async def test_a_malformed_answer_is_sent_back_whole() -> None:
    long = "no JSON " + "x" * 20_000
    provider = FakeModel([long, GOOD])
    await ask(provider, Ledger())
    assert provider.requests[1].messages[2].text == long


async def test_an_answer_of_the_search_that_this_one_goes_on_with_is_not_asked_for_again() -> None:
    provider, ledger = FakeModel(["Sorry.", GOOD]), Ledger()
    first = await ask(provider, ledger)
    again = Ledger(earlier=list(ledger.calls))
    second = await ask(FakeModel([]), again)
    assert second == first and again.calls == [] and isinstance(second, Answer) and second.calls == ("M1", "M2")


async def test_each_role_may_have_answers_of_its_own_length() -> None:
    provider, ledger = FakeModel([GOOD]), Ledger()
    await ask(provider, ledger, provider={"max_output_tokens": 500, "summariser_max_output_tokens": 64_000})
    assert provider.requests[0].max_output_tokens == 64_000


@pytest.mark.parametrize(("kind", "at_once"), [("openai", 3), ("manual", 1), ("editor", 1)])
async def test_as_many_questions_are_asked_at_once_as_the_settings_and_the_kind_of_provider_allow(kind: str, at_once: int) -> None:
    provider = _Counting([])
    talk = Talk(provider, Ledger(), load_prompts(), settings(provider={"kind": kind, "calls_in_flight": 3}), stamps())
    prompt = load_prompts().render("summarise", {"signal": "static", "text": "loops"})
    await asyncio.gather(*(talk.ask(ModelRole.SUMMARISER, prompt, SUMMARY) for _ in range(6)))
    assert provider.most == at_once


class _Counting(FakeModel):
    """Notes how many questions are open at once."""

    most = 0
    _open = 0

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        self._open += 1
        self.most = max(self.most, self._open)
        await asyncio.sleep(0)
        self._open -= 1
        return Completion(GOOD, "small-2", None, None)


async def test_a_call_that_the_budget_does_not_allow_is_not_made() -> None:
    provider, ledger = FakeModel(["Sorry.", GOOD]), Ledger(allowed_count=1)
    answer = await ask(provider, ledger)
    assert isinstance(answer, NoAnswer)
    assert (answer.failure.kind, answer.calls) == (FailureKind.OVER_BUDGET, ("M1",))
    assert len(provider.requests) == 1


async def test_a_failure_is_recorded_and_not_asked_again() -> None:
    failure = CompletionFailure(FailureKind.NO_KEY, "no key", "set it")
    provider, ledger = FakeModel([failure]), Ledger()
    assert await ask(provider, ledger) == NoAnswer(failure, ("M1",))
    assert ledger.calls[0].answer == failure
    assert ledger.calls[0].spending.token_count == 0


async def test_what_the_endpoint_counts_is_charged_by_the_users_prices() -> None:
    provider, ledger = FakeModel([Completion(GOOD, "small-2", 400, 500)], Price(0.5, 4.0)), Ledger()
    await ask(provider, ledger)
    call = ledger.calls[0]
    assert (call.spending.money_usd, call.spending.input_token_count, call.spending.output_token_count) == (0.0022, 400, 500)
    assert not call.is_counted_here


@pytest.mark.parametrize("told", [(0, 0), (10**30, 10**30)])
async def test_a_count_that_cannot_be_is_not_believed(told: tuple[int, int]) -> None:
    provider, ledger = FakeModel([Completion(GOOD, "small-2", *told)]), Ledger()
    await ask(provider, ledger)
    call, estimated = ledger.calls[0], ledger.sent[0][1]
    assert call.is_counted_here
    assert estimated <= call.spending.input_token_count <= 4 * estimated + 1000
    assert 3 <= call.spending.output_token_count <= 16_384


async def test_a_call_is_noted_with_its_schema_before_it_is_sent() -> None:
    provider, ledger = FakeModel([CompletionFailure(FailureKind.NO_KEY, "no key", "set it")]), Ledger()
    await ask(provider, ledger)
    request = provider.requests[0]
    assert request.reply is not None
    counted = most_message_tokens(request.messages) + estimated_tokens(request.reply.json_schema)
    assert ledger.sent == [("M1", counted)]


async def test_what_the_endpoint_does_not_count_is_estimated() -> None:
    provider, ledger = FakeModel([GOOD]), Ledger()
    await ask(provider, ledger)
    spending = ledger.calls[0].spending
    assert ledger.calls[0].is_counted_here
    assert spending.input_token_count > 100 and 3 <= spending.output_token_count <= 20
    assert spending.money_usd is None


async def test_what_had_come_before_a_failure_is_charged() -> None:
    provider, ledger = FakeModel([CompletionFailure(FailureKind.TIMED_OUT, "slow", "wait", "half an answer")], Price(1.0, 1.0)), Ledger()
    await ask(provider, ledger)
    assert ledger.calls[0].spending.output_token_count > 0
    assert ledger.calls[0].spending.money_usd


class _Endless(FakeModel):
    """Begins to answer and never ends."""

    begun = asyncio.Event()

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        on_text("begun")
        self.begun.set()
        await asyncio.Event().wait()
        raise AssertionError


async def test_a_cancelled_call_is_recorded_with_what_had_come() -> None:
    provider, ledger = _Endless([]), Ledger()
    task = asyncio.create_task(ask(provider, ledger))
    await provider.begun.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    answer = ledger.calls[0].answer
    assert isinstance(answer, CompletionFailure)
    assert (answer.kind, answer.partial_text) == (FailureKind.CANCELLED, "begun")
