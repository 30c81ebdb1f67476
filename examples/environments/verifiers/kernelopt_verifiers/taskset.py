"""The taskset: a task for each CUDA source or PyTorch operator, worked on through tools, scored by kernelopt's judge.

The agent never runs anything itself: it writes its file and asks the judge by tools, which any harness that takes MCP servers has.
"""

from __future__ import annotations

import functools
import shutil
import tempfile
from collections.abc import Iterator
from glob import glob
from pathlib import Path

import verifiers.v1 as vf

from kernelopt_verifiers.judge import Folder, Judge, JudgeError
from kernelopt_verifiers.tools import JudgeTools, WorkState

__all__ = ["KernelTaskset"]

_PROMPT = """\
{instructions}

You work through tools: `write_file` replaces the text of {name}, `read_file` reads it back, `judge`, `profile` and `ask_memory` answer as
above. Your reward is that of the file as you leave it. {name}:

```
{text}```
"""
_INSTRUCTIONS = """\
Make the CUDA code in {name} faster: the judge compares it with the original, which it must equal on values and sizes of the judge's own.
-1: wrong, or cheating; 0: unchanged; 1: right; 2: measured faster; 3: faster, and near what the device allows. Keep host code as it is."""


class KernelData(vf.TaskData):
    file: str
    """Absolute path of the source on this machine."""


class KernelTaskConfig(vf.TaskConfig):
    tools: vf.ToolsetConfig = vf.ToolsetConfig()
    command: list[str] = ["kernelopt"]
    """Starts kernelopt; with `sudo -u USER` in front, the judge is another user than the agent (`isolated` in its answers)."""
    options: list[str] = []
    """Of `kernelopt task new`, for all tasks: `["--device", "cpu"]`."""
    judge_calls: int = 8
    """Calls of `judge` that a rollout has; one more is for the file as it is left."""
    wall_s: float = 1800.0
    """Seconds that a rollout's calls may take together."""


class KernelTask(vf.Task[KernelData, WorkState, KernelTaskConfig]):
    """A rollout has a folder of its own, and with it a budget."""

    @classmethod
    def toolsets(cls, config: KernelTaskConfig) -> list[vf.Toolset]:
        return [JudgeTools(config.tools)]

    async def setup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        config = self.config
        folder = Path(tempfile.mkdtemp(prefix="kernelopt-rollout-"))
        try:
            made = await self._judge.task(Path(self.data.file), folder / "task", config.judge_calls + 1, config.wall_s)
        except BaseException:
            shutil.rmtree(folder)
            raise
        trace.state.folder, trace.state.source = str(made.path), str(made.source)
        trace.state.command, trace.state.judge_calls_left = config.command, config.judge_calls

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """The file as it was left is judged, if it was not yet. Raises where there is no reward: that is no sample."""
        state = trace.state
        if not state.folder:
            return
        folder = Folder(Path(state.folder), Path(state.source))
        try:
            answer = state.last_answer
            if answer is None or state.last_text != folder.source.read_text("utf-8", "surrogateescape"):
                answer = await self._judge.ask(folder, "judge")
            trace.info["trajectory"] = await self._judge.trajectory(folder)
        finally:
            shutil.rmtree(folder.path.parent, ignore_errors=True)
        if answer.get("reward") is None:
            raise JudgeError(f"the judge gave no reward: {answer['answer']}")
        trace.info["answer"] = answer

    @vf.reward
    async def milestone(self, trace: vf.Trace) -> float:
        """-1 wrong, 0 unchanged, 1 right, 2 measured faster, 3 that and near the bound."""
        return float(trace.info["answer"]["reward"])

    @vf.metric
    async def predicted_ratio(self, trace: vf.Trace) -> float:
        """time(start) / time(edit) by the performance model, 0 where it says nothing; no part of the reward."""
        return float((trace.info["answer"]["components"]["predicted"] or {}).get("ratio") or 0.0)

    @vf.metric
    async def measured_ratio(self, trace: vf.Trace) -> float:
        """Measured on a GPU, 0 where nothing was; no part of the reward."""
        return float((trace.info["answer"]["components"]["ratio"] or {}).get("ratio") or 0.0)

    @vf.metric
    async def is_cheat(self, trace: vf.Trace) -> float:
        return float(trace.info["answer"]["components"]["cheat"] is not None)

    @property
    def _judge(self) -> Judge:
        return _judge(tuple(self.config.command), tuple(self.config.options))


class KernelTasksetConfig(vf.TasksetConfig):
    sources: list[str] = []
    """CUDA sources and PyTorch tasks, by path or pattern (`kernels/*.cu`)."""
    task: KernelTaskConfig = KernelTaskConfig()


class KernelTaskset(vf.Taskset[KernelTask, KernelTasksetConfig]):
    def load(self) -> Iterator[KernelTask]:
        files = [Path(name).resolve() for pattern in self.config.sources for name in sorted(glob(pattern))]  # noqa: PTH207  # may be absolute
        if not files:
            raise ValueError("no sources: name CUDA sources or PyTorch tasks with --env.taskset.sources")
        for file in files:
            text = file.read_text("utf-8", "surrogateescape")
            instructions = _INSTRUCTIONS.format(name=file.name)
            prompt = _PROMPT.format(instructions=instructions, name=file.name, text=text)
            yield KernelTask(KernelData(name=file.stem, prompt=prompt, file=str(file)), self.config.task)


@functools.cache
def _judge(command: tuple[str, ...], options: tuple[str, ...]) -> Judge:
    """One for all rollouts of a process: a file's start is judged once."""
    return Judge(command, options)
