"""What was learnt as a picture: the page's own words and places, well-formed whatever a technique is called."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from assistant.editor.learned_page import learned_page
from assistant.editor.learned_plot import learned_svg
from assistant.model.knowledge import Knowledge, WhatWasLearned
from tests.unit.editor.test_learned_page import HOSTILE, known

SVG = "{http://www.w3.org/2000/svg}"


def drawn(*rows: Knowledge) -> ElementTree.Element:
    return ElementTree.fromstring(learned_svg(learned_page(WhatWasLearned(rows), ())))


def points(picture: ElementTree.Element) -> list[tuple[str, float]]:
    """Kind and place from the left, without those of the key."""
    circles = [each for each in picture.iter(f"{SVG}circle") if each.find(f"{SVG}title") is not None]
    return [(each.get("class", ""), float(each.get("cx", ""))) for each in circles]


def words(picture: ElementTree.Element) -> list[str]:
    return ["".join(each.itertext()) for each in picture.iter(f"{SVG}text")]


def test_every_technique_stands_in_its_state_with_the_numbers_of_the_table() -> None:
    predicted = known(device_class="cpu, predicted for h200", measured_count=0, predicted_count=2, kernel_count=2)
    said = words(drawn(known(), predicted))
    assert "Memory-bound row reductions of float (NVIDIA H200)" in said
    assert "Memory-bound row reductions of float (cpu, predicted for h200)" in said
    assert said.count("warp per row") == 2
    assert "3.10x [2.20, 4.00], right 6 of 7, measured on 6, accepted 2, rejected 1" in said
    assert "3.10x [2.20, 4.00], right 6 of 7, predicted on 2, accepted 2, rejected 1" in said


@pytest.mark.parametrize(
    ("low", "high", "kind"), [(2.2, 4.0, "gain"), (0.4, 0.9, "loss"), (0.9, 1.2, "open"), (1.0, 1.2, "open"), (None, None, "open")]
)
def test_a_point_says_by_its_interval_whether_it_is_a_gain(low: float | None, high: float | None, kind: str) -> None:
    middle = 3.1 if low is None or high is None else (low + high) / 2
    ((found, _),) = points(drawn(known(low_ratio=low, high_ratio=high, median_ratio=middle)))
    assert found == kind


def test_faster_stands_to_the_right() -> None:
    (_, first), (_, second) = points(drawn(known(), known("loop-unrolling", median_ratio=1.1, low_ratio=1.05, high_ratio=1.2)))
    assert first > second


def test_what_was_never_timed_has_no_point() -> None:
    picture = drawn(known(), known("fast-math", median_ratio=None, low_ratio=None, high_ratio=None, measured_count=0))
    assert len(points(picture)) == 1
    assert "right 6 of 7, accepted 2, rejected 1" in words(picture)


def test_a_memory_that_learnt_nothing_says_so() -> None:
    picture = drawn()
    assert any("Nothing was learned yet" in line for line in words(picture))
    assert not points(picture)


def test_names_of_models_and_imports_are_text_and_nothing_else() -> None:
    picture = drawn(known(f"{HOSTILE}\x1b[31m\x00{'a' * 200}"))
    assert {each.tag.removeprefix(SVG) for each in picture.iter()} <= {"svg", "style", "rect", "text", "tspan", "path", "circle", "title"}
    assert max(len(line) for line in words(picture) if "img" in line) <= 44


def test_it_follows_light_and_dark_and_loads_nothing() -> None:
    text = learned_svg(learned_page(WhatWasLearned((known(),)), ()))
    assert "prefers-color-scheme:dark" in text
    assert not any(word in text for word in ("href", "url(", "@import", "<script", "<image"))
