"""Kernels of one name in several files: names carry the file where, and only where, each file has a kernel of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.match import kernel_of_instance, select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.same_names import distinguished, is_named_file, shortest_names, split_name
from assistant.model.source import Source

STATIC = "static __global__ void scale(float* x, int n) {}\n"
UNNAMED = "namespace { __global__ void scale(float* x, int n) {} }\n"


def keys(**texts: str) -> list[str]:
    files = distinguished([parse(Source(Path(f"/p/{name.replace('__', '/')}.cu"), text)) for name, text in texts.items()])
    return [kernel.key for file in files for kernel in file.kernels]


def test_kernels_of_one_name_carry_their_file() -> None:
    assert keys(first=STATIC, second=UNNAMED) == ["first.cu:scale(float *, int)", "second.cu:scale(float *, int)"]
    edited = STATIC.replace("float*", "const float*")
    assert keys(first=STATIC, second=edited) == ["first.cu:scale(float *, int)", "second.cu:scale(const float *, int)"]
    assert keys(a__k=STATIC, b__k=STATIC) == ["a/k.cu:scale(float *, int)", "b/k.cu:scale(float *, int)"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (STATIC, STATIC.replace("scale", "shift")),
        ("__global__ void scale(float* x) {}", "__global__ void scale(double* x) {}"),
        ("template <class T> __global__ void scale(T* x) {}", "template <> __global__ void scale<int>(int* x) {}"),
        (STATIC + STATIC.replace("float", "double"), ""),
        ("namespace a { __global__ void scale(float* x) {} }", "namespace b { __global__ void scale(float* x) {} }"),
    ],
)
def test_other_names_stay_as_they_are(first: str, second: str) -> None:
    assert not any(split_name(key)[0] for key in keys(first=first, second=second))


def test_a_name_with_a_file_means_that_files_kernel() -> None:
    first, second = distinguished([parse(Source(Path(f"/p/{name}.cu"), UNNAMED)) for name in ("first", "second")])
    assert [len(select_kernels(file, "second.cu:scale")) for file in (first, second)] == [0, 1]
    assert [len(select_kernels(file, "scale")) for file in (first, second)] == [1, 1]
    instance = "second.cu:(anonymous namespace)::scale(float*, int)"
    assert [kernel_of_instance(file, instance) for file in (first, second)] == [None, second.kernels[0]]


def test_a_file_is_named_by_the_end_of_its_path() -> None:
    assert shortest_names(("/p/a/k.cu", "/p/b/k.cu", "/p/x.cu")) == {"/p/a/k.cu": "a/k.cu", "/p/b/k.cu": "b/k.cu", "/p/x.cu": "x.cu"}
    assert is_named_file("/p/a/k.cu", "a/k.cu")
    assert not is_named_file("/p/a/k.cu", "k")
    assert split_name("a/k.cu:ns::k<f::g>(float*)") == ("a/k.cu", "ns::k<f::g>(float*)")
    assert split_name("ns::k<1.f>(float*)") == ("", "ns::k<1.f>(float*)")
