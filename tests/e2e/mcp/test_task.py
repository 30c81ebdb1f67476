"""A task over MCP: its three tools give the answers of the shell, from the same budget."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.cli.harness import Cli
from tests.e2e.mcp.conftest import Connect
from tests.unit.agents.tasks.kept import START, agent_folder, kept_task


@pytest.fixture
def source(cli: Cli) -> Path:
    """The file to edit of a task with three calls of judge."""
    kept_task(cli.home)
    return agent_folder(cli.folder / "work") / "twice.cu"


async def test_a_task_is_worked_on_over_mcp_as_in_a_shell(cli: Cli, source: Path, connect: Connect) -> None:
    async with connect("--task", "work") as agent:
        assert await agent.tool_names() == {"judge", "profile", "ask_memory"}
        profiled = await agent.call("profile", kernel="twice")
        launch = next(event for event in profiled["events"] if event["event"] == "profile")
        assert "evidence" not in launch and 0 < len(launch["predicted"]["terms"]) <= 3 and profiled["left"]["judge_calls"] == 3
        assert {line["file"] for line in launch["lines"]} == {"twice.cu"} and str(cli.home) not in json.dumps(profiled)

        _write(source, f'#include <cstdio>\nint first = printf("x");\n{START}')
        refused = await agent.call("judge")
        assert (refused["reward"], refused["components"]["cheat"], refused["left"]["judge_calls"]) == (-1, "host-code", 2)
        in_shell = json.loads(cli.run("judge", "--json", folder=source.parent).out)
        assert in_shell | {"call": 2, "left": None} == refused | {"left": None}

        _write(source.with_name("task.json"), '{"id": "T0"}')
        changed = await agent.call("judge")
        assert changed["components"]["cheat"] == "protected-file-changed" and changed["left"]["judge_calls"] == 0
        assert "used up" in await agent.refused("judge")
        assert "protected files were changed: task.json" in await agent.refused("profile")


def _write(path: Path, text: str) -> None:
    path.chmod(0o644)
    path.write_text(text)


async def test_no_server_starts_where_no_task_is(cli: Cli) -> None:
    ended = cli.run("mcp", "--task", ".")
    assert ended.code == 2 and "is no folder of a task" in ended.err
