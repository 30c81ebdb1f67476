"""Spans of a Region by CUPTI's time stamps, as a program with `activity.cpp` in it writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.gpu.activity import find_cupti, span_us

WRITTEN = """\
timed_us 61.440
activity copy 1700000001000100 1700000001004100 -
activity kernel 1700000001100000 1700000001101500 timed_empty()
activity kernel 1700000001131000 1700000001132600 mixin(float*, float const*, int)
activity kernel 1700000001120000 1700000001121500 decay(float*, int, float)
activity fill 1700000001140000 1700000001140900 -
activity kernel 1700000001190000 1700000001191000 timed_last()
activity copy 1700000001200000 1700000001204000 -
15.93750
"""


def test_a_span_begins_behind_the_first_empty_kernel_and_ends_before_the_last() -> None:
    assert span_us(WRITTEN) == pytest.approx(20.9), "records of several buffers come in any order; the program's own copies are outside"


@pytest.mark.parametrize("gone", ["timed_empty", "timed_last"])
def test_there_is_no_span_without_its_ends(gone: str) -> None:
    assert span_us("".join(line for line in WRITTEN.splitlines(keepends=True) if gone not in line)) is None


def test_there_is_no_span_where_nothing_ran() -> None:
    assert span_us("".join(line for line in WRITTEN.splitlines(keepends=True) if "timed" in line)) is None
    assert span_us("timed_us 3.0\n") is None


def test_time_stamps_that_are_refused_are_an_error() -> None:
    with pytest.raises(ValueError, match="no time stamps here: error 39"):
        span_us(f"activity failed 39\n{WRITTEN}")


def test_cupti_is_found_next_to_nvcc(tmp_path: Path) -> None:
    for name in ("bin/nvcc", "extras/CUPTI/include/cupti.h", "extras/CUPTI/lib64/libcupti.so.13"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = find_cupti(str(tmp_path / "bin/nvcc"))
    assert found is not None and f"-L{tmp_path}/extras/CUPTI/lib64" in found.flags
    (tmp_path / "extras/CUPTI/include/cupti.h").unlink()
    assert find_cupti(str(tmp_path / "bin/nvcc")) is None
