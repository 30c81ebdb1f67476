"""Which compilers the worker processes find."""

from __future__ import annotations

from assistant.lab.process import WorkerDied, WorkerProcess, WorkerTimedOut
from assistant.model.survey import GpuSurvey
from assistant.record import Record
from assistant.serialize import decode

__all__ = ["FoundTool", "ToolReport", "find_tools"]

_DEADLINE_S = 30.0


class FoundTool(Record):
    name: str
    version: str | None
    path: str | None
    """None for a library, or where it is missing."""
    origin: str
    remedy: str


class ToolReport(Record):
    tools: tuple[FoundTool, ...]
    emulator_compiler: str | None
    """Name and version; None where the emulator cannot build."""
    emulator_reason: str
    emulator_remedy: str
    limits: tuple[str, ...] = ()
    """What this machine puts in force for candidates and replays, layer by layer."""
    missing_limits: tuple[str, ...] = ()
    survey: GpuSurvey | None = None
    """What there is for looking into a GPU; None where the worker does not start."""

    def tool(self, name: str) -> FoundTool | None:
        return next((tool for tool in self.tools if tool.name == name), None)


async def find_tools() -> ToolReport:
    """Ask both workers; one that does not even start is reported as the reason."""
    compiler, emulator = WorkerProcess("assistant.device"), WorkerProcess("assistant.emulator")
    try:
        tools = await _compile_tools(compiler)
        found = await compiler.request({"op": "survey"}, _DEADLINE_S)
        reply = await emulator.request({"op": "toolchain"}, _DEADLINE_S)
        limits = reply.get("limits", {"in_force": [], "missing": []})
        return ToolReport(
            tools,
            reply.get("compiler"),
            reply.get("message", ""),
            reply.get("remedy", ""),
            tuple(limits["in_force"]),
            tuple(limits["missing"]),
            decode(GpuSurvey, found["result"]),
        )
    except (WorkerDied, WorkerTimedOut) as error:
        return ToolReport((), None, f"a worker process does not start: {error}", "reinstall kernelopt")
    finally:
        await compiler.close()
        await emulator.close()


async def _compile_tools(worker: WorkerProcess) -> tuple[FoundTool, ...]:
    reply = await worker.request({"op": "toolchain"}, _DEADLINE_S)
    return tuple(FoundTool(**tool) for tool in reply["result"]["tools"])
