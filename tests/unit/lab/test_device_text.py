"""What of a PyTorch extension the emulator gets: kernels and what they call, on the lines where they stand."""

from __future__ import annotations

from pathlib import Path

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab.device_text import device_part, without_host_code
from assistant.model.source import Source
from assistant.ports.lab import Program

TEXT = """\
#include <torch/extension.h>
#include "own.cuh"
C10_LAUNCH_BOUNDS_1(256) __global__ void scale(float* x) { x[threadIdx.x] *= twice(2.0f); }
template <typename T>
__global__ void pad(torch::PackedTensorAccessor32<T, 1> y) { y[0] = T(0); }
C10_HOST_DEVICE float thrice(float v) { return 3 * v; }
torch::Tensor run(torch::Tensor x) { scale<<<1, 32>>>(x.data_ptr<float>()); return x; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


def test_kernels_stay_on_their_lines_and_pytorch_goes() -> None:
    lines = device_part(Source(Path("/p/k.cu"), TEXT)).text.split("\n")
    assert lines[1] == '#include "own.cuh"'
    assert lines[2].strip() == "__global__ void scale(float* x) { x[threadIdx.x] *= twice(2.0f); }"
    assert lines[2].index("__global__") == TEXT.split("\n")[2].index("__global__")
    assert lines[5].split() == ["__device__", "float", "thrice(float", "v)", "{", "return", "3", "*", "v;", "}"]
    assert not "".join(lines[index].strip() for index in (0, 3, 4, 6, 7))


def test_units_that_include_kernels_stay_and_bindings_go(tmp_path: Path) -> None:
    header = Source(tmp_path / "own.cuh", "__device__ float twice(float v) { return 2 * v; }\n")
    unit = Source(tmp_path / "unit.cu", '#include <torch/extension.h>\n#include "own.cuh"\nvoid run(at::Tensor x) {}\n')
    bindings = Source(tmp_path / "bind.cpp", "#include <torch/extension.h>\nPYBIND11_MODULE(a, m) {}\n")
    left = without_host_code(Program((header, unit, bindings), DEFAULT_FLAGS, is_extension=True))
    assert left is not None
    assert [source.path.name for source in left.sources] == ["own.cuh", "unit.cu"]
    assert left.sources[1].text.split("\n") == ["#include <string>           ", '#include "own.cuh"', " " * 25, ""], (
        "PyTorch's headers bring it"
    )


def test_a_macro_that_names_pytorch_stays_whole() -> None:
    macro = "#define BOTH(NAME) \\\n  struct NAME##Half { at::Half h; }; \\\n  struct NAME##Float { float f; };\n"
    text = f"{macro}__global__ void k(float* x) {{ x[0] = 1; }}\n"
    assert device_part(Source(Path("/p/k.cu"), text)).text == text


def test_headers_of_device_code_stay_and_those_of_the_host_go() -> None:
    text = "#include <curand_kernel.h>\n#include <curand.h>\n__global__ void k(float* x) { x[0] = 1; }\n"
    lines = device_part(Source(Path("/p/k.cu"), text)).text.split("\n")
    assert lines[:2] == ["#include <curand_kernel.h>", " " * len("#include <curand.h>")]
