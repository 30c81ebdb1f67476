"""The search itself, with a planner of the tests: what fails its confirmation gives way to the next best that was kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest

from assistant.config import user_paths
from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.running import OpenLab
from assistant.engine.session import Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.build import BuildResult
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.source import TextEdit
from assistant.model.workload import Case
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.ports.planner import PlanRequest, Story
from tests.caches import shared_cache
from tests.e2e.cli.harness import working_cli
from tests.unit.engine.fakes import FakeModels

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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Its path comes again, and with it what was built there."""
    with working_cli(tmp_path) as cli:
        (cli.home / "config.toml").write_text('[provider]\nkind = "openai"\nmodel = "small"\n[search]\nbeam = 1\n')
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        (cli.folder / "turn.cu").write_text(f"{WORKLOAD}\n{NAIVE}\n")
        yield cli.folder


def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
    return CpuLab(scratch, shared_cache(), target)


class NotingBuilds(CpuLab):
    """Writes down what it was asked to compile and to replay, in order."""

    noted: list[tuple[str, str]]

    async def build(self, program: Program, architecture: str) -> BuildResult:
        self.noted.append(("build", program.sources[0].text))
        return await super().build(program, architecture)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        ran = await super().replay(program, cases, options, limits)
        self.noted.append(("replayed", program.sources[0].text))
        return ran


def search(
    folder: Path, planner: TwoEdits, is_model: bool, person: RejectFirst | None = None, open_lab: OpenLab = open_lab
) -> list[events.Event]:
    parts = SessionParts(
        open_store=open_store,
        open_lab=open_lab,
        planner=planner,
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: FakeModels(planned_by=planner),
    )
    options = OptimizeOptions(planner="llm" if is_model else "expert", may_call_models=is_model, may_edit_host_code=False)

    async def collected() -> list[events.Event]:
        accept = Accept.NONE if person is None else Accept.ASK
        stream = Session(parts).optimize(JobRequest(folder / "turn.cu", folder), options, accept, person)
        return [event async for event in stream]

    return asyncio.run(collected())


class LabWithAnother(CpuLab):
    """Two labs, as two GPUs make them."""

    def __init__(self, scratch: Path, cache: Path, target: str) -> None:
        super().__init__(scratch, cache, target)
        (scratch / "other").mkdir()
        self.other = Counting(scratch / "other", cache, target)

    @property
    def beside(self) -> tuple[Lab, ...]:
        return (self.other,)

    async def close(self) -> None:
        await self.other.close()
        await super().close()


class Counting(CpuLab):
    replay_count = 0

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.replay_count += 1
        return await super().replay(program, cases, options, limits)


@pytest.mark.thorough
def test_what_fails_its_confirmation_gives_way_to_the_next_best_with_two_labs_too(folder: Path) -> None:
    opened: list[LabWithAnother] = []

    def open_two(request: JobRequest, scratch: Path, target: str) -> Lab:
        opened.append(LabWithAnother(scratch, shared_cache(), target))
        return opened[-1]

    heard = search(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), is_model=False, open_lab=open_two)
    assert opened[0].other.replay_count > 0
    tried = {event.technique: event for event in heard if isinstance(event, events.CandidateTried)}
    assert [event.outcome for event in tried.values()] == ["kept", "kept"]
    assert (tried["rash-edit"].ratio or 0) > (tried["careful-edit"].ratio or 0)
    (proposal,) = [event for event in heard if isinstance(event, events.ProposalMade)]
    assert proposal.techniques == ("careful-edit",)
    assert proposal.explanation.splitlines()[-1].startswith("1 step, ")
    assert any("failed its confirmation" in event.message for event in heard if isinstance(event, events.Message))


def test_after_a_rejection_a_models_next_best_edit_is_offered_without_asking_it_again(folder: Path) -> None:
    person, planner = RejectFirst(), TwoEdits(RIGHT.replace("[33]", "[34]"))
    heard = search(folder, planner, is_model=True, person=person)
    offered = [event.techniques for event in heard if isinstance(event, events.ProposalMade)]
    assert sorted(offered) == [("careful-edit",), ("rash-edit",)]
    assert planner.plan_count == 2  # on the text as it was, and on the version that was kept


@pytest.mark.thorough
def test_a_model_whose_edits_gain_nothing_is_asked_as_often_as_patience_says(folder: Path) -> None:
    with_value = NAIVE.replace(
        "if (x < n && y < n) out[x * n + y] = in[y * n + x];",
        "if (x < n && y < n) {\n        float v = in[y * n + x];\n        out[x * n + y] = v;\n    }",
    )
    planner = TwoEdits(with_value, with_value.replace("float v", "const float v"))
    heard = search(folder, planner, is_model=True)
    tried = [event.outcome for event in heard if isinstance(event, events.CandidateTried)]
    assert tried == ["not_better", "not_better"]
    assert planner.plan_count == 2


@pytest.mark.parametrize(
    "rash",
    [
        pytest.param(
            f'struct A {{ inline static int q = system("touch ran"); }};\n{RIGHT.replace("int x", "int z = A::q;    int x")}',
            marks=pytest.mark.thorough,
        ),
        pytest.param(RIGHT[:-1] + '#define return (void)system("touch ran"); return\n}', marks=pytest.mark.thorough),
        RIGHT.replace("int x", 'system("touch ran");    int x'),
    ],
)
def test_an_edit_that_hides_host_code_is_neither_built_nor_run_whatever_it_declares(
    folder: Path, rash: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    heard = search(folder, TwoEdits(rash), is_model=True)
    tried = {event.technique: event for event in heard if isinstance(event, events.CandidateTried)}
    assert tried["rash-edit"].outcome == "not_allowed" and tried["careful-edit"].outcome == "kept"
    assert not list(folder.rglob("ran"))


def test_a_kernel_near_the_speed_of_light_is_left_as_it_is(folder: Path) -> None:
    config = user_paths().config
    config.write_text(config.read_text() + "near_limit_ratio = 0.001\n")
    planner = TwoEdits(ONLY_FOR_MULTIPLES_OF_32)
    heard = search(folder, planner, is_model=True)
    assert planner.plan_count == 0
    assert any("is reached, so the search ends here" in event.message for event in heard if isinstance(event, events.Message))


@pytest.mark.thorough
def test_the_next_edit_is_compiled_while_one_is_judged(folder: Path) -> None:
    noted: list[tuple[str, str]] = []

    def open_noting(request: JobRequest, scratch: Path, target: str) -> Lab:
        lab = NotingBuilds(scratch, shared_cache(), target)
        lab.noted = noted
        return lab

    search(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), is_model=False, open_lab=open_noting)
    rash, right = (f"{WORKLOAD}\n{edit}\n" for edit in (ONLY_FOR_MULTIPLES_OF_32, RIGHT))
    before_the_next = noted[: noted.index(("replayed", right))]
    assert before_the_next.index(("build", right)) > before_the_next.index(("build", rash))
    assert ("replayed", rash) in before_the_next[before_the_next.index(("build", right)) :]
