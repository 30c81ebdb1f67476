"""Sizes of results of pooling and convolution follow from those of what they read."""

from __future__ import annotations

import pytest

from assistant.workload.other_sizes import larger, smaller
from assistant.workload.windows import windows_of


@pytest.mark.parametrize(
    ("sizes", "name", "larger_size", "expected"),
    [
        ({"in.w": 161, "out.w": 80}, "out.w", 59, 29),
        ({"in.w": 66, "out.w": 64}, "out.w", 101, 99),
        ({"H": 224, "OH": 112}, "OH", 1000, 500),
        ({"ih": 227, "oh": 55}, "oh", 123, 29),
        ({"in_width": 640, "out_width": 320}, "out_width", 900, 450),
        ({"src_h": 320, "dst_h": 640}, "src_h", 1280, 640),
    ],
)
def test_as_many_windows_fit_at_another_size(sizes: dict[str, int], name: str, larger_size: int, expected: int) -> None:
    window = windows_of(sizes)[name]
    assert window.at(sizes[window.of]) == sizes[name] and window.at(larger_size) == expected


@pytest.mark.parametrize(
    "sizes",
    [
        {"in.w": 161, "out.h": 80},
        {"in.w": 161, "in.h": 80},
        {"in.c": 64, "out.c": 32},
        {"ic": 64, "oc": 32},
        {"n": 100, "m": 50},
        {"in.w": 100, "out.w": 1},
        {"in.w": 512, "out.w": 12},
        {"rows": 64, "rows_out": 64},
    ],
)
def test_what_is_no_window_of_an_axis_is_none(sizes: dict[str, int]) -> None:
    assert windows_of(sizes) == {}


def test_one_level_after_another() -> None:
    assert {name: window.of for name, window in windows_of({"c.w": 16, "b.w": 32, "a.w": 64}).items()} == {"b.w": "a.w", "c.w": "b.w"}


def test_other_sizes_keep_what_follows_from_windows() -> None:
    sizes = {f"{side}.{axis}": size for side, size in (("in", 161), ("out", 80)) for axis in ("depth", "height", "width")}
    sizes |= {"in.channels": 16, "out.channels": 16}
    grown = larger(sizes, frozenset(), frozenset(sizes))
    (apart,) = grown.pop("apart")
    assert all(apart[f"in.{axis}"] > 161 and apart[f"out.{axis}"] == 80 for axis in ("depth", "height", "width")), apart
    for one in (*smaller(sizes, 1 / 256), *(one for tried in grown.values() for one in tried)):
        assert all(one[f"out.{axis}"] == (one[f"in.{axis}"] - 3) // 2 + 1 for axis in ("depth", "height", "width")), one


def test_a_far_size_is_also_tried_as_a_multiple_of_the_stride() -> None:
    """An image that is enlarged twice has an even width: at an odd one its kernel would read beyond what it enlarges."""
    tried = larger({"in_w": 60, "out_w": 120}, frozenset(), frozenset({"in_w", "out_w"}))["far out_w"]
    assert [(one["out_w"] % 2, one["out_w"] - 2 * one["in_w"]) for one in tried] == [(1, 1), (0, 0)]
