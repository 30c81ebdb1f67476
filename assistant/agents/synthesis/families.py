"""Families of kernels: the good version, and what it becomes where a technique is taken back. Pure.

A family writes its kernel with any set of its techniques missing; with none missing it is the known solution. Example::

    FAMILIES["transpose"].write(Variant("float", (), (("rows", 70), ("columns", 100))), frozenset({"shared-memory-padding"}))
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.agents.synthesis.program_text import Body, Buffer
from assistant.record import Record

__all__ = ["EXPRESSIONS", "FAMILIES", "Family", "Variant"]

Missing = frozenset[str]
_MATRIX = "size_t(rows) * columns"


class Variant(Record):
    """What is computed, on which sizes."""

    dtype: str
    expressions: tuple[str, ...]
    """Names of what is done to each element, in order; empty where the family computes one thing alone."""
    sizes: tuple[tuple[str, int], ...]


class Family(Record):
    """Kernels of one kind."""

    name: str
    techniques: tuple[str, ...]
    """That can be taken back, in the catalogue's names."""
    dtypes: tuple[str, ...]
    sizes: tuple[tuple[str, tuple[int, int], tuple[int, ...]], ...]
    """(name, range of small values, real values)."""
    has_expressions: bool
    write: Callable[[Variant, Missing], Body]
    moved: Callable[[dict[str, int]], int]
    """Elements that are read and written, each once."""
    operations: Callable[[dict[str, int]], int]


EXPRESSIONS = {
    "square": "v * v",
    "cubic": "v * v * v",
    "affine": "v * 1.5# + 0.25#",
    "polynomial": "((0.2# * v + 0.5#) * v + 1.0#) * v + 0.125#",
    "rational": "v / (1.0# + v * v)",
    "absolute": "v < 0.0# ? -v : v",
    "clamped": "v < -0.5# ? -0.5# : v > 0.75# ? 0.75# : v",
    "rectified": "v > 0.0# ? v : 0.0#",
    "leaky": "v > 0.0# ? v : v * 0.125#",
    "quartic": "(v * v) * (v * v)",
    "shifted": "(v + 0.5#) * (v - 0.25#)",
    "folded": "v * v - 2.0# * v + 1.0#",
}
"""Of ``v``; ``#`` ends a constant. Without transcendental functions, so that orders of work alone change digits."""


def _of(variant: Variant, missing: Missing) -> str:
    """The expressions one after another as a device function; constants are doubles where that technique is missing."""
    ends_with = "f" if variant.dtype == "float" and "float-literals" not in missing else ""
    steps = [EXPRESSIONS[name].replace("#", ends_with) for name in variant.expressions]
    body = "".join(f"    v = {step};\n" for step in steps[:-1]) + f"    return {steps[-1]};\n"
    return f"__device__ {variant.dtype} value({variant.dtype} v)\n{{\n{body}}}\n\n"


def _map(variant: Variant, missing: Missing) -> Body:
    t = variant.dtype
    along, across = ("x", "y") if "coalescing-interchange" not in missing else ("y", "x")
    kernel = f"""{_of(variant, missing)}__global__ void apply(const {t} *x, {t} *y, int rows, int columns)
{{
    int column = blockIdx.{along} * blockDim.{along} + threadIdx.{along};
    int row = blockIdx.{across} * blockDim.{across} + threadIdx.{across};
    if (row < rows && column < columns) y[row * columns + column] = value(x[row * columns + column]);
}}"""
    launch = f"""dim3 block({"32, 8" if along == "x" else "16, 16"});
dim3 grid({"(columns + 31) / 32, (rows + 7) / 8" if along == "x" else "(rows + 15) / 16, (columns + 15) / 16"});
apply<<<grid, block>>>(x, y, rows, columns);"""
    return Body(kernel, launch, variant.sizes, (Buffer("x", t, _MATRIX), Buffer("y", t, _MATRIX, is_input=False)))


