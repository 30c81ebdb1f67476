"""The launches that a kernel is judged on, and what a candidate runs in their place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.evaluate.cases import declared_cases, for_candidate
from assistant.engine.evaluate.judged_case import Effort, JudgedCase
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion
from assistant.errors import CannotAnswerError
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.workload.select import LaunchPair

TEXT = """\
/* kernelopt
[workload.work]
shapes = [{ n = 64 }, { n = 96 }]
args   = { y = "zeros(n)", x = "randn(n)", n = "n" }
grid   = ["ceil(n/32)"]
block  = [32]
scratch = ["y"]
*/
__global__ void work(float *y, const float *x, int n) { y[threadIdx.x] = x[threadIdx.x]; }
"""
EFFORT = Effort(seeds=(1, 2, 3), repeats=7, mode="check", with_boundary=True, is_confirming=True)
Read = Callable[[str], SourceVersion]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def make(text: str) -> SourceVersion:
        (tmp_path / "k.cu").write_text(text)
        return read_version(JobRequest(tmp_path / "k.cu", tmp_path), Flags())

    return make


def cases(version: SourceVersion, effort: Effort = EFFORT) -> list[JudgedCase]:
    return list(declared_cases(version, version.declared[0], effort))


def shapes(found: list[JudgedCase]) -> dict[str, int]:
    return {shape: sum(case.new.origin.shape == shape for case in found) for shape in (case.new.origin.shape for case in found)}


def test_boundary_shapes_come_where_they_are_asked_for_and_not_forbidden(read: Read) -> None:
    own = {"n=64", "n=96"}
    assert shapes(cases(read(TEXT))).keys() > own
    assert shapes(cases(read(TEXT), replace(EFFORT, with_boundary=False))).keys() == own
    assert shapes(cases(read(TEXT.replace("scratch", "boundary = false\nscratch")))).keys() == own
    first = cases(read(TEXT))[0]
    assert (first.repeats, first.scratch, first.buffer_names, first.launch_index) == (7, frozenset({"y"}), ((0, "y"), (1, "x")), None)


def test_a_large_shape_is_drawn_once(read: Read) -> None:
    few = replace(EFFORT, with_boundary=False)
    for count, wanted in ((8 << 20, 3), ((8 << 20) + 1, 1)):
        version = read(TEXT.replace("randn", "zeros").replace("{ n = 64 }, { n = 96 }", f"{{ n = {count} }}"))
        assert shapes(cases(version, few)) == {f"n={count}": wanted}


def test_a_block_that_cannot_be_used_is_an_error(read: Read) -> None:
    with pytest.raises(CannotAnswerError, match=r"^.*k\.cu:\d+: .*") as caught:
        cases(read(TEXT.replace("randn(n)", "randint(5, 1, n)")))
    assert caught.value.remedy == "correct the workload block"
    two = TEXT + "__global__ void other(float *y) {}\n"
    with pytest.raises(CannotAnswerError) as caught:
        cases(read(two.replace("shapes", 'kernel = "gone"\nshapes')))
    assert "[workload.work] means kernel 'gone', which 0 kernels match; the source has: work(" in caught.value.message


def test_the_candidates_own_grid_is_run_where_its_block_declares_the_shape(read: Read) -> None:
    original = read(TEXT)
    wide = read(TEXT.replace("ceil(n/32)", "ceil(n/64)").replace("block  = [32]", "block  = [64]"))
    for case in cases(original):
        made = for_candidate(case, (), wide)
        n = int(case.new.origin.shape.partition("=")[2])
        assert made is not None and made.blobs == case.new.blobs
        assert made.recording.launches[0].config == LaunchConfig(Dim3(-(-n // 64)), Dim3(64))
    own = cases(original)[0]
    assert for_candidate(own, (), read(TEXT.replace("n = 64", "n = 65"))) is None, "it declares no such shape"
    assert for_candidate(own, (), read(TEXT.replace("randn(n)", "randint(5, 1, n)"))) is None


def test_other_values_at_a_boundary_shape_are_run_by_the_candidate_too(read: Read) -> None:
    original = read(TEXT)
    larger = max(cases(original), key=lambda case: int(case.new.origin.shape.partition("=")[2]))
    tiny = replace(larger, new=replace(larger.new, origin=replace(larger.new.origin, kind="tiny")))
    made = for_candidate(tiny, (), read(TEXT.replace("block  = [32]", "block  = [64]")))
    assert larger.new.origin.kind == "boundary" and made is not None and made.recording.launches[0].config.block == Dim3(64)
    elsewhere = replace(tiny, new=replace(tiny.new, origin=replace(tiny.new.origin, shape="grid (3, 1, 1)")))
    assert for_candidate(elsewhere, (), original) is None


def test_of_several_blocks_of_a_candidate_the_first_that_declares_the_shape_counts(read: Read) -> None:
    head, kernel = TEXT.split("*/\n")
    large = head.replace("work]", "large]").replace("{ n = 64 }, { n = 96 }", "{ n = 4096 }")
    wide = head.removeprefix("/* kernelopt\n").replace("n/32", "n/64").replace("block  = [32]", "block  = [64]")
    made = for_candidate(cases(read(TEXT))[0], (), read(f"{large}{wide}*/\n{kernel}"))
    assert made is not None and made.recording.launches[0].config == LaunchConfig(Dim3(1), Dim3(64))


def test_of_recorded_launches_the_one_in_its_place_is_run(read: Read) -> None:
    version = read(TEXT)
    recorded = replace(cases(version)[0], launch_index=4)
    wide = LaunchConfig(Dim3(1), Dim3(128))
    pairs = [LaunchPair(3, 0, "work(float*, float const*, int)", LaunchConfig(Dim3(9), Dim3(9))), LaunchPair(4, 1, "work<2>(float*)", wide)]
    made = for_candidate(recorded, pairs, version)
    assert made is not None and (made.recording.launches[0].kernel, made.recording.launches[0].config) == ("work<2>(float*)", wide)
    assert for_candidate(recorded, pairs[:1], version) is None
    few = replace(recorded, recorded_config=wide)
    made = for_candidate(few, pairs, version)
    assert made is not None and made.recording.launches[0].config.grid == recorded.new.recording.launches[0].config.grid
    for other in (replace(wide, grid=Dim3(2)), replace(wide, block=Dim3(64))):
        assert for_candidate(replace(few, recorded_config=other), pairs, version) is None, "it is started otherwise than the original"
    assert for_candidate(replace(few, recorded_config=replace(wide, shared_bytes=8)), pairs, version) is not None
