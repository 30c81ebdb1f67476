"""A finding in one line: its main clause, whole words, no details."""

from __future__ import annotations

import pytest

from assistant.profile.remedies import remedy
from assistant.profile.rules import DEFECT_TITLES, RULES
from assistant.profile.wording import CLAUSE_CHARACTERS, main_clause

_WALK = (
    "A global load request of this line touches 32 theoretical sectors, as Nsight Compute counts them, where 4 would do: the threads of "
    "a warp read addresses far apart, each thread walks a row by 96 loads, and 4 warps are too few to hide the waiting; a warp per row "
    "would read side by side and be 32 times as many"
)


@pytest.mark.parametrize(
    ("message", "clause"),
    [
        (_WALK, "Each load request touches 32 sectors where 4 would do: the threads of a warp read addresses far apart"),
        ("Bank conflicts make the shared loads of this line take 32 times the wavefronts they need (16,384 theoretical against 512)",
         "Bank conflicts make the shared loads of this line take 32 times the wavefronts they need"),
        ("The double literals 0.8, 0.25 make float code compute in double: 196,608 conversions and 884,736 double-precision "
         "instructions (thread-level, from the machine code) on this line",
         "The double literals 0.8, 0.25 make float code compute in double"),
        ("A grid of 4 blocks leaves 128 of the 132 SMs of h200 without work at this size; its threads go round",
         "A grid of 4 blocks leaves 128 of the 132 SMs of h200 without work at this size"),
        ("short as it is", "short as it is"),
    ],
)  # fmt: skip
def test_a_finding_is_said_in_its_main_clause(message: str, clause: str) -> None:
    assert main_clause(message) == clause


def test_one_long_word_is_cut() -> None:
    assert main_clause("x" * 500) == "x" * (CLAUSE_CHARACTERS - 1) + "…"


def test_every_finding_but_those_of_many_kinds_has_a_remedy_in_one_line() -> None:
    codes = {rule.code for rule in RULES} | {code for code, _ in DEFECT_TITLES}
    assert {code for code in codes if remedy(code) is None} == {"KO207"}
    assert all(len(remedy(code) or "") < CLAUSE_CHARACTERS for code in codes)
    assert remedy("KO999") is None


@pytest.mark.parametrize(
    ("message", "fix"),
    [
        ("Each load …: img is an array of Pixel structures of 3 bytes", "one array per member"),
        ("Each load …: the threads of a warp read x of different structures, whose other members lie between", "one array per member"),
        ("Each load …: misaligned, a warp covers 2 rows of 16 threads", "a start at a multiple of 32 bytes (pad rows)"),
        ("Each load …: the addresses of a warp's threads lie apart, and only 25 % …", remedy("KO101")),
        ("Each load …: rows start inside a sector, or step by two elements", remedy("KO102")),
    ],
)
def test_sectors_used_in_part_are_mended_by_what_mends_their_cause(message: str, fix: str) -> None:
    assert (remedy("KO102", message) or "").startswith(fix)


def test_a_clause_that_cannot_end_at_a_comma_is_cut_between_words() -> None:
    text = "In each of the 8 steps of this scan the 8 warps of the block exchange values through shared memory and wait for each other"
    assert (
        main_clause(text) == "In each of the 8 steps of this scan the 8 warps of the block exchange values through shared memory and wait…"
    )
