"""The `main()` that calls a launcher once, as text."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest

from assistant.operators.call_program import Given, NoProgram, main_text
from assistant.operators.launcher import Launcher, find_launcher
from assistant.operators.task import NoTask

TEXT = """/* kernelopt
[operator]
launcher = "pooled"
inputs   = { x = ["n", "2*h"], k = [] }
outputs  = { y = ["n", "(h - 1) // 2 + 1"], at = ["n"] }
weights  = { gamma = "norm.weight" }
args     = ["y", "at", "x", "gamma", "n", "h/2", "k", "1e-5"]
*/
#include <cuda_fp16.h>
HEAD pooled(float* y, long long* at,  // where
            const __half* x, const float* gamma, int n, int half, int k, float eps) {
}
"""
GIVEN = (
    Given("x", PurePath("x.bin"), (5, 8), "float16"),
    Given("k", number=3),
    Given("gamma", PurePath("gamma.bin"), (8,)),
)


def launcher_of(text: str) -> Launcher:
    found = find_launcher(Path("/p/pooled.cu"), text)
    assert not isinstance(found, NoTask), found
    return found


def made(head: str = "void", given: tuple[Given, ...] = GIVEN) -> str | NoProgram:
    text = TEXT.replace("HEAD", head).replace('["n", "2*h"]', '["n", "h"]')
    return main_text(launcher_of(text), text, given)


def test_the_launcher_is_declared_and_called_with_what_its_table_says() -> None:
    text = made()
    assert isinstance(text, str)
    assert "#include <cuda_fp16.h>" in text and "// where" not in text
    assert "void pooled(float* y, long long* at," in text and "int half, int k, float eps);" in text
    assert "pooled(y_memory, at_memory, x_memory, gamma_memory, n, h/2, k, 1e-5);" in text


def test_sizes_come_from_the_inputs_and_outputs_are_as_large_as_the_table_says() -> None:
    text = made()
    assert isinstance(text, str)
    assert "const long long n = 5;" in text and "const long long h = 8;" in text and "const long long k = 3;" in text
    assert 'device_copy_of("x.bin", sizeof(__half) * 1 * 5 * 8)' in text
    assert "y_memory = (float *)kernelopt_program::device_memory(sizeof(float) * 1 * (n) * ((h - 1) / 2 + 1))" in text
    assert "at_memory = (long long *)kernelopt_program::device_memory(sizeof(long long) * 1 * (n))" in text


def test_a_c_function_is_declared_as_one() -> None:
    text = made('extern "C" void')
    assert isinstance(text, str) and 'extern "C" void pooled(' in text


@pytest.mark.parametrize("head", ["static void", "template <int N> void"])
def test_what_no_other_file_can_call_is_no_program(head: str) -> None:
    assert isinstance(made(head), NoProgram)


def test_a_type_without_a_name_in_c_is_named() -> None:
    assert made(given=(Given("x", PurePath("x.bin"), (5, 8), "complex64"), *GIVEN[1:])) == NoProgram("x is of complex64")
