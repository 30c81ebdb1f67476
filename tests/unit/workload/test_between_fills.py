"""Which launches of a program may be replayed as one call, although the program fills memory between them."""

from __future__ import annotations

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, RecordedLaunch, Recording
from assistant.workload.between_fills import parts_between_fills
from assistant.workload.regions import OrderedStep

CONFIG = LaunchConfig(Dim3(1), Dim3(32))


def recorded(*launches: str) -> Recording:
    """Launches by what they find in memory and leave there: ``1:a>b`` of buffer 1, several apart by a space."""

    def states(text: str) -> tuple[BufferState, ...]:
        found = list[BufferState]()
        for word in text.split():
            buffer, _, contents = word.partition(":")
            before, _, after = contents.partition(">")
            found.append(BufferState(int(buffer), before, after or None))
        return tuple(found)

    kept = tuple(RecordedLaunch(index, "k", CONFIG, (), states(text), "", 0) for index, text in enumerate(launches))
    return Recording((), kept, (), ())


def steps_of(words: str) -> tuple[OrderedStep, ...]:
    return tuple(OrderedStep("launch" if word == "k" else word) for word in words.split())


@pytest.mark.parametrize(
    ("words", "launches", "parts"),
    [
        ("k k", ("1:a>b", "1:b>c"), ((0, 1),)),
        ("fill k fill k", ("1:0>b", "1:0>c"), ((0,), (1,))),  # a counter that each launch finds empty
        ("fill k fill k fill k", ("1:0>b", "1:0>b", "1:0>b"), ((0,), (1,), (2,))),
        ("k fill k", ("1:a>b", "1:b>c"), ((0, 1),)),  # the fill is of other memory
        ("k fill k", ("1:a>0", "1:0>0"), ((0, 1),)),  # it was so already
        ("k fill k k", ("1:a>b 2:0>1", "1:b>c", "1:c>d 2:0>1"), ((0, 1), (2,))),  # the third one needs it, and finds it so by itself
        ("k copy_to_device k", ("1:a>b", "1:c>d"), ((0, 1),)),  # no fill lies between
        ("k fill k", ("1:a", "1:c>d"), ((0,), (1,))),  # what the first one left is not known
        ("k fill k k fill k", ("1:0>b", "1:0>b", "1:b>c", "1:0>b"), ((0,), (1, 2), (3,))),
    ],
)
def test_launches_are_cut_apart_where_one_needs_what_a_fill_left(
    words: str, launches: tuple[str, ...], parts: tuple[tuple[int, ...], ...]
) -> None:
    steps = steps_of(words)
    assert parts_between_fills(recorded(*launches), steps, range(len(steps))) == parts


def test_only_the_chosen_steps_are_looked_at() -> None:
    steps = steps_of("k fill k fill k")
    recording = recorded("1:0>b", "1:0>b", "1:0>b")
    assert parts_between_fills(recording, steps, (2, 3, 4)) == ((1,), (2,))
    assert parts_between_fills(recording, steps, (1, 2)) == ((1,),)
