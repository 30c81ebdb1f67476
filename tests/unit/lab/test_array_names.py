"""Problems name the kernel's parameter that points to the memory, and the element."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assistant.lab.array_names import with_array_names
from assistant.model.build import Flags
from assistant.model.problems import merge_problems
from assistant.model.profile import Problem
from assistant.model.source import Source
from assistant.ports.lab import CaseRun, Program

SOURCE = """\
struct Body { float x, y, z; };
template <typename T>
__global__ void blur(T *dst, const T *src, const Body *bodies, unsigned char *, int n) { dst[n] = src[n]; }
__global__ void other(float *out) { out[0] = 1; }
"""
PROGRAM = Program((Source(Path("/p/k.cu"), SOURCE),), Flags())
BLUR = "void blur<double>(double*, double const*, Body const*, unsigned char*, int)"


def message_of(argument: int | None, offset_bytes: int, message: str, kernel: str | None = BLUR) -> str:
    problem = Problem("out_of_bounds", message, "/p/k.cu", 3, None, None, (0, 0, 0), (0, 0, 0), 1, 1, kernel, argument, offset_bytes)
    run = CaseRun(True, None, (), True, None, (problem,), ())
    (named,) = with_array_names(run, PROGRAM).problems
    assert replace(named, message=message) == problem
    return named.message


@pytest.mark.parametrize(
    ("argument", "offset", "memory", "named"),
    [
        (0, 8000, "at offset 8000 of an allocation of 8000 bytes", "at offset 8000 of dst, which has 1000 elements: dst[1000]"),
        (1, -8, "8 bytes before an allocation of 8000 bytes, number 1 of 2 such", "8 bytes before src, which has 1000 elements: src[-1]"),
        (1, 8, "at offset 8 of an allocation of 8 bytes, number 2 of 2 such", "at offset 8 of src, which has 1 element: src[1]"),
        (0, 12, "at offset 12 of an allocation of 8 bytes", "at offset 12 of dst, which has 8 bytes"),
        (2, 24, "at offset 24 of an allocation of 24 bytes", "at offset 24 of bodies, which has 24 bytes"),
        (0, 8, "(at offset 8 of an allocation of 40 bytes)", "(at dst[1])"),
    ],
)
def test_the_array_is_named_with_its_element(argument: int, offset: int, memory: str, named: str) -> None:
    assert message_of(argument, offset, f"write of 4 bytes {memory}") == f"write of 4 bytes {named}"


@pytest.mark.parametrize(
    ("argument", "message", "kernel"),
    [
        (None, "write at offset 8 of an allocation of 8 bytes", BLUR),
        (0, "write in memory that was freed", BLUR),
        (3, "write at offset 8 of an allocation of 8 bytes", BLUR),
        (9, "write at offset 8 of an allocation of 8 bytes", BLUR),
        (0, "write at offset 8 of an allocation of 8 bytes", "elsewhere(float*)"),
        (0, "write at offset 8 of an allocation of 8 bytes", None),
    ],
    ids=["no-argument", "no-allocation", "parameter-without-a-name", "too-few-parameters", "kernel-of-another-source", "no-kernel"],
)
def test_a_message_is_kept_where_no_name_is_known(argument: int | None, message: str, kernel: str | None) -> None:
    assert message_of(argument, 8, message, kernel) == message


def test_elements_of_one_array_are_one_problem() -> None:
    def beyond(index: int, array: str) -> Problem:
        message = f"write of 4 bytes at offset {4 * index} of {array}, which has 8 elements: {array}[{index}]"
        return Problem("out_of_bounds", message, "/p/k.cu", 3, None, None, None, None, None, 1)

    merged = merge_problems([beyond(8, "out"), beyond(11, "out"), beyond(8, "sums"), beyond(9, "out")])
    assert [(problem.message.partition(" of ")[2].split(",")[0], problem.count) for problem in merged] == [
        ("4 bytes at offset 32 of out", 3),
        ("4 bytes at offset 32 of sums", 1),
    ]