def _row_sums(variant: Variant, missing: Missing) -> Body:
    t = variant.dtype
    if "warp-per-row" in missing:
        inner = f"""    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    {t} sum = 0;
    for (int c = 0; c < columns; c++) sum += value(x[row * columns + c]);
    y[row] = sum;"""
        launch = "row_sums<<<(rows + 127) / 128, 128>>>(x, y, rows, columns);"
    else:
        inner = f"""    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    {t} sum = 0;
    for (int c = lane; c < columns; c += 32) sum += value(x[row * columns + c]);
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0) y[row] = sum;"""
        launch = "row_sums<<<(rows + 3) / 4, 128>>>(x, y, rows, columns);"
    kernel = f"{_of(variant, missing)}__global__ void row_sums(const {t} *x, {t} *y, int rows, int columns)\n{{\n{inner}\n}}"
    return Body(kernel, launch, variant.sizes, (Buffer("x", t, _MATRIX), Buffer("y", t, "rows", is_input=False)))


def _transpose(variant: Variant, missing: Missing) -> Body:
    t = variant.dtype
    pad = "" if "shared-memory-padding" in missing else " + 1"
    if "staged-store" in missing:
        inner = """    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (column < columns && row + j < rows) y[column * rows + row + j] = value(x[(row + j) * columns + column]);"""
    else:
        inner = f"""    __shared__ {t} tile[32][32{pad}];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (column < columns && row + j < rows) tile[threadIdx.y + j][threadIdx.x] = value(x[(row + j) * columns + column]);
    __syncthreads();
    int to_column = blockIdx.y * 32 + threadIdx.x, to_row = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (to_column < rows && to_row + j < columns) y[(to_row + j) * rows + to_column] = tile[threadIdx.x][threadIdx.y + j];"""
    kernel = f"{_of(variant, missing)}__global__ void transpose(const {t} *x, {t} *y, int rows, int columns)\n{{\n{inner}\n}}"
    launch = "dim3 grid((columns + 31) / 32, (rows + 31) / 32);\ntranspose<<<grid, dim3(32, 8)>>>(x, y, rows, columns);"
    return Body(kernel, launch, variant.sizes, (Buffer("x", t, _MATRIX), Buffer("y", t, _MATRIX, is_input=False)))


def _product(variant: Variant, missing: Missing) -> Body:
    t = variant.dtype
    start = "    int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;\n"
    if "scalar-replacement" in missing:
        inner = f"""{start}    if (row >= m || column >= n) return;
    c[row * n + column] = 0;
    for (int i = 0; i < k; i++) c[row * n + column] += a[row * k + i] * b[i * n + column];
    c[row * n + column] = value(c[row * n + column]);"""
    elif "shared-tile" in missing:
        inner = f"""{start}    if (row >= m || column >= n) return;
    {t} sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = value(sum);"""
    else:
        inner = f"""{start}    __shared__ {t} as[16][16], bs[16][16];
    {t} sum = 0;
    for (int k0 = 0; k0 < k; k0 += 16) {{
        as[threadIdx.y][threadIdx.x] = row < m && k0 + threadIdx.x < k ? a[row * k + k0 + threadIdx.x] : {t}(0);
        bs[threadIdx.y][threadIdx.x] = column < n && k0 + threadIdx.y < k ? b[(k0 + threadIdx.y) * n + column] : {t}(0);
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
        __syncthreads();
    }}
    if (row < m && column < n) c[row * n + column] = value(sum);"""
    kernel = f"{_of(variant, missing)}__global__ void product(const {t} *a, const {t} *b, {t} *c, int m, int n, int k)\n{{\n{inner}\n}}"
    launch = "dim3 grid((n + 15) / 16, (m + 15) / 16);\nproduct<<<grid, dim3(16, 16)>>>(a, b, c, m, n, k);"
    buffers = (Buffer("a", t, "size_t(m) * k"), Buffer("b", t, "size_t(k) * n"), Buffer("c", t, "size_t(m) * n", is_input=False))
    return Body(kernel, launch, variant.sizes, buffers)


