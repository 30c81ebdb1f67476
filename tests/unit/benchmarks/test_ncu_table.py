"""Our times paired with Nsight Compute's: which of its launches a case of ours is, and what the table says of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assistant.model.comparison import CaseSpeed, SpeedOutcome
from assistant.serialize import encode
from benchmarks.gpu.ncu_searches import Built, Edit, Search
from benchmarks.gpu.ncu_table import LeftOut, Timed, compared, is_off, ncu_table
from benchmarks.gpu.ncu_times import TIME, Launch, Shape, ShapeTime

_BLOCK = (256, 1, 1)


def _edit(kernel: str, *shapes: str, a_s: float = 40e-6, b_s: float = 20e-6) -> Edit:
    cases = tuple(CaseSpeed(shape, 1.0, a_s / b_s, None, None, SpeedOutcome.FASTER, a_s, b_s) for shape in shapes)
    return Edit(f"P-{kernel}", kernel, ("read-only", "unroll"), cases, "paired", "good", "")


def _seen(kernel: str, *grids: int, time_s: float = 40e-6, block: tuple[int, ...] = _BLOCK) -> dict[Shape, ShapeTime]:
    return {Shape(kernel, (grid, 1, 1), block): ShapeTime(time_s, 0.01, 3) for grid in grids}


def _one(edits: Sequence[Edit], a: dict[Shape, ShapeTime], b: dict[Shape, ShapeTime]) -> Timed | LeftOut:
    (found,) = compared("program", edits, a, b)
    return found


def test_a_kernel_with_a_single_shape_needs_no_name() -> None:
    found = _one((_edit("a::k<int>(int*)", ""),), _seen("k", 64), _seen("k", 64, time_s=20e-6))
    assert isinstance(found, Timed)
    assert (found.kernel, found.techniques, found.time_off, found.ratio_off) == ("k", "read-only+unroll", 0, 0)


def test_a_case_is_the_launch_of_its_grid_and_block() -> None:
    a = {**_seen("k", 64, 128), **_seen("other", 64)}
    found = _one((_edit("k", "n=4096, grid (128, 1, 1), block (256, 1, 1) (2)"),), a, {**a, **_seen("k", 128, time_s=10e-6)})
    assert isinstance(found, Timed)
    assert found.ncu_b.median_s == 10e-6


def test_an_edit_may_change_the_shape_of_a_launch() -> None:
    a, b = _seen("k", 64, 128), {**_seen("k", 64), **_seen("k", 32, block=(1024, 1, 1))}
    found = _one((_edit("k", "grid (128, 1, 1), block (256, 1, 1)"),), a, b)
    assert isinstance(found, Timed)


def test_launches_that_cannot_be_distinguished_are_left_out() -> None:
    found = _one((_edit("k", "n=4096"),), _seen("k", 64, 128), _seen("k", 64, 128))
    assert isinstance(found, LeftOut)
    assert "which of ncu's launches are 'n=4096' is not known" in found.words


def test_a_kernel_that_ncu_does_not_see_is_left_out() -> None:
    found = _one((_edit("k", ""),), {}, _seen("k", 64))
    assert isinstance(found, LeftOut)
    assert "(none and grid (64, 1, 1), block (256, 1, 1))" in found.words


@pytest.mark.parametrize("shape", ["next", "a::next, n=4096", "next, n=4096, grid (64, 1, 1), block (256, 1, 1) (2)"])
def test_a_case_may_name_the_kernel_that_was_timed(shape: str) -> None:
    seen = {**_seen("k", 64, time_s=5e-6), **_seen("next", 64)}
    found = _one((_edit("k", shape),), seen, seen)
    assert isinstance(found, Timed)
    assert found.ncu_a.median_s == 40e-6


@pytest.mark.parametrize("shape", ["", "n=4096", "n=4096, y is x", "all launches", "grid (64, 1, 1), block (256, 1, 1)"])
def test_a_case_that_names_none_is_of_the_edited_kernel(shape: str) -> None:
    seen = {**_seen("k", 64), **_seen("next", 64)}
    assert isinstance(_one((_edit("k", shape),), seen, seen), Timed)


def test_another_kernel_timed_with_an_edit_is_compared_unless_the_version_edits_it() -> None:
    shape = "next<float>, grid (64, 1, 1), block (256, 1, 1)"
    seen = {**_seen("k", 64), **_seen("next", 64)}
    alone = _one((_edit("k", shape),), seen, seen)
    assert isinstance(alone, Timed) and alone.kernel.startswith("next ")
    left_out, _ = compared("program", (_edit("k", shape), _edit("next", "")), seen, seen)
    assert isinstance(left_out, LeftOut) and "another edit of the same version changes it" in left_out.words


def _rows(a_ns: float, b_ns: float) -> list[dict[str, Any]]:
    """A search whose edit was timed at 40 and 20 µs, and five runs of both sides."""
    edits = (_edit("k", ""),)
    found = Search("blur", "gpu:0", 7, 1, 1, 12.0, False, "", Path("blur.out"), (Built(Path("blur-edited0.out"), edits),), ())
    original, version = (
        encode([[Launch("k(float *)", (64, 1, 1), _BLOCK, {TIME: (time_ns + run, "ns")})] for run in range(-2, 3)])
        for time_ns in (a_ns, b_ns)
    )
    return [{"what": "search", **encode(found)}, {"what": "runs", "program": "blur", "original": original, "versions": [version]}]


def test_the_table_sets_ours_next_to_ncus() -> None:
    table = ncu_table(_rows(38_000, 20_000)).splitlines()
    assert table[2] == "| blur | k | read-only+unroll | 40.0 µs | 38.0 µs | +5.3% | 2.000 | 1.900 | +5.3% | 0.0% |"
    assert table[-3:] == [
        "1 timed in 1 programs, 0 left out",
        "A's times of 20 µs and more, n=1: median 5.3% off, at most 5.3%; beyond 10%: 0",
        "ratios with both sides of 20 µs and more, n=1: median 5.3% off, at most 5.3%; beyond 5%: 1",
    ]


@pytest.mark.parametrize(
    ("a_ns", "b_ns", "expected"),
    [
        (40_000, 20_500, False),
        (38_000, 20_000, True),  # the ratio
        (30_000, 15_000, True),  # A's time
        (38_000, 19_000, False),  # B is too short for the ratio to count
        (19_000, 10_000, True),  # nothing is long enough
    ],
)
def test_only_kernels_of_20_us_and_more_are_held_to_ncus_times(a_ns: float, b_ns: float, *, expected: bool) -> None:
    assert is_off(_rows(a_ns, b_ns)) is expected


def test_without_runs_there_is_an_empty_table() -> None:
    assert ncu_table(_rows(38_000, 20_000)[:1]).splitlines()[-1] == "0 timed in 0 programs, 0 left out"
