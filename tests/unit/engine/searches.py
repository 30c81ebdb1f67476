"""Whole searches on one kernel, with a planner and a person of the tests; which lab runs them is the test's choice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.running import OpenLab
from assistant.engine.session import Session, SessionParts
from assistant.model import events
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.source import TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import PlanRequest, Story
from assistant.ports.store import Store
from tests.unit.engine.fakes import FakeModels

__all__ = ["NAIVE", "ONLY_FOR_MULTIPLES_OF_32", "RIGHT", "WORKLOAD", "RejectFirst", "TwoEdits", "search"]

WORKLOAD = """\
/* kernelopt
[workload.turn]
args   = { out = "empty(n*n)", in = "randn(n*n)", n = "n" }
grid   = ["ceil(n/32)", "ceil(n/32)"]
block  = [32, 32]
shapes = [{ n = 160 }]
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

    def __init__(self, rash: str, careful: str = RIGHT) -> None:
        self.plan_count = 0
        self._texts = {"rash-edit": rash, "careful-edit": careful}

    async def plan(self, request: PlanRequest) -> Plan:
        self.plan_count += 1
        if NAIVE not in request.parsed.source.text:  # one of its edits is made
            return Plan((), (), self.name)
        steps = [
            Step(name, request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0) for name in ("rash-edit", "careful-edit")
        ]
        return Plan(tuple(steps), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        text = self._texts[step.technique]
        yield Rewrite(step.technique, step.kernel, step.line, (TextEdit(request.kernel.span, text),), "Use a tile.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> str:
        return f"{len(story.steps)} step, {len(story.left)} findings left"


class RejectFirst:
    """A person who wants something else than what is offered first."""

    def __init__(self) -> None:
        self.seen: list[Proposal] = []

    async def __call__(self, proposal: Proposal) -> DecisionRequest | None:
        self.seen.append(proposal)
        return DecisionRequest(DecisionKind.REJECTED, reason_code="style") if len(self.seen) == 1 else None


OpenStore = Callable[[Path], Store]


async def search(
    folder: Path,
    planner: TwoEdits,
    is_model: bool,
    open_lab: OpenLab,
    open_store: Callable[[Path], Store],
    person: RejectFirst | None = None,
) -> list[events.Event]:
    """All events of ``kernelopt optimize turn.cu`` in the folder."""
    parts = SessionParts(
        open_store=open_store,
        open_lab=open_lab,
        planner=planner,
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: FakeModels(planned_by=planner),
    )
    options = OptimizeOptions(planner="llm" if is_model else "expert", may_call_models=is_model, may_edit_host_code=False)
    accept = Accept.NONE if person is None else Accept.ASK
    return [event async for event in Session(parts).optimize(JobRequest(folder / "turn.cu", folder), options, accept, person)]
