"""Which device a job gets: what was asked for, else what the settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.channel import UNHEARD
from assistant.engine.request import JobRequest
from assistant.engine.running import JobRunner
from assistant.errors import CannotAnswerError
from assistant.ports.lab import Lab
from assistant.ports.store import Store


def no_store() -> Store:
    raise AssertionError("a job that gets no lab keeps nothing")


def refuse(request: JobRequest, scratch: Path, target: str) -> Lab:
    raise CannotAnswerError(f"no {request.device} here")


@pytest.mark.parametrize(("asked", "given"), [(None, "gpu:3"), ("auto", "auto"), ("cpu", "cpu"), ("gpu:1", "gpu:1")])
async def test_the_setting_stands_where_nothing_was_asked_for(tmp_path: Path, asked: str | None, given: str) -> None:
    (tmp_path / "kernelopt.toml").write_text('device = "gpu:3"\n')
    (tmp_path / "k.cu").write_text("__global__ void k(int* a) { a[0] = 1; }\n")
    request = JobRequest(tmp_path / "k.cu", tmp_path, device=asked)
    with pytest.raises(CannotAnswerError, match=f"^no {given} here"):
        await JobRunner(no_store, refuse, "test").run("inspect", request, lambda job, version: pytest.fail("no lab"), UNHEARD)
