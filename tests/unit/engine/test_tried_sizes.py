"""Which other sizes of a launch are tried on the original, which count, and what is said of the rest.

What is tried is held to what was recorded; after a change that is meant: ``pytest tests/unit/engine/test_tried_sizes.py
--snapshot-update``, and read the difference.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from assistant.engine.judge.budget import Cost
from assistant.engine.judge.replaying import CaseTrial
from assistant.engine.judge.sizes import SizedLaunch, SizeTrials, size_model_of, try_sizes
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Problem
from assistant.model.source import Parameter
from assistant.ports.lab import CaseRun
from assistant.workload.chosen_blocks import with_chosen_blocks
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase
from tests.unit.workload.launches import launched

Trial = Callable[[NewCase], CaseTrial]
RACE = Problem("global_race", "two threads write out[0]", "k.cu", 1, None, None, None, None, None, 1)


def writing(share: float = 1.0, error: str | None = None, *problems: Problem, guards: bool = True) -> Trial:
    """The original writes this share of the output, from its beginning."""

    def run(case: NewCase) -> CaseTrial:
        before = contents_of(case)
        out = np.frombuffer(before[1], np.int32).copy()
        out[: round(share * out.size)] += 7
        left = ((0, before[0]), (1, out.tobytes()))
        return CaseTrial(case, CaseRun(error is None, error, (), guards, None, problems, ()), left, is_checked=True)

    return run


def vector(n: int = 1000, blocks: int = 4) -> tuple[NewCase, tuple[Parameter, ...]]:
    values = np.arange(1, n + 1, dtype=np.int32)
    case, parameters = launched(LaunchConfig(Dim3(blocks), Dim3(256)), {"n": n}, values, np.zeros(n, np.int32))
    return replace(case, origin=replace(case.origin, shape=f"n={n}")), parameters


def image(width: int = 96, height: int = 64) -> tuple[NewCase, tuple[Parameter, ...]]:
    values, config = np.arange(1, width * height + 1, dtype=np.int32), LaunchConfig(Dim3(width // 32, height // 8), Dim3(32, 8))
    case, parameters = launched(config, {"w": width, "h": height}, values, np.zeros(width * height, np.int32))
    return replace(case, origin=replace(case.origin, shape=f"w={width}, h={height}")), parameters


class Tried:
    """Runs the sizes and notes them."""

    def __init__(self, run: Callable[[NewCase], Trial]) -> None:
        self.run, self.lines = run, list[str]()

    async def __call__(self, cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
        trials = [self.run(case)(case) for case in cases]
        for case, trial in zip(cases, trials, strict=True):
            config = case.recording.launches[0].config
            elements = [buffer.size_bytes // 4 for buffer in case.recording.buffers]
            ending = "none" if trial.run is None else trial.run.error or "clean"
            self.lines.append(f"{case.origin.shape} <<<{config.grid}, {config.block}>>> of {elements} elements, {limit_s:g} s: {ending}")
        self.lines.append("-")
        return trials


async def tried(
    made: tuple[NewCase, tuple[Parameter, ...]],
    run: Callable[[NewCase], Trial],
    cost: Cost | None = None,
    own: Trial | None = None,
    is_confirming: bool = True,
) -> list[str]:
    case, parameters = made
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None
    threads, size = case.recording.launches[0].config.thread_count, sum(buffer.size_bytes for buffer in case.recording.buffers)
    launch = SizedLaunch((own or writing())(case), model, cost or Cost(threads, size, 0.001), {})
    on = Tried(run)
    came = await try_sizes(on, launch, 1, is_confirming)
    return [*on.lines, *of(came)]


def of(came: SizeTrials) -> list[str]:
    sized = [came.base, *came.grown]
    shapes = [None if one is None else f"{one.new.origin.shape} {dict(one.plan.sizes)} {one.plan.config.thread_count}" for one in sized]
    return [f"base: {shapes[0]}", *(f"grown: {shape}" for shape in shapes[1:]), *(f"dropped: {reason}" for reason in came.dropped)]


def always(trial: Trial) -> Callable[[NewCase], Trial]:
    return lambda _: trial


def by_size(limit: int, small: Trial, large: Trial) -> Callable[[NewCase], Trial]:
    """One up to so many elements, the other beyond."""
    return lambda case: small if case.recording.buffers[1].size_bytes <= 4 * limit else large


def by_threads(limit: int, few: Trial, many: Trial) -> Callable[[NewCase], Trial]:
    return lambda case: few if case.recording.launches[0].config.thread_count <= limit else many


def in_proportion(case: NewCase) -> Trial:
    """Every pixel of an image is written, however much longer the buffers are."""
    width, height = (int(word.partition("=")[2]) for word in case.origin.shape.split(", "))
    return writing(width * height * 4 / case.recording.buffers[1].size_bytes)


CLEAN, SHORT, LATE = writing(), writing(0.5), writing(1.0, "timed out")
ILLEGAL, RACING, BEYOND = writing(1.0, "cudaErrorIllegalAddress"), writing(1.0, None, RACE), writing(guards=False)
LARGE = Cost(1 << 19, 4 << 20, 0.5)
IN_PART = (replace(vector()[0], recording=with_chosen_blocks(vector()[0], (0, 2)).recording), vector()[1])
SQUARE = (with_chosen_blocks(image(1024, 1024)[0], (0, 1)), image(1024, 1024)[1])
"""Two of its 4,096 blocks are run, and one of the elements that they write was there already."""
RUNS: dict[str, Callable[[], Awaitable[list[str]]]] = {
    "clean": lambda: tried(vector(), always(CLEAN)),
    "while candidates are ranked": lambda: tried(vector(), always(CLEAN), is_confirming=False),
    "an image": lambda: tried(image(), always(CLEAN)),
    "an image that is ranked": lambda: tried(image(), always(CLEAN), is_confirming=False),
    "half is written": lambda: tried(vector(), always(SHORT)),
    "half is written at its own size, too": lambda: tried(vector(), always(SHORT), own=SHORT),
    "nearly all is written": lambda: tried(vector(), always(writing(0.98))),
    "not nearly all is written": lambda: tried(vector(), always(writing(0.96))),
    "nothing is written at its own size": lambda: tried(vector(), always(SHORT), own=writing(0.0)),
    "it ends with an error": lambda: tried(vector(), always(ILLEGAL)),
    "it ends with an error beyond a size": lambda: tried(vector(), by_size(1500, CLEAN, ILLEGAL)),
    "it races": lambda: tried(vector(), always(RACING)),
    "it races at its own size, too": lambda: tried(vector(), always(RACING), own=RACING),
    "it writes beyond its end": lambda: tried(vector(), always(BEYOND)),
    "it takes too long beyond a size": lambda: tried(vector(), by_size(1500, CLEAN, LATE)),
    "it takes too long with more threads": lambda: tried(vector(), by_threads(1024, CLEAN, LATE)),
    "an image takes too long with more threads": lambda: tried(image(), by_threads(8192, CLEAN, LATE)),
    "time for few": lambda: tried(image(), always(CLEAN), Cost(6144, 49152, 0.2)),
    "time for fewer": lambda: tried(image(), always(CLEAN), Cost(6144, 49152, 0.45)),
    "time is unknown": lambda: tried(image(), always(CLEAN), Cost(6144, 49152, None)),
    "too many threads to grow much": lambda: tried(image(), always(CLEAN), Cost(1 << 19, 49152, 0.01)),
    "too many bytes to grow much": lambda: tried(image(), always(CLEAN), Cost(6144, 20 << 20, 0.01)),
    "a large one": lambda: tried(image(1024, 512), always(CLEAN), LARGE),
    "a large one that is slow when it is small": lambda: tried(image(1024, 512), by_size(1 << 18, LATE, CLEAN), LARGE),
    "a large one that is wrong when it is small": lambda: tried(image(1024, 512), by_size(1 << 18, ILLEGAL, CLEAN), LARGE),
    "a large square in part": lambda: tried(SQUARE, in_proportion, LARGE, own=writing(2 / 4096 - 1 / (1 << 20))),
    "in part": lambda: tried(IN_PART, always(writing(0.8))),
    "in part, too little": lambda: tried(IN_PART, always(writing(0.7))),
}


@pytest.mark.parametrize("name", RUNS)
async def test_the_sizes_that_are_tried_are_those_that_were_recorded(name: str, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(await RUNS[name]()) == snapshot


async def test_ways_to_launch_at_one_size_share_its_values() -> None:
    made: dict[str, list[NewCase]] = {}
    case, parameters = image()
    model = size_model_of(case, parameters, (), lambda _: None)
    assert model is not None

    async def half_written(cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
        for one in cases:
            made.setdefault(one.origin.shape, []).append(one)
        return [SHORT(one) for one in cases]

    await try_sizes(half_written, SizedLaunch(CLEAN(case), model, Cost(1 << 13, 1 << 16, 0.001), {}), 1, is_confirming=True)
    several = [cases for cases in made.values() if len(cases) > 2]
    assert several
    for cases in several:
        assert len({id(one.blobs) for one in cases}) <= 2, "drawn once where integers follow the size, and once where they do not"
        assert len({(id(one.blobs), one.recording.launches[0].config) for one in cases}) == len(cases)
