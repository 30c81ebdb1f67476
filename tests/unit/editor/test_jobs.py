"""A job host that cannot be started is told of, with the cause."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from assistant.editor.jobs import JobHost, JobRefused
from assistant.editor.tasks import Task, Verb
from assistant.engine.request import JobRequest


def test_an_interpreter_that_was_removed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "venv" / "bin" / "python"
    monkeypatch.setattr(sys, "executable", str(gone))
    task = Task(Verb.INSPECT, JobRequest(tmp_path / "a.cu", tmp_path, texts=((tmp_path / "a.cu", ""),)))

    async def run() -> None:
        async for _ in JobHost("lsp").run(task):
            raise AssertionError("it cannot have started")

    with pytest.raises(JobRefused, match="could not be started") as refused:
        asyncio.run(run())
    assert str(gone) in refused.value.message and "restart the server" in refused.value.remedy and refused.value.exit_code == 3
