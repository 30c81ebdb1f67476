"""What pictures are made of: scales with their ticks, lines, bars and intervals."""

from __future__ import annotations

from itertools import pairwise

import pytest

from assistant.svg import Interval, LogScale, bar, document, grid


def test_a_logarithmic_scale_has_equal_ratios_equally_far_apart_and_keeps_what_lies_outside_on_its_ends() -> None:
    scale = LogScale(0.5, 8.0, start=100.0, length=400.0)
    assert [scale.at(value) for value in (0.5, 1.0, 2.0, 8.0)] == pytest.approx([100.0, 200.0, 300.0, 500.0])
    assert (scale.at(0.001), scale.at(9000.0)) == (100.0, 500.0)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.87, 1.6, [1.0, 1.2, 1.5]),
        (0.6, 4.4, [0.7, 1.0, 1.5, 2.0, 3.0]),
        (0.87, 29.0, [1.0, 2.0, 5.0, 10.0, 20.0]),
        (0.4, 12000.0, [1.0, 10.0, 100.0, 1000.0, 10000.0]),
    ],
)
def test_ticks_are_round_and_neither_few_nor_many(low: float, high: float, ticks: list[float]) -> None:
    assert list(LogScale(low, high).ticks()) == pytest.approx(ticks)


def test_ticks_of_any_scale_leave_room_for_their_words() -> None:
    for power in range(1, 60):
        scale = LogScale(0.87, 0.87 * 1.25**power, length=330.0)
        places = [scale.at(tick) for tick in scale.ticks()]
        assert 1 <= len(places) <= 10 and all(after - before >= 35.0 for before, after in pairwise(places))


def test_the_line_where_nothing_changes_is_dashed_and_drawn_once() -> None:
    drawn = grid((100.0, 200.0), 100.0, 40.0, 80.0)
    assert drawn == '<path class="grid" d="M200.0 40V80"/><path class="one" d="M100.0 40V80"/>'


def test_a_bar_goes_to_either_side() -> None:
    assert 'x="50.0" y="15.0" width="30.0"' in bar("loss", 80.0, 50.0, 20.0, "a: 0.50x")
    assert 'x="80.0" y="15.0" width="30.0"' in bar("gain", 80.0, 110.0, 20.0, "a: 2.00x")


def test_an_interval_without_ends_is_a_point() -> None:
    assert Interval("gain", 5.0, None, None, "a").drawn(9.0).startswith("<circle")
    assert Interval("gain", 5.0, 4.0, 6.0, "a").drawn(9.0).startswith('<path class="range"')


def test_a_document_has_a_look_for_each_kind_in_light_and_in_dark() -> None:
    light, _, dark = document(1, 1, "a", "").partition("prefers-color-scheme:dark")
    for kind in ("page", "soft", "grid", "one", "range", "way", "gain", "loss", "open", "warning"):
        assert f".{kind}{{" in light and f".{kind}{{" in dark
