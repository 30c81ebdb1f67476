"""A model with tools: its turns, what it is told of long answers, and which questions are known again."""

from __future__ import annotations

from assistant.model.completion import Completion, ToolCall
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


async def test_every_turn_is_a_question_of_its_own_whatever_tools_answered() -> None:
    about = list[list[str]]()
    for said in ("C1", "C2"):
        made = bed([asks(INSPECT), asks()])
        conversation = made.planner.agent().begin(request_of(), ())
        await conversation.turn(())
        await conversation.turn([ToolAnswer(INSPECT, said)])
        about.append([request.about for request in made.provider.requests])
    assert about[0] == about[1] and len(set(about[0])) == 2 and all(about[0])
