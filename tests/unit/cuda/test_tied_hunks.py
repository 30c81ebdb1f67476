"""Hunks that only work together are one choice; those that touch nothing in common are decided apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.tied_hunks import tied_hunks
from tests.changes import change

_GAP = "\n".join(f"// {n}" for n in range(8)) + "\n"
_MATMUL = "k() {\n    C[i] = 0.0f;\n" + _GAP + "    C[i] += A[k] * B[k];\n" + _GAP + "    done();\n}\n"
_WAVES = "    return 1.0 - t;\n" + _GAP + "    x = sqrt(0.01 * s);\n" + _GAP + "    y = sqrt(0.9 * t);\n"

_MACRO = "#define N 32\n" + _GAP + _WAVES


def _numbers(before: str, after: str) -> list[list[int]]:
    """Numbers of the hunks in each choice."""
    files = change(Path("/w/a.cu"), before, after)
    ids = [hunk.id for each in files for hunk in each.hunks]
    return [[ids.index(i) + 1 for i in choice] for choice in tied_hunks(files)]


@pytest.mark.parametrize(
    ("before", "after", "choices"),
    [
        (
            _MATMUL,
            _MATMUL.replace("C[i] = 0.0f", "float sum = 0.0f").replace("C[i] +=", "sum +=").replace("done()", "C[i] = sum"),
            [[1, 2, 3]],
        ),
        (_WAVES, _WAVES.replace("1.0 ", "1.0f ").replace("0.01 ", "0.01f ").replace("0.9 ", "0.9f "), [[1], [2], [3]]),
        (_WAVES, _WAVES.replace("sqrt(0.01", "sqrtf(0.01f").replace("sqrt(0.9", "sqrtf(0.9f"), [[1], [2]]),
        (_MACRO, _MACRO.replace("N 32", "M 33").replace("0.9 ", "M * ").replace("1.0 ", "1.0f "), [[1, 3], [2]]),
    ],
    ids=["a variable that all use", "literals", "functions of the library", "a macro and its use"],
)
def test_hunks_are_tied_by_what_one_brings_and_another_uses(before: str, after: str, choices: list[list[int]]) -> None:
    assert _numbers(before, after) == choices


def test_a_function_of_the_program_ties_its_definition_and_its_call() -> None:
    before = "__device__ float f(float x) { return x; }\n" + _GAP + "    y = 1;\n" + _GAP + "    g(2);\n"
    after = before.replace("float f(float x)", "float h(float x, int n)").replace("y = 1", "y = h(x, 4)").replace("g(2)", "g(3)")
    assert _numbers(before + "void h(int a) {}\n", after + "void h(int a) {}\n") == [[1, 2], [3]]


def test_hunks_of_several_files_are_tied_across_them() -> None:
    header = change(Path("/w/a.cuh"), "#define TILE 16\n", "#define TILE 32\n#define ROWS 8\n")
    main = change(Path("/w/main.cu"), "dim3 block(16, 16);\n", "dim3 block(TILE, ROWS);\n")
    assert len(tied_hunks((*header, *main))) == 1
