"""A model with tools does the job of a search: it looks, has edits judged, repairs them and submits; every claim is the judge's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.cli.harness import Cli, Ended
from tests.e2e.cli.kernels_of_a_model import SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import EXPLANATION, LONG_S, asked_by, outcomes
from tests.endpoint.server import Breaks, Calls, ReceivedRequest, Refuses, Reply, Says, Stalls


class Agent:
    """Answers with the script's turns, and with an explanation where one is asked for; ``told``: what its tools answered."""

    def __init__(self, *turns: Reply | Callable[[list[str]], Reply]) -> None:
        """A turn may be a function of what the tools answered so far."""
        self.turns = list(turns)
        self.told: list[str] = []
        self.tools: set[str] = set()

    def __call__(self, asked: ReceivedRequest) -> Reply:
        if asked.body.get("response_format") is not None:
            return Says(json.dumps(EXPLANATION))
        self.tools |= {tool["function"]["name"] for tool in asked.body["tools"]}
        messages = asked.body["messages"]
        after_last = next((place for place in range(len(messages) - 1, -1, -1) if messages[place]["role"] == "assistant"), len(messages))
        self.told += [message["content"] for message in messages[after_last:] if message["role"] == "tool"]
        turn = self.turns.pop(0)
        return turn(self.told) if callable(turn) else turn


def judge(kernel: str, **more: Any) -> tuple[str, dict[str, Any]]:
    step = {"technique": "shared-tile", "title": "Tile", "line": 11, "finding": "KO101", "rationale": "It should help."}
    edit = {"step": None, "summary": "Stage the tile.", "parts": [{"part": "kernel", "code": kernel}]}
    empty: dict[str, Any] = {"launches": [], "includes": [], "assumptions": [], "risks": [], "tune": [], "constraints": []}
    return "judge", step | edit | empty | more


def ran(cli: Cli, agent: Agent, *options: str, **settings: Any) -> Ended:
    with asked_by(cli, agent, **settings):  # type: ignore[arg-type]  # a script is any function of what was asked
        ended = cli.run("optimize", cli.quick(), "--planner", "agent", "--accept", "none", "--json", *options, deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    return ended


def test_an_agent_inspects_repairs_and_submits_what_the_judge_kept(cli: Cli) -> None:
    broken = TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]")
    agent = Agent(
        Calls((("profile_lines", {}), ("recall", {}), ("dance", {}))),
        Calls((judge(broken),)),
        Calls((judge(TILED_TRANSPOSE),)),
        Calls((("submit", {"candidate": "C0"}),)),
        lambda told: Calls((("submit", {"candidate": json.loads(told[4])["candidate"]}),)),
    )
    ended = ran(cli, agent)
    assert agent.tools == {"judge", "inspect", "profile_lines", "recall", "submit"}
    lines, memory, unknown, build, kept, refused = agent.told
    assert "global store" in lines and "ideal" in lines
    assert memory == "nothing is known"
    assert "there is no tool 'dance'" in unknown
    assert json.loads(build)["outcome"] == "build_failed" and json.loads(build)["compiler"]
    assert json.loads(kept)["time_before_over_time_after"] > 1.01
    assert "was not kept" in refused
    assert outcomes(ended) == ["build_failed", "kept"]
    proposal = ended.one("proposal")
    assert (proposal["verification"]["outcome"], proposal["speed"]["outcome"]) == ("PASS", "PREDICTED")
    assert proposal["model"] == "scripted-1"
    assert ended.all("budget")[-1]["spent"]["call_count"] == 6
    assert {call["role"] for call in ended.all("model_call")} == {"coder", "summariser"}


