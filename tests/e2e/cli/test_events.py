"""What ``--json`` prints: one event a line, each as the published schema says, in the order of the pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from tests.e2e.cli.harness import Ended, working_cli
from tests.e2e.cli.json_events import SCHEMA, check_events
from tests.e2e.conftest import Offered
from tests.schema_check import violations

COMMANDS = {
    "inspect": ("inspect", "{pipeline}"),
    "check": ("check", "{pipeline}"),
    "profile": ("profile", "{pipeline}"),
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
                "pipeline": cli.small("pipeline.cu"),
                "broken": cli.write("broken.cu", "__global__ void k(float *x) { x[0] = y; }\nint main() { k<<<1, 1>>>(0); }\n"),
            }
            return cli.run(*(word.format(**files) for word in COMMANDS[name]), "--json")

    return run


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_event_is_as_the_schema_says_and_names_its_job(ran: Ran, name: str) -> None:
    check_events(ran(name))


def test_optimize_shows_its_steps_in_order_and_predicts_before_anything_runs(offered: Offered) -> None:
    """All that is asked of one search, which takes long."""
    ended = offered.ended
    check_events(ended)
    check_the_order([event["event"] for event in ended.events])
    check_the_proposal(ended.one("proposal"))
    for event in ended.events:
        for step in event.get("steps", ()):
            assert step["evidence"] and step["predictions"], step


def check_the_order(names: list[str]) -> None:
    wanted = ["job_started", "findings", "plan", "candidate", "proposal", "job_ended"]
    assert [name for name in dict.fromkeys(names) if name in wanted] == wanted


def check_the_proposal(proposal: dict[str, Any]) -> None:
    """With diff, verdict and prediction, and the prediction's method."""
    assert proposal["diff"].startswith("--- a/transpose.cu\n+++ b/transpose.cu\n@@ ")
    assert len(proposal["hunk_ids"]) == len(set(proposal["hunk_ids"])) > 1
    assert proposal["verification"]["outcome"] == "PASS"
    assert proposal["speed"]["outcome"] == "PREDICTED" and "nothing was timed" in proposal["speed"]["method"]


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
