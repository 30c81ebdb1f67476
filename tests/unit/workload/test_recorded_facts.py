"""What launches have in common: by their arguments alone, whatever the kernel does with them."""

from __future__ import annotations

import struct

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recorded_facts import FactsOrigin, RecordedFacts, Separation
from assistant.model.recording import (
    PassedArguments,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
)
from assistant.workload.recorded_facts import launches_of, recorded_facts
from assistant.workload.recorded_words import apart_assumption, in_words, overlap_in_words
from tests.unit.workload.launches import parameter

CONFIG = LaunchConfig(Dim3(8), Dim3(128))
PARAMETERS = (parameter("y", "float *"), parameter("x", "float *"), parameter("n", "int"), parameter("a", "float"))
BUFFERS = tuple(RecordedBuffer(i, 4096, 0x7000_0000 + i * 0x1_0000, None, "device") for i in range(3))
NULL = "null"
UNSEEN = "unseen"
Place = tuple[int, int] | str


def pointer(place: Place) -> RecordedArgument:
    """(buffer, offset in bytes), null, or an address that is in no buffer."""
    if isinstance(place, str):
        return RecordedArgument(8, (b"\0" if place == NULL else b"\x07").hex() * 8, ())
    return RecordedArgument(8, b"\x01".hex() * 8, (PointerField(0, *place),))


def arguments(y: Place, x: Place, n: int = 1024, a: float = 2.0) -> tuple[RecordedArgument, ...]:
    numbers = (RecordedArgument(4, struct.pack("<i", n).hex(), ()), RecordedArgument(4, struct.pack("<f", a).hex(), ()))
    return (pointer(y), pointer(x), *numbers)


def facts(*launches: tuple[RecordedArgument, ...], passed: tuple[PassedArguments, ...] = (), made: int = 0) -> RecordedFacts:
    recorded = tuple(RecordedLaunch(i, "k", CONFIG, each, (), "k.cu", 1) for i, each in enumerate(launches))
    recording = Recording(BUFFERS, recorded, (), (), passed=passed)
    found = recorded_facts("k", list(launches_of(recording, [("k", PARAMETERS)])), FactsOrigin.RECORDED, made, lambda spelled: None)
    assert found is not None
    return found


APART, SAME, PARTS = arguments((0, 0), (1, 0)), arguments((0, 0), (0, 0)), arguments((0, 0), (0, 2048))


@pytest.mark.parametrize(
    ("launches", "separation"),
    [
        ((APART, arguments((1, 0), (0, 0))), Separation.APART),
        ((APART, PARTS), Separation.ONE_ALLOCATION),
        ((PARTS, SAME, APART), Separation.SAME_ADDRESS),
        ((APART, arguments(NULL, (0, 0))), Separation.APART),
        ((APART, arguments(UNSEEN, (0, 0))), Separation.UNKNOWN),
        ((SAME, arguments(UNSEEN, (0, 0))), Separation.SAME_ADDRESS),
    ],
)
def test_the_worst_launch_decides_whether_pointers_are_apart(launches, separation):
    assert facts(*launches).separation("x", "y") is separation


def test_a_launch_of_which_only_the_arguments_were_kept_counts():
    late = PassedArguments("k", CONFIG, SAME, 3)
    found = facts(*[APART] * 8, passed=(PassedArguments("k", CONFIG, APART, 30), late))
    assert found.launch_count == 41
    assert overlap_in_words(found, "y", "x") == "one address was passed for both `y` and `x` in 3 of 41 recorded launches"


@pytest.mark.parametrize(("place", "bytes_"), [((0, 0), 256), ((0, 4), 4), ((0, 16), 16), ((0, 1), 1), (UNSEEN, 1)])
def test_a_pointer_is_as_aligned_as_in_its_worst_launch(place, bytes_):
    found = facts(APART, arguments(place, (1, 0))).pointer("y")
    assert found is not None and found.alignment_bytes == bytes_


def test_null_has_any_alignment_and_is_counted():
    found = facts(APART, arguments(NULL, (1, 0))).pointer("y")
    assert found is not None and (found.alignment_bytes, found.null_count) == (256, 1)


def test_numbers_have_ranges_and_divisors():
    found = facts(APART, arguments((0, 0), (1, 0), 1536, 2.0))
    n, a = found.scalar("n"), found.scalar("a")
    assert n is not None and (n.lowest, n.highest, n.divisor) == (1024, 1536, 512)
    assert a is not None and a.is_constant and a.lowest == 2.0


def test_people_read_what_is_always_true_and_what_is_not():
    assert in_words(facts(*[APART] * 12)) == (
        "in all 12 recorded launches `y` and `x` never overlap",
        "both are 256-byte aligned",
        "`n` is 1024, `a` is 2",
        "blocks of 128 x 1 x 1 threads, a grid of 8 x 1 x 1 blocks",
    )
    words = in_words(facts(APART, SAME, arguments((0, 4), (1, 0), 512), made=100))
    assert words[:3] == (
        "one address was passed for both `y` and `x` in 1 of 3 recorded launches",
        "in all 3 recorded launches `y` is 4-byte aligned, `x` is 256-byte aligned",
        "`n` is from 512 to 1024, always a multiple of 512, `a` is 2",
    )
    assert words[-1] == "what the program's other 97 launches of it were passed was not kept"


def test_an_assumption_says_that_only_these_launches_speak_for_it():
    assert apart_assumption(facts(*[APART] * 12, made=40), ("y", "x")) == (
        "`y` never overlaps `x`: true in all 12 recorded launches of 40, but the text does not show it for other inputs, "
        "and nothing checks it when the program runs"
    )


def test_a_prompt_or_a_hover_stays_short_whatever_the_kernel_is_passed():
    parameters = tuple(parameter(f"pointer_number_{i}", "float *") for i in range(40)) + tuple(parameter(f"n{i}", "int") for i in range(60))
    given = (*(pointer((0, 4 * i)) for i in range(40)), *(RecordedArgument(4, struct.pack("<i", i).hex(), ()) for i in range(60)))
    recording = Recording(BUFFERS, (RecordedLaunch(0, "k", CONFIG, given, (), "k.cu", 1),), (), ())
    found = recorded_facts("k", list(launches_of(recording, [("k", parameters)])), FactsOrigin.RECORDED, 1, lambda spelled: None)
    assert found is not None and sum(map(len, in_words(found))) < 2_000
