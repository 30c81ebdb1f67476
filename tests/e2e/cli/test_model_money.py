"""What a model may cost, who may be asked, and what is kept: caps, consent, keys, interrupted searches."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from assistant.config import ConsentAnswer, EndpointConsent, TrustStore
from tests.e2e.cli.harness import Cli, Ended, no_orphans, working_cli
from tests.e2e.cli.kernels_of_a_model import TILED_TRANSPOSE
from tests.e2e.cli.scripted_model import LONG_S, ONE_VARIANT, ScriptedModel, asked_by, code, optimize, outcomes, plan, step
from tests.e2e.cli.terminal import Terminal
from tests.endpoint.server import Refuses, Stalls

PRICES = """\
[scripted]
input_usd_per_million_tokens = 2.0
output_usd_per_million_tokens = 2.0
"""
BROKEN = TILED_TRANSPOSE.replace("[33];", "[33]")


@pytest.fixture
def unguarded(tmp_path: Path) -> Generator[Cli]:
    """As ``cli``; a killed command leaves its scratch."""
    with working_cli(tmp_path) as made, no_orphans():
        yield made


def good_model() -> ScriptedModel:
    return ScriptedModel([plan(step("shared-tile", 11, "KO101")), plan()], [code(TILED_TRANSPOSE)])


@pytest.mark.thorough
def test_a_search_stops_before_its_cap_and_says_what_going_on_would_cost(cli: Cli) -> None:
    cli.home.mkdir(exist_ok=True)
    (cli.home / "prices.toml").write_text(PRICES)
    model = good_model()
    model.usage = (8000, 7000)
    ended = optimize(cli, cli.quick(), model, "--budget-usd", "0.09")
    budgets = ended.all("budget")
    assert budgets[0]["estimate"]["money_usd"] > 0.09
    assert all(budget["spent"]["money_usd"] <= 0.09 for budget in budgets)
    assert budgets[-1]["ended_by"] == "money_usd"
    assert budgets[-1]["spent"]["call_count"] == len(model.asked) == 2
    told = next(message for message in ended.all("message") if "the cap of $0.09" in message["message"])
    assert "the next call alone costs up to $" in told["remedy"] and "--resume --budget-usd 0." in told["remedy"]
    assert ended.one("proposal")["verification"]["outcome"] == "PASS"
    assert "the cap of $0.09 ended the search" in ended.one("job_ended")["reason"]


@pytest.mark.thorough
def test_without_a_price_a_cap_on_tokens_replaces_the_cap_on_money(cli: Cli) -> None:
    ended = optimize(cli, cli.quick(), good_model(), "--budget-usd", "0.05")
    assert ended.all("budget")[0]["caps"] == {"money_usd": None, "token_count": 200_000, "gpu_s": None, "round_count": None}
    assert any("no money cap can be promised" in message["message"] for message in ended.all("message"))


@pytest.mark.thorough
def test_without_a_terminal_only_a_model_named_is_asked(cli: Cli) -> None:
    path = cli.quick()
    with asked_by(cli, good_model(), search=ONE_VARIANT) as endpoint:
        ended = cli.run("optimize", path, "--planner", "auto", "--json", deadline_s=LONG_S)
        assert endpoint.asked == []
    assert any("there is no terminal on which to ask" in message["message"] for message in ended.all("message"))
    assert ended.one("proposal")["model"] is None


@pytest.mark.thorough
def test_model_and_expert_compete_in_one_search(cli: Cli) -> None:
    """Where a person said yes for good, ``auto`` has both planned by one round and judged by one judge."""
    path = cli.quick()
    unpadded = TILED_TRANSPOSE.replace("[33]", "[32]")
    model = ScriptedModel([plan(step("tile-of-its-own", 11, "KO101", title="Use a tile")), plan()], [code(unpadded)])
    with asked_by(cli, model, search=ONE_VARIANT) as endpoint:
        consent = EndpointConsent(cli.folder, endpoint.base_url)
        TrustStore(cli.home / "trust.json").answer(consent, ConsentAnswer.ALWAYS)
        ended = cli.run("optimize", path, "--planner", "auto", "--json", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert {step["planner"] for step in ended.all("plan")[0]["steps"]} == {"expert", "llm:scripted"}
    tried = {candidate["technique"]: candidate for candidate in ended.all("candidate")}
    assert {"tile-of-its-own", "staged-store"} <= set(tried)
    best = max(ended.all("candidate"), key=lambda candidate: candidate["ratio"] or 0)
    assert ended.one("proposal")["techniques"][0] == best["technique"]


@pytest.mark.thorough
def test_a_terminal_is_asked_once_and_always_here_is_remembered(unguarded: Cli) -> None:
    path = unguarded.quick()
    with asked_by(unguarded, good_model(), search=ONE_VARIANT) as endpoint:
        with Terminal(unguarded, "optimize", path) as terminal:
            terminal.read_until("[a]lways here")
            assert endpoint.base_url in terminal.seen and "is sent the source" in terminal.seen
            assert endpoint.asked == []
            terminal.type("a\n")
            terminal.read_until("decide [l]ater")
            terminal.type("l\n")
            assert terminal.wait() == 0
        assert endpoint.asked
        with Terminal(unguarded, "optimize", path, "--planner", "llm", "--accept", "none") as terminal:
            assert terminal.wait() == 0
        assert "[a]lways here" not in terminal.seen


@pytest.mark.thorough
def test_who_declines_gets_the_expert(unguarded: Cli) -> None:
    path = unguarded.quick()
    with asked_by(unguarded, good_model(), search=ONE_VARIANT) as endpoint:
        for answer in ("n", None):
            with Terminal(unguarded, "optimize", path, "--accept", "none") as terminal:
                if answer is not None:
                    terminal.read_until("[a]lways here")
                    terminal.type(f"{answer}\n")
                assert terminal.wait() == 0
            assert "the expert planner plans" in terminal.seen
        assert endpoint.asked == []


@pytest.mark.thorough
def test_a_key_is_sent_and_kept_nowhere(cli: Cli) -> None:
    secret = "sk-7f3a-not-to-be-found"
    cli.variables["MY_MODEL_KEY"] = secret
    path = cli.quick()
    model = good_model()
    with asked_by(cli, model, provider={"key_env": "MY_MODEL_KEY"}, search=ONE_VARIANT) as endpoint:
        ended = cli.run("optimize", path, "--planner", "llm", "--json", deadline_s=LONG_S)
        assert endpoint.asked[0].headers["authorization"] == f"Bearer {secret}"
    assert ended.one("proposal")
    assert secret not in ended.said
    kept = [file for file in (*cli.home.rglob("*"), *cli.folder.rglob("*")) if file.is_file() and "cache" not in file.parts]
    assert [file for file in kept if secret.encode() in file.read_bytes()] == []
    check_every_request_is_kept(cli, ended, model)


@pytest.mark.thorough
def test_an_endpoint_that_refuses_the_key_ends_the_search_with_the_way_out(cli: Cli) -> None:
    ended = optimize(cli, cli.quick(), ScriptedModel([Refuses(401, "invalid_api_key")]))
    assert ended.one("model_call")["outcome"] == "forbidden"
    told = next(message for message in ended.all("message") if "forbidden" in message["message"])
    assert told["remedy"]
    assert not ended.all("candidate")


def check_every_request_is_kept(cli: Cli, ended: Ended, model: ScriptedModel) -> None:
    sent = [asked.body["messages"][-1]["content"] for _, asked in model.asked]
    calls = ended.all("model_call")
    assert [call["outcome"] for call in calls] == ["answered"] * len(sent)
    with sqlite3.connect(cli.home / "memory.sqlite3") as database:
        dump = "\n".join(database.iterdump())
    assert all(call["call"] in dump for call in calls)


@pytest.mark.thorough
def test_a_killed_search_goes_on_with_what_the_model_had_written(unguarded: Cli) -> None:
    """The kept edit is judged again without asking for it again; what was spent counts on."""
    path = unguarded.quick()
    model = ScriptedModel([plan(step("shared-tile", 11, "KO101")), plan()], [code(TILED_TRANSPOSE, "Use a tile.")])
    with asked_by(unguarded, model, search=ONE_VARIANT):
        told = killed_after(unguarded, path, "candidate")
        assert told[-1]["outcome"] == "kept"
        asked_before = len(model.questions("code_reply"))
        ended = unguarded.run("optimize", path, "--planner", "llm", "--json", "--resume", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert len(model.questions("code_reply")) == asked_before == 1
    assert any("takes up shared-tile" in message["message"] for message in ended.all("message"))
    assert ended.all("budget")[0]["spent"]["call_count"] == 2
    proposal = ended.one("proposal")
    assert (proposal["model"], proposal["summary"]) == ("scripted-1", "Use a tile.")
    assert outcomes(ended).count("kept") == 1


@pytest.mark.thorough
def test_a_search_that_a_cap_ended_goes_on_under_a_higher_one(cli: Cli) -> None:
    """Calls and rounds of the search before count on; what it kept is not asked for again."""
    path = cli.quick()
    model = ScriptedModel([plan(step("shared-tile", 11, "KO101")), plan()], [code(TILED_TRANSPOSE, "Use a tile.")])
    with asked_by(cli, model, search=ONE_VARIANT):
        first = cli.run("optimize", path, "--planner", "llm", "--json", "--budget-rounds", "1", deadline_s=LONG_S)
        assert "round_count" in [budget["ended_by"] for budget in first.all("budget")]
        told = next(message for message in first.all("message") if "the cap of 1 round" in message["message"])
        assert "kernelopt optimize transpose.cu --planner llm --resume --budget-rounds 2" in told["remedy"]
        ended = cli.run("optimize", path, "--planner", "llm", "--json", "--resume", "--budget-rounds", "2", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    assert any("which a cap ended" in message["message"] for message in ended.all("message"))
    spent = [budget["spent"] for budget in ended.all("budget")]
    assert (spent[0]["call_count"], spent[0]["round_count"]) == (first.all("budget")[-1]["spent"]["call_count"], 1)
    assert spent[-1]["round_count"] == 2
    assert len({proposal["id"] for proposal in ended.all("proposal")}) == 1, "it is offered once"
    assert len(model.questions("code_reply")) == 1
    assert len(model.questions("plan_reply")) == 2


@pytest.mark.thorough
def test_the_call_that_was_on_its_way_when_a_search_was_killed_is_charged(unguarded: Cli) -> None:
    path = unguarded.quick()
    model = ScriptedModel([Stalls(), plan()])
    with asked_by(unguarded, model, search=ONE_VARIANT):
        process = unguarded.start("optimize", path, "--planner", "llm", "--json")
        wait_for(lambda: bool(model.asked))
        process.kill()
        process.communicate()
        assert unguarded.left_running() == []
        assert "kernelopt optimize transpose.cu --resume goes on with it" in unguarded.run("history", path).out
        ended = unguarded.run("optimize", path, "--planner", "llm", "--json", "--resume", deadline_s=LONG_S)
    assert ended.code == 0, ended.said
    at_first = ended.all("budget")[0]["spent"]
    assert at_first["call_count"] == 1
    assert at_first["output_token_count"] == model.asked[0][1].body["max_tokens"], "the longest that it may have answered"


def wait_for(is_there: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + LONG_S
    while not is_there():
        assert time.monotonic() < deadline_s
        time.sleep(0.1)


def killed_after(cli: Cli, path: Path, event: str) -> list[dict[str, Any]]:
    """What a search told before it was killed, the first event of that name last."""
    process = cli.start("optimize", path, "--planner", "llm", "--json")
    assert process.stdout is not None
    told: list[dict[str, Any]] = []
    for line in process.stdout:
        told.append(json.loads(line))
        if told[-1]["event"] == event:
            break
    process.kill()
    process.communicate()
    assert cli.left_running() == []
    return told
