"""One honest edit of each project, as a language model answers it, and what its files hold afterwards.

Programs that are too small to gain anything are given more to do, by their arguments or by a constant. Example::

    edit = EDITS["host_cpp"]
    edit.copy_to(folder)
    edit.answer(folder)          # what the model says
    edit.expected(folder)        # {"solver.cu": "…"}: the files that it changes, as they are once it is accepted
"""

from __future__ import annotations

from tests.e2e.cli.edit_of_program import Edit, NewLaunch

__all__ = ["EDITS", "TEN", "Edit", "NewLaunch"]

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
