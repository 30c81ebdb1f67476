"""One honest edit of each project, as a language model answers it, and what its files hold afterwards.

Programs that are too small to gain anything are given more to do, by their arguments or by a constant. Example::

    edit = EDITS["host_cpp"]
    edit.copy_to(folder)
    edit.answer(folder)          # what the model says
    edit.expected(folder)        # {"solver.cu": "…"}: the files that it changes, as they are once it is accepted
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.cli.harness import DATA

__all__ = ["EDITS", "Edit", "NewLaunch"]


@dataclass(frozen=True)
class NewLaunch:
    """One launch of the kernel, as it becomes."""

    file: str
    """Which holds it."""
    place: str
    """Text of its line."""
    old_grid: str
    grid: str
    old_block: str
    block: str


@dataclass(frozen=True)
class Edit:
    """What is asked about, and what comes of it."""

    project: str
    asked: str
    """The file that holds the kernel."""
    begin: str
    """Of the kernel's definition."""
    kernel: str
    """Its new text; empty where only launches change."""
    technique: str
    launches: tuple[NewLaunch, ...] = ()
    more_to_do: tuple[tuple[str, str, str], ...] = ()
    """(file, text, text that stands for it)."""
    arguments: tuple[str, ...] = ()
    """Of the program, for more to do."""
    setup: tuple[tuple[str, ...], ...] = ()
    """Commands of ours that find the program first."""
    builds: tuple[tuple[str, ...], ...] = ()
    """The project's own build, where it has one."""
    selector: str = ""
    """The kernel, where the file has several."""
    written: tuple[tuple[str, str], ...] = ()
    """(file, text) of further files: declared launches of what no program of ours starts."""

    def copy_to(self, folder: Path) -> None:
        """The project, with enough to do."""
        shutil.copytree(DATA / "programs" / self.project, folder)
        (folder / "kernelopt.toml").touch()
        for file, old, new in self.more_to_do:
            _replace(folder / file, old, new)
        for file, text in self.written:
            (folder / file).write_text(text)

    def expected(self, folder: Path) -> Mapping[str, bytes]:
        """The changed files of an unchanged copy in ``folder``, by name, with the edit in them."""
        texts: dict[str, str] = {}

        def change(file: str, old: str, new: str) -> None:
            text = texts.setdefault(file, _text(folder / file))
            assert text.count(old) == 1, f"{text.count(old)} times in {file}: {old}"
            texts[file] = text.replace(old, new)

        if self.kernel:
            old = self._old_kernel(folder)
            change(self.asked, old, self.kernel.replace("\n", "\r\n") if "\r\n" in old else self.kernel)
        for launch in self.launches:
            new = launch.place.replace(launch.old_grid, launch.grid, 1) if launch.grid else launch.place
            head, mark, tail = new.partition(">>>")
            before, _, after = head.rpartition(launch.old_block)
            change(launch.file, launch.place, f"{before}{launch.block or launch.old_block}{after}{mark}{tail}")
        return {file: _bytes(text) for file, text in texts.items()}

    def answer(self, folder: Path) -> str:
        """The model's, as JSON."""
        launches = [
            {
                "file": None if launch.file == self.asked else launch.file,
                "line": _line_of(_text(folder / launch.file), launch.place),
                "grid": launch.grid or None,
                "block": launch.block or None,
                "shared": None,
                "arguments": None,
            }
            for launch in self.launches
        ]
        code = _bytes(self.kernel).decode("latin-1")
        parts = [{"part": "kernel", "code": code}] if code else []
        return json.dumps(
            {"summary": "Do it better.", "parts": parts, "launches": launches, "includes": [], "assumptions": [], "risks": []}
        )

    def line(self, folder: Path) -> int:
        """Of the kernel."""
        return _line_of(_text(folder / self.asked), self.begin)

    def _old_kernel(self, folder: Path) -> str:
        text = _text(folder / self.asked)
        start = text.index(self.begin)
        return text[start : text.index("\n}", start) + 2]


def _text(path: Path) -> str:
    """Any encoding, byte for byte."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _line_of(text: str, place: str) -> int:
    return text[: text.index(place)].count("\n") + 1


def _replace(path: Path, old: str, new: str) -> None:
    text = _text(path)
    assert old in text, f"{path.name} has no {old}"
    path.write_bytes(_bytes(text.replace(old, new)))


_EDITS = (
    Edit(
        "c_main",
        "wrap.cu",
        "__global__ void square(",
        """__global__ void square(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = x[i] * x[i];
}""",
        "block-size-search",
        (NewLaunch("wrap.cu", "square<<<(job->n + 127) / 128, 128>>>", "(job->n + 127) / 128", "264", "128", "256"),),
        arguments=("65536",),
    ),
    Edit(
        "compile_database",
        "src/histogram.cu",
        "__global__ void histogram_kernel(",
        "",
        "block-size-search",
        (NewLaunch("src/histogram.cu", "histogram_kernel<<<HISTOGRAM_BLOCKS, 64>>>", "HISTOGRAM_BLOCKS", "", "64", "256"),),
    ),
    Edit(
        "cu_includes_cu",
        "kernels.cu",
        "__global__ void dist2(",
        """__global__ void dist2(const pt *p, const pt *q, float *out, int n)
{
    for(int i=blockIdx.x*blockDim.x+threadIdx.x;i<n;i+=gridDim.x*blockDim.x) out[i] = sq(p[i].x-q[i].x) + sq(p[i].y-q[i].y);
}""",
        "block-size-search",
        (NewLaunch("kernels.cu", "dist2<<<(n+63)/64,64>>>", "(n+63)/64", "132", "64", "256"),),
        (("main.cu", "#define N 300", "#define N 60000"),),
    ),
    Edit(
        "device_link",
        "filter.cu",
        "__global__ void\n__launch_bounds__(128)\nfilter(",
        """__global__ void
