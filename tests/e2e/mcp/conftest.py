"""Fixtures: a real MCP client that talks to ``kernelopt mcp`` over standard input and output."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import Implementation

from tests.e2e.cli.harness import COMMAND, Cli, no_orphans, working_cli

AGENT = "agent-x 7"


@dataclass(frozen=True)
class Agent:
    """A connected client."""

    client: Client

    async def tool_names(self) -> set[str]:
        return {tool.name for tool in (await self.client.list_tools()).tools}

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a call that succeeds."""
        result = await self.client.call_tool(tool, {key: str(v) if isinstance(v, Path) else v for key, v in arguments.items()})
        assert not result.is_error, result.content
        assert result.structured_content is not None
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """What is said of a call that fails."""
        result = await self.client.call_tool(tool, {key: str(v) if isinstance(v, Path) else v for key, v in arguments.items()})
        assert result.is_error, result.structured_content
        return " ".join(getattr(part, "text", "") for part in result.content)


Connect = Callable[..., AbstractAsyncContextManager[Agent]]


@pytest.fixture
def cli(tmp_path: Path) -> Generator[Cli]:
    """The folder, the home and the terminal of the person at whose machine the agent works."""
    with working_cli(tmp_path) as made:
        yield made


@pytest.fixture
def connect(cli: Cli) -> Connect:
    """``connect("--allow-run")`` starts a server with these options; nothing of it is left afterwards."""

    @asynccontextmanager
    async def connected(*options: str) -> AsyncGenerator[Agent]:
        """An agent that talks to a server of its own, started with ``options``."""
        command, *arguments = COMMAND
        assert command == sys.executable
        server = StdioServerParameters(command=command, args=[*arguments, "mcp", *options], env=cli.environment(), cwd=cli.folder)
        name, version = AGENT.split()
        with no_orphans():
            async with Client(server, client_info=Implementation(name=name, version=version)) as client:
                yield Agent(client)

    return connected
