"""Template instances filled into parameters."""

from pathlib import Path

from assistant.cuda.instance_parameters import instance_parameters, readable_instance
from assistant.cuda.match import template_arguments_of
from assistant.cuda.parse import parse
from assistant.model.source import Kernel, Source


def _kernel(text: str) -> Kernel:
    return parse(Source(Path("/k.cu"), text)).kernels[0]


def test_a_template_type_becomes_the_instance_s_type() -> None:
    kernel = _kernel("template <typename T, int N> __global__ void k(T *out, const T *in, int n) {}")
    parameters = instance_parameters(kernel, "void k<float, 4>(float*, float const*, int)")
    assert [p.element_type for p in parameters] == ["float", "float", None]
    assert [p.type for p in parameters] == ["float *", "const float *", "int"]


def test_nested_template_arguments_stay_whole() -> None:
    kernel = _kernel("template <class P> __global__ void k(P p) {}")
    assert template_arguments_of(kernel, "void ns::k<pair<int, float>>(pair<int, float>)") == ("pair<int, float>",)


def test_a_plain_kernel_keeps_its_parameters() -> None:
    kernel = _kernel("__global__ void k(float *a) {}")
    assert instance_parameters(kernel, "k(float*)") == kernel.parameters


def test_an_instance_is_called_by_its_name_or_by_its_kernels() -> None:
    plain, template = _kernel("__global__ void k(float *a) {}"), _kernel("template <int N> __global__ void k(float *a) {}")
    assert readable_instance(plain, "k(float*)") == "k(float*)"
    assert readable_instance(plain, "_Z1kPf") == plain.key
    assert readable_instance(template, "_Z1kILi4EEvPf") == f"{template.key} [_Z1kILi4EEvPf]"


def test_only_the_kernels_own_arguments_are_its_own() -> None:
    kernel = _kernel("template <typename T> __global__ void k(T *a, Tiny b) {}")
    assert template_arguments_of(kernel, "void work<double>(int)") == () == template_arguments_of(kernel, "void k<float(")
    assert template_arguments_of(kernel, "void block<int>::k<float>(float*)") == ("float",)
    assert [p.type for p in instance_parameters(kernel, "k<float>(float*, Tiny)")] == ["float *", "Tiny"]


def test_another_name_of_a_type_is_what_the_compiler_knows_it_as() -> None:
    text = "__global__ void k(idx n, const idx *a, idx *b, std::size_t m, typename Traits<float>::index i, rows r, Box box) {}"
    parameters = instance_parameters(_kernel(text), "k(int, int const*, int*, unsigned long, long, double const*, ns::Box)")
    types = ["int", "const int *", "int *", "std::size_t", "long", "const double *", "Box"]
    assert [p.type for p in parameters] == types
    assert [p.element_type for p in parameters] == [None, "int", "int", None, None, "double", None]
    assert [(p.is_pointer, p.is_const) for p in parameters][5] == (True, True)


def test_a_template_s_own_name_of_a_type_is_followed() -> None:
    kernel = _kernel("template <typename T> __global__ void k(T *a, typename Traits<T>::index n) {}")
    spelled = [p.type for p in instance_parameters(kernel, "void k<double>(double*, Traits<double>::index)")]
    assert spelled == ["double *", "typename Traits<double>::index"]
    assert [p.type for p in instance_parameters(kernel, "void k<double>(double*, int)")] == ["double *", "int"]


def test_the_text_s_aliases_serve_where_a_symbol_has_no_types() -> None:
    kernel = _kernel('extern "C" __global__ void k(idx n, const idx *a, tex t) {}')
    aliases = {"idx": "int", "tex": "cudaTextureObject_t"}
    assert [p.type for p in instance_parameters(kernel, "k", aliases)] == ["int", "const int *", "cudaTextureObject_t"]
    assert [p.type for p in instance_parameters(kernel, "_Z1kiPKiy", aliases)] == ["int", "const int *", "cudaTextureObject_t"]


def test_a_texture_s_handle_is_no_number() -> None:
    kernel = _kernel("__global__ void k(cudaTextureObject_t image, handle h) {}")
    assert [p.type for p in instance_parameters(kernel, "k(unsigned long long, unsigned long long)")] == [
        "cudaTextureObject_t",
        "unsigned long long",
    ]


def test_the_compiler_knows_better_than_a_text_that_has_the_name_elsewhere() -> None:
    kernel = _kernel("__global__ void k(real *a, tex t) {}")
    aliases = {"real": "double", "tex": "cudaTextureObject_t"}
    parameters = instance_parameters(kernel, "k(float*, unsigned long long)", aliases)
    assert [p.type for p in parameters] == ["float *", "cudaTextureObject_t"]
