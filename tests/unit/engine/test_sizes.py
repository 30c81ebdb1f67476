"""Other sizes of a launch: those count on which the original does what the kernel is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from assistant.engine.judge.budget import Cost
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.sizes import SizedLaunch, size_model_of, try_sizes
from assistant.model.launch import Dim3, LaunchConfig
from assistant.ports.lab import CaseRun
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

THREADS = 1024


def ran(case: NewCase, error: str | None = None) -> CaseTrial:
    return CaseTrial(case, CaseRun(error is None, error, (), True, None, (), ()), (), is_checked=True)


@pytest.mark.parametrize(
    ("error", "is_found"), [("cudaErrorLaunchTimeout", False), ("timed out", False), ("cudaErrorIllegalAddress", True)]
)
async def test_fewer_threads_are_no_way_out_where_enough_of_them_take_too_long(error: str, is_found: bool) -> None:
    """They may be quick because they leave out work: then a version that does all of it would seem to be wrong."""
    case, parameters = launched(LaunchConfig(Dim3(4), Dim3(256)), {"n": 1000}, np.arange(1000, dtype=np.int32), np.zeros(3, np.int32))
    case = replace(case, origin=replace(case.origin, shape="n=1000"))
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None

    async def try_cases(cases: Sequence[NewCase], _: float) -> list[CaseTrial]:
        return [ran(one, error if one.recording.launches[0].config.thread_count > THREADS else None) for one in cases]

    launch = SizedLaunch(ran(case), case, model, Cost(THREADS, 4012, 0.001), {})
    tried = await try_sizes(try_cases, launch, 1, is_confirming=True)
    larger = [sized for sized in tried.grown if dict(sized.plan.sizes)["n"] > 1024]
    assert bool(larger) is is_found
    assert all(sized.plan.config.thread_count == THREADS for sized in larger)
