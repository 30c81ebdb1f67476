"""Libraries that are asked for without a call by name."""

from __future__ import annotations

import pytest

from assistant.verify.hidden_calls import hidden_library

BEFORE = '#include <cstdio>\nvoid run() { printf("the sum is %f\\n", 1.0); }\n'


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("void *h = dlopen(name(), 1);", "dlopen, which loads code at run time"),
        ("cuLibraryLoadFromFile(&l, f, 0, 0, 0, 0, 0, 0);", "cuLibraryLoadFromFile, which loads code at run time"),
        ('const char *name = "libcublas.so.12";', "libcublas.so.12"),
        ('const char *name = "/opt/lib" "cudnn.so";', "/opt/libcudnn.so"),
        ('#define FILE_NAME "libcu" "fft.so"\nconst char *name = FILE_NAME;', "libcufft.so"),
        ("#define J(a, b) a##b\nvoid f() { J(cublas, Dgemm)(0); }", "cublasDgemm"),
        ("#define J(a, b) a##b\n#define K(a, b) J(a, b)\n#define P cublas\nvoid f() { K(P, Dgemm)(0); }", "cublasDgemm"),
    ],
)
def test_what_hides_a_library_is_found(more: str, found: str) -> None:
    assert (hidden_library([BEFORE], [BEFORE + more]) or "").startswith(found)
    assert hidden_library([BEFORE + more], [BEFORE + more + "\nint x;"]) is None, "the program did it already"


@pytest.mark.parametrize(
    "more",
    [
        'void f() { printf("cublas would take 3 us, and curand less"); }',
        "// dlopen of libcublas.so\nint x;",
        "#define J(a, b) a##b\nint J(sum, _of) = 0;",
        "__global__ void nppn(float *p) {}",
    ],
)
def test_words_about_libraries_are_no_library(more: str) -> None:
    assert hidden_library([BEFORE], [BEFORE + more]) is None
