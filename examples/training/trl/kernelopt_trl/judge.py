"""kernelopt's judge, reached as a process: tasks are made, copied and asked about by its command.

Other packages hold this file, too, the same to the byte. Example::

    judge = Judge(("kernelopt",))
    folder = await judge.task(Path("blur.cu"), Path("work"), judge_calls=8, wall_s=600)
    folder.source.write_text(edited)
    (await judge.ask(folder, "judge"))["reward"]        # 1
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Folder", "Judge", "JudgeError"]

_OF_AGENT = "claude"
"""The agent whose configuration file is written into a task's folder; these environments do not read it."""

_OPTION: dict[str, tuple[str, ...]] = {"judge": (), "profile": ("--kernel",), "ask_memory": ()}
"""In front of a tool's argument."""


class JudgeError(Exception):
    """kernelopt could not do what it was asked, in its own words."""


@dataclass(frozen=True)
class Folder:
    """An agent's folder of a task."""

    path: Path
    source: Path
    """The file to edit."""

    @property
    def instructions(self) -> str:
        return (self.path / "README.md").read_text("utf-8")


class Judge:
    """Asks one installation of kernelopt. A file's task is made, and its start judged, once; each further folder is a copy."""

    def __init__(self, command: Sequence[str], options: Sequence[str] = ()) -> None:
        """``options``: of ``kernelopt task new``, for all tasks (``--device cpu``)."""
        self._command = tuple(command)
        self._options = tuple(options)
        self._home: Path | None = None
        """Of the first folder of each file; gone with the process."""
        self._made: dict[Path, asyncio.Task[str]] = {}

    async def task(self, file: Path, folder: Path, judge_calls: int, wall_s: float) -> Folder:
        """A folder of its own, with a whole budget. Raises JudgeError for a file that makes no task."""
        budget = ("--judge-calls", str(judge_calls), "--wall", str(wall_s))
        first = self._made.get(file)
        if first is None or (first.done() and (first.cancelled() or first.exception() is not None)):
            first = self._made[file] = asyncio.create_task(self._first(file, budget))
        made = json.loads(await self._said("task", "copy", await asyncio.shield(first), folder, "--for", _OF_AGENT, "--json"))
        return Folder(folder, folder / made["source"])

    async def ask(self, folder: Folder, tool: str, argument: str = "") -> dict[str, Any]:
        """The answer of ``judge``, ``profile`` (of a kernel, or all) or ``ask_memory`` (about a technique, or all).

        Of a call that may not begin, ``answer`` is what stands in its way.
        """
        if argument.startswith("-"):
            return {"answer": f"{argument} is no name"}
        words = (*_OPTION[tool], argument) if argument else ()
        try:
            return json.loads(await self._said(tool.replace("_", "-"), *words, "--json", where=folder.path))
        except JudgeError as error:
            return {"answer": str(error)}

    async def trajectory(self, folder: Folder) -> list[dict[str, Any]]:
        """The task, then every call, as ``kernelopt task trajectory`` has it."""
        return [json.loads(line) for line in (await self._said("task", "trajectory", folder.path)).splitlines()]

    async def _first(self, file: Path, budget: Sequence[str]) -> str:
        if self._home is None:
            self._home = Path(tempfile.mkdtemp(prefix="kernelopt-tasks-"))
            weakref.finalize(self, shutil.rmtree, self._home, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(dir=self._home))
        return json.loads(await self._said("task", "new", file, folder, *budget, *self._options, "--for", _OF_AGENT, "--json"))["task"]

    async def _said(self, *words: str | Path, where: Path | None = None) -> str:
        """What the command printed. Raises JudgeError where it printed nothing but an error."""
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *map(str, words),
            cwd=where,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            out, err = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()  # it ends its workers and keeps that the call was cancelled
            await process.wait()
            raise
        if not out.strip():
            nothing = f"{self._command[0]} ended with {process.returncode} and said nothing"
            raise JudgeError(err.decode("utf-8", "replace").strip() or nothing)
        return out.decode("utf-8", "replace")
