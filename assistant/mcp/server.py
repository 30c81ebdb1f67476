"""The MCP server: tools over the harness, on standard input and output. No product logic.

Example::

    serve(Harness(session, trust, Rights()), version="0.1.0")
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from assistant.engine.proposals import Submission
from assistant.errors import KernelOptError
from assistant.mcp.harness import Harness
from assistant.model import events
from assistant.model.source import Source
from assistant.shipped import shipped_prompts

__all__ = ["build_server", "errors_as_answers", "serve"]

File = Annotated[str, Field(description="Absolute path of a .cu file")]
Region = Annotated[
    str | None,
    Field(description="main: speed of all that the program does on the GPU; a host function's name: of its calls; null: of what differs"),
]
Everywhere = Annotated[bool, Field(description="Judge in every program that has the file; the worst verdict counts")]
Kernel = Annotated[str | None, Field(description="k, ns::k, k<1> or k(float*, int); null: every kernel of the file")]
Texts = Annotated[
    dict[str, str],
    Field(
        description="Absolute path -> the whole text with the edit made, of the file and of others of its program that the edit changes; "
        "nothing is written"
    ),
]
Summary = Annotated[str, Field(description="What the edit does, in a sentence; shown to the person as your words")]
Id = Annotated[str, Field(description="A proposal's id, or a unique beginning of it")]

_LOOKS = ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
_OFFERS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def build_server(harness: Harness, version: str) -> MCPServer:
    """Every tool; none decides on a proposal."""
    server = MCPServer("kernelopt", title="kernelopt", instructions=_instructions(), version=version, log_level="WARNING")
    _add_looking(server, harness)
    _add_offering(server, harness)
    return server


def serve(harness: Harness, version: str) -> int:
    """Until the client closes standard input."""
    asyncio.run(build_server(harness, version).run_stdio_async())
    return 0


def _add_looking(server: MCPServer, harness: Harness) -> None:
    @server.tool(title="Inspect a CUDA file", annotations=_LOOKS)
    async def inspect(file: File, kernel: Kernel = None, *, context: Context) -> dict[str, Any]:
        """Kernels, parameters, launches, registers, spills, occupancy, compiler diagnostics. Runs nothing."""
        return await _answered(harness, context, lambda: harness.inspect(Path(file), kernel))

    @server.tool(title="Verify a CUDA file", annotations=_LOOKS)
    async def verify(file: File, kernel: Kernel = None, *, context: Context) -> dict[str, Any]:
        """Run the file's own workload with race, bounds, initialisation and repeatability checks."""
        return await _answered(harness, context, lambda: harness.check(Path(file), kernel))

    @server.tool(title="Profile CUDA kernels", annotations=_LOOKS)
    async def profile(file: File, kernel: Kernel = None, *, context: Context) -> dict[str, Any]:
        """Counters per kernel and source line, and findings with the evidence they cite. Every number names its method."""
        return await _answered(harness, context, lambda: harness.profile(Path(file), kernel))

    @server.tool(title="Compare an edit with the file", annotations=_LOOKS)
    async def compare(
        file: File,
        edited_texts: Texts,
        kernel: Kernel = None,
        region: Region = None,
        every_program: Everywhere = False,
        *,
        context: Context,
    ) -> dict[str, Any]:
        """Are the edited texts right, and are they faster? Always a confirming comparison: fresh values, boundary shapes, all checks."""
        if every_program:
            return await _answered(harness, context, lambda: harness.compare_everywhere(Path(file), _sources(edited_texts), kernel, region))
        return await _answered(harness, context, lambda: harness.compare(Path(file), _sources(edited_texts), kernel, region))

    @server.tool(title="List open proposals", annotations=_LOOKS)
    def proposals(file: File) -> list[dict[str, Any]]:
        """Proposals for the file that wait for a person, newest first."""
        with errors_as_answers():
            return harness.proposals(Path(file))

    @server.tool(title="Show a proposal", annotations=_LOOKS)
    def proposal(id: Id) -> dict[str, Any]:  # noqa: A002 - the name that clients see
        """Diff, verdict, comparison, evidence, explanation, and what the person decided."""
        with errors_as_answers():
            return harness.proposal(id)


def _add_offering(server: MCPServer, harness: Harness) -> None:
    @server.tool(title="Propose an edit", annotations=_OFFERS)
    async def propose(
        file: File, edited_texts: Texts, summary: Summary, kernel: Kernel = None, region: Region = None, *, context: Context
    ) -> dict[str, Any]:
        """Submit an edit. It is judged like every candidate; one that is right and proved better becomes a proposal for the person."""
        edit = Submission(_sources(edited_texts), summary, _author(context))
        return await _answered(harness, context, lambda: harness.propose(Path(file), edit, kernel, region))

    @server.tool(title="Search for optimizations", annotations=_OFFERS)
    async def optimize(file: File, kernel: Kernel = None, region: Region = None, *, context: Context) -> dict[str, Any]:
        """Have the expert planner look for verified edits; what it finds becomes proposals for the person."""
        return await _answered(harness, context, lambda: harness.optimize(Path(file), kernel, region))


async def _answered(harness: Harness, context: Context, start: Callable[[], AsyncIterator[events.Event]]) -> dict[str, Any]:
    stage_count = 0

    async def on_progress(stage: str) -> None:
        nonlocal stage_count
        stage_count += 1
        await context.report_progress(stage_count, None, stage)

    with errors_as_answers():
        return await harness.run(start(), on_progress)


@contextmanager
def errors_as_answers() -> Generator[None]:
    """Deliberate errors as the protocol's own: an answer that says what is wrong and what to do."""
    try:
        yield
    except KernelOptError as error:
        raise ToolError(f"{error.message}. Try: {error.remedy}" if error.remedy else error.message) from error


def _sources(texts: dict[str, str]) -> tuple[Source, ...]:
    return tuple(Source(Path(path), text) for path, text in texts.items())


def _author(context: Context) -> str:
    """As the client calls itself."""
    params = context.session.client_params
    return "an agent" if params is None else f"{params.client_info.name} {params.client_info.version}".strip()


def _instructions() -> str:
    return (shipped_prompts() / "agents.md").read_text("utf-8")
