"""Accesses that leave a shared array are named with the array; honest ones are not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SOURCE = "emulator/problems/shared_bounds.cu"
PARTNERS = "emulator/problems/partners.cu"
DATA = Path(__file__).parents[2] / "data"

# (kernel, thread, message)
OVERRUNS = [
    ("past_end", [127, 0, 0], "read of 4 bytes at offset 512 of the shared array row of 512 bytes"),
    ("before_start", [0, 0, 0], "read of 4 bytes, 4 bytes before the shared array b of 128 bytes"),
    ("elsewhere", [0, 0, 0], "write of 4 bytes at offset 128 of the shared array t of 128 bytes"),
    ("square", [7, 7, 0], "read of 4 bytes at offset 256 of the shared array tile of 256 bytes"),
    ("wide", [7, 0, 0], "read of 16 bytes at offset 112 of the shared array t of 120 bytes"),
    ("far_from_dynamic", [0, 0, 0], "read of 4 bytes at offset 4000 of the shared array fixed of 256 bytes"),
]


def marked(source: str, kernel: str, comment: str) -> int:
    """The line behind the kernel's head that ends with the comment."""
    lines = (DATA / source).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if f"void {kernel}(" in line)
    return next(i for i in range(start, len(lines)) if lines[i].endswith(f"// {comment}")) + 1


@pytest.mark.parametrize(("kernel", "thread", "message"), OVERRUNS)
def test_an_access_outside_a_shared_array_names_it(build: Any, run: Any, kernel: str, thread: list[int], message: str) -> None:
    problems = run(build(SOURCE, "checked"), kernel, mode="check")["problems"]
    assert [(p["kind"], p["line"], p["thread"], p["message"]) for p in problems] == [
        ("out_of_bounds", marked(SOURCE, kernel, kernel), thread, message)
    ]


@pytest.mark.parametrize("flavour", ["checked", "counted"])
def test_unions_casts_padding_and_shared_variables_of_other_functions_are_silent(build: Any, run: Any, flavour: str) -> None:
    reply = run(build(SOURCE, flavour), "honest", mode="check")
    assert reply["problems"] == []
    assert Path(reply["stdout_path"]).read_text().strip() == "cudaSuccess"


@pytest.mark.parametrize(
    ("kernel", "thread", "other", "place"),
    [
        ("halves", [32, 0, 0], "thread 0 of the block", "in sums"),
        ("shifted", [32, 0, 0], "thread 31 of block 0 (linear indices)", "at offset 128 of an allocation of 4096 bytes"),
        ("last_adds", [0, 0, 0], "thread 0 of block ", "in total"),
    ],
)
def test_a_race_names_the_other_thread_and_the_array(build: Any, run: Any, kernel: str, thread: list[int], other: str, place: str) -> None:
    problems = run(build(PARTNERS, "checked"), kernel, mode="check")["problems"]
    (race,) = (p for p in problems if p["kind"] in ("shared_race", "global_race"))
    assert race["thread"] == thread
    assert {race["line"], race["other_line"]} == {marked(PARTNERS, kernel, "read"), marked(PARTNERS, kernel, "write")}
    assert f"with {other}" in race["message"]
    assert "thread 32 of" not in race["message"]
    assert f"thread {thread[0]} of block {race['block'][0]} " not in race["message"]  # the other one, whichever came last
    assert race["message"].endswith(f"({place})")
