"""Counts that depend on where the compiler places a variable are marked: nvcc packs variables that g++ aligns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PROGRAM = "emulator/counters/placed.cu"
SOURCE = Path(__file__).parents[2] / "data" / PROGRAM


@pytest.fixture(scope="module")
def program(build: Any) -> Any:
    return build(PROGRAM)


def is_doubtful(run: Any, program: Any, launch: int, line: int, op: str) -> bool:
    (site,) = (s for s in run(program)["sites"][launch] if (s["line"], s["op"]) == (line, op))
    return site["doubtful_requests"] > 0


def line_of(text: str) -> int:
    return next(i for i, row in enumerate(SOURCE.read_text().splitlines(), 1) if text in row)


@pytest.mark.parametrize(
    ("text", "depends"), [("= bytes[t]", True), ("= bytes[7]", False), ("= bytes[32 * t]", False), ("= words[t % 4]", True)]
)
def test_sectors_of_a_device_variable_that_its_place_decides_are_doubtful(run: Any, program: Any, text: str, depends: bool) -> None:
    assert is_doubtful(run, program, 0, line_of(text), "global load") is depends


def test_allocated_memory_starts_at_a_sector(run: Any, program: Any) -> None:
    assert not is_doubtful(run, program, 0, line_of("out[t] = dense"), "global store")


@pytest.mark.parametrize(("text", "depends"), [("= odd[33 * t]", True), ("= even[32 * t]", False), ("= sized[33 * t]", False)])
def test_wavefronts_of_bytes_in_a_shared_array_that_its_place_decides_are_doubtful(
    run: Any, program: Any, text: str, depends: bool
) -> None:
    assert is_doubtful(run, program, 1, line_of(text), "shared load") is depends
