"""Template instances filled into parameters."""

from pathlib import Path

from assistant.cuda.parse import parse
from assistant.engine.evaluate.instances import instance_parameters, template_arguments
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
    assert template_arguments(kernel, "void ns::k<pair<int, float>>(pair<int, float>)") == ("pair<int, float>",)


def test_a_plain_kernel_keeps_its_parameters() -> None:
    kernel = _kernel("__global__ void k(float *a) {}")
    assert instance_parameters(kernel, "k(float*)") == kernel.parameters
