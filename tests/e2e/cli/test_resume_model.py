"""A search with a model that is killed anywhere goes on: no question that was answered is asked again, nothing that was found is lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from assistant.memory import open_store
from assistant.model.completion import Completion, ModelCall
from tests.e2e.cli.harness import Cli, Ended, no_orphans, working_cli
from tests.e2e.cli.kernels_of_a_model import SAME_STORES, TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import EXPLANATION, LONG_S, asked_by, code, plan, step
from tests.endpoint.server import ReceivedRequest, Says
from tests.rewrites import rewritten

BROKEN = TILED_TRANSPOSE.replace("tile[32][33];", "tile[32][33]")
WRONG = TILED_TRANSPOSE.replace("oy * height + ox", "ox * width + oy")
WIDER = TILED_TRANSPOSE.replace("[33]", "[48]")
GIVEN_UP = json.dumps({"summary": "Nothing gains.", "launches": [], "includes": [], "assumptions": [], "risks": []})
ANSWERS = {
    "broken-tile": {"code": BROKEN, "repair-compile": TILED_TRANSPOSE},
    "same-stores": {"code": SAME_STORES, "refine": None},
    "wrong-tile": {"code": WRONG, "repair-wrong-answer": WRONG.replace("[33]", "[34]")},
    "wider-tile": {"code": WIDER, "refine": None},
}
"""By step and prompt: the kernel that is written; None: the step is given up."""
OPENINGS = {
    "Rewrite the": "code",
    "does not compile": "repair-compile",
    "but it is wrong": "repair-wrong-answer",
    "is right, but not": "refine",
}
LATENCY_S = 0.05
Script = Callable[[ReceivedRequest], Says]


def answered(asked: ReceivedRequest) -> Says:
    """What is said depends on the question alone, not on what was asked before."""
    question = asked.body["messages"][-1]["content"]
    wanted = asked.body.get("response_format")
    if wanted is not None and wanted["json_schema"]["name"] == "explanation_reply":
        return Says(json.dumps(EXPLANATION), pause_s=LATENCY_S)
    if wanted is not None:
        first = plan(step("broken-tile", 11), step("same-stores", 11), step("wrong-tile", 11))
        return Says(plan(step("wider-tile", 11)) if "tile[threadIdx.y][threadIdx.x] = in[" in question else first, pause_s=LATENCY_S)
    name = next(name for name in ANSWERS if f"`{name}`" in question)
    head = question.partition("\n\n")[0]
    kernel = ANSWERS[name][next(prompt for words, prompt in OPENINGS.items() if words in head)]
    return Says(GIVEN_UP if kernel is None else code(kernel), pause_s=LATENCY_S)


FUSED = next(case for case in rewritten() if case.name == "fused")


def fused(asked: ReceivedRequest) -> Says:
    """Three kernels become one under a new name; then a step for that one, which is wrong and stays so."""
    question, wanted = asked.body["messages"][-1]["content"], asked.body.get("response_format")
    if wanted is not None and wanted["json_schema"]["name"] == "explanation_reply":
        return Says(json.dumps(EXPLANATION), pause_s=LATENCY_S)
    if wanted is None:
        right = FUSED.text("right.md")
        kernel = right[right.index("__global__") : right.index("```\n\n```cuda part=add_bias")]
        is_wrong = "`off-by-one`" in question
        return Says(f"```cuda part=kernel\n{kernel.replace('i % c', '(i + 1) % c')}```\n" if is_wrong else right, pause_s=LATENCY_S)
    about = question.partition("\n")[0]
    if "`scale_bias_relu(" in about:
        return Says(plan(step("off-by-one", 5)), pause_s=LATENCY_S)
    return Says(plan(step("fuse", 4)) if "`scale(" in about else plan(), pause_s=LATENCY_S)


SEARCH = {"variants": 1, "beam": 1, "repairs": 1}
OPTIONS = ("--planner", "llm", "--json", "--accept", "none")


@pytest.fixture
def killed(tmp_path: Path) -> Generator[Cli]:
    with working_cli(tmp_path) as made, no_orphans():
        yield made


def kill_at(cli: Cli, path: Path, event: str, count: int, options: tuple[str, ...]) -> None:
    """Start the search and kill it with SIGKILL at its ``count``-th event of that name."""
    process = cli.start("optimize", path, *options)
    assert process.stdout is not None
    seen = 0
    for line in process.stdout:
        seen += json.loads(line)["event"] == event
        if seen == count:
            break
    process.kill()
    process.communicate()
    assert seen == count, f"the search ended after {seen} events {event}"


def calls(cli: Cli) -> tuple[ModelCall, ...]:
    with open_store(cli.home / "memory.sqlite3") as store:
        return store.model_calls()


def found(cli: Cli) -> list[tuple[str, str, str]]:
    """(the version before, after, outcome) of every candidate that memory has."""
    with open_store(cli.home / "memory.sqlite3") as store:
        return sorted((attempt.parent_key, attempt.key, attempt.outcome.value) for attempt in store.attempts(limit=1000))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("event", "count"),
    [
        ("model_call", 3),
        ("candidate", 2),
        ("plan", 1),
        ("model_call", 1),
        ("model_call", 5),
        ("candidate", 1),
        ("candidate", 4),
        ("plan", 2),
        ("candidate", 6),
        ("stage_started", 9),
    ],
)
def test_a_search_that_is_killed_anywhere_asks_nothing_twice_and_loses_nothing(killed: Cli, event: str, count: int) -> None:
    goes_on(killed, killed.quick(), answered, event, count)


@pytest.mark.thorough
@pytest.mark.parametrize(("event", "count"), [("model_call", 2), ("candidate", 1), ("plan", 2), ("candidate", 2)])
def test_so_does_one_that_goes_on_with_a_kernel_others_were_fused_into(killed: Cli, event: str, count: int) -> None:
    goes_on(killed, killed.write("layer.cu", FUSED.text("program.cu")), fused, event, count, "--allow", "host")


@pytest.mark.thorough
@pytest.mark.parametrize(("event", "count"), [("model_call", 3), ("candidate", 2), ("plan", 3), ("model_call", 8)])
def test_so_does_one_of_several_islands_with_calls_under_way(killed: Cli, event: str, count: int) -> None:
    """What is under way when it is killed may be asked again; in which order islands go on is not fixed, so no more is compared."""
    path = killed.quick()
    settings: dict[str, dict[str, int]] = {"search": {"variants": 2, "beam": 3, "repairs": 1}, "provider": {"calls_in_flight": 4}}
    with asked_by(killed, answered, **settings):  # type: ignore[arg-type]  # any script
        kill_at(killed, path, event, count, OPTIONS)
        before, tried = calls(killed), found(killed)
        ended = killed.run("optimize", path, *OPTIONS, "--resume", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    said = "\n".join(message["message"] for message in ended.all("message"))
    answers = [call.request.id for call in before if isinstance(call.answer, Completion)]
    assert answers and [answer for answer in answers if f"({answer})" not in said] == [], "a question that was answered was asked again"
    assert not Counter(tried) - Counter(found(killed)) and max(Counter(found(killed)).values()) == 1, "a candidate was lost or tried twice"
    assert len(diffs(ended)) == 1


def goes_on(killed: Cli, path: Path, script: Script, event: str, count: int, *more: str) -> None:
    """Kill a search at an event, resume it, and hold it to one that nobody disturbed."""
    options = (*OPTIONS, *more)
    with asked_by(killed, script, search=SEARCH) as endpoint:  # type: ignore[arg-type]  # any script
        kill_at(killed, path, event, count, options)
        before = calls(killed)
        ended = killed.run("optimize", path, *options, "--resume", deadline_s=LONG_S)
        assert ended.code == 0, ended.said
        after, asked_count = calls(killed), len(endpoint.asked)
        fresh = killed.with_new_memory()
        (fresh.home / "config.toml").write_text((killed.home / "config.toml").read_text("utf-8"), "utf-8")
        whole = fresh.run("optimize", path, *options, deadline_s=LONG_S)
    questions = Counter(call.request.about for call in calls(fresh) if isinstance(call.answer, Completion))
    resumed = Counter(call.request.about for call in after if isinstance(call.answer, Completion))
    assert resumed == questions, "a question that was answered was asked again, or was never asked"
    assert asked_count <= len(after) + 4, "more was asked than was under way when the search was killed"
    assert found(killed) == found(fresh), "a candidate was tried twice, or never"
    assert diffs(ended) == diffs(whole) and len(diffs(ended)) == 1
    assert len(before) <= len(after)


def diffs(ended: Ended) -> list[str]:
    return [proposal["diff"] for proposal in ended.all("proposal")]
