"""CUDA texts of a Python file as paths of their own, and the file after one of them has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.embedded.in_python import python_file, text_at, texts_of, unread_of, with_text
from assistant.model.embedded import EmbeddingProblem

FILE = Path("/w/train.py")
TWO = """import cupy
K = "__global__ void halve(float* x) {\\n  x[0] /= 2;\\n}"
halve = cupy.RawKernel(K, "halve")
again = cupy.RawKernel(r'''
__global__ void halve(double* x) {
  x[0] /= 2;
}''', "halve")
none = cupy.RawKernel("int x;", "x")
"""


def test_each_text_with_a_kernel_has_a_path_and_its_lines() -> None:
    found = texts_of(FILE, TWO)
    assert [(each.path.name, each.line, each.used_on_line) for each in found] == [
        ("train.py.halve.cu", 2, 3),
        ("train.py.halve-2.cu", 4, 4),
    ]
    assert text_at(FILE.with_name("train.py.halve-2.cu"), TWO) == found[1]
    assert text_at(FILE.with_name("train.py.other.cu"), TWO) is None


@pytest.mark.parametrize("name", ["train.py", "halve.cu", "train.py.cu", "train.halve.cu", "train.ipynb.halve.cu", "train.py.halve.cuh"])
def test_any_other_path_is_no_text_of_a_python_file(name: str) -> None:
    assert python_file(Path("/w") / name) is None


def test_a_text_is_written_as_its_string_needs_it() -> None:
    edited = with_text(FILE.with_name("train.py.halve.cu"), TWO, '__global__ void halve(float* x) {\n  x[0] *= 0.5f; // "half"\n}')
    assert edited == TWO.replace('{\\n  x[0] /= 2;\\n}"', '{\\n  x[0] *= 0.5f; // \\"half\\"\\n}"')


def test_a_text_that_its_string_cannot_hold_is_refused() -> None:
    refused = with_text(FILE.with_name("train.py.halve-2.cu"), TWO, "__global__ void halve(double* x) { /* ''' */ }")
    assert isinstance(refused, EmbeddingProblem)


def test_a_text_that_is_gone_is_none() -> None:
    assert with_text(FILE.with_name("train.py.gone.cu"), TWO, "") is None


def test_texts_that_cannot_be_read_say_why() -> None:
    ((line, reason),) = unread_of("import cupy\nk = cupy.RawKernel(f'__global__ void {n}() {{}}', 'k')\n")
    assert line == 2 and reason
