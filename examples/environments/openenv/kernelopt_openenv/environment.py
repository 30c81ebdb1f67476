"""The environment: an episode is one copy of a task. The reward comes with ``submit``, and is that of the file as it stands then."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata, State

from kernelopt_openenv.judge import Folder, Judge
from kernelopt_openenv.models import KernelAction, KernelObservation

__all__ = ["KernelEnvironment", "Settings"]

_SPLIT = "all"


@dataclass(frozen=True)
class Settings:
    """Of a server."""

    sources: tuple[Path, ...]
    """CUDA sources and PyTorch tasks."""
    judge: Judge
    judge_calls: int = 8
    """Calls of ``judge`` in an episode; one more is for ``submit``."""
    wall_s: float = 1800.0
    """Seconds that an episode's calls may take together."""


class KernelEnvironment(Environment[KernelAction, KernelObservation, State]):
    """One session."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._state = State(episode_id=None, step_count=0)
        self._folder: Folder | None = None
        self._judged: tuple[str, dict[str, Any]] | None = None
        """The text that was judged last, and the answer."""
        self._judge_calls_left = 0

    def list_splits(self) -> list[str]:
        return [_SPLIT]

    def num_tasks(self, split: str) -> int:
        return len(self._files(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        return [self.get_task(split, index) for index in range(self.num_tasks(split))]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        return {"id": self._files(split)[index].name, "index": index}

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        return self.list_tasks(split)[start:stop]

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> KernelObservation:
        raise NotImplementedError("the server calls reset_async")

    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, split: str = _SPLIT, index: int | None = None, **kwargs: Any
    ) -> KernelObservation:
        """A new episode on the source of that ``index``, or the one that ``seed`` chooses."""
        self.close()
        files, settings = self._files(split), self._settings
        file = files[(seed or 0) % len(files) if index is None else index]
        root = Path(tempfile.mkdtemp(prefix="kernelopt-episode-"))
        try:
            self._folder = await settings.judge.task(file, root / "task", settings.judge_calls + 1, settings.wall_s)
        except BaseException:
            shutil.rmtree(root)
            raise
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self._judged, self._judge_calls_left = None, settings.judge_calls
        return KernelObservation(instructions=self._folder.instructions, source=self._folder.source.name, text=self._text())

    def step(self, action: KernelAction, timeout_s: float | None = None, **kwargs: Any) -> KernelObservation:
        raise NotImplementedError("the server calls step_async")

    async def step_async(self, action: KernelAction, timeout_s: float | None = None, **kwargs: Any) -> KernelObservation:
        if self._folder is None:
            raise ValueError("no episode: reset first, in the same session")
        self._state.step_count += 1
        if action.text is not None:
            self._folder.source.write_text(action.text, "utf-8", "surrogateescape")
        if action.tool == "submit":
            return await self._submitted(self._folder)
        if action.tool == "judge":
            return self._said(await self._judge_once(self._folder))
        return self._said(await self._settings.judge.ask(self._folder, action.tool, action.argument))

    @property
    def state(self) -> State:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        return EnvironmentMetadata(
            name="kernelopt", description="Make CUDA kernels faster; a judge compares what they compute", version="0.1.0"
        )

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder.path.parent, ignore_errors=True)
            self._folder = None

    async def _judge_once(self, folder: Folder) -> dict[str, Any]:
        if self._judge_calls_left <= 0:
            return {"answer": "the calls of judge are used up; submit judges once more"}
        self._judge_calls_left -= 1
        text, answer = self._text(), await self._settings.judge.ask(folder, "judge")
        self._judged = text, answer
        return answer

    async def _submitted(self, folder: Folder) -> KernelObservation:
        """Without a reward where the judge gave none: that is no sample."""
        judged = self._judged
        answer = judged[1] if judged is not None and judged[0] == self._text() else await self._settings.judge.ask(folder, "judge")
        lines = await self._settings.judge.trajectory(folder)
        self.close()
        reward = answer.get("reward")
        about = {"trajectory": lines, "is_sample": reward is not None}
        return KernelObservation(source=folder.source.name, answer=answer, reward=reward, done=True, metadata=about)

    def _said(self, answer: dict[str, Any]) -> KernelObservation:
        assert self._folder is not None
        return KernelObservation(source=self._folder.source.name, answer=answer)

    def _text(self) -> str:
        assert self._folder is not None
        return self._folder.source.read_text("utf-8", "surrogateescape")

    def _files(self, split: str) -> Sequence[Path]:
        if split != _SPLIT:
            raise ValueError(f"there is no split {split!r}, only {_SPLIT!r}")
        return self._settings.sources
