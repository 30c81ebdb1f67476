"""The original's runs that candidates are held against: made once, called off before a confirmation."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate import Evaluation, evaluate
from assistant.engine.job import Job
from assistant.engine.judge import Baseline
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.search.baselines import Baselines, Look
from assistant.engine.search.candidate_judge import baselines_of
from assistant.measure.targets import target
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.deadlines import HANG_S

TEXT = """\
/* kernelopt
[workload.one]
args   = { x = "randn(n)", n = "n" }
grid   = ["ceil(n/64)"]
block  = [64]
shapes = [{ n = 256 }]
boundary = false
[workload.two]
args   = { x = "randn(n)", n = "n" }
grid   = ["ceil(n/64)"]
block  = [64]
shapes = [{ n = 256 }]
boundary = false
*/
__global__ void one(float *x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += 1.0f; }
__global__ void two(float *x, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] += 2.0f; }
"""


def added(amount: float) -> Behaviour:
    def add(x: object, n: int) -> None:
        x[:n] += amount  # type: ignore[index]  # an array

    return Behaviour(add)


@dataclass
class Lab(FakeLab):
    """A table whose replays may wait, or fail."""

    is_asked: asyncio.Event = field(default_factory=asyncio.Event)
    holds: asyncio.Event | None = None
    waiting: int = 0
    failure: LabFailure | None = None
    count: int = 0

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        self.count += 1
        self.waiting += 1
        self.is_asked.set()
        try:
            await (self.holds.wait() if self.holds is not None else asyncio.sleep(0))
        finally:
            self.waiting -= 1
        failure, self.failure = self.failure, None
        return failure or await super().replay(program, cases, options, limits)


@dataclass
class On:
    lab: Lab
    job: Job
    evaluation: Evaluation

    def kernel(self, name: str) -> frozenset[str]:
        return frozenset(kernel.key for kernel in self.evaluation.version.kernels if kernel.name == name)

    def baselines(self, is_ahead: bool = True) -> Baselines:
        self.lab.count = 0
        self.lab.is_asked.clear()
        return baselines_of(self.job, self.evaluation, None, is_ahead)


async def on(folder: Path) -> On:
    (folder / "a.cu").write_text(TEXT)
    request = JobRequest(folder / "a.cu", folder)
    lab = Lab(folder / "lab", {"1.0f": added(1.0), "2.0f": added(2.0)})
    limits = architecture("sm_90")
    assert limits is not None
    job = Job("J", request, lab, target("h200"), limits, folder, (1, 2, 3, 4, 5, 6), RunLimits())
    evaluation = await evaluate(job, read_version(request, DEFAULT_FLAGS))
    assert isinstance(evaluation, Evaluation)
    return On(lab, job, evaluation)


async def in_time(event: asyncio.Event) -> None:
    async with asyncio.timeout(HANG_S):
        await event.wait()


async def test_all_who_ask_share_one(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    async with asked.baselines() as baselines:
        baselines.begin(asked.kernel("one"), Look.SCREENING)
        first, second = await asyncio.gather(*(baselines.of(asked.kernel("one"), Look.SCREENING) for _ in range(2)))
        count = asked.lab.count
        assert isinstance(first, Baseline) and first is second is await baselines.of(asked.kernel("one"), Look.SCREENING)
        assert asked.lab.count == count
    async with asked.baselines() as baselines:
        await baselines.of(asked.kernel("one"), Look.SCREENING)
    assert asked.lab.count == count > 0


async def test_each_look_has_values_of_its_own(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    async with asked.baselines() as baselines:
        made = [await baselines.of(asked.kernel("one"), look) for look in Look]
    values = [{bytes(data) for case in each.cases for data in case.case.new.blobs.values()} for each in made if isinstance(each, Baseline)]
    screened, again, confirmed = values
    assert screened and again and confirmed
    assert not (screened & again or screened & confirmed or again & confirmed)


async def test_one_that_failed_is_prepared_again(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    async with asked.baselines() as baselines:
        asked.lab.failure = LabFailure("timed_out", "too slow", "")
        assert isinstance(await baselines.of(asked.kernel("one"), Look.SCREENING), LabFailure)
        assert isinstance(await baselines.of(asked.kernel("one"), Look.SCREENING), Baseline)


async def test_nothing_is_begun_where_no_core_is_idle(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    async with asked.baselines(is_ahead=False) as baselines:
        baselines.begin(asked.kernel("one"), Look.SCREENING)
        assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_nothing_else_is_prepared_once_a_confirmation_begins(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    async with asked.baselines() as baselines:
        asked.lab.holds = asyncio.Event()
        baselines.begin(asked.kernel("one"), Look.SCREENING)
        await in_time(asked.lab.is_asked)
        asked.lab.holds = None
        assert isinstance(await baselines.of(asked.kernel("two"), Look.CONFIRMING), Baseline)
        assert asked.lab.waiting == 0 and asyncio.all_tasks() == {asyncio.current_task()}


async def test_what_is_not_ready_at_the_end_is_called_off(tmp_path: Path) -> None:
    asked = await on(tmp_path)
    asked.lab.holds = asyncio.Event()
    async with asked.baselines() as baselines:
        baselines.begin(asked.kernel("one"), Look.CONFIRMING)
        await in_time(asked.lab.is_asked)
    assert asked.lab.waiting == 0
