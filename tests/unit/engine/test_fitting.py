"""Which launch a candidate runs on a case of another size, where its recordings and its text allow several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.judged_case import JudgedCase, Resize
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.fitting import Fitting, VersionLaunches, fitted, fittings, followed
from assistant.engine.judge.replaying import CaseTrial, FloatReference
from assistant.engine.judge.sizes import size_model_of
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Problem
from assistant.model.source import Source
from assistant.ports.lab import CaseRun
from assistant.verify.evidence import SideRun
from assistant.workload.recordings import NewCase
from assistant.workload.select import LaunchPair
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(8), Dim3(128))
ONES = np.ones(1000, np.float32)


def started(blocks: int, shape: str = "n=1000") -> NewCase:
    new, _ = launched(replace(CONFIG, grid=Dim3(blocks)), {"n": 1000}, np.zeros(1000, np.float32))
    return replace(new, origin=replace(new.origin, shape=shape))


def prepared(*runs: SideRun, shape: str = "n=1000", **more: Any) -> PreparedCase:
    new, parameters = launched(CONFIG, {"n": 1000}, np.zeros(1000, np.float32))
    new = replace(new, origin=replace(new.origin, shape=shape))
    case = JudgedCase(new, "k(float *, int)", (parameters,), ((0, "x"),), frozenset(), 0, **more)
    return PreparedCase(case, runs or (SideRun(((0, ONES.tobytes()),)),), FloatReference(), ())


class Trials:
    """Leaves these values by the number of blocks, and keeps what was tried."""

    def __init__(self, left: dict[int, np.ndarray | str | Problem]) -> None:
        self._left = left
        self.tried: list[list[int]] = []

    async def __call__(self, cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
        assert limit_s == 10.0
        blocks = [case.recording.launches[0].config.grid.x for case in cases]
        self.tried.append(blocks)
        return [self._trial(case, self._left[count]) for case, count in zip(cases, blocks, strict=True)]

    def _trial(self, case: NewCase, left: np.ndarray | str | Problem) -> CaseTrial:
        run = CaseRun(True, None, (), True, None, (), ())
        if isinstance(left, np.ndarray):
            return CaseTrial(case, run, ((0, left.tobytes()),))
        changes: Any = {"error": left} if isinstance(left, str) else {"problems": (left,)}
        return CaseTrial(case, replace(run, **changes), ((0, ONES.tobytes()),))


RACE = Problem("shared_race", "a race", "k.cu", 3, None, None, None, None, None, 1)


@pytest.mark.parametrize(
    ("left", "tried", "chosen"),
    [
        ({1: ONES, 2: ONES, 3: ONES}, [[1], []], 1),
        ({1: ONES * np.float32(1.0009), 2: ONES, 3: ONES}, [[1], []], 1),
        ({1: ONES * np.float32(1.0011), 2: ONES, 3: ONES}, [[1], [2, 3]], 2),
        ({1: ONES * 3, 2: "crashed", 3: ONES * 2}, [[1], [2, 3]], 3),
        ({1: "crashed", 2: "crashed", 3: "crashed"}, [[1], [2, 3]], 1),
        ({1: RACE, 2: ONES * 9, 3: ONES * 8}, [[1], [2, 3]], 3),
        ({1: ONES * 2, 2: ONES * 2, 3: np.arange(1000, dtype=np.float32)}, [[1], [2, 3]], 1),
    ],
)
async def test_of_several_launches_the_one_nearest_to_the_original_is_taken(
    left: dict[int, Any], tried: list[list[int]], chosen: int
) -> None:
    trials = Trials(left)
    item = prepared()
    ((case, new),) = await fitted(trials, [Fitting(item, tuple(map(started, (1, 2, 3))))])
    assert trials.tried == tried and case is item and new.recording.launches[0].config.grid.x == chosen


async def test_results_elsewhere_are_near_and_what_the_original_races_on_does_not_count() -> None:
    rising = np.arange(1000, dtype=np.float32)
    item = prepared(SideRun((), error="crashed"), SideRun(((0, rising.tobytes()),), problems=(RACE,)))
    trials = Trials({1: rising * 2, 2: rising[::-1].copy(), 3: RACE})
    ((_, new),) = await fitted(trials, [Fitting(item, tuple(map(started, (1, 2, 3))))])
    assert new.recording.launches[0].config.grid.x == 2


async def test_cases_of_one_size_are_tried_once_and_single_choices_never() -> None:
    trials = Trials({1: ONES * 3, 2: ONES, 9: ONES})
    one, other, single = prepared(), prepared(), prepared(shape="n=9")
    several = (started(1), started(2))
    made = await fitted(trials, [Fitting(one, several), Fitting(other, several), Fitting(single, (started(9, "n=9"),))])
    assert trials.tried == [[1], [2]]
    assert [new.recording.launches[0].config.grid.x for _, new in made] == [2, 2, 9]


TEXT = "__global__ void k(float *x, int n) {}\nint main() { k<<<GRID, 128SHARED>>>(x, n); }\n"
PAIR = LaunchPair(0, 0, "k", CONFIG)


def version(grid: str, shared: str = "", body: str = "") -> VersionLaunches:
    parsed = parse(Source(Path("/k.cu"), TEXT.replace("GRID", grid).replace("SHARED", shared).replace("{}", f"{{{body}}}")))
    own = parsed.source
    made: Any = SimpleNamespace(
        parsed=parsed, files=(parsed,), source=own, sources=(own,), struct_text=own.text, declared=(), selection=SimpleNamespace(live=None)
    )
    return VersionLaunches(made, started(8).recording)


def resized(is_whole: bool = True) -> PreparedCase:
    new, parameters = launched(CONFIG, {"n": 1000}, np.zeros(1000, np.float32))
    model = size_model_of(new, parameters, (), lambda _: None)
    assert model is not None
    return prepared(shape="n=2000", resize=Resize(model, (("n", 2000),), is_whole))


def grids(
    original: str, candidate: VersionLaunches, item: PreparedCase | None = None, blocks: int = 16
) -> tuple[list[int], frozenset[str]]:
    item = item or resized()
    (launch,) = item.case.new.recording.launches
    recording = replace(item.case.new.recording, launches=(replace(launch, config=replace(CONFIG, grid=Dim3(blocks))),))
    item = replace(item, case=replace(item.case, new=replace(item.case.new, recording=recording)))
    (found,) = fittings([item], [PAIR], version(original), candidate)
    return [choice.recording.launches[0].config.grid.x for choice in found.choices], found.followed


COVERS, STRIDES = "(n + 127) / 128", "(n + 499) / 500 * 4"


def test_a_grid_that_the_text_says_is_the_only_choice() -> None:
    assert grids(COVERS, version(COVERS)) == ([16], frozenset({"n"}))
    assert grids(COVERS, version(STRIDES)) == ([16], frozenset({"n"}))
    assert grids(COVERS, version("(n + 999) / 1000 * 8"))[0] == [16]
    by_recording, names = grids(COVERS, version("blocks"))
    assert len(by_recording) > 1 and names == {"n"}
    assert grids(COVERS, version(STRIDES), blocks=17)[0] == by_recording, "the original itself is started otherwise than its text says"
    assert grids("blocks", version(STRIDES), blocks=17)[0] == [16]


def test_where_only_the_integer_changed_the_original_grid_comes_first() -> None:
    choices, _ = grids(COVERS, version(STRIDES), resized(is_whole=False), blocks=8)
    assert choices[0] == 8


ROW, TOTAL = " if (threadIdx.x == 0) x[blockIdx.x] = sum; ", " if (threadIdx.x == 0) x[0] = sum; "
PARTIAL = f" int i = blockIdx.x * blockDim.x + threadIdx.x; float sum = i;{ROW}"


@pytest.mark.parametrize(
    ("grid", "body", "is_left_out"),
    [
        ("(n + 499) / 500 * 4", PARTIAL, False),  # 16 blocks, as the original has
        ("(n + 999) / 1000 * 8 + (n > 1500)", PARTIAL, True),
        ("(n + 999) / 1000 * 8 + (n > 1500)", TOTAL, False),  # the blocks leave one result together, or are wrong
        ("(n + 999) / 1000 * 8 + (n > 1500)", ROW, False),  # of blocks of any size
        ("blocks", PARTIAL, False),
    ],
)
def test_a_size_with_another_number_of_blocks_is_left_out_where_each_leaves_a_result_of_its_own(
    grid: str, body: str, is_left_out: bool
) -> None:
    item, reason = resized(), "resized n=2000: B has 17 blocks there, A 16, and each leaves a result of its own"
    (launch,) = item.case.new.recording.launches
    recording = replace(item.case.new.recording, launches=(replace(launch, config=replace(CONFIG, grid=Dim3(16))),))
    new = replace(item.case.new, recording=recording, origin=replace(item.case.new.origin, kind="resized"))
    item = replace(item, case=replace(item.case, new=new))
    (found,) = fittings([item], [PAIR], version(COVERS, body=body), version(grid, body=body))
    assert found.unlike == (reason if is_left_out else None) and bool(found.choices) is not is_left_out


def test_shared_memory_that_the_host_computes_may_be_as_much_as_any_launch_gets() -> None:
    for shared, amounts in ((", bytes", {0, 48 << 10}), (", 64", {0}), ("", {0})):
        (found,) = fittings([resized()], [PAIR], version(COVERS), version(COVERS, shared))
        assert {choice.recording.launches[0].config.shared_bytes for choice in found.choices} == amounts


def test_without_a_recording_or_at_recorded_sizes_the_launch_stays() -> None:
    unknown = replace(version(COVERS), recording=None)
    for item, candidate in ((resized(), unknown), (prepared(), version(COVERS))):
        (found,) = fittings([item], [PAIR], version(COVERS), candidate)
        assert len(found.choices) == 1 and found.followed == frozenset()
    assert fittings([prepared()], [replace(PAIR, a_index=1)], version(COVERS), version(COVERS)) == []


def test_what_the_grid_follows_from_at_every_size_is_told_by_kernel() -> None:
    parsed = parse(Source(Path("/k.cu"), "__global__ void k(float *x, int n) {}\n__global__ void j(float *x) {}\n"))
    baseline: Any = SimpleNamespace(version=SimpleNamespace(parsed=parsed, others=()))
    candidate: Any = SimpleNamespace(parsed=parsed, others=())
    item = prepared()
    found = [Fitting(item, (), frozenset(names)) for names in ({"n", "m"}, set[str](), {"n", "k"})]
    assert followed(baseline, candidate, found) == {"k": frozenset({"n"})}
    assert followed(baseline, candidate, []) == {}
    others = "__global__ void j(float *x) {}\n__global__ void i(float *x) {}\n"
    gone: Any = SimpleNamespace(parsed=parse(Source(Path("/k.cu"), others)), others=())
    assert followed(baseline, gone, found) == {}
