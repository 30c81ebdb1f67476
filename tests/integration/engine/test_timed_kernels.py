"""Of programs with several kernels of equal shapes: what is timed is what is judged, and nothing that B adds is free.

The clock is the tests' own (``clocked.py``); everything else is real.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session, SessionParts
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import TextEdit
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.ports.planner import PlanRequest, Story
from tests.e2e.cli.harness import working_cli
from tests.integration.engine.clocked import Clock, open_clocked
from tests.unit.engine.fakes import FakeModels, FakePlanner

KERNELS = """\
#include <cstdio>
#include <vector>
__global__ void first(float *out, const float *in, int n)
{
    // takes 10 us
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + 1.0f;
}
__global__ void second(float *out, const float *in, int n)
{
    // takes 43 us
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { out[i] = in[i]; out[i] += in[i] * 2.0f; }
}
"""
HOST = """\
int main()
{
    const int n = 1000, block = 128;
    std::vector<float> h(n);
    for (int i = 0; i < n; i++) h[i] = (i * 37 % 101) * 0.25f - 9.0f;
    float *a, *b, *c;
    for (float **p : {&a, &b, &c}) cudaMalloc(p, n * 4);
    cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
    first<<<(n + block - 1) / block, block>>>(b, a, n);
    second<<<(n + block - 1) / block, block>>>(c, a, n);
    float sums[2];
    int at = 0;
    for (float *p : {b, c}) {
        cudaMemcpy(h.data(), p, n * 4, cudaMemcpyDeviceToHost);
        double sum = 0;
        for (float v : h) sum += v;
        sums[at++] = sum;
    }
    printf("%g %g\\n", sums[0], sums[1]);
}
"""
SLOW, FAST = "// takes 43 us", "// takes 10 us, faster"
WORK = "if (i < n) { out[i] = in[i]; out[i] += in[i] * 2.0f; }"
ONE_STORE = "if (i < n) out[i] = in[i] + in[i] * 2.0f;"
FASTER = KERNELS.replace(SLOW, FAST).replace(WORK, ONE_STORE)
TWO_OPENINGS = """\
#ifdef SEED
    { srand(SEED);
#else
    {
#endif
    }
"""
"""Braces that do not balance for code that cuts the text apart without preprocessing it."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Its path comes again, and with it what was built there."""
    with working_cli(tmp_path) as cli:
        monkeypatch.setenv("KERNELOPT_HOME", str(cli.home))
        yield cli.folder


def unbalanced(host: str) -> str:
    return host.replace("    float sums[2];\n", f"{TWO_OPENINGS}    float sums[2];\n")


def session(clock: Clock, planner: object = None) -> Session:
    parts = SessionParts(
        open_store=open_store,
        open_lab=partial(open_clocked, clock),
        planner=planner or FakePlanner("a planner"),  # type: ignore[arg-type]
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: FakeModels(),
    )
    return Session(parts)


def compared(folder: Path, a: str, b: str, clock: Clock | None = None) -> tuple[list[events.ComparisonMade], events.JobEnded]:
    (folder / "a.cu").write_text(a)
    (folder / "b.cu").write_text(b)
    request = JobRequest(folder / "a.cu", folder)

    async def collected() -> list[events.Event]:
        stream = session(clock or Clock()).compare(request, folder / "b.cu", is_strict=False)
        return [event async for event in stream]

    heard = asyncio.run(collected())
    ended = heard[-1]
    assert isinstance(ended, events.JobEnded)
    return [event for event in heard if isinstance(event, events.ComparisonMade)], ended


@pytest.mark.thorough
def test_the_edited_kernel_is_timed_and_not_the_first_one(folder: Path) -> None:
    host, block = unbalanced(HOST), "block = 64"
    made, _ = compared(folder, KERNELS + host, FASTER + host.replace("block = 128", block))
    speeds = {event.kernel.partition("(")[0]: event.speed for event in made if event.kernel is not None}
    second = speeds["second"]
    assert second is not None
    assert (second.outcome, second.ratio) == ("FASTER", pytest.approx(4.3, rel=1e-3))
    assert all(speed is not None and speed.ratio == pytest.approx(1.0) for name, speed in speeds.items() if name != "second")


@pytest.mark.thorough
def test_work_that_is_moved_into_another_kernel_counts(folder: Path) -> None:
    moved = KERNELS.replace(SLOW, "// takes 3 us").replace("// takes 10 us", "// takes 60 us")
    made, ended = compared(folder, KERNELS + HOST, moved.replace("+ 1.0f", "+ 1.0f + 0.0f").replace("* 2.0f", "* 2.0f * 1.0f") + HOST)
    overall = made[-1]
    assert overall.kernel is None and overall.speed is not None
    assert overall.speed.ratio == pytest.approx((43 + 10) / (3 + 60), rel=1e-3)
    assert ended.exit_code == 1, "slower as a whole"


ADDED_LAUNCH = HOST.replace("    float sums", "    second<<<(n + block - 1) / block, block>>>(c, a, n);\n    float sums")
ADDED_FILL = HOST.replace("    first<<<", "    cudaMemset(b, 0, n * 4);\n    first<<<")


def test_a_launch_that_b_adds_is_in_the_ratio(folder: Path) -> None:
    made, _ = compared(folder, KERNELS + HOST, FASTER + ADDED_LAUNCH)
    overall = made[-1]
    assert overall.speed is not None and overall.speed.ratio == pytest.approx(43 / (10 + 10), rel=1e-3), overall.speed
    assert any("second is launched" in caveat for caveat in overall.speed.caveats), overall.speed.caveats


@pytest.mark.thorough
@pytest.mark.parametrize(("host", "what"), [(ADDED_FILL, "1 fill, 4,000 bytes")])
def test_what_b_adds_forbids_a_gain_and_is_named(folder: Path, host: str, what: str) -> None:
    made, _ = compared(folder, KERNELS + HOST, FASTER + host)
    for event in made:
        assert event.verification.outcome != "FAIL", event.verification.findings
        if event.speed is not None and event.speed.ratio > 1.0 + 1e-3:
            assert event.speed.outcome == "INCONCLUSIVE"
            assert any(what in caveat for caveat in event.speed.caveats), event.speed.caveats


@pytest.mark.thorough
def test_a_timing_that_failed_shows_in_the_line_of_the_speed(folder: Path) -> None:
    clock = Clock()
    clock.failure = LabFailure("busy", "another program keeps the GPU", "try again")
    made, ended = compared(folder, KERNELS + HOST, FASTER + HOST, clock)
    assert made[0].speed is not None
    assert (made[0].speed.outcome, made[0].speed.caveats) == ("PREDICTED", ("not timed: another program keeps the GPU",))
    assert "(not timed: another program keeps the GPU)" in ended.reason


class OneEdit:
    """Plans one edit of the kernel ``second``, however the text looks around it."""

    name = "one edit"

    async def plan(self, request: PlanRequest) -> Plan:
        if request.kernel.name != "second" or WORK not in request.parsed.source.text:
            return Plan((), (), self.name)
        return Plan((Step("one-store", request.kernel.key, request.kernel.line, "because", (), "KO101", (), 1.0),), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        text = request.parsed.source.text
        edited = text[request.kernel.span.start : request.kernel.span.end].replace(SLOW, FAST).replace(WORK, ONE_STORE)
        yield Rewrite(step.technique, step.kernel, step.line, (TextEdit(request.kernel.span, edited),), "One store.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> str:
        return "one store"


@pytest.mark.thorough
def test_a_search_times_the_kernel_that_it_edits(folder: Path) -> None:
    host = unbalanced(HOST)
    (folder / "p.cu").write_text(KERNELS + host)
    clock = Clock()

    async def collected() -> list[events.Event]:
        options = OptimizeOptions(planner="expert", may_call_models=False, may_edit_host_code=False)
        stream = session(clock, OneEdit()).optimize(JobRequest(folder / "p.cu", folder), options, Accept.NONE, None)
        return [event async for event in stream]

    heard = asyncio.run(collected())
    (tried,) = [event for event in heard if isinstance(event, events.CandidateTried)]
    assert (tried.method, tried.ratio) == ("timed", pytest.approx(4.3, rel=1e-3))
    (proposal,) = [event for event in heard if isinstance(event, events.ProposalMade)]
    assert (proposal.speed.outcome, proposal.speed.ratio) == ("FASTER", pytest.approx(4.3, rel=1e-3))
    assert set(clock.timed) == {"second"}