__launch_bounds__(128)
filter(const float *in, float *out, int n)
{
    const int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        out[i] = weighted(in, i) + 1.0f;
}""",
        "block-size-search",
        (NewLaunch("main.cu", "filter<<<512, 128>>>", "512", "128", "128", ""),),
        (
            ("main.cu", "n = 256", "n = 65536"),
            ("main.cu", "<<<2, 128>>>", "<<<512, 128>>>"),
        ),
    ),
    Edit(
        "guarded_main",
        "gemv.cu",
        "__global__ void gemv_kernel(",
        """__global__ void gemv_kernel(const float *A, const float *x, float *y, int m, int n)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= m) return;
    float acc = 0.f;
    for (int c = lane; c < n; c += 32) acc += A[r * n + c] * x[c];
    for (int s = 16; s > 0; s /= 2) acc += __shfl_down_sync(0xffffffff, acc, s);
    if (lane == 0) y[r] = acc;
}""",
        "coalescing-interchange",
        (NewLaunch("gemv.cu", "gemv_kernel<<<(m + 63) / 64, 64>>>", "(m + 63) / 64", "(m + 1) / 2", "64", ""),),
        more_to_do=(("main.cu", "m = 70, n = 30", "m = 2000, n = 100"),),
    ),
    Edit(
        "header_kernel",
        "scale.cuh",
        "__global__ void scale_kernel(",
        """__global__ void scale_kernel(const float * __restrict__ x, float *y, float a, float b, int n)
{
    int i = 4 * blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4 && i < n; k++, i += blockDim.x) { y[i] = a * x[i] + b; }
}""",
        "block-size-search",
        (NewLaunch("scale.cuh", "scale_kernel<<<grid, SCALE_THREADS>>>", "grid", "(grid + 3) / 4", "SCALE_THREADS", ""),),
        arguments=("65536",),
    ),
    Edit(
        "host_cpp",
        "solver.cu",
        "__global__ void relax(",
        "",
        "block-size-search",
        (NewLaunch("solver.cu", "relax<<<(n_ + 31) / 32, 32>>>", "(n_ + 31) / 32", "(n_ + 255) / 256", "32", "256"),),
        arguments=("32768", "2"),
    ),
    Edit(
        "include_and_src",
        "src/axpy.cu",
        "__global__ void axpy(",
        """__global__ void axpy(real a, real const *x, real *y, int n)
{
    int i = 4 * blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 4 && i < n; ++k, i += blockDim.x) y[i] += a * x[i];
}""",
        "block-size-search",
        (
            NewLaunch(
                "src/axpy.cu",
                "kernel::axpy<<<(n + threads - 1) / threads, threads>>>",
                "(n + threads - 1) / threads",
                "(n + 4 * threads - 1) / (4 * threads)",
                "threads",
                "",
            ),
        ),
        (("src/main.cu", "n = 777", "n = 65536"),),
        builds=(("make",),),
    ),
    Edit(
        "library_with_driver",
        "kernels/dot.cu",
        "static __global__ void dotKernel(",
        """static __global__ void dotKernel(int n, const float* x, const float* y, float* out) {
  __shared__ float acc[256];
  float mine = 0.f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i] * y[i];
  acc[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    float all = 0.f;
    for (int t = threadIdx.x; t < (int)blockDim.x; t += 32) all += acc[t];
    for (int s = 16; s > 0; s /= 2) all += __shfl_down_sync(0xffffffff, all, s);
    if (threadIdx.x == 0) *out = all;
  }
}""",
        "warp-shuffle-tail",
    ),
    Edit(
        "old_encoding",
        "quadrat.h",
        "__global__ void quadrat(",
        """__global__ void quadrat(float *f, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        f[i] = f[i] * f[i];   // Quadrat f\udcfcr alle
}""",
        "block-size-search",
        (NewLaunch("main.cu", "quadrat<<<FELD / 64, 64>>>", "FELD / 64", "132", "64", "256"),),
        (("quadrat.h", "FELD 512", "FELD 65536"),),
    ),
    Edit(
        "three_units",
        "fill.cu",
        "__global__ void work(",
        """__global__ void work(float *out, float start, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = start + (i % 7);
}""",
        "block-size-search",
        (NewLaunch("fill.cu", "work<<<blocks_of(n), 256>>>", "blocks_of(n)", "64", "256", ""),),
        arguments=("65536",),
    ),
    Edit(
        "makefile_library",
        "src/square.cu",
        "__global__ void square(",
        """__global__ void square(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * in[i] * weight(i);
}""",
        "block-size-search",
        (NewLaunch("src/square.cu", "square<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>", "(n + BLOCK - 1) / BLOCK", "132", "BLOCK", "2 * BLOCK"),),
        arguments=("65536",),
        setup=(("program", "src/square.cu", "--record", "make"),),
        builds=(("make",),),
    ),
    Edit(
        "cmake_header",
        "include/vec/scale.cuh",
        "static __global__ void scale(",
        "",
        "block-size-search",
        (
            NewLaunch("include/vec/scale.cuh", "scale<<<(n + 31) / 32, 32>>>", "(n + 31) / 32", "(n + 255) / 256", "32", "256"),
            NewLaunch("bench/bench.cu", "vec::scale<<<(n + 31) / 32, 32>>>", "(n + 31) / 32", "(n + 255) / 256", "32", "256"),
        ),
        setup=(("program", "include/vec/scale.cuh", "--configure"),),
        builds=(("cmake", "-S", ".", "-B", "made"), ("cmake", "--build", "made")),
    ),
    Edit(
        "cmake_targets",
        "lib/src/blur.cu",
        "__global__ void gammaKernel(",
        """__global__ void gammaKernel(float *p, int n, float strength)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float dark = 1.0f - p[i];
        p[i] = p[i] + strength * (dark * dark * dark);
    }
}""",
        "constant-powers",
        setup=(("program", "lib/src/blur.cu", "--configure"), ("program", "lib/src/blur.cu", "--use", "imgtool")),
        builds=(("cmake", "-S", ".", "-B", "made"), ("cmake", "--build", "made")),
        selector="gammaKernel",
    ),
    Edit(
        "shell_script",
        "smooth.cu",
        "__global__ void smooth(",
        """__global__ void smooth(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 0;
    for (int k = 0, at = i; k < TAPS; k++, at = at + 1 < n ? at + 1 : 0) s += taps[k] * in[at];
    out[i] = s;
}""",
        "coalescing-interchange",
        setup=(("program", "smooth.cu", "--record", "./build.sh"),),
        more_to_do=(("build.sh", "sm_70", "sm_80"),),
        builds=(("./build.sh",),),
    ),
    Edit(
        "instantiated_template",
        "scan.cuh",
        "template <typename T>\n__global__ void scan_block(",
        """template <typename T>