@pytest.mark.thorough
@pytest.mark.parametrize("killed_at", [2, 1])
def test_a_killed_agent_goes_on_where_it_was(killed: Cli, killed_at: int) -> None:
    """What it was answered is not asked again, and candidates keep the ids that it was told."""
    cli, path = killed, killed.quick()
    broken = TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]")
    first = (Calls((("profile_lines", {}), judge(broken))), Calls((judge(TILED_TRANSPOSE),)))
    submits: list[str] = []

    def submit(told: list[str]) -> Reply:
        submits.append(json.loads(told[-1])["candidate"])
        return Calls((("submit", {"candidate": submits[0]}),))

    agent = Agent(*first, submit)
    with asked_by(cli, agent) as endpoint:  # type: ignore[arg-type]  # a script is any function of what was asked
        options = ("optimize", path, "--planner", "agent", "--accept", "none", "--json")
        process = cli.start(*options)
        assert process.stdout is not None
        seen = 0
        for line in process.stdout:
            seen += json.loads(line)["event"] == "candidate"
            if seen == killed_at:
                break
        process.kill()
        process.communicate()
        asked_count = len(endpoint.asked)
        if asked_count == killed_at + 1:  # the next turn was on its way
            agent.turns.insert(0, (*first, submit)[killed_at])
        ended = cli.run(*options, "--resume", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert len(ended.all("proposal")) == 1
    fresh = [asked for asked in endpoint.asked[asked_count:] if asked.body.get("tools")]
    assert len(fresh) == 3 - killed_at, "a turn that was answered was asked for again"
    told = {event["candidate"] for event in ended.all("candidate")}
    assert submits[-1] in told and len(told) == 2, "a candidate was tried twice"


@pytest.mark.thorough
def test_an_agent_is_bound_by_the_budget_of_the_job(cli: Cli) -> None:
    agent = Agent(*(Calls((("inspect", {}),)) for _ in range(50)))
    ended = ran(cli, agent, "--budget-tokens", "60000")
    assert ended.all("candidate") == [] == ended.all("proposal")
    assert 1 <= len(ended.all("model_call")) < 50
    assert any("the agent ends" in message["message"] for message in ended.all("message"))


@pytest.mark.thorough
def test_what_an_agent_claims_is_not_believed(cli: Cli) -> None:
    agent = Agent(
        Calls((judge(SAME_STORES),), text="This is 10x faster."), Calls((("submit", {"candidate": "C1"}),)), Says("It is 10x faster.")
    )
    ended = ran(cli, agent)
    assert outcomes(ended) == ["not_better"]
    assert ended.all("proposal") == []


def test_calls_that_are_nearly_right_are_carried_out_and_others_answered_in_words(cli: Cli) -> None:
    """Line breaks in strings, trailing commas, single quotes, JSON in a text, a name with its namespace; once the endpoint fails."""
    name, given = judge(TILED_TRANSPOSE)
    loose = json.dumps(given | {"parts": json.dumps(given["parts"])})[:-1] + ",}"
    agent = Agent(
        Calls((("profile_lines", "{'candidate': }"), ("inspect", '{"candidate": "C1"'), ("judge", '{"parts": 7}'))),
        Refuses(500),
        Calls(((f"functions.{name}", loose.replace("\\\\n", "\\n")), ("recall<|channel|>commentary", '"{\\"technique\\": \\"tile\\"}"'))),
        lambda told: Calls((("Submit", "x"), ("submit", f"{{'candidate': '{json.loads(told[-2])['candidate']}',}}"))),
    )
    ended = ran(cli, agent)
    no_object, cut, parts, *again, kept, memory = agent.told
    assert again == [no_object, cut, parts], "the turn that failed was asked for once more"
    assert no_object == cut == "the arguments are no JSON object" and "parts" in parts
    assert json.loads(kept)["outcome"] == "kept" and memory == "nothing is known"
    assert outcomes(ended) == ["unwritten", "kept"]
    assert ended.one("proposal")["verification"]["outcome"] == "PASS"


def test_a_model_that_takes_no_tools_is_told_of_with_what_to_do(cli: Cli) -> None:
    said = "registry.example/llama does not support tools"
    with asked_by(cli, [Refuses(400, said=said)]) as endpoint:  # type: ignore[arg-type]  # a list of replies is a script
        ended = cli.run("optimize", cli.quick(), "--planner", "agent", "--accept", "none", "--json", deadline_s=LONG_S)
    assert len(endpoint.asked) == 1
    (end,) = [message["message"] for message in ended.all("message") if "the agent ends" in message["message"]]
    assert "does not support tools" in end and "--planner llm asks it without" in end


def told_end(ended: Ended) -> str:
    (end,) = [message["message"] for message in ended.all("message") if "the agent ends" in message["message"]]
    return end


def test_an_endpoint_that_asks_to_wait_breaks_off_or_is_late_in_the_middle_is_asked_once_more(cli: Cli) -> None:
    agent = Agent(
        Calls((judge(TILED_TRANSPOSE),)),
        Refuses(429, retry_after_s=0.2),
        Breaks("I thi"),
        Calls((("profile_lines", {}),)),
        Stalls(),
        lambda told: Calls((("submit", {"candidate": json.loads(told[0])["candidate"]}),)),
    )
    ended = ran(cli, agent, provider={"timeout_s": 3})
    assert [call["outcome"] for call in ended.all("model_call")][:5] == ["answered", "unreachable", "answered", "timed_out", "answered"]
    assert outcomes(ended) == ["kept"] and ended.one("proposal")["verification"]["outcome"] == "PASS"
    assert not any("the agent ends" in message["message"] for message in ended.all("message"))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("failure", "words"), [((Stalls(),) * 2, "sent nothing for 2 s"), ((Refuses(429, retry_after_s=0.01),) * 4, "answered 429")]
)
def test_what_was_kept_is_offered_where_the_endpoint_fails_for_good(cli: Cli, failure: tuple[Reply, ...], words: str) -> None:
    agent = Agent(Calls((judge(TILED_TRANSPOSE),)), *failure)
    ended = ran(cli, agent, provider={"timeout_s": 2})
    assert words in told_end(ended) and agent.turns == []
    assert ended.one("proposal")["verification"]["outcome"] == "PASS"


def test_what_was_kept_is_offered_where_the_budget_ends(cli: Cli) -> None:
    """The verdict of an edit that is being judged meanwhile is waited for: it is paid for."""
    agent = Agent(Calls((judge(TILED_TRANSPOSE),), usage=(9_000, 1_000)), Calls((("inspect", {}),)))
    ended = ran(cli, agent, "--budget-tokens", "24000", provider={"max_output_tokens": 4_000})
    assert "leaves no room for the next call" in told_end(ended) and len(agent.turns) == 1
    assert outcomes(ended) == ["kept"] and ended.one("proposal")["verification"]["outcome"] == "PASS"


@pytest.mark.thorough
def test_a_model_that_asks_the_same_again_and_again_is_stopped(cli: Cli) -> None:
    agent = Agent(Calls((judge(TILED_TRANSPOSE),)), *(Calls((("inspect", {}), ("recall", {}))) for _ in range(20)))
    ended = ran(cli, agent)
    assert "repeats calls that were answered" in told_end(ended)
    assert len(ended.all("model_call")) <= 6 and ended.one("proposal")["verification"]["outcome"] == "PASS"
