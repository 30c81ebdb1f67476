"""The agent's tools, a server for each rollout: its file, and kernelopt's three questions about it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from kernelopt_verifiers.judge import Folder, Judge

__all__ = ["JudgeTools", "WorkState"]


class WorkState(vf.State):
    """What a rollout's task and its tools both know."""

    folder: str = ""
    source: str = ""
    command: list[str] = []
    judge_calls_left: int = 0
    last_text: str | None = None
    """The text that was judged last."""
    last_answer: dict[str, Any] | None = None


class JudgeTools(vf.Toolset[vf.ToolsetConfig, WorkState]):
    TOOL_PREFIX = "kernelopt"

    @vf.tool
    def read_file(self) -> str:
        """The text of the file that is edited, as it stands."""
        return self._folder.source.read_text("utf-8", "surrogateescape")

    @vf.tool
    def write_file(self, text: str) -> str:
        """Replace the whole text of the file that is edited."""
        self._folder.source.write_text(text, "utf-8", "surrogateescape")
        return "written"

    @vf.tool
    async def judge(self) -> str:
        """Is the file right, is it faster than the original, and what reward has it? Says why not."""
        if self.state.judge_calls_left <= 0:
            return "the calls of judge are used up; the file is judged as you leave it"
        self.state.judge_calls_left -= 1
        self.state.last_text = self.read_file()
        self.state.last_answer = await self._asked("judge")
        return json.dumps(self.state.last_answer)

    @vf.tool
    async def profile(self) -> str:
        """Where the time of the file as it stands goes, by kernel and line."""
        return json.dumps(await self._asked("profile"))

    @vf.tool
    async def ask_memory(self, technique: str = "") -> str:
        """What earlier trials on kernels like this one came to; with the name of a technique, its page."""
        return json.dumps(await self._asked("ask_memory", technique))

    async def _asked(self, tool: str, argument: str = "") -> dict[str, Any]:
        return await Judge(self.state.command).ask(self._folder, tool, argument)

    @property
    def _folder(self) -> Folder:
        return Folder(Path(self.state.folder), Path(self.state.source))


if __name__ == "__main__":
    JudgeTools.run()
