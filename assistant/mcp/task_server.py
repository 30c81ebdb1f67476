"""The MCP server of a task: three tools over its door, on standard input and output. No product logic.

Example::

    serve_task(door, task, version="0.1.0")
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field

from assistant.agents.tasks import Door, Task, server_instructions
from assistant.mcp.server import errors_as_answers

__all__ = ["build_task_server", "serve_task"]

Kernel = Annotated[str | None, Field(description="k, ns::k, k<1> or k(float*, int); null: every kernel of the file")]
Technique = Annotated[str, Field(description="A technique whose page is wanted; empty: what is known at all")]
_COUNTED = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
OnProgress = Callable[[str], Awaitable[None]]


def build_task_server(door: Door, task: Task, version: str) -> MCPServer:
    """The tools; each looks at the file to edit as it stands on disk."""
    server = MCPServer("kernelopt", title="kernelopt task", instructions=server_instructions(task), version=version, log_level="WARNING")

    @server.tool(title="Judge the edited file", annotations=_COUNTED)
    async def judge(*, context: Context) -> dict[str, Any]:
        """Is the edited file right, is it faster than the start, and what reward has it? Costs one call of the budget."""
        return await _answered(context, door.judge)

    @server.tool(title="Profile the edited file", annotations=_COUNTED)
    async def profile(kernel: Kernel = None, *, context: Context) -> dict[str, Any]:
        """Where its time goes: counters per kernel and line, findings with the evidence they cite."""
        return await _answered(context, lambda progress: door.profile(kernel, progress))

    @server.tool(title="Ask memory", annotations=_COUNTED)
    async def ask_memory(technique: Technique = "", *, context: Context) -> dict[str, Any]:
        """Techniques that were tried on kernels like this one, with what came of them, and those that its findings call for."""
        return await _answered(context, lambda progress: door.ask_memory(technique, progress))

    return server


def serve_task(door: Door, task: Task, version: str) -> int:
    """Until the client closes standard input."""
    asyncio.run(build_task_server(door, task, version).run_stdio_async())
    return 0


async def _answered(context: Context, ask: Callable[[OnProgress], Awaitable[dict[str, Any]]]) -> dict[str, Any]:
    stage_count = 0

    async def on_progress(stage: str) -> None:
        nonlocal stage_count
        stage_count += 1
        await context.report_progress(stage_count, None, stage)

    with errors_as_answers():
        return await ask(on_progress)
