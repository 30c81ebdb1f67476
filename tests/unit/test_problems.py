"""Which problems are the same one."""

from __future__ import annotations

from dataclasses import replace

from assistant.model.problems import merge_problems
from assistant.model.profile import Problem

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
