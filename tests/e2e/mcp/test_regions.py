"""The part of a program that an agent asks the speed of."""

from __future__ import annotations

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.mcp.conftest import Connect
from tests.programs_of_steps import COPIED, SWAPPED
from tests.thorough import first_of


@pytest.mark.thorough
async def test_an_agent_asks_for_the_speed_of_a_function_and_proposes_by_it(cli: Cli, connect: Connect) -> None:
    source = cli.write("steps.cu", COPIED)
    assert cli.run("trust", cli.folder).code == 0
    edit = {"file": source, "edited_texts": {str(source): SWAPPED}}
    async with connect("--allow-run", "--allow-host-code") as agent:
        compared = await agent.call("compare", **edit, region="step")
        speed = next(event["speed"] for event in reversed(compared["events"]) if event["event"] == "comparison")
        assert speed["caveats"][0] == "a call of step" and speed["ratio"] > 1.3
        answer = await agent.call("propose", **edit, summary="swaps pointers", region="main")
        offered = next(event for event in answer["events"] if event["event"] == "proposal")
        assert offered["speed"]["caveats"][0] == "all that main does on the GPU"


@pytest.mark.parametrize("tool", first_of(["optimize", "compare", "propose"]))
async def test_a_misspelt_function_is_said_with_the_nearest_names(cli: Cli, connect: Connect, tool: str) -> None:
    source = cli.write("steps.cu", COPIED)
    assert cli.run("trust", cli.folder).code == 0
    edit = {} if tool == "optimize" else {"edited_texts": {str(source): SWAPPED}}
    said = {"summary": "swaps pointers"} if tool == "propose" else {}
    async with connect("--allow-run", "--allow-host-code") as agent:
        refused = await agent.refused(tool, file=source, region="stp", **edit, **said)
    assert "the program defines no function stp" in refused and "did you mean step?" in refused
