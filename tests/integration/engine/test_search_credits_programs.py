"""A search credits what an edit saves beside its kernel, as a comparison does: a copy, a fill, a launch."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.cuda.parse import parse
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import Source, Span, TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import PlanRequest, Story
from tests.caches import shared_cache
from tests.integration.engine.homes import home_with_kept_builds

PROGRAM = """#include <cstdio>
#include <utility>
__global__ void clear(int *x) { x[threadIdx.x] = 0; }
__global__ void turn(const int *from, int *to) { to[threadIdx.x] = from[blockDim.x - 1 - threadIdx.x]; }
int main() {
  int host[64], *now, *next;
  for (int i = 0; i < 64; i++) host[i] = i * i % 19;
  cudaMalloc(&now, 256);
  cudaMalloc(&next, 256);
  cudaMemcpy(now, host, 256, cudaMemcpyHostToDevice);
  for (int s = 0; s < 3; s++) {
    cudaMemset(next, 0, 256);
    clear<<<1, 64>>>(next);
    turn<<<1, 64>>>(now, next);
    cudaMemcpy(now, next, 256, cudaMemcpyDeviceToDevice);
  }
  cudaMemcpy(host, now, 256, cudaMemcpyDeviceToHost);
  std::printf("%d %d\\n", host[0], host[63]);
}
"""
SAVED = {
    "fewer-copies": ("cudaMemcpy(now, next, 256, cudaMemcpyDeviceToDevice);", "std::swap(now, next);"),
    "fewer-fills": ("cudaMemset(next, 0, 256);", ""),
    "fewer-launches": ("clear<<<1, 64>>>(next);", ""),
}


class Saves:
    """Plans these edits of the host's code for the kernel ``turn``."""

    name = "saves"

    async def plan(self, request: PlanRequest) -> Plan:
        if request.kernel.name != "turn" or request.parsed.source.text != PROGRAM:
            return Plan((), (), self.name)
        steps = [Step(name, request.kernel.key, request.kernel.line, "because", (), "", (), 1.0) for name in SAVED]
        return Plan(tuple(steps), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        old, new = SAVED[step.technique]
        start = request.parsed.source.text.index(old)
        edit = TextEdit(Span(start, start + len(old)), new)
        yield Rewrite(step.technique, step.kernel, step.line, (edit,), "Leave it out.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> None:
        return None


@pytest.mark.thorough
async def test_a_copy_a_fill_and_a_launch_that_are_left_out_are_gains_of_a_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(home_with_kept_builds(tmp_path)))
    file = tmp_path / "steps.cu"
    file.write_text(PROGRAM)
    assert len(parse(Source(file, PROGRAM)).kernels) == 2
    parts = SessionParts(
        open_store=open_store,
        open_lab=lambda _request, scratch, target: CpuLab(scratch, shared_cache(), target),
        planner=Saves(),
        catalogue=Catalogue(()),
        who="a test",
    )
    options = OptimizeOptions(max_rounds=1, planner="expert")
    request = JobRequest(file, tmp_path, kernel="turn")
    told = [event async for event in Session(parts).optimize(request, options, Accept.NONE, None)]
    tried = {event.technique: event for event in told if isinstance(event, events.CandidateTried)}
    assert {name: event.outcome for name, event in tried.items()} == dict.fromkeys(SAVED, "kept"), told
    assert all((event.ratio or 0) > 1.05 for event in tried.values())
    (proposal,) = [event for event in told if isinstance(event, events.ProposalMade)]
    assert proposal.speed.ratio > 1.05
