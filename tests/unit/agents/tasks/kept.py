"""A task in a home and an agent's folder, without a lab: nothing of it is run."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NoReturn

from assistant.agents.tasks import AgentFolder, Budget, Door, JudgeSettings, KeptTask, Task, TaskKind, TaskStore
from assistant.agents.tasks.task import ProtectedFile
from assistant.engine import Session, SessionParts
from assistant.plan.catalogue import Catalogue
from tests.contracts.fake_store import FakeStore

START = """\
__global__ void twice(float *x, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) x[i] *= 2.0f;
}
int main() {
  float *x;
  cudaMalloc(&x, 256);
  twice<<<1, 64>>>(x, 64);
  cudaDeviceSynchronize();
}
"""
ID = "T01M8DJRYNT4GV8RCH57AD9J4Q6"
_FILES = {"task.json": f'{{"id": "{ID}"}}'.encode(), "reference/twice.cu": START.encode()}


def _refused(*_: object) -> NoReturn:
    raise AssertionError("nothing is to be run")


def no_session() -> Session:
    """Runs nothing."""
    return Session(SessionParts(lambda _: FakeStore(), _refused, None, Catalogue(()), "test"))  # type: ignore[arg-type]


def kept_task(home: Path, settings: JudgeSettings = JudgeSettings(), budget: Budget = Budget(3, 100.0)) -> KeptTask:  # noqa: B008
    """Kept in ``home``."""
    protected = tuple(ProtectedFile(name, hashlib.sha256(data).hexdigest()) for name, data in _FILES.items())
    task = Task(ID, TaskKind.KERNEL, "twice.cu", "twice.cu", (), settings, budget, 16_000, protected, 0)
    return TaskStore(home / "tasks").add(task, {"twice.cu": START.encode()}, START, _FILES)


def agent_folder(folder: Path) -> Path:
    """With the task's files as they were given."""
    for name, data in {**_FILES, "twice.cu": START.encode(), "NOTES.md": b"# Notes\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def door(home: Path, folder: Path) -> Door:
    return Door(no_session(), TaskStore(home / "tasks"), AgentFolder(folder))


async def silent(_: str) -> None:
    """Progress that nobody reads."""