__global__ void scan_block(const T *in, T *out, int n)
{
    __shared__ T buf[2][256];
    int t = threadIdx.x, cur = 0;
    buf[0][t] = t < n ? in[t] : T(0);
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        buf[1 - cur][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
        cur = 1 - cur;
        __syncthreads();
    }
    if (t < n) out[t] = buf[cur][t];
}""",
        "warp-shuffle-tail",
        more_to_do=(  # every thread adds up all before it; the edit halves the distance instead
            (
                "scan.cuh",
                """    for (int d = 1; d < 256; d *= 2) {
        buf[1 - cur][t] = t >= d ? buf[cur][t] + buf[cur][t - d] : buf[cur][t];
        cur = 1 - cur;
        __syncthreads();
    }
""",
                """    T sum = T(0);
    for (int k = 0; k <= t; k++) sum += buf[cur][k];
    cur = 1 - cur;
    buf[cur][t] = sum;
""",
            ),
        ),
    ),
    Edit(
        "torch_setup_and_load",
        "csrc/kernels.cu",
        "__global__ void row_norm_kernel(",
        """__global__ void row_norm_kernel(const float* x, float* y, int cols, float eps) {
    __shared__ float part[BLOCK / 32];
    const float* row = x + (size_t)blockIdx.x * cols;
    float s = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += row[c] * row[c];
    for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    float total = 0.f;
    for (int w = 0; w < BLOCK / 32; ++w) total += part[w];
    float scale = rsqrtf(total / cols + eps);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        y[(size_t)blockIdx.x * cols + c] = row[c] * scale;
}""",
        "warp-shuffle-tail",
        selector="row_norm_kernel",
        written=(
            (
                "csrc/kernels.kernelopt.toml",
                """[workload.row_norm_kernel]
args = { x = "randn(rows*cols)", y = "empty(rows*cols)", cols = "cols", eps = 0.5 }
grid = ["rows"]
block = [256]
shapes = [{ rows = 24, cols = 512 }]
boundary = false
""",
            ),
        ),
        setup=(("program", "csrc/kernels.cu", "--use", "test_ops.py"),),
    ),
)

TEN = (
    "header_kernel", "three_units", "device_link", "cmake_header", "makefile_library", "host_cpp", "instantiated_template",
    "library_with_driver", "shell_script", "torch_setup_and_load",
)  # fmt: skip
"""A kernel in a header, several units, device code across units, CMake, make, a host in C++, templates across files, a library with a test
driver, arguments and input files, a PyTorch extension."""
EDITS = {edit.project: edit for edit in _EDITS}
"""By the project's name."""
