"""What ``--json`` prints: one event a line, each as the published schema says, in the order of the pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from assistant.engine.event_schema import event_schema, event_schema_text
from tests.e2e.cli.harness import CHEATS, DATA, Ended, working_cli
from tests.e2e.conftest import Offered
from tests.schema_check import violations
from tests.thorough import only

SCHEMA = event_schema()
COMMANDS = {
    "inspect": ("inspect", "{pipeline}"),
    "check": ("check", "{pipeline}"),
    "profile": ("profile", "{pipeline}"),
    "optimize": ("optimize", "{transpose}", "--accept", "best-predicted"),
    "compare": ("compare", str(CHEATS / "original.cu"), str(CHEATS / "honest.cu")),
    "compare, refused": ("compare", str(CHEATS / "original.cu"), str(CHEATS / "no_op.cu")),
    "check, does not compile": ("check", "{broken}"),
}


Ran = Callable[[str], Ended]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Runs a command once, however many tests look at its events."""

    @cache
    def run(name: str) -> Ended:
        """The command of that name in a folder of its own, with its events."""
        with working_cli(tmp_path_factory.mktemp("events")) as cli:
            files = {
                "pipeline": cli.example("pipeline.cu"),
                "transpose": cli.small("transpose.cu"),
                "broken": cli.write("broken.cu", "__global__ void k(float *x) { x[0] = y; }\nint main() { k<<<1, 1>>>(0); }\n"),
            }
            return cli.run(*(word.format(**files) for word in COMMANDS[name]), "--json")

    return run


def test_the_published_schema_is_up_to_date() -> None:
    assert (DATA / "events.schema.json").read_text("utf-8") == event_schema_text()


@pytest.mark.parametrize("name", only(set(COMMANDS) - {"compare, refused"}, COMMANDS))
def test_every_event_is_as_the_schema_says(ran: Ran, name: str) -> None:
    ended = ran(name)
    for event in ended.events:
        assert violations(SCHEMA, event) == [], event


@pytest.mark.parametrize("name", COMMANDS)
def test_a_job_begins_and_ends_and_names_itself_in_every_event(ran: Ran, name: str) -> None:
    ended = ran(name)
    events = ended.events
    assert (events[0]["event"], events[-1]["event"]) == ("job_started", "job_ended")
    assert {event["job"] for event in events} == {events[0]["job"]}
    assert {event["schema"] for event in events} == {1}
    assert events[-1]["exit_code"] == ended.code
    assert ended.err == ""


def test_optimize_shows_its_steps_in_order(ran: Ran) -> None:
    names = list(dict.fromkeys(event["event"] for event in ran("optimize").events))
    wanted = ["job_started", "findings", "plan", "candidate", "proposal", "decision", "job_ended"]
    assert [name for name in names if name in wanted] == wanted


def test_a_proposal_carries_diff_verdict_and_prediction_with_its_method(ran: Ran) -> None:
    proposal = ran("optimize").one("proposal")
    assert proposal["diff"].startswith("--- a/transpose.cu\n+++ b/transpose.cu\n@@ ")
    assert len(proposal["hunk_ids"]) == len(set(proposal["hunk_ids"])) > 1
    assert proposal["verification"]["outcome"] == "PASS"
    assert proposal["speed"]["outcome"] == "PREDICTED" and "nothing was timed" in proposal["speed"]["method"]


def test_a_plan_predicts_before_anything_runs(ran: Ran) -> None:
    events = ran("optimize").events
    names = [event["event"] for event in events]
    assert names.index("plan") < names.index("candidate")
    for event in events:
        for step in event.get("steps", ()):
            assert step["evidence"] and step["predictions"], step


def test_listed_proposals_and_history_are_json_too(offered: Offered) -> None:
    (listed,) = offered.cli.run("proposals", "--json").events
    assert violations(SCHEMA, listed) == []
    assert (listed["id"], listed["state"]) == (offered.id, "open")
    assert violations(SCHEMA, json.loads(offered.cli.run("show", offered.id, "--json").out.splitlines()[0])) == []
    attempts: list[dict[str, Any]] = offered.cli.run("history", "--json").events
    assert "staged-store" in {attempt["technique"] for attempt in attempts}


def test_the_validator_finds_what_is_wrong(ran: Ran) -> None:
    """Guards the checks above: each of these changes must be seen."""
    event = ran("profile").all("profile")[0]
    assert violations(SCHEMA, event) == []
    line = event["lines"][0]
    for change in (
        {"schema": "1"},
        {"event": "profiles"},
        {"extra": 1},
        {"grid": [1, 2]},
        {"device": {**event["device"], "kind": None}},
        {"lines": [{**line, "requests": 1.5}]},
        {"lines": [{**line, "sectors": None}]},
    ):
        assert violations(SCHEMA, event | change), change
    assert violations(SCHEMA, {key: value for key, value in event.items() if key != "method"})
