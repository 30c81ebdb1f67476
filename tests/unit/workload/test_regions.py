"""Where the launches of two programs differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceStep, PointerField, RecordedArgument, RecordedLaunch, Recording, ShapeCount
from assistant.workload.regions import (
    OrderedStep,
    Region,
    find_region,
    have_other_operations,
    host_copies_of_both,
    launches_of,
    seen_alike,
    steps_in_order,
    steps_within,
)

CONFIG = LaunchConfig(Dim3(1), Dim3(32))


OTHERS = {"D": "copy_on_device", "F": "fill", "U": "copy_to_device", "H": "copy_to_host"}


def steps(names: str, edited: str = "") -> list[OrderedStep]:
    """One for each letter: a launch, or one of ``OTHERS``; a digit behind is its size."""
    found = list[OrderedStep]()
    for name in names:
        if name.isdigit():
            found[-1] = replace(found[-1], size_bytes=int(name))
        else:
            found.append(OrderedStep(OTHERS[name]) if name in OTHERS else OrderedStep("launch", name, CONFIG, name in edited))
    return found


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
    assert find_region(steps(a, edited), steps(b, edited)) == region


@pytest.mark.parametrize(
    ("a", "b", "region"),
    [
        ("abcd", "acd", Region((0, 1, 2), (0, 1), 1, (3, 2))),
        ("ab", "a", Region((0, 1), (0,), 1, (2, 1))),
        ("b", "ab", Region((0,), (0, 1), 1, (1, 2))),
        ("UaDaH", "UaaH", Region((1, 2, 3), (1, 2), 1, (3, 2))),
        ("UaDH", "UaH", Region((1, 2), (1,), 1, (2, 1))),
        ("aH4bH4", "aH4bH2", Region((2, 3), (2, 3), 1, (2, 2))),
    ],
)
def test_a_side_without_work_of_the_devices_own_gets_its_neighbours(a: str, b: str, region: Region) -> None:
    assert find_region(steps(a), steps(b)) == region


@pytest.mark.parametrize(
    ("a", "b", "region"),
    [
        ("i" + "ab" * 10 + "e", "i" + "f" * 10 + "e", Region((1, 2), (1,), 10, (2, 1))),
        ("i" + "uab" * 10 + "e", "i" + "uf" * 10 + "e", Region((2, 3), (2,), 10, (3, 2))),
        ("i" + "abu" * 10, "i" + "fu" * 10, Region((1, 2), (1,), 10, (3, 2))),
        ("aub" * 5, "fu" * 5, Region((0, 1, 2), (0, 1), 5, (3, 2))),
        ("ab" * 6, "f" * 4, Region((0, 1, 2, 3, 4, 5), (0, 1), 2, (6, 2))),
        ("U" + "aD" * 9 + "H", "U" + "a" * 9 + "H", Region((1, 2), (1,), 9, (2, 1))),
        ("U" + "aDb" * 5 + "H", "U" + "ab" * 5 + "H", Region((1, 2, 3), (1, 2), 5, (3, 2))),
        ("U" + "aDDD" * 5, "U" + "aD9" * 5, Region((2, 3, 4), (2,), 5, (4, 2))),
        ("Ua" * 8 + "H", "U" + "a" * 8 + "H", Region((1, 2), (1,), 7, (2, 1))),
        ("U" + "aH8" * 6, "U" + "aH4" * 6, Region((1, 2), (1, 2), 6, (2, 2))),
        ("FaF" * 4, "aF" * 4, Region((0, 1, 2), (0, 1), 4, (3, 2))),
        ("ab" * 3 + "e", "f" * 2 + "e", Region((0, 1, 2, 3, 4, 5), (0, 1), 1, (6, 2))),
    ],
)
def test_what_both_repeat_equally_often_is_one_repetition(a: str, b: str, region: Region) -> None:
    assert find_region(steps(a), steps(b)) == region


def test_programs_with_the_same_launches_have_none() -> None:
    assert find_region(steps("abc"), steps("abc")) is None
    assert find_region([], steps("a")) is None


def test_arguments_tell_launches_apart_where_both_are_known() -> None:
    one, other, unknown = (OrderedStep("launch", "a", CONFIG, False, arguments) for arguments in ("01", "02", None))
    assert find_region([one, one], [one, other]) == Region((1,), (1,), 1, (1, 1))
    assert find_region([one, one], [one, unknown]) is None


def step(kind: str, shape: int = -1) -> DeviceStep:
    return DeviceStep(kind, shape, 0 if kind == "launch" else None)


STEPS = (
    step("copy_to_device"), step("launch", 0), step("fill"), step("launch", 1), step("wait"), step("launch", 0), step("copy_to_host"),
)  # fmt: skip
RECORDING = Recording((), (), (), (), shape_counts=(ShapeCount("a", CONFIG, 2), ShapeCount("b", CONFIG, 1)), steps=STEPS)


@pytest.mark.parametrize(
    ("chosen", "kinds"),
    [
        ((1, 2, 3), ["launch", "fill", "launch"]),
        ((3, 4), ["launch", "wait", "launch"]),
        ((0, 1), ["copy_to_device", "launch"]),
        ((4, 5), ["launch", "copy_to_host"]),
    ],
)
def test_what_lies_between_the_steps_of_a_region_belongs_to_it(chosen: tuple[int, ...], kinds: list[str]) -> None:
    assert [one.kind for one in steps_within(RECORDING, chosen)] == kinds


def test_steps_come_in_the_programs_order_with_what_was_kept_of_launches() -> None:
    argument = RecordedArgument(12, "0011223344556677" + "0a0b0c0d", (PointerField(0, 5, 0),))
    kept = RecordedLaunch(1, "b", CONFIG, (argument,), (), "", 0)
    found = steps_in_order(replace(RECORDING, launches=(kept,)), frozenset({"a"}))
    assert found is not None
    assert [(one.kind, one.kernel, one.is_edited, one.arguments) for one in found] == [
        ("copy_to_device", "", False, None),
        ("launch", "a", True, None),
        ("fill", "", False, None),
        ("launch", "b", False, "0000000000000000" + "0a0b0c0d"),
        ("launch", "a", True, None),
        ("copy_to_host", "", False, None),
    ]
    assert launches_of(found, (0, 2, 3, 4)) == (1, 2)
    assert steps_in_order(Recording((), (kept,), (), ()), frozenset()) is None


def test_operations_differ_by_number_and_size_and_not_by_their_place() -> None:
    other = replace(RECORDING, steps=(*STEPS[1:], STEPS[0]))
    assert not have_other_operations(RECORDING, other)
    assert have_other_operations(RECORDING, replace(RECORDING, steps=STEPS[1:]))
    assert have_other_operations(RECORDING, replace(RECORDING, steps=(*STEPS, replace(STEPS[0], size_bytes=4))))
    assert not have_other_operations(RECORDING, replace(RECORDING, steps=None))


def test_what_one_recorder_alone_sees_is_no_difference() -> None:
    """A GPU's own recorder sees neither waits nor page-locked memory; of the version that the emulator runs too both are known."""
    seen = replace(RECORDING, steps=tuple(replace(one, is_pinned=False) if "copy" in one.kind else one for one in STEPS))
    bare = replace(RECORDING, are_waits_seen=False, steps=tuple(one for one in STEPS if one.kind != "wait"))
    assert have_other_operations(seen, bare) and not have_other_operations(*seen_alike(seen, bare))
    ordered = [steps_in_order(one, frozenset()) for one in seen_alike(seen, bare)]
    assert ordered[0] == ordered[1]
    pinned = replace(RECORDING, steps=tuple(replace(one, is_pinned=True) if "copy" in one.kind else one for one in STEPS))
    assert have_other_operations(*seen_alike(seen, pinned)), "both know it"


def test_host_copies_that_both_make_are_told_from_others_by_their_size() -> None:
    assert host_copies_of_both(steps("UaH4H4"), steps("U2bH4F")) == {OrderedStep("copy_to_host", size_bytes=4): 1}
