"""A candidate's run that does not end in its time gets more of it, but not for ever."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from assistant.engine.job import Job
from assistant.engine.judge import case_runs
from assistant.engine.judge.case_runs import Task, candidate_runs
from assistant.engine.source_version import SourceVersion
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.ports.lab import CaseRun, Program, ReplayOptions, ReplayRun, RunLimits
from tests.unit.workload.launches import launched

FIRST_S = 10.0


class SlowLab:
    """Its cases take as many seconds as ``seconds`` says, one after the other."""

    timing: object | None = None

    def __init__(self, folder: Path, seconds: Sequence[float], error: str) -> None:
        self._folder = folder
        self._error = error
        self._seconds = list(seconds)
        self.limits: list[list[float]] = []

    async def replay(self, program: Program, cases: Sequence[Path], options: ReplayOptions, limits: RunLimits) -> ReplayRun:
        late = [place for place, took in enumerate(self._seconds) if took > FIRST_S]
        places = (range(len(self._seconds)), late[:1], late[1:])[len(self.limits)]
        self.limits.append([limits.wall_s] * len(cases))
        errors = [None if self._seconds[place] <= limits.wall_s else self._error for place in places]
        return ReplayRun(tuple(CaseRun(error is None, error, (), True, None, (), ()) for error in errors), self._folder)


@pytest.mark.parametrize(
    ("seconds", "errors", "limits"),
    [
        ((1.0, 2.0), [None, None], [[10.0, 10.0]]),
        ((1.0, 14.0, 2.0, 25.0), [None] * 4, [[10.0] * 4, [30.0], [30.0]]),
        ((1.0, 99.0, 2.0, 99.0), [None, "stopped", None, "stopped"], [[10.0] * 4, [30.0]]),
    ],
)
@pytest.mark.parametrize("error", ["timed out", "cudaErrorLaunchTimeout"])
async def test_a_case_that_is_late_is_given_three_times_as_long_and_the_others_if_it_ends(
    tmp_path: Path, seconds: tuple[float, ...], errors: list[str | None], limits: list[list[float]], error: str
) -> None:
    lab = SlowLab(tmp_path, seconds, error)
    program = Program((Source(tmp_path / "k.cu", "__global__ void k(float *x) {}\n"),), Flags())
    job = cast(Job, SimpleNamespace(scratch=tmp_path, lab=lab, limits=RunLimits(wall_s=60.0)))
    new, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": 8}, np.ones(8, np.float32))
    tasks = [Task(new, (0xAB,), 1, is_checked=False, limit_s=FIRST_S) for _ in seconds]
    runs: Any = await candidate_runs(job, cast(SourceVersion, SimpleNamespace(program=program)), tasks)
    assert [side[0].error for side in runs] == [one and error for one in errors]
    assert lab.limits == limits


class SlowGpu(SlowLab):
    timing = object()


async def test_on_a_gpu_a_case_that_hangs_costs_seconds_and_its_checks_get_their_time(tmp_path: Path) -> None:
    lab = SlowGpu(tmp_path, (0.1, 99.0, 99.0, 99.0), "timed out")
    program = Program((Source(tmp_path / "k.cu", "__global__ void k(float *x) {}\n"),), Flags())
    job = cast(Job, SimpleNamespace(scratch=tmp_path, lab=lab, limits=RunLimits(wall_s=60.0)))
    new, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": 8}, np.ones(8, np.float32))
    tasks = [Task(new, (0xAB,), 1, is_checked=False, limit_s=FIRST_S) for _ in range(4)]
    runs: Any = await candidate_runs(job, cast(SourceVersion, SimpleNamespace(program=program)), tasks)
    assert [side[0].error for side in runs] == [None, *["timed out"] * 3]
    assert lab.limits == [[2.0] * 4, [30.0]]


class LateLab:
    """Where the cases at ``late`` never end, whatever is asked of them."""

    timing = None

    def __init__(self, folder: Path, late: Sequence[int]) -> None:
        self._folder = folder
        self._late = late
        self.asked: list[tuple[str, int, list[int]]] = []

    async def replay(self, program: Program, cases: Sequence[Path], options: ReplayOptions, limits: RunLimits) -> ReplayRun:
        places = [int(path.name.rsplit("-", 1)[-1]) for path in cases]
        self.asked.append((options.mode, options.fill, places))
        runs = (CaseRun(place not in self._late, "timed out" if place in self._late else None, (), True, None, (), ()) for place in places)
        return ReplayRun(tuple(runs), self._folder)


async def test_a_case_that_is_late_is_not_waited_for_again_but_the_first_by_its_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = LateLab(tmp_path, late=(1, 2))
    program = Program((Source(tmp_path / "k.cu", "__global__ void k(float *x) {}\n"),), Flags())
    job = cast(Job, SimpleNamespace(scratch=tmp_path, lab=lab, limits=RunLimits(wall_s=60.0)))
    new, _ = launched(LaunchConfig(Dim3(1), Dim3(32)), {"n": 8}, np.ones(8, np.float32))

    async def written(scratch: Path, cases: Sequence[object]) -> list[Path]:
        return [scratch / f"case-{place}" for place in range(len(cases))]

    monkeypatch.setattr(case_runs, "written_cases", written)
    tasks = [Task(new, (0xAB, 0x54), 2, is_checked=True) for _ in range(4)]
    runs: Any = await case_runs.side_runs(job, cast(SourceVersion, SimpleNamespace(program=program)), tasks)
    assert lab.asked == [("plain", 0xAB, [0, 1, 2, 3]), ("check", 0xAB, [0, 1, 3]), ("plain", 0x54, [0, 3])]
    assert [len(side) for side in runs] == [3, 2, 1, 3]
