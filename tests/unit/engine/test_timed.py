"""Whether what was timed is what was asked for, and under which names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.judged_case import JudgedCase
from assistant.engine.judge.baseline import PreparedCase
from assistant.engine.judge.replaying import FloatReference
from assistant.engine.judge.timed import TimedPair, mismatch, timed_pairs
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.timing import Block, CaseTiming, LaunchIdentity, PairTiming, ProfiledTime, TimedDevice
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

CONFIG = LaunchConfig(Dim3(4), Dim3(256))
IDENTITY = LaunchIdentity("k", CONFIG)


def prepared(shape: str, kernel: str = "a(float *)", weight: float = 1.0, config: LaunchConfig = CONFIG, further: str = "") -> PreparedCase:
    new, parameters = launched(config, {}, np.zeros(8, np.float32))
    new = replace(new, origin=replace(new.origin, shape=shape, weight=weight))
    case = JudgedCase(new, kernel, (parameters,), ((0, "x"),), frozenset(), 0, further_kernels=(further,) if further else ())
    return PreparedCase(case, (), FloatReference(), ())


def pairs_of(names: tuple[str, ...], *items: PreparedCase, text: str = "__global__ void a(float *x) {}\n__global__ void b(float *x) {}\n"):
    parsed = parse(Source(Path("/a.cu"), text))
    baseline: Any = SimpleNamespace(version=SimpleNamespace(parsed=parsed))
    kernels = [kernel for kernel in parsed.kernels if kernel.qualified_name in names]
    pairs: Any = [SimpleNamespace(before=tuple(SimpleNamespace(kernel=kernel) for kernel in kernels))]
    sides = [(item, item.case.new) for item in items]
    return timed_pairs(baseline, sides, sides, pairs)


def names(*pairs: TimedPair) -> list[str]:
    return [pair.name for pair in pairs]


def test_cases_with_weight_of_the_kernels_in_question_are_timed() -> None:
    items = (
        prepared("n=8"),
        prepared("n=0", weight=0.0),
        prepared("n=9", "b(float *)"),
        prepared("n=7", "b(float *)", further="a(float *)"),
    )
    assert names(*pairs_of(("a",), *items)) == ["a, n=8", "b, n=7"]
    assert names(*pairs_of(("a", "b"), items[0], items[2])) == ["a, n=8", "b, n=9"]
    assert names(*pairs_of(("b",), *items[:2])) == []
    assert names(*pairs_of(("gone",), items[0], text="__global__ void a(float *x) {}\n")) == ["n=8"], "the only kernels are a pair"


def test_names_that_are_equal_get_the_launch() -> None:
    wide = replace(CONFIG, grid=Dim3(9))
    found = names(*pairs_of(("a",), prepared("n=8"), prepared("n=9"), prepared("n=8", config=wide)))
    block = "block (256, 1, 1)"
    assert found == [f"n=8, grid (4, 1, 1), {block} (1)", "n=9", f"n=8, grid (9, 1, 1), {block} (3)"]
    assert names(*pairs_of(("a", "b"), prepared(""), prepared("", "b(float *)"))) == ["a", "b"]


def test_a_case_that_one_side_does_not_run_is_not_timed() -> None:
    baseline: Any = SimpleNamespace(version=SimpleNamespace(parsed=parse(Source(Path("/a.cu"), "__global__ void a(float *x) {}\n"))))
    one, other = prepared("n=8"), prepared("n=9")
    assert names(*timed_pairs(baseline, [(one, one.case.new), (other, other.case.new)], [(other, other.case.new)], [])) == ["n=9"]


def pair(new: NewCase | None = None) -> TimedPair:
    item = prepared("n=8")
    return TimedPair(item.case, item.case.new, new or item.case.new, "n=8")


def timing(time_s: float = 1e-4, profiled: ProfiledTime | None = None, **more: object) -> PairTiming:
    blocks = tuple(Block("ABBA", (time_s, 1.0, 1.0, time_s)) for _ in range(4))
    case = CaseTiming("n=8", 1.0, blocks, "events", 1, 1, 0.0, 1, False, "width", 0.1, a_launches=(IDENTITY,), b_launches=(IDENTITY,))
    return PairTiming((replace(case, profiled=profiled, **more),), TimedDevice("GPU", "GPU-1", "1", "nvcc"))  # type: ignore[arg-type]


def test_a_timing_of_other_launches_is_none_of_what_was_asked() -> None:
    asked = "k (grid (4, 1, 1), block (256, 1, 1))"
    assert mismatch((pair(),), timing()) is None
    assert mismatch((), timing()) == "1 launches were timed instead of 0"
    assert mismatch((pair(),), timing(a_launches=())) == f"n=8: in place of A's {asked}, nothing was timed"
    twice = timing(b_launches=(IDENTITY, replace(IDENTITY, kernel="j")))
    assert mismatch((pair(),), twice) == f"n=8: in place of B's {asked}, {asked} and j{asked[1:]} was timed"


def profiled(least_us: float, most_us: float) -> ProfiledTime:
    return ProfiledTime(least_us * 1e-6, most_us * 1e-6, 7, "a profiler")


@pytest.mark.parametrize(
    ("time_us", "least_us", "most_us", "words"),
    [
        (100, 150, 180, None),
        (100, 201, 210, "A was timed at 100 µs, but a profiler measured 201 to 210 µs"),
        (100, 67, 67, None),
        (100, 66, 66, "A was timed at 100 µs, but a profiler measured 66 µs"),
        (100, 40, 67, None),
        (4, 1.1, 1.1, None),
        (4, 0.9, 0.9, "A was timed at 4 µs, but a profiler measured 0.9 µs"),
        (1, 3.9, 3.9, None),
        (3, 6.1, 6.1, "A was timed at 3 µs, but a profiler measured 6.1 µs"),
    ],
)
def test_a_profilers_time_may_differ_by_half_or_by_three_microseconds(
    time_us: float, least_us: float, most_us: float, words: str | None
) -> None:
    found = mismatch((pair(),), timing(time_us * 1e-6, profiled(least_us, most_us)))
    assert found == (None if words is None else f"n=8: {words}")


def test_without_blocks_nothing_can_contradict() -> None:
    assert mismatch((pair(),), timing(1.0, profiled(1, 1), blocks=())) is None
