"""Other sizes of a launch: those count on which the original does what the kernel is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.engine.judge.budget import Cost
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.sizes import SizedLaunch, size_model_of, try_sizes
from assistant.engine.judge.written_grid import written_grid
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.ports.lab import CaseRun
from assistant.workload.derive import contents_of
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

    launch = SizedLaunch(ran(case), model, Cost(THREADS, 4012, 0.001), {})
    tried = await try_sizes(try_cases, launch, 1, is_confirming=True)
    larger = [sized for sized in tried.grown if dict(sized.plan.sizes)["n"] > 1024]
    assert bool(larger) is is_found
    assert all(sized.plan.config.thread_count == THREADS for sized in larger)


@pytest.mark.parametrize("is_read", [True, False])
async def test_of_two_equal_sizes_the_text_says_which_one_the_grid_follows(is_read: bool) -> None:
    """The recorded grid alone does not: rows that the program does not have would be asked of every candidate."""
    text = (
        "__global__ void k(float *p0, float *p1, int rows, int columns) {}\nint main() { k<<<dim3(1, rows), 64>>>(x, y, rows, columns); }"
    )
    parsed = parse(Source(Path("k.cu"), text))
    config = LaunchConfig(Dim3(1, 64), Dim3(64))
    case, parameters = launched(config, {"rows": 64, "columns": 64}, *(np.zeros(4096, np.float32) for _ in range(2)))
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None
    written = written_grid((parsed,), parsed.kernels[0].key, model.sizes, config) if is_read else None
    seen: list[tuple[int, int]] = []

    async def try_cases(cases: Sequence[NewCase], _: float) -> list[CaseTrial]:
        for one in cases:
            seen.append((one.recording.launches[0].config.grid.y, int(one.origin.shape.split(",")[0].removeprefix("rows="))))
        return [ran(one, "cudaErrorLaunchTimeout") for one in cases]

    await try_sizes(try_cases, SizedLaunch(ran(case), model, Cost(4096, 32768, 0.001), {}, written), 1, is_confirming=True)
    assert seen and all(blocks == rows for blocks, rows in seen) is is_read


@pytest.mark.parametrize(("left", "expected"), [(0, 4691), (512, 18757), (2048, None)])
async def test_where_a_smaller_launch_leaves_too_much_as_it_was_one_that_is_not_as_small_is_tried(left: int, expected: int | None) -> None:
    """As where the first block adds an offset of zero."""
    case, parameters = launched(LaunchConfig(Dim3(586), Dim3(512)), {"n": 300_000}, np.arange(300_000, dtype=np.int32))
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None

    def changed(one: NewCase) -> CaseTrial:
        contents = {buffer: bytes(data) for buffer, data in contents_of(one).items()}
        after = {buffer: data[: 4 * left] + bytes(255 - byte for byte in data[4 * left :]) for buffer, data in contents.items()}
        return replace(ran(one), after=tuple(after.items()))

    async def try_cases(cases: Sequence[NewCase], _: float) -> list[CaseTrial]:
        return [changed(one) for one in cases]

    launch = SizedLaunch(changed(case), model, Cost(586 * 512, 1_200_000, 0.05), {})
    base = (await try_sizes(try_cases, launch, 1, is_confirming=False)).base
    assert (None if base is None else dict(base.plan.sizes)["n"]) == expected


@pytest.mark.parametrize(("size_bytes", "is_own_size", "expected"), [(80 << 20, True, 37), (80 << 20, False, None), (12 << 20, False, 79)])
async def test_a_smaller_launch_that_still_holds_much_data_is_not_made_smaller_again(
    size_bytes: int, is_own_size: bool, expected: int | None
) -> None:
    """No integer says how large a matrix or table is: at the fewest rows it holds what it did."""
    case, parameters = launched(LaunchConfig(Dim3(20), Dim3(256)), {"rows": 5000}, np.zeros(5000, np.float32))
    case = replace(case, origin=replace(case.origin, is_own_size=is_own_size))
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None

    async def try_cases(cases: Sequence[NewCase], _: float) -> list[CaseTrial]:
        return [ran(one) for one in cases]

    launch = SizedLaunch(ran(case), model, Cost(5120, size_bytes, 0.05), {})
    base = (await try_sizes(try_cases, launch, 1, is_confirming=False)).base
    assert (None if base is None else dict(base.plan.sizes)["rows"]) == expected


async def test_a_smaller_size_is_never_the_own_one() -> None:
    case, parameters = launched(LaunchConfig(Dim3(1), Dim3(256)), {"rows": 37}, np.zeros(37, np.float32))
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None

    async def try_cases(cases: Sequence[NewCase], _: float) -> list[CaseTrial]:
        return [ran(one) for one in cases]

    tried = await try_sizes(try_cases, SizedLaunch(ran(case), model, Cost(256, 80 << 20, 0.05), {}), 1, is_confirming=False)
    assert tried.base is None or dict(tried.base.plan.sizes)["rows"] < 37
