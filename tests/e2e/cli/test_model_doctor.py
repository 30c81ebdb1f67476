"""``doctor --llm``: one tiny call of each model, and what it tells."""

from __future__ import annotations

import json
from typing import Any

from tests.e2e.cli.harness import Cli, Ended
from tests.endpoint.server import Refuses, Reply, Says, ScriptedEndpoint

KEY = "sk-a-very-secret-key"
OK = '{"ok": true}'


def configure(cli: Cli, **provider: str) -> None:
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in provider.items())
    (cli.home / "config.toml").write_text(f"[provider]\n{lines}", "utf-8")


def examined(cli: Cli, *replies: Reply, **provider: str) -> tuple[Ended, list[dict[str, Any]], ScriptedEndpoint]:
    with ScriptedEndpoint(replies) as endpoint:
        configure(cli, kind="openai", base_url=endpoint.base_url, model="small", key_env="MY_KEY", **provider)
        ended = cli.run("doctor", "--llm", "--json", variables={"MY_KEY": KEY})
    assert endpoint.problems == []
    assert KEY not in ended.said
    return ended, json.loads(ended.out) if ended.out else [], endpoint


def test_a_model_that_answers_is_fine_and_was_asked_once(cli: Cli) -> None:
    ended, (part,), endpoint = examined(cli, Says(OK))
    assert ended.code == 0 and part["is_fine"]
    assert "small at http://127.0.0.1" in part["detail"] and "scripted-1" in part["detail"] and "price is not known" in part["detail"]
    assert len(endpoint.asked) == 1 and len(endpoint.asked[0].text) < 300


def test_each_model_is_asked(cli: Cli) -> None:
    ended, parts, endpoint = examined(cli, Says(OK), Says("Sure! Here you go", usage=None), coder_model="other")
    assert ended.code == 3
    assert [part["is_fine"] for part in parts] == [True, False]
    assert "coder" in parts[1]["name"] and "does not count tokens" in parts[1]["detail"] and parts[1]["remedy"]
    assert [asked.body["model"] for asked in endpoint.asked] == ["small", "other"]


def test_a_refusal_is_reported_without_the_key(cli: Cli) -> None:
    ended, (part,), _ = examined(cli, Refuses(401, said=f"Incorrect API key provided: {KEY}"))
    assert ended.code == 3
    assert "401: Incorrect API key provided: [key]" in part["detail"] and "provider.key_env" in part["remedy"]


def test_a_price_table_is_used_and_a_wrong_one_reported(cli: Cli) -> None:
    prices = cli.home / "prices.toml"
    prices.write_text("[small]\ninput_usd_per_million_tokens = 0.25\noutput_usd_per_million_tokens = 2\n", "utf-8")
    _, (part,), _ = examined(cli, Says(OK))
    assert "$0.25 in and $2 out per million tokens" in part["detail"]
    prices.write_text("[small]\nprice = 3\n", "utf-8")
    ended, _, _ = examined(cli)
    assert ended.code == 2 and "prices.toml" in ended.err


def test_without_a_model_it_says_how_to_set_one(cli: Cli) -> None:
    ended = cli.run("doctor", "--llm")
    assert ended.code == 2 and str(cli.home / "config.toml") in ended.err and 'kind = "openai"' in ended.err
    assert "docs/" not in ended.err, "an installed kernelopt has no such pages"
    configure(cli, kind="manual")
    ended = cli.run("doctor", "--llm")
    assert ended.code == 0 and "a person answers" in ended.out


def test_it_is_one_question_at_a_time(cli: Cli) -> None:
    assert cli.run("doctor", "--llm", "--config", cli.example("good_saxpy.cu")).code == 2
