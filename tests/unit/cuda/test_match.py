"""Names of kernels: what a person, a demangler or a linker writes, and the kernel it means."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.match import kernel_of_instance, select_kernels
from assistant.cuda.parse import parse
from assistant.cuda.spelling import canonical_type
from assistant.model.source import ParsedSource, Source

TEXT = """
__global__ void k(float *out, int n) {}
__global__ void k(double *out, int n) {}
namespace ns { inline namespace v1 {
__global__ void k(const float *in, float *out) {}
template <typename T> __global__ void s(T *out, const T *__restrict__ in, size_t n) {}
template <> __global__ void s<double>(double *out, const double *__restrict__ in, size_t n) {}
} }
template <int MODE> __global__ void tr(float *out, const float *in, int n) {}
template <typename T, bool FAST = false> __global__ void g(T *p, unsigned n) {}
extern "C" __global__ void plain(int *p) {}
namespace { __global__ void hidden(uint32_t *p, struct Params q) {} }
template <typename... Ts> __global__ void pack(int n, Ts... xs) {}
template <typename T, typename... Ts> __global__ void heads(T x, const Ts*... xs) {}
template <typename... Ts> __global__ void heads(float x, Ts*... xs) {}
template <typename... Ts> __global__ void listed(Types<Ts...> types, float *p) {}
"""


def parsed() -> ParsedSource:
    return parse(Source(Path("/k.cu"), TEXT))


@pytest.mark.parametrize(
    ("selector", "lines"),
    [
        ("k", [2, 3, 5]),
        ("ns::k", [5]),
        ("ns::v1::k", [5]),
        ("k(float*, int)", [2]),
        ("k(double *,int)", [3]),
        ("void k(float*, int)", [2]),
        ("::k(float *, int)", [2]),
        ("k(float const*, float*)", [5]),
        ("tr", [9]),
        ("tr<1>", [9]),
        ("tr<1>(float*, float const*, int)", [9]),
        ("void tr<(int)1>(float *, const float *, int)", [9]),
        ("s", [6, 7]),
        ("s<float>", [6]),
        ("g<float, true>", [10]),
        ("hidden(unsigned int*, Params)", [12]),
        ("(anonymous namespace)::hidden(unsigned int*, Params)", [12]),
        ("_Z1kPfi", [2, 3, 5]),
        ("_ZN2ns2v11kEPKfPf", [5]),
        ("_Z2trILi1EEvPfPKfi", [9]),
        ("_ZN12_GLOBAL__N_16hiddenEPj6Params", [12]),
        ("plain", [11]),
        ("plain<1>", []),
        ("tr<1, 2>", []),
        ("k(int)", []),
        ("k(int*, int)", []),
        ("other::k", []),
        ("nothing", []),
        ("", []),
        ("_Z", []),
        ("<", []),
    ],
)
def test_a_selector_means_the_kernels_on_these_lines(selector: str, lines: list[int]) -> None:
    assert [kernel.line for kernel in select_kernels(parsed(), selector)] == lines


@pytest.mark.parametrize(
    ("instance", "line"),
    [
        ("k(float*, int)", 2),
        ("k(double*, int)", 3),
        ("ns::v1::k(float const*, float*)", 5),
        ("void ns::v1::s<float>(float*, float const*, unsigned long)", 6),
        ("void ns::v1::s<double>(double*, double const*, unsigned long)", 7),
        ("void tr<2>(float*, float const*, int)", 9),
        ("void g<__half, (bool)1>(__half*, unsigned int)", 10),
        ("plain", 11),
        ("(anonymous namespace)::hidden(unsigned int*, Params)", 12),
        ("<unnamed>::hidden(unsigned int *, Params)", 12),
        ("_Z2trILi1EEvPfPKfi", 9),
        ("void pack<>(int)", 13),
        ("void pack<int, float, double>(int, int, float, double)", 13),
        ("void heads<double, int, float>(double, int const*, float const*)", 14),
        ("void heads<int, char>(float, int*, char*)", 15),
        ("void listed<int, float>(Types<int, float>, float*)", 16),
    ],
)
def test_a_compiled_function_is_traced_to_its_kernel(instance: str, line: int) -> None:
    kernel = kernel_of_instance(parsed(), instance)
    assert kernel is not None
    assert kernel.line == line


@pytest.mark.parametrize(
    "instance",
    [
        "cub::k2(float*)",
        "void other<int>(int*)",
        "void k<float>(float*, int)",
        "void pack<float>(int, int)",
        "void pack<>()",
    ],
)
def test_a_function_of_another_source_is_no_kernel_here(instance: str) -> None:
    assert kernel_of_instance(parsed(), instance) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("float const*", "const float *"),
        ("const int", "int"),
        ("float *const", "float*"),
        ("long unsigned int", "unsigned long"),
        ("unsigned", "unsigned int"),
        ("long long int", "long long"),
        ("std::size_t", "unsigned long"),
        ("struct S *", "S*"),
        ("half2 const * const *", "const __half2 *const*"),
        ("vec<float *, 3> &", "vec<float*,3>&"),
    ],
)
def test_two_spellings_of_the_same_type_are_equal(one: str, other: str) -> None:
    assert canonical_type(one) == canonical_type(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("const float *", "float *"), ("float *const *", "float **"), ("unsigned char", "char"), ("long", "long long")],
)
def test_different_types_stay_different(one: str, other: str) -> None:
    assert canonical_type(one) != canonical_type(other)