def _window(variant: Variant, missing: Missing) -> Body:
    t = variant.dtype
    if "window-tile" in missing:
        inner = f"""    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    {t} sum = 0;
    for (int d = -4; d <= 4; d++)
        if (i + d >= 0 && i + d < n) sum += value(x[i + d]);
    y[i] = sum;"""
    else:
        inner = f"""    __shared__ {t} tile[136];
    int i = blockIdx.x * 128 + threadIdx.x;
    for (int j = threadIdx.x; j < 136; j += 128) {{
        int from = blockIdx.x * 128 + j - 4;
        tile[j] = from >= 0 && from < n ? value(x[from]) : {t}(0);
    }}
    __syncthreads();
    if (i >= n) return;
    {t} sum = 0;
    for (int d = 0; d < 9; d++) sum += tile[threadIdx.x + d];
    y[i] = sum;"""
    kernel = f"{_of(variant, missing)}__global__ void window(const {t} *x, {t} *y, int n)\n{{\n{inner}\n}}"
    launch = "window<<<(n + 127) / 128, 128>>>(x, y, n);"
    return Body(kernel, launch, variant.sizes, (Buffer("x", t, "n"), Buffer("y", t, "n", is_input=False)))


def _total(variant: Variant, missing: Missing) -> Body:
    """Of whole numbers: any order gives the same."""
    rest = "    if (i < n) atomicAdd(total, x[i] % 8);"
    if "block-atomics" not in missing:
        rest = """    __shared__ int parts[8];
    int sum = i < n ? x[i] % 8 : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++) sum += parts[w];
        atomicAdd(total, sum);
    }"""
    kernel = f"__global__ void sum_up(const int *x, int *total, int n)\n{{\n    int i = blockIdx.x * 256 + threadIdx.x;\n{rest}\n}}"
    launch = "sum_up<<<(n + 255) / 256, 256>>>(x, total, n);"
    return Body(kernel, launch, variant.sizes, (Buffer("x", "int", "n"), Buffer("total", "int", "1", is_input=False)))


def _histogram(variant: Variant, missing: Missing) -> Body:
    if "private-histogram" in missing:
        inner = "    int i = blockIdx.x * 256 + threadIdx.x;\n    if (i < n) atomicAdd(&counts[x[i] % 64], 1);"
    else:
        inner = """    __shared__ int own[64];
    if (threadIdx.x < 64) own[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) atomicAdd(&own[x[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64 && own[threadIdx.x] != 0) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);"""
    kernel = f"__global__ void histogram(const int *x, int *counts, int n)\n{{\n{inner}\n}}"
    launch = "histogram<<<(n + 255) / 256, 256>>>(x, counts, n);"
    return Body(kernel, launch, variant.sizes, (Buffer("x", "int", "n"), Buffer("counts", "int", "64", is_input=False)))


_LINE = (("n", (3000, 9000), (1 << 26, 1 << 27, 1 << 28)),)
_PLANE = (("rows", (40, 90), (8192, 16384)), ("columns", (50, 130), (4096, 8192)))
_CUBE = (("m", (30, 70), (2048, 4096)), ("n", (30, 70), (2048, 4096)), ("k", (30, 70), (1024, 2048)))
_FLOATS = ("float", "float", "double")


def _plane(sizes: dict[str, int]) -> int:
    return sizes["rows"] * sizes["columns"]


_ALL = (
    Family(
        "map", ("coalescing-interchange", "float-literals"), _FLOATS, _PLANE, True, _map, lambda s: 2 * _plane(s), lambda s: 4 * _plane(s)
    ),
    Family(
        "row_sums", ("warp-per-row", "float-literals"), _FLOATS, _PLANE, True, _row_sums,
        lambda s: _plane(s) + s["rows"], lambda s: 5 * _plane(s),
    ),
    Family(
        "transpose", ("shared-memory-padding", "staged-store", "float-literals"), _FLOATS, _PLANE, True, _transpose,
        lambda s: 2 * _plane(s), lambda s: 0,
    ),
    Family(
        "product", ("shared-tile", "scalar-replacement", "float-literals"), _FLOATS, _CUBE, True, _product,
        lambda s: s["m"] * s["k"] + s["k"] * s["n"] + s["m"] * s["n"], lambda s: 2 * s["m"] * s["n"] * s["k"],
    ),
    Family("window", ("window-tile", "float-literals"), _FLOATS, _LINE, True, _window, lambda s: 2 * s["n"], lambda s: 13 * s["n"]),
    Family("total", ("block-atomics",), ("int",), _LINE, False, _total, lambda s: s["n"] + 1, lambda s: s["n"]),
    Family("histogram", ("private-histogram",), ("int",), _LINE, False, _histogram, lambda s: s["n"] + 64, lambda s: s["n"]),
)  # fmt: skip
FAMILIES = {family.name: family for family in _ALL}
