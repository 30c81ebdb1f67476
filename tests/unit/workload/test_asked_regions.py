"""Which steps of two programs a person asks for."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceStep, Recording, ShapeCount
from assistant.workload.asked_regions import region_of_calls, region_of_main
from assistant.workload.regions import OrderedStep, Region, steps_in_order

CONFIG = LaunchConfig(Dim3(1), Dim3(32))
KINDS = {"(": "enter", ")": "leave", "D": "copy_on_device", "H": "copy_to_host", "w": "wait"}


def recorded(text: str) -> tuple[Recording, tuple[OrderedStep, ...]]:
    """A letter for each launch, or one of ``KINDS``."""
    names = sorted({letter for letter in text if letter not in KINDS})
    steps = tuple(DeviceStep(KINDS[letter]) if letter in KINDS else DeviceStep("launch", names.index(letter)) for letter in text)
    recording = Recording((), (), (), (), shape_counts=tuple(ShapeCount(name, CONFIG, 1) for name in names), steps=steps)
    ordered = steps_in_order(recording, frozenset())
    assert ordered is not None
    return recording, ordered


@pytest.mark.parametrize(
    ("a", "b", "region"),
    [
        ("i(ab)(ab)H", "i(c)(c)H", Region((1, 2), (1,), 2, (2, 1))),
        ("i(ab)", "(cd)", Region((1, 2), (0, 1), 1, (2, 2))),
        ("(a(b)w)i(a(b)w)", "(c)i(c)", Region((0, 1), (0,), 2, (3, 2))),
        ("()(a)()(a)", "(c)(c)", Region((0,), (0,), 2, (1, 1))),
        ("(a)(a)i(a)", "(c)(c)(c)", Region((0, 1, 2, 3), (0, 1, 2), 1, (4, 3))),
        ("(a)(ab)", "(c)(c)", Region((0, 1, 2), (0, 1), 1, (3, 2))),
        ("(a)(a)(a)", "(c)(c)", Region((0, 1, 2), (0, 1), 1, (3, 2))),
        ("i(ab", "(c)", Region((1, 2), (0,), 1, (2, 1))),
    ],
)
def test_calls_that_do_the_same_are_one_repetition(a: str, b: str, region: Region) -> None:
    (of_a, steps_a), (of_b, steps_b) = recorded(a), recorded(b)
    assert region_of_calls(of_a, of_b, steps_a, steps_b, "step") == region


@pytest.mark.parametrize(("a", "b", "letter"), [("ab", "(c)", "A"), ("(a)", "()c", "B"), ("(H)a", "(c)", "A")])
def test_a_function_that_does_nothing_on_the_gpu_is_no_region(a: str, b: str, letter: str) -> None:
    (of_a, steps_a), (of_b, steps_b) = recorded(a), recorded(b)
    assert region_of_calls(of_a, of_b, steps_a, steps_b, "step") == f"{letter} does nothing on the GPU in calls of step"


@pytest.mark.parametrize(
    ("a", "b", "region"),
    [
        ("a(b)D", "c", Region((0, 1, 2), (0,), 1, (3, 1))),
        ("HHaHbH", "HHcHH", Region((2, 3, 4), (2, 3), 1, (3, 2))),
        ("Ha", "a", Region((0, 1), (0,), 1, (2, 1))),
        ("DHaHD", "DHcHD", Region((0, 1, 2, 3, 4), (0, 1, 2, 3, 4), 1, (5, 5))),
    ],
)
def test_all_of_main_is_everything_on_the_device(a: str, b: str, region: Region) -> None:
    """Without the copies from and to the host with which both begin and end: they take as long as the link does."""
    assert region_of_main(recorded(a)[1], recorded(b)[1]) == region


def test_a_copy_of_another_size_belongs_to_main() -> None:
    long, short = (OrderedStep("copy_to_host", size_bytes=size) for size in (64, 32))
    work = OrderedStep("launch", "a", CONFIG)
    assert region_of_main((long, work), (short, work)) == Region((0, 1), (0, 1), 1, (2, 2))


def test_a_copy_that_may_overlap_belongs_to_main() -> None:
    copy, work = OrderedStep("copy_to_host"), OrderedStep("launch", "a", CONFIG, needs=())
    assert region_of_main((copy, work), (copy, work)) == Region((0, 1), (0, 1), 1, (2, 2))


def test_without_work_on_the_device_there_is_no_region() -> None:
    assert region_of_main(recorded("H")[1], recorded("Hc")[1]) is None
