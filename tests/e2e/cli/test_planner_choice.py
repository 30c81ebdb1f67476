"""``optimize --planner``: what is not there is not quietly replaced."""

from __future__ import annotations

from tests.e2e.cli.harness import Cli
from tests.e2e.conftest import Offered


def test_a_model_is_not_replaced_by_the_expert(cli: Cli) -> None:
    ended = cli.run("optimize", cli.small("transpose.cu"), "--planner", "llm")
    assert ended.code == 2
    assert "no model provider is configured" in ended.err and "--planner expert" in ended.err


def test_an_unknown_planner_is_misuse(cli: Cli) -> None:
    ended = cli.run("optimize", cli.small("transpose.cu"), "--planner", "oracle")
    assert ended.code == 2 and "oracle" in ended.err


def test_auto_says_that_the_expert_plans(offered: Offered) -> None:
    assert offered.plan["planner"] == "expert"
