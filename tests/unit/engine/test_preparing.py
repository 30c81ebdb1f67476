"""How often the original runs before an edit is judged by what it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.judge.case_runs import FILLS
from assistant.engine.request import JobRequest
from assistant.engine.session import Session, SessionParts
from assistant.model import events
from assistant.model.workload import Case
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.fakes import FakeModels, FakePlanner

SUM = """\
/* kernelopt
[workload.sum]
args   = { total = "zeros(1)", in = "randn(n)", n = "n" }
grid   = ["ceil(n/64)"]
block  = [64]
shapes = [{ n = 256 }]
boundary = false
*/
__global__ void sum(float *total, const float *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) ADD;
}
__global__ void count(int *found) { atomicAdd(found, 1); }
"""
ATOMIC, PLAIN = "atomicAdd(total, in[i])", "total[0] += in[i]"


def total(result: Any, values: Any, n: int) -> None:
    result[0] += values[:n].sum()


@dataclass
class CountingLab(FakeLab):
    """Also keeps how often replays of the original run their cases, with the first pattern in memory that nothing has written."""

    repeats: list[int] = field(default_factory=list[int])

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        if options.mode == "plain" and options.fill == FILLS[0] and "float v" not in program.sources[0].text:
            self.repeats.append(options.repeats)
        return await super().replay(program, cases, options, limits)


@pytest.mark.parametrize(("add", "derived"), [(ATOMIC, 3), (PLAIN, 1)])
async def test_an_original_whose_order_of_threads_decides_runs_several_times_on_every_case(tmp_path: Path, add: str, derived: int) -> None:
    (tmp_path / "a.cu").write_text(SUM.replace("ADD", add))
    (tmp_path / "b.cu").write_text(SUM.replace("ADD", f"{{ float v = in[i]; {add.replace('in[i]', 'v')}; }}"))
    labs = list[CountingLab]()

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        labs.append(CountingLab(scratch, {"total": Behaviour(total), "found": Behaviour(total)}, target=target))
        return labs[-1]

    store = FakeStore()
    parts = SessionParts(
        open_store=lambda _: store,
        open_lab=open_lab,
        planner=FakePlanner("a planner"),
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: FakeModels(planned_by=None),  # type: ignore[arg-type]
    )
    stream = Session(parts).compare(JobRequest(tmp_path / "a.cu", tmp_path), tmp_path / "b.cu", is_strict=False)
    heard = [event async for event in stream]
    assert any(isinstance(event, events.ComparisonMade) for event in heard), heard
    (lab,) = labs
    of_declared, of_derived, of_moved_inputs = lab.repeats[:2], lab.repeats[2], lab.repeats[3]
    assert (of_declared, of_derived, of_moved_inputs) == ([20, 20], derived, 1)
