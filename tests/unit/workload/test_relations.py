"""Counts of elements and blocks are explained by the integers of the launches that were recorded, and hold at other sizes."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3
from assistant.workload.relations import CountAtSizes, SeenBlocks, explain_blocks, explain_count, explain_extent


@pytest.mark.parametrize(
    ("sizes", "count", "others", "expected"),
    [
        ({"n": 1000}, 1000, {"n": 77}, 77),
        ({"rows": 100, "cols": 32}, 3200, {"rows": 7, "cols": 11}, 77),
        ({"n": 1000}, 16000, {"n": 77}, 16 * 77),
        ({"n": 1000}, 1001, {"n": 77}, 78),
        ({"w": 90, "h": 50}, 88 * 48, {"w": 12, "h": 7}, 10 * 5),
        ({"n": 500, "taps": 33}, 468, {"n": 100, "taps": 5}, 96),
        ({"n": 1000}, 500, {"n": 78}, 39),
        ({"N": 3, "C": 20, "H": 37, "W": 41}, 91020, {"N": 2, "C": 3, "H": 5, "W": 7}, 210),
        ({"batch": 4, "rows": 30, "cols": 20}, 2400, {"batch": 3, "rows": 5, "cols": 7}, 105),
        (
            {"in.c": 3, "in.d": 41, "in.h": 43, "in.w": 47, "out.c": 3, "out.d": 20, "out.h": 21, "out.w": 23},
            3 * 20 * 21 * 23,
            {"in.c": 2, "in.d": 9, "in.h": 9, "in.w": 9, "out.c": 2, "out.d": 4, "out.h": 5, "out.w": 3},
            2 * 4 * 5 * 3,
        ),
    ],
)
def test_a_buffers_count_follows_from_the_integers(sizes: dict[str, int], count: int, others: dict[str, int], expected: int) -> None:
    assert expected in {term.at(others) for term in explain_extent([CountAtSizes(sizes, count)])}


def test_what_no_integer_explains_is_not_explained() -> None:
    assert explain_extent([CountAtSizes({"n": 1000}, 7)]) == ()
    assert explain_count(CountAtSizes({"n": 0}, 7)) == ()


def test_a_second_launch_shows_which_of_two_explanations_is_right() -> None:
    square = CountAtSizes({"w": 64, "h": 64}, 4096)
    assert {term.at({"w": 10, "h": 20}) for term in explain_extent([square])} == {100, 200, 400}
    other = CountAtSizes({"w": 32, "h": 128}, 4096)
    (term,) = (term for term in explain_extent([square, other]) if term.at({"w": 10, "h": 20}) == 200)
    assert term.names == {"w", "h"}
    assert all(term.at({"w": 10, "h": 20}) != 400 for term in explain_extent([square, other]))


@pytest.mark.parametrize(
    ("sizes", "block", "count", "others", "expected"),
    [
        ({"n": 1000}, Dim3(128), 8, {"n": 2000}, 16),
        ({"n": 4096}, Dim3(256), 4, {"n": 8200}, 9),
        ({"rows": 300, "cols": 64}, Dim3(64), 300, {"rows": 17, "cols": 64}, 17),
        ({"rows": 1000, "cols": 40}, Dim3(256), 125, {"rows": 16, "cols": 40}, 2),
    ],
)
def test_blocks_follow_from_the_integers_and_the_block(
    sizes: dict[str, int], block: Dim3, count: int, others: dict[str, int], expected: int
) -> None:
    assert explain_blocks([SeenBlocks(sizes, block, count)])[0].at(others) == expected


def test_few_blocks_of_a_second_axis_are_not_explained_by_chance() -> None:
    assert explain_blocks([SeenBlocks({"nt": 1801, "r": 9}, Dim3(160), 31, "y")]) == ()
    assert explain_blocks([SeenBlocks({"w": 500, "h": 496}, Dim3(32), 31, "y")])[0].at({"w": 500, "h": 33}) == 3


def test_an_axis_that_two_integers_share_is_covered_by_the_blocks_own_shape() -> None:
    sizes = {"depth": 20, "channels": 3, "width": 41}
    assert explain_blocks([SeenBlocks(sizes, Dim3(8, 8, 4), 15, "z")])[0].at({"depth": 29, "channels": 5, "width": 59}) == 37
    assert explain_blocks([SeenBlocks({"batch": 4, "heads": 8}, Dim3(32), 32, "z")])[0].at({"batch": 3, "heads": 5}) == 15


def test_launches_of_other_sizes_must_fit_as_well() -> None:
    first, grows, stays = (SeenBlocks({"n": n}, Dim3(128), count) for n, count in ((1024, 8), (2048, 16), (2048, 8)))
    assert explain_blocks([first, grows])[0].at({"n": 4096}) == 32
    assert explain_blocks([first, stays]) == ()
