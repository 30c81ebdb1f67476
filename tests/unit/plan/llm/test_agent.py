"""A model with tools: its turns, what it is told of long answers, and which questions are known again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from assistant.model.completion import Completion, CompletionFailure, FailureKind, ToolCall
from assistant.ports.agent import AgentEnded, AgentTurn, ToolAnswer
from tests.unit.plan.llm.bed import bed, request_of

INSPECT = ToolCall("T1", "inspect", "{}")


def asks(*calls: ToolCall, text: str = "", is_cut: bool = False) -> Completion:
    return Completion(text, "small-2", None, None, is_cut=is_cut, calls=calls)


async def test_a_turn_that_is_cut_off_before_it_asks_for_anything_is_asked_for_again() -> None:
    made = bed([asks(text="I think that", is_cut=True), asks(INSPECT), asks(text="Nothing gains.")])
    conversation = made.planner.agent().begin(request_of(), ())
    turn = await conversation.turn(())
    assert isinstance(turn, AgentTurn) and turn.calls == (INSPECT,) and len(turn.model_calls) == 2
    said = made.provider.requests[1].messages
    assert (said[-2].text, said[-1].author) == ("I think that", "user") and "stopped at the limit of its length" in said[-1].text
    done = await conversation.turn([ToolAnswer(INSPECT, "nothing")])
    assert isinstance(done, AgentTurn) and not done.calls, "what ends by itself is not asked for again"


LATE = CompletionFailure(FailureKind.TIMED_OUT, "sent nothing for 300 s", "raise provider.timeout_s", partial_text="")


@pytest.mark.parametrize(
    ("answers", "asked_count", "is_ended"),
    [
        ([LATE, asks(INSPECT)], 2, False),
        ([LATE, LATE, asks(INSPECT)], 2, True),
        ([replace(LATE, kind=FailureKind.UNREACHABLE), asks(INSPECT)], 2, False),
        ([replace(LATE, kind=FailureKind.UNREACHABLE, partial_text=None), asks(INSPECT)], 1, True),  # the provider has tried again itself
        ([replace(LATE, kind=FailureKind.BLOCKED), asks(INSPECT)], 1, True),
    ],
)
async def test_a_turn_that_breaks_off_or_comes_too_late_is_asked_for_once_more(
    answers: list[Completion | CompletionFailure], asked_count: int, is_ended: bool
) -> None:
    made = bed(answers)
    turn = await made.planner.agent().begin(request_of(), ()).turn(())
    assert isinstance(turn, AgentEnded) is is_ended and len(made.provider.requests) == asked_count


async def test_a_model_that_calls_nothing_at_first_is_reminded_once() -> None:
    made = bed([asks(text="I would tile it."), asks(INSPECT), asks(text="Nothing gains.")])
    conversation = made.planner.agent().begin(request_of(), ())
    turn = await conversation.turn(())
    assert isinstance(turn, AgentTurn) and turn.calls == (INSPECT,) and len(turn.model_calls) == 2
    said = made.provider.requests[1].messages
    assert said[-2].text == "I would tile it." and said[-1].author == "user" and "You called no tool" in said[-1].text
    done = await conversation.turn([ToolAnswer(INSPECT, "nothing")])
    assert isinstance(done, AgentTurn) and not done.calls


async def test_a_model_that_says_twice_that_nothing_gains_is_done() -> None:
    made = bed([asks(text="Nothing gains.")] * 3)
    done = await made.planner.agent().begin(request_of(), ()).turn(())
    assert isinstance(done, AgentTurn) and not done.calls and len(made.provider.requests) == 2


async def test_a_conversation_whose_turns_are_all_cut_off_ends() -> None:
    made = bed([asks(text="Well", is_cut=True)] * 3)
    ended = await made.planner.agent().begin(request_of(), ()).turn(())
    assert isinstance(ended, AgentEnded) and "provider.coder_max_output_tokens" in ended.reason
    assert len(made.provider.requests) == 3


async def test_of_a_long_answer_of_a_tool_beginning_and_end_are_sent_and_what_is_missing_is_said() -> None:
    made = bed([asks(INSPECT), asks()])
    conversation = made.planner.agent().begin(request_of(), ())
    await conversation.turn(())
    await conversation.turn([ToolAnswer(INSPECT, "a" * 9_000 + "b" * 10_000)])
    told = made.provider.requests[1].messages[-1].text
    assert told == "a" * 8_000 + "\n[3,000 characters are left out here]\n" + "b" * 8_000


def large(*calls: ToolCall) -> Completion:
    """A turn with an edit of about 2,000 tokens."""
    return asks(*calls, ToolCall("J", "judge", json.dumps({"technique": "tile", "line": 3, "parts": [{"code": "x = in[i];\n" * 400}]})))


async def test_a_long_conversation_is_kept_to_what_the_model_can_read() -> None:
    made = bed([large(INSPECT)] * 24)
    conversation = made.planner.agent().begin(request_of(), ())
    answers = list[ToolAnswer]()
    for number in range(24):
        await conversation.turn(answers)
        verdict = json.dumps({"candidate": f"C{number}", "outcome": "kept", "counted": ["fact " * 900]})
        answers = [ToolAnswer(INSPECT, "float x = in[i];\n" * 100), ToolAnswer(ToolCall("J", "judge", "{}"), verdict)]
    whole, sent = made.provider.requests[0].messages, made.provider.requests[-1].messages
    assert made.ledger.sent[-1][1] <= 24_000 < made.ledger.sent[1][1] * 23, "without that it grows with every turn"
    assert sent[:2] == whole and len(sent) == 2 + 3 * 23
    assert json.loads(sent[4].text) == {"candidate": "C0", "outcome": "kept", "left_out": "4,555 characters, to save room"}
    assert json.loads(sent[3].text) == {"left_out": "1,700 characters, to save room"}
    assert json.loads(sent[2].calls[1].arguments) == {"technique": "tile", "line": 3, "left_out": "the rest, to save room"}
    assert sent[-6].calls == large(INSPECT).calls and all(len(message.text) > 1_000 for message in sent[-5:-3] + sent[-2:])


async def test_every_turn_is_a_question_of_its_own_whatever_tools_answered() -> None:
    about = list[list[str]]()
    for said in ("C1", "C2"):
        made = bed([asks(INSPECT), asks()])
        conversation = made.planner.agent().begin(request_of(), ())
        await conversation.turn(())
        await conversation.turn([ToolAnswer(INSPECT, said)])
        about.append([request.about for request in made.provider.requests])
    assert about[0] == about[1] and len(set(about[0])) == 2 and all(about[0])


async def test_a_model_that_reads_little_is_never_sent_more() -> None:
    made = bed([large(INSPECT)] * 12, provider={"max_input_tokens": 8_000})
    conversation = made.planner.agent().begin(request_of(), ())
    answers = list[ToolAnswer]()
    for number in range(12):
        turn = await conversation.turn(answers)
        assert isinstance(turn, AgentTurn), turn
        verdict = json.dumps({"candidate": f"C{number}", "outcome": "kept", "counted": ["fact " * 900]})
        answers = [ToolAnswer(INSPECT, "float x = in[i];\n" * 900), ToolAnswer(ToolCall("J", "judge", "{}"), verdict)]
    assert max(tokens for _, tokens, *_ in made.ledger.sent) <= 8_000
    last = made.provider.requests[-1].messages
    assert "float x" in last[-2].text and len(last[-2].text) < 2_000, "the last answer is shortened, and not gone"


async def test_a_conversation_that_cannot_fit_ends_and_says_what_would_help() -> None:
    made = bed([asks(*[INSPECT] * 900)] * 2, provider={"max_input_tokens": 6_500})
    conversation = made.planner.agent().begin(request_of(), ())
    await conversation.turn(())
    ended = await conversation.turn([ToolAnswer(INSPECT, "nothing is known")] * 900)
    assert isinstance(ended, AgentEnded) and "6,500 tokens" in ended.reason and "provider.max_input_tokens" in ended.reason
