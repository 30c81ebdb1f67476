"""The search by a model that works with tools: what each call answers, what of it is tried and kept, and when it ends."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.request import CandidateRules
from assistant.engine.search.parallel_trials import ParallelTrials
from assistant.engine.search.planning import SearchCallbacks
from assistant.model import events
from assistant.model.completion import ToolCall, ToolSpec
from assistant.model.plan import Origin, Rewrite, Step, Tunable
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.ports.agent import AgentEnded, AgentTurn, ToolAnswer, WrittenEdit
from assistant.ports.planner import PlanRequest
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine.scripted import Scripted, Search
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT
from tests.unit.engine.test_search import KERNELS, WITH_VALUE, WORKLOAD, turned

WIDER = RIGHT.replace("[33]", "[34]")
UNKNOWN = NAIVE.replace("out[x * n + y]", "out[x * m + y]")
HOST = RIGHT.replace("int x", 'system("touch ran");    int x')
IN_VAIN = "the agent ends: it repeats calls that were answered"
Said = dict[str, Any]
Calls = list[tuple[str, Said]]
"""Of a turn: tools, each with its arguments."""


@dataclass
class ScriptedAgent:
    """Implements ``Agent``: asks for the calls of each turn, which may depend on the candidates judged so far."""

    turns: Sequence[Calls | AgentEnded | Callable[[list[str]], Calls]]
    name: str = "agent"
    answers: list[str] = field(default_factory=list[str])
    tools: Sequence[ToolSpec] = ()

    @property
    def candidates(self) -> list[str]:
        return [json.loads(text)["candidate"] for text in self.answers if '"candidate"' in text]

    def begin(self, request: PlanRequest, tools: Sequence[ToolSpec]) -> ScriptedConversation:
        self.tools = tools
        return ScriptedConversation(self, request, iter(self.turns))


@dataclass
class ScriptedConversation:
    agent: ScriptedAgent
    request: PlanRequest
    left: Any

    async def turn(self, answers: Sequence[ToolAnswer]) -> AgentTurn | AgentEnded:
        self.agent.answers += [answer.text for answer in answers]
        turn = next(self.left, [])
        if isinstance(turn, AgentEnded):
            return turn
        calls = turn(self.agent.candidates) if callable(turn) else turn
        return AgentTurn(tuple(ToolCall(f"T{n}", name, json.dumps(given)) for n, (name, given) in enumerate(calls)), "", ("M1",))

    def edit(self, call: ToolCall) -> WrittenEdit | str:
        given = json.loads(call.arguments)
        if "text" not in given:
            return "the edit has no text"
        kernel = self.request.kernel
        step = Step(given.get("technique", "tile"), kernel.key, kernel.line, "because", (), "KO101", (), 1.0, planner="llm:small")
        labels, edits = tuple(map(Label, given.get("labels", ()))), (TextEdit(kernel.span, given["text"]),)
        tunables = (Tunable("PAD", tuple(given["tune"])),) if "tune" in given else ()
        made = Rewrite(step.technique, step.kernel, step.line, edits, "Do it.", labels, origin=Origin("small", ("M1",)), tunables=tunables)
        return WrittenEdit(step, made)


def judge(text: str, **more: object) -> tuple[str, Said]:
    return "judge", {"text": text, **more}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


def searching(tmp_path: Path, *turns: Any, **more: Any) -> tuple[Search, ScriptedAgent]:
    agent = ScriptedAgent(turns)
    return Search(tmp_path, Scripted([]), agent=agent, **more), agent


async def test_what_the_agent_submits_is_offered_first_whatever_else_gains_more(tmp_path: Path) -> None:
    on, agent = searching(
        tmp_path, [judge(RIGHT), judge(WIDER, technique="wider")], lambda ids: [("submit", {"candidate": ids[0]})], [judge(WITH_VALUE)]
    )
    assert await on.run() == [("tile", "kept"), ("wider", "kept")]
    assert on.offered == [("tile",)] and [tool.name for tool in agent.tools] == ["inspect", "profile_lines", "recall", "submit"]
    assert not any(words.startswith("turn: the agent") for words in on.said)
    assert {attempt.outcome.value for attempt in on.store.attempts()} == {"kept"} and len(on.store.attempts()) == 2


@pytest.mark.parametrize("is_first", [True, False])
async def test_where_what_was_submitted_does_not_hold_another_that_was_kept_is_offered(tmp_path: Path, is_first: bool) -> None:
    text = f"{WORKLOAD.replace('n = 160', 'n = 64')}\n{NAIVE}\n"
    judged = [judge(RIGHT), judge(ONLY_FOR_MULTIPLES_OF_32, technique="rash")]
    on, _ = searching(tmp_path, judged, lambda ids: [("submit", {"candidate": ids[0 if is_first else 1]})], text=text)
    on.planner.repairs = [None]
    assert await on.run() == [("tile", "kept"), ("rash", "kept")]
    assert on.offered == [("tile",)]
    assert any("failed its confirmation" in words for words in on.said) is not is_first


async def test_what_asks_for_no_decision_is_an_alternative_to_what_was_submitted(tmp_path: Path) -> None:
    kernels = {"[34]": Behaviour(turned, sectors=4), "[33]": Behaviour(turned, sectors=6), **KERNELS}
    judged = [judge(RIGHT), judge(WIDER, technique="wider", labels=["precision"])]
    on, _ = searching(tmp_path, judged, lambda ids: [("submit", {"candidate": ids[1]})], kernels=kernels)
    await on.run(allowed=("precision",))
    (made,) = on.all(events.ProposalMade)
    assert {made.techniques, *(other.techniques for other in made.alternatives)} == {("tile",), ("wider",)}


async def test_without_a_submission_the_best_that_was_kept_is_offered(tmp_path: Path) -> None:
    on, _ = searching(tmp_path, [judge(RIGHT)], [judge(WIDER, technique="wider")])
    await on.run()
    assert on.offered == [("wider",)] and "turn: the agent asks for nothing more" in on.said


async def test_the_verdict_tells_the_ratio_what_was_counted_and_what_is_wrong(tmp_path: Path) -> None:
    text = f"{WORKLOAD.replace('n = 160', 'n = 64')}\n{NAIVE}\n"
    kernels = {"out[0]": Behaviour(lambda out, values, n: None, sectors=3), **KERNELS}
    nothing = RIGHT.replace("out[oy * n + ox]", "out[0]")
    on, agent = searching(tmp_path, [judge(RIGHT)], [judge(UNKNOWN)], [judge(nothing)], [], text=text, kernels=kernels)
    await on.run()
    right, unknown, wrong = (json.loads(answer) for answer in agent.answers)
    assert (right["outcome"], right["time_before_over_time_after"]) == ("kept", pytest.approx(1.26, abs=0.2))
    assert any(fact.startswith("line ") and "global_sectors" in fact for fact in right["counted"]) and "wrong" not in right
    assert unknown["outcome"] == "build_failed" and "time_before_over_time_after" not in unknown and "counted" not in unknown
    assert unknown["compiler"] == ["line 10: turn is in no table"]
    assert wrong["outcome"] == "failed" and wrong["wrong"][0].startswith("not_written: out[0] at n=64: ")
    assert any("(expected " in found and ", got " in found for found in wrong["wrong"])


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (("submit", {"candidate": "C9"}), "that candidate was not kept; submit one whose outcome is kept"),
        (("submit", {}), "that candidate was not kept; submit one whose outcome is kept"),
        (("inspect", {"candidate": "C9"}), "there is no candidate 'C9'"),
        (("recall", {}), "nothing is known"),
        (("compile", {}), "there is no tool 'compile'; there are judge, inspect, profile_lines, recall, submit"),
        (("x" * 60, {}), f"there is no tool '{'x' * 40}'; there are judge, inspect, profile_lines, recall, submit"),
    ],
)
async def test_calls_that_cannot_be_answered_say_why(tmp_path: Path, call: tuple[str, Said], answer: str) -> None:
    on, agent = searching(tmp_path, [call], [])
    assert await on.run() == [] and agent.answers == [answer]


async def test_an_edit_that_cannot_be_made_is_an_event(tmp_path: Path) -> None:
    on, agent = searching(tmp_path, [("judge", {"technique": "tile"}), ("judge", {})], [])
    assert await on.run() == [("tile", "unwritten"), ("rewrite", "unwritten")]
    assert agent.answers == on.reasons == ["the edit has no text"] * 2


async def test_a_search_that_goes_on_knows_candidates_by_the_ids_that_its_agent_was_told(tmp_path: Path) -> None:
    on, agent = searching(tmp_path, [judge(UNKNOWN), judge(RIGHT), judge(WIDER, technique="wider")])
    assert await on.run(stop_after=3) == [("tile", "build_failed"), ("tile", "kept"), ("wider", "kept")]
    tried = {attempt.id for attempt in on.store.attempts()}
    right = next(attempt.id for attempt in on.store.attempts() if (attempt.technique, attempt.outcome.value) == ("tile", "kept"))
    agent.turns = [[judge(UNKNOWN), judge(RIGHT), judge(WIDER, technique="wider")], [("submit", {"candidate": right})]]
    agent.answers.clear()
    await on.run(is_resumed=True)
    assert set(agent.candidates) == tried == {attempt.id for attempt in on.store.attempts()}
    assert on.offered == [("tile",)] and agent.answers[-1].startswith("{"), "the submission ends it"


@pytest.mark.parametrize("arguments", ["[1]", "{", "7"])
async def test_arguments_that_are_no_object_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str) -> None:
    on, agent = searching(tmp_path, [("inspect", {})], [])
    monkeypatch.setattr(json, "dumps", lambda given, dumps=json.dumps, **more: arguments if given == {} else dumps(given, **more))
    await on.run()
    assert agent.answers == ["the arguments are no JSON object"]


async def test_code_and_counters_are_of_the_present_code_or_of_a_candidate(tmp_path: Path) -> None:
    on, agent = searching(
        tmp_path,
        [("inspect", {}), ("profile_lines", {}), judge(RIGHT)],
        lambda ids: [("inspect", {"candidate": ids[0]}), ("profile_lines", {"candidate": ids[0]})],
        [],
    )
    await on.run()
    before, lines, _, after, lines_after = agent.answers
    assert "10 | __global__ void turn" in before and "tile[32][33]" not in before and "tile[32][33]" in after
    about = json.loads(before.split("\n\n")[-1])
    assert any(found.startswith("KO101 line ") for found in about["findings"]) and about["evidence"]
    assert about["resources"][0].endswith(": 32 registers, 0 bytes of static shared memory, 0 bytes spilled (ptxas, sm_90)")
    assert re.match(r"one launch of grid \(2, 2, 1\), block \(32, 32, 1\), by ", lines)
    counted = [int(found.replace(",", "")) for text in (lines, lines_after) for found in re.findall(r"([\d,]+) sectors", text)]
    assert len(counted) >= 2 and max(counted) > min(counted)


async def test_the_same_edit_is_not_judged_twice(tmp_path: Path) -> None:
    spaced = RIGHT.replace("int x", "int  x")
    on, agent = searching(tmp_path, [judge(RIGHT)], [judge(RIGHT), judge(spaced)], [])
    assert await on.run() == [("tile", "kept"), ("tile", "duplicate"), ("tile", "duplicate")]
    assert agent.answers[1:] == [f"it is the same as {agent.candidates[0]}"] * 2


async def test_an_edit_is_not_tuned_twice_and_the_verdict_tells_the_numbers_that_were_chosen(tmp_path: Path) -> None:
    tuned = judge(
        RIGHT.replace("    __shared__ float tile[32][33]", "    constexpr int PAD = 0;\n    __shared__ float tile[32][32 + PAD]"),
        tune=[0, 1],
    )
    kernels = {"PAD = 0;": Behaviour(turned, sectors=16), "PAD = 1;": Behaviour(turned, sectors=4), **KERNELS}
    on, agent = searching(tmp_path, [tuned], [tuned], [], kernels=kernels)
    assert await on.run() == [("tile", "kept"), ("tile", "duplicate")]
    assert len(on.all(events.TuningEnded)) == 1 and agent.answers[1] == f"it is the same as {agent.candidates[0]}"
    assert json.loads(agent.answers[0])["numbers_chosen_by_tuning"] == {"PAD": 1}


@pytest.mark.parametrize(("is_allowed", "outcome"), [(False, "not_allowed"), (True, None)])
async def test_host_code_is_judged_only_where_it_is_allowed(tmp_path: Path, is_allowed: bool, outcome: str | None) -> None:
    asked = list[str]()

    async def allow(name: str) -> bool:
        asked.append(name)
        return is_allowed

    on, agent = searching(tmp_path, [judge(HOST)], [])
    tried = await on.run(asked=SearchCallbacks(host_code=allow), may_edit_host_code=None)
    assert len(asked) == 1 and (tried[0][1] == "not_allowed") is (outcome == "not_allowed")
    assert ("not allowed: keep to the kernel" in agent.answers[0]) is not is_allowed


async def test_an_edit_is_held_to_a_persons_rules_before_it_may_be_submitted(tmp_path: Path) -> None:
    on, agent = searching(tmp_path, [judge(RIGHT)], lambda ids: [("submit", {"candidate": ids[0]})], [])
    assert await on.run(rules=CandidateRules(max_registers=1)) == [("tile", "constrained")]
    assert json.loads(agent.answers[0])["outcome"] == "constrained" and "was not kept" in agent.answers[1]
    assert on.offered == [] and [attempt.outcome.value for attempt in on.store.attempts()] == ["kept"], "memory keeps how it fared"


async def test_what_the_rules_forbid_is_not_judged(tmp_path: Path) -> None:
    on, agent = searching(tmp_path, [judge(RIGHT)], [])
    assert await on.run(rules=CandidateRules(excluded_techniques=frozenset({"tile"}))) == [("tile", "constrained")]
    assert agent.answers == on.reasons


@pytest.mark.parametrize(
    ("turns", "settings", "words"),
    [
        ([AgentEnded("its budget is spent")], "", "turn: the agent ends: its budget is spent"),
        ([AgentEnded("x" * 300)], "", f"turn: {('the agent ends: ' + 'x' * 300)[:200]}"),
        ([[("recall", {})]] * 3, "agent_turns = 2\n", "turn: the agent ends after 2 turns"),
        ([[judge(RIGHT)], [judge(WIDER)]], "", "turn: the agent ends: no further candidate may be tried"),
        ([[("recall", {}), ("inspect", {})], *[[("inspect", {})], [("recall", {})]] * 9], "", f"turn: {IN_VAIN}"),
    ],
)
async def test_the_conversation_says_why_it_ends(tmp_path: Path, turns: list[Any], settings: str, words: str) -> None:
    on, _ = searching(tmp_path, *turns, settings=settings)
    await on.run(max_candidates=1)
    assert words in on.said


async def test_what_was_asked_for_before_may_be_asked_for_again_between_other_things(tmp_path: Path) -> None:
    looks = [("inspect", {})], [("recall", {})], [("inspect", {})]
    on, agent = searching(tmp_path, *looks, [judge(RIGHT)], *looks[:2], [judge(WIDER, technique="wider")], *looks, [judge(UNKNOWN)])
    assert await on.run() == [("tile", "kept"), ("wider", "kept")]
    assert f"turn: {IN_VAIN}" in on.said and len(agent.answers) == 9, "three in a row ask for nothing new"


async def test_the_first_of_two_submissions_counts(tmp_path: Path) -> None:
    on, _ = searching(
        tmp_path,
        [judge(RIGHT), judge(WIDER, technique="wider")],
        lambda ids: [("submit", {"candidate": "C0"}), *(("submit", {"candidate": each}) for each in ids)],
    )
    await on.run()
    assert on.offered == [("tile",)]


async def test_one_turn_tries_no_more_candidates_than_may_be_tried(tmp_path: Path) -> None:
    on, _ = searching(tmp_path, [judge(RIGHT), judge(WIDER, technique="wider"), judge(UNKNOWN, technique="unknown")])
    assert await on.run(max_candidates=1) == [("tile", "kept")]
    assert any("no further candidate may be tried" in words for words in on.said)


async def test_the_verdict_tells_why_numbers_were_not_tuned_and_the_same_edit_may_come_again(tmp_path: Path) -> None:
    text = RIGHT.replace("    __shared__ float tile[32][33]", "    constexpr int PAD = 0;\n    __shared__ float tile[32][32 + PAD]")
    kernels = {"PAD = 0;": Behaviour(turned, sectors=16), "PAD = 1;": Behaviour(turned, sectors=4), **KERNELS}
    on, agent = searching(tmp_path, [judge(text.replace("PAD", "GAP"), tune=[0, 1])], [judge(text, tune=[0, 1])], [], kernels=kernels)
    await on.run()
    assert "PAD is defined 0 times" in json.loads(agent.answers[0])["not_tuned"]
    assert json.loads(agent.answers[1])["numbers_chosen_by_tuning"] == {"PAD": 1}


async def test_edits_of_one_turn_are_judged_at_once_and_answered_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    under_way, most = 0, 0
    plain = ParallelTrials.judge

    async def counted(self: ParallelTrials, *given: Any) -> Any:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            return await plain(self, *given)
        finally:
            under_way -= 1

    monkeypatch.setattr(ParallelTrials, "judge", counted)
    on, agent = searching(tmp_path, [judge(RIGHT), ("recall", {}), judge(WIDER, technique="wider"), judge(RIGHT)], [])
    tried = await on.run()
    assert most == 2, "the last one is the same as the first"
    assert [outcome for _, outcome in tried].count("duplicate") == 1
    assert ['"candidate"' in answer for answer in agent.answers] == [True, False, True, False]
    assert agent.answers[3] == "it is the same as one that is being tried"
