"""Which problems are the same one."""

from __future__ import annotations

from dataclasses import replace

from assistant.model.problems import merge_problems
from assistant.model.profile import Problem
from assistant.profile.problems import problem_in_words

_READ = Problem("out_of_bounds", "", "/a.cu", 7, None, None, (0, 0, 0), (3, 0, 0), 0x100, 1)


def _merged(kind: str, *messages: str) -> list[tuple[str, int]]:
    found = merge_problems(replace(_READ, kind=kind, message=message) for message in messages)
    return [(problem.message, problem.count) for problem in found]


def test_threads_that_overrun_the_same_allocation_are_one_problem() -> None:
    first, second = (f"read of 4 bytes at offset {n} of an allocation of 64 bytes" for n in (64, 68))
    assert _merged("out_of_bounds", first, second) == [(first, 2)]


def test_reads_and_writes_before_and_behind_a_buffer_are_distinguished() -> None:
    messages = (
        "read of 4 bytes at offset 64 of an allocation of 64 bytes",
        "read of 4 bytes at offset 72 of an allocation of 72 bytes",
        "write of 4 bytes at offset 64 of an allocation of 64 bytes",
        "read of 4 bytes, 4 bytes before an allocation of 64 bytes",
    )
    assert _merged("out_of_bounds", *messages) == [(message, 1) for message in messages]


def test_launches_refused_for_other_reasons_are_distinguished() -> None:
    assert len(_merged("bad_launch", "a grid dimension is 0", "a block dimension is 0", "a grid dimension is 0")) == 2


def test_a_race_is_one_problem_whichever_threads_met() -> None:
    assert (
        len(_merged("shared_race", "no barrier orders it with thread 31 of the block", "no barrier orders it with thread 63 of the block"))
        == 1
    )


def test_a_race_names_both_threads_and_its_array() -> None:
    raced = replace(_READ, kind="shared_race", thread=(32, 0, 0))
    for thread, said, words in (
        ((32, 0, 0), "no barrier orders it with thread 31 of the block (in s)", "no barrier orders thread 32 with thread 31 of the block"),
        (
            (3, 4, 0),
            "no __syncwarp orders it with thread 1 of the same warp (in s)",
            "orders thread (3, 4, 0) with thread 1 of the same warp",
        ),
        (
            (2, 0, 0),
            "nothing orders it with thread 5 of block 7 (linear indices)",
            "nothing orders thread 2 of block 0 with thread 5 of block 7",
        ),
    ):
        message = problem_in_words(replace(raced, thread=thread, message=f"write after read: {said}"))
        assert words in message and message.endswith("(in the variable s)" if "(in s)" in said else "(linear indices)")
    said = "write after read: no barrier orders it with the reads of others"
    assert problem_in_words(replace(raced, message=said)) == said
