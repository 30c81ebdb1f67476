"""Launches that do nothing new: which B makes less often, and what is none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import (
    BufferState,
    DeviceOperations,
    PassedArguments,
    PointerField,
    RecordedArgument,
    RecordedLaunch,
    Recording,
    ShapeCount,
)
from assistant.workload.repeats import FewerRepeats, fewer_repeats

CONFIG = LaunchConfig(Dim3(2), Dim3(64))


def launch(before: str, after: str | None, kernel: str = "k", number: int = 7, buffer: int = 0) -> RecordedLaunch:
    """Of a kernel that is passed a buffer, with these contents, and a number."""
    arguments = (RecordedArgument(8, "aa" * 8, (PointerField(0, buffer, 0),)), RecordedArgument(4, f"{number:08x}", ()))
    return RecordedLaunch(0, f"{kernel}(float*, int)", CONFIG, arguments, (BufferState(buffer, before, after),), "k.cu", 3)


def recording(launches: Sequence[RecordedLaunch], fills: int = 0) -> Recording:
    counts = tuple(ShapeCount(one.kernel, CONFIG, 1) for one in launches)
    fill = (DeviceOperations("fill", fills, fills),) if fills else ()
    return Recording((), tuple(launches), (), (), shape_counts=counts, operations=fill)


ONCE = [launch("poison", "y")]
THRICE = [*ONCE, launch("y", "y"), launch("y", "y")]
CLEARED = [launch("0", "y")] * 3


@pytest.mark.parametrize("a", [THRICE, CLEARED], ids=["found done", "found cleared"])
def test_a_loop_that_is_cut_short_is_told(a: list[RecordedLaunch]) -> None:
    assert fewer_repeats(recording(a), recording(ONCE)) == FewerRepeats("k", 3, 1)
    assert fewer_repeats(recording(a), recording(a)) is fewer_repeats(recording(ONCE), recording(a)) is None


@pytest.mark.parametrize(
    "a",
    [
        [launch("0", "1"), launch("1", "2"), launch("2", "3")],
        [launch("1", "0"), launch("2", "0"), launch("3", "0")],
        [launch("0", "y", number=number) for number in range(3)],
        [launch("0", None)] * 3,
    ],
    ids=["steps", "clears what others left", "other arguments", "not known"],
)
def test_launches_that_do_something_each_time_are_none(a: list[RecordedLaunch]) -> None:
    assert fewer_repeats(recording(a), recording(a[:1])) is None


def test_another_buffer_or_another_interface_is_the_same_work() -> None:
    turns = [launch("0", "y", buffer=buffer) for buffer in (0, 1, 0)]
    assert fewer_repeats(recording(CLEARED), recording(turns)) is None
    renumbered = [launch("0", "y", number=64)] * 3
    assert fewer_repeats(recording(CLEARED), recording(renumbered)) is None
    for_show = [*ONCE, *([launch("0", "y", number=1)] * 3)]
    assert fewer_repeats(recording(CLEARED), recording(for_show)) == FewerRepeats("k", 3, 1)


def test_a_kernel_that_b_does_without_is_part_of_another_one_or_a_fill() -> None:
    both = [one for rest in CLEARED for one in (rest, launch("1", "2", "other"))]
    fused = [launch("0", "y", "fused", number) for number in range(3)]
    assert fewer_repeats(recording(both), recording(fused)) is None
    assert fewer_repeats(recording(CLEARED), recording([], fills=3)) is None
    assert fewer_repeats(recording(CLEARED), recording(fused[:1])) == FewerRepeats("k", 3, 0)


def test_launches_that_were_not_kept_count_where_those_that_were_do_nothing_new() -> None:
    passed = PassedArguments("k(float*, int)", CONFIG, CLEARED[0].arguments, 17)
    many = replace(recording(CLEARED), passed=(passed,))
    assert fewer_repeats(many, recording(CLEARED)) == FewerRepeats("k", 20, 3)
    assert fewer_repeats(replace(many, first_partial=1), recording(CLEARED)) is None
