"""Where the launches of two programs differ."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceStep, PointerField, RecordedArgument, RecordedLaunch, Recording, ShapeCount
from assistant.workload.regions import OrderedLaunch, Region, find_region, launches_in_order, steps_within

CONFIG = LaunchConfig(Dim3(1), Dim3(32))


def launches(names: str, edited: str = "") -> list[OrderedLaunch]:
    """One for each letter."""
    return [OrderedLaunch(name, CONFIG, name in edited, None) for name in names]


@pytest.mark.parametrize(
    ("a", "b", "edited", "region"),
    [
        ("iabe", "ife", "", Region((1, 2), (1,), 1, (2, 1))),
        ("a", "b", "", Region((0,), (0,), 1, (1, 1))),
        ("abc", "abc", "b", Region((1,), (1,), 1, (1, 1))),
        ("abcd", "abcd", "bd", Region((1, 2, 3), (1, 2, 3), 1, (3, 3))),
    ],
)
def test_a_region_goes_from_the_first_launch_that_differs_to_the_last(a: str, b: str, edited: str, region: Region) -> None:
    assert find_region(launches(a, edited), launches(b, edited)) == region


@pytest.mark.parametrize(
    ("a", "b", "region"), [("abc", "ac", Region((0, 1), (0,), 1, (2, 1))), ("b", "ab", Region((0,), (0, 1), 1, (1, 2)))]
)
def test_a_side_that_would_be_empty_gets_its_neighbour(a: str, b: str, region: Region) -> None:
    assert find_region(launches(a), launches(b)) == region


@pytest.mark.parametrize(
    ("a", "b", "region"),
    [
        ("i" + "ab" * 10 + "e", "i" + "f" * 10 + "e", Region((1, 2), (1,), 10, (2, 1))),
        ("i" + "uab" * 10 + "e", "i" + "uf" * 10 + "e", Region((2, 3), (2,), 10, (3, 2))),
        ("i" + "abu" * 10, "i" + "fu" * 10, Region((1, 2), (1,), 10, (3, 2))),
        ("aub" * 5, "fu" * 5, Region((0, 1, 2), (0, 1), 5, (3, 2))),
        ("ab" * 6, "f" * 4, Region((0, 1, 2, 3, 4, 5), (0, 1), 2, (6, 2))),
        ("ab" * 3 + "e", "f" * 2 + "e", Region((0, 1, 2, 3, 4, 5), (0, 1), 1, (6, 2))),
    ],
)
def test_what_both_repeat_equally_often_is_one_repetition(a: str, b: str, region: Region) -> None:
    assert find_region(launches(a), launches(b)) == region


def test_programs_with_the_same_launches_have_none() -> None:
    assert find_region(launches("abc"), launches("abc")) is None
    assert find_region([], launches("a")) is None


def test_arguments_tell_launches_apart_where_both_are_known() -> None:
    one, other, unknown = (OrderedLaunch("a", CONFIG, False, arguments) for arguments in ("01", "02", None))
    assert find_region([one, one], [one, other]) == Region((1,), (1,), 1, (1, 1))
    assert find_region([one, one], [one, unknown]) is None


def step(kind: str, shape: int = -1) -> DeviceStep:
    return DeviceStep(kind, shape, 0 if kind == "launch" else None)


STEPS = (
    step("copy_to_device"), step("launch", 0), step("fill"), step("launch", 1), step("wait"), step("launch", 0), step("copy_to_host"),
)  # fmt: skip


def test_what_lies_between_launches_belongs_to_them() -> None:
    recording = Recording((), (), (), (), shape_counts=(ShapeCount("a", CONFIG, 2), ShapeCount("b", CONFIG, 1)), steps=STEPS)
    kinds = [one.kind for one in steps_within(recording, (0, 1))]
    assert kinds == ["launch", "fill", "launch"]
    assert [one.kind for one in steps_within(recording, (1, 2))] == ["launch", "wait", "launch"]


def test_launches_come_in_the_programs_order_with_what_was_kept_of_them() -> None:
    argument = RecordedArgument(12, "0011223344556677" + "0a0b0c0d", (PointerField(0, 5, 0),))
    kept = RecordedLaunch(1, "b", CONFIG, (argument,), (), "", 0)
    recording = Recording((), (kept,), (), (), shape_counts=(ShapeCount("a", CONFIG, 2), ShapeCount("b", CONFIG, 1)), steps=STEPS)
    found = launches_in_order(recording, frozenset({"a"}))
    assert found is not None
    assert [(one.kernel, one.is_edited, one.arguments) for one in found] == [
        ("a", True, None),
        ("b", False, "0000000000000000" + "0a0b0c0d"),
        ("a", True, None),
    ]
    assert launches_in_order(Recording((), (kept,), (), ()), frozenset()) is None
