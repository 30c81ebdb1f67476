"""Other sizes of a launch: twice as large, divided by nothing, never square only, and smaller for what is too large."""

from __future__ import annotations

import pytest

from assistant.workload import other_sizes
from assistant.workload.other_sizes import smaller, within, work_ratio


def larger(sizes: dict[str, int], fixed: frozenset[str] = frozenset()) -> dict[str, list[dict[str, int]]]:
    return other_sizes.larger(sizes, fixed, frozenset(sizes))


def is_prime(value: int) -> bool:
    return value > 1 and all(value % divisor for divisor in range(2, value))


def test_a_size_is_doubled_made_prime_and_taken_far() -> None:
    found = larger({"n": 1000})
    assert list(found) == ["odd", "doubled", "far n"]
    (doubled,), (odd, aligned), (far,) = found["doubled"], found["odd"], found["far n"]
    assert doubled == {"n": 2000} and odd["n"] > 1000 and is_prime(odd["n"]) and far["n"] >= 5000 and is_prime(far["n"])
    assert aligned["n"] % 8 == 0 and aligned["n"] % 16 == 8


def test_what_is_square_is_also_run_wide_and_high() -> None:
    found = larger({"w": 96, "h": 96})
    assert all(sizes["w"] < sizes["h"] for sizes in found["odd"]) and all(sizes["w"] > sizes["h"] for sizes in found["turned"])
    assert "turned" not in larger({"w": 96, "h": 95})


def test_members_of_several_structs_grow_alike_or_crossed() -> None:
    sizes = {"in.w": 96, "in.h": 96, "in.pitch": 128, "out.w": 96, "out.h": 96, "out.pitch": 128}
    crossed, alike = smaller(sizes, 0.5)[:2]
    assert (alike["in.w"], alike["in.h"], alike["in.pitch"]) == (alike["out.w"], alike["out.h"], alike["out.pitch"])
    assert (crossed["in.w"], crossed["in.h"], crossed["in.pitch"]) == (crossed["out.h"], crossed["out.w"], crossed["out.pitch"])
    assert alike["in.w"] != alike["in.h"] and crossed["in.w"] != crossed["in.h"]
    assert smaller({"a.w": 96, "a.h": 96}, 0.5)[0]["a.w"] != 96 and larger(sizes)["odd"][0]["in.w"] == larger(sizes)["odd"][0]["out.w"]
    for first in (larger(sizes)["odd"][0], larger(sizes)["turned"][0]):
        assert (first["in.w"], first["in.h"]) == (first["out.w"], first["out.h"]) and first["in.w"] != first["in.h"]


def test_a_product_of_two_sizes_stays_their_product() -> None:
    for sizes in (one for tried in larger({"rows": 60, "cols": 40, "n": 2400}).values() for one in tried):
        assert sizes["n"] == sizes["rows"] * sizes["cols"]


def test_one_size_alone_is_far_and_the_others_stay() -> None:
    assert larger({"rows": 60, "cols": 40})["far cols"][0]["rows"] == 60


def test_what_the_same_blocks_loop_over_is_run_beyond_what_a_block_holds() -> None:
    sizes, both = {"rows": 60, "cols": 196}, frozenset({"rows", "cols"})
    grown = other_sizes.larger(sizes, frozenset(), both, looped=frozenset({"cols"}))
    assert grown["farther cols"][0]["cols"] > 2048 and grown["farther cols"][0]["rows"] == 60 and "farther rows" not in grown
    assert "farther cols" not in other_sizes.larger({"cols": 500}, frozenset(), frozenset({"cols"}), looped=frozenset({"cols"}))


@pytest.mark.parametrize("sizes", [{"n": 1 << 20}, {"w": 4096, "h": 4096}, {"m": 700, "n": 700, "k": 700}, {"w": 1000, "h": 800, "c": 3}])
def test_smaller_sizes_have_about_the_share_of_the_work_that_is_wanted(sizes: dict[str, int]) -> None:
    first = smaller(sizes, 1 / 64)[0]
    assert 1 / 256 < work_ratio(sizes, first) < 1 / 16
    assert all(first[name] <= value for name, value in sizes.items())


def test_small_sizes_are_not_made_smaller() -> None:
    assert smaller({"n": 1 << 20, "taps": 9}, 1 / 64)[0]["taps"] == 9
    assert smaller({"n": 33}, 1 / 1024)[0] == {"n": 33}


def test_a_size_that_is_fixed_stays_and_the_others_grow() -> None:
    found = larger({"n": 1000, "taps": 9}, frozenset({"taps"}))
    assert all(sizes["taps"] == 9 and sizes["n"] > 1000 for tried in found.values() for sizes in tried) and "far taps" not in found
    assert larger({"taps": 9}, frozenset({"taps"})) == {}


def test_the_width_of_rows_grows_with_their_pitch_and_never_beyond_it() -> None:
    sizes, leading = {"pitch": 96, "rows": 80, "cols": 96}, frozenset({"pitch", "rows"})
    grown = other_sizes.larger(sizes, frozenset(), leading)
    assert "far pitch" in grown and "far cols" not in grown
    assert all(one["cols"] <= one["pitch"] for tried in grown.values() for one in (within(sizes, each, leading) for each in tried))


def test_a_row_taken_far_takes_its_pitch_along_and_the_other_images() -> None:
    (far,) = larger({"in.w": 517, "in.pitch": 522, "in.h": 301, "out.w": 517, "out.pitch": 544, "out.h": 301})["far in.w"]
    assert far["in.w"] == far["out.w"] > 2500 and far["in.pitch"] == far["in.w"] + 5 and (far["in.h"], far["out.h"]) == (301, 301)
    plain = larger({"w": 517, "pitch": 522, "h": 301})["far w"]
    assert [one["pitch"] > 522 for one in plain] == [True, False]


def test_a_mask_of_low_bits_stays_one() -> None:
    found = [
        *(sizes for tried in larger({"n": 1300, "t.mask": 4095}).values() for sizes in tried),
        *smaller({"n": 1300, "mask": 4095}, 0.1),
    ]
    masks = {sizes.get("t.mask", sizes.get("mask", 0)) for sizes in found}
    assert len(masks) > 2 and all(mask & (mask + 1) == 0 for mask in masks)
    assert is_prime(larger({"n": 1023})["odd"][0]["n"]), "1023 rows are no mask"
