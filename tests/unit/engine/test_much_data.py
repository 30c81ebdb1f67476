"""A launch with much data, of which only a part follows from its sizes, as the values of a sparse matrix next to its vectors."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.engine.evaluate import Effort, JudgedCase
from assistant.engine.job import Job
from assistant.engine.judge import budget
from assistant.engine.judge.deriving import DerivedCases, Lead, derive
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, version_of
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.ports.lab import Program, RunLimits
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.deadlines import GONE_WITHIN_S
from tests.unit.workload.launches import launched

COUNT, BLOCKS = 132_000, 516
TABLE = 9 * (1 << 18) + 3
"""Values of 4 bytes, 9 MiB of them, whatever the launch's size."""
LIMIT_BYTES = 8 << 20
"""Of data that is drawn again: in earnest eight times as much."""
PICK = """\
__global__ void pick(float *out, const float *x, const float *table, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = x[i] + table[i];
}
"""


def picked(out: np.ndarray, x: np.ndarray, table: np.ndarray, n: int) -> None:
    out[:n] = x[:n] + table[:n]


async def derived(folder: Path, clock: Clock | None) -> DerivedCases:
    parsed = parse(Source(folder / "a.cu", PICK))
    version = version_of(parsed, Program((parsed.source,), Flags(())), Selection())
    x = np.linspace(-4, 4, COUNT, dtype=np.float32)
    own, _ = launched(LaunchConfig(Dim3(BLOCKS), Dim3(256)), {"n": COUNT}, np.zeros(COUNT, np.float32), x, np.ones(TABLE, np.float32))
    instance = "pick(float*, const float*, const float*, int)"
    launches = tuple(replace(one, kernel=instance, file="a.cu", line=1) for one in own.recording.launches)
    own = replace(own, recording=replace(own.recording, launches=launches))
    (kernel,) = parsed.kernels
    case = JudgedCase(own, kernel.key, (kernel.parameters,), (), frozenset(), 0)
    effort = Effort((1,), 1, "plain", with_boundary=False, is_confirming=False)
    limits = architecture("sm_90")
    assert limits is not None
    lab = FakeLab(folder, {"table[i]": Behaviour(picked, sectors=4)}, timing=clock)
    job = Job("J", JobRequest(folder / "a.cu", folder), lab, target("h200"), limits, folder, (1, 2), RunLimits())
    async with asyncio.timeout(GONE_WITHIN_S):
        return await derive(job, version, Lead(case), effort)


@pytest.mark.parametrize("clock", [None, Clock()])
async def test_its_cases_come_to_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock | None) -> None:
    monkeypatch.setattr(budget, "_OWN_VALUES_BYTES", LIMIT_BYTES)
    made = await derived(tmp_path, clock)
    own, *others = made.cases
    assert own.new.origin.kind == "recorded"
    smaller = [one for one in others if one.resize is not None and one.resize.is_whole]
    assert smaller and all(dict(one.resize.sizes)["n"] < COUNT for one in smaller if one.resize is not None), made.dropped
