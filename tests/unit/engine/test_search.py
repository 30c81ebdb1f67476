"""The search itself, with a planner of the tests: what fails its confirmation gives way to the next best that was kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.config import user_paths
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports import PlanRequest, Story

WORKLOAD = """\
/* kernelopt
[workload.turn]
args   = { out = "empty(n*n)", in = "randn(n*n)", n = "n" }
grid   = ["ceil(n/32)", "ceil(n/32)"]
block  = [32, 32]
shapes = [{ n = 256 }]
sizes  = { n = { min = 1 } }
*/
"""
NAIVE = """\
__global__ void turn(float *out, const float *in, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) out[x * n + y] = in[y * n + x];
}"""
RIGHT = """\
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    int ox = blockIdx.y * 32 + threadIdx.x;
    int oy = blockIdx.x * 32 + threadIdx.y;
    if (ox < n && oy < n) out[oy * n + ox] = tile[threadIdx.x][threadIdx.y];
}"""
ONLY_FOR_MULTIPLES_OF_32 = """\
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}"""


class TwoEdits:
    """Plans the same two edits of the kernel whatever it is shown, on the text as it was first."""

    name = "two edits"

    async def plan(self, request: PlanRequest) -> Plan:
        if NAIVE not in request.parsed.source.text:
            return Plan((), (), self.name)
        steps = [
            Step(name, request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0) for name in ("rash-edit", "careful-edit")
        ]
        return Plan(tuple(steps), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        text = ONLY_FOR_MULTIPLES_OF_32 if step.technique == "rash-edit" else RIGHT
        yield Rewrite(step.technique, step.kernel, step.line, (TextEdit(request.kernel.span, text),), "Use a tile.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> str:
        return f"{len(story.steps)} step, {len(story.left)} findings left"


@pytest.fixture
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[events.Event]:
    cache = user_paths().cache
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    path = tmp_path / "turn.cu"
    path.write_text(f"{WORKLOAD}\n{NAIVE}\n")
    parts = SessionParts(open_store, lambda request, scratch, target: CpuLab(scratch, cache, target), TwoEdits(), Catalogue(()), "a test")
    session = Session(parts)

    async def collected() -> list[events.Event]:
        stream = session.optimize(JobRequest(path, tmp_path), OptimizeOptions(planner="expert"), Accept.NONE, None)
        return [event async for event in stream]

    return asyncio.run(collected())


def test_what_fails_its_confirmation_gives_way_to_the_next_best(heard: list[events.Event]) -> None:
    tried = {event.technique: event for event in heard if isinstance(event, events.CandidateTried)}
    assert [event.outcome for event in tried.values()] == ["kept", "kept"]
    assert (tried["rash-edit"].ratio or 0) > (tried["careful-edit"].ratio or 0)
    (proposal,) = [event for event in heard if isinstance(event, events.ProposalMade)]
    assert proposal.techniques == ("careful-edit",)
    assert proposal.explanation.splitlines()[-1].startswith("1 step, ")
    assert any("failed its confirmation" in event.message for event in heard if isinstance(event, events.Message))
