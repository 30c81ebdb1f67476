"""The accounts of a job that was not opened by a session: what it may spend, and what it reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from assistant.build.architectures import architecture
from assistant.engine.job import Job
from assistant.engine.request import JobRequest
from assistant.engine.search.accounts import JobAccounts, OnWriting
from assistant.measure.targets import target
from assistant.model.attempt import JobRow
from assistant.model.completion import Caps, ModelCall, Spending
from assistant.ports.lab import Lab, LabDescription, RunLimits
from assistant.ports.store import Store
from tests.unit.engine.heard import Heard

__all__ = ["Open", "opened"]

Open = Callable[..., tuple[JobAccounts, Heard]]


@pytest.fixture
def opened(tmp_path: Path, store: Store) -> Open:
    def make(
        caps: Caps,
        spent: Spending | None = None,
        device: str = "cpu",
        on_writing: OnWriting | None = None,
        answers: Sequence[ModelCall] = (),
        lab: SimpleNamespace | None = None,
    ) -> tuple[JobAccounts, Heard]:
        """The accounts of a new job, and what it reports."""
        limits, request = architecture("sm_90"), JobRequest(tmp_path / "k.cu", tmp_path)
        assert limits is not None
        heard = Heard()
        lab = lab or SimpleNamespace(describe=lambda: LabDescription(device, "a device", "h200", "", ()), waited_s=0.0)
        job = Job("J1", request, cast("Lab", lab), target("h200"), limits, tmp_path, (), RunLimits(), heard)
        store.start_job(JobRow("J1", "optimize", request.file, tmp_path, "host 1 test", 1, 1, None, None, False))
        return JobAccounts(job, store, caps, on_writing, spent, " --planner llm", answers), heard

    return make
