"""Register tiles with and without loads ahead, timed: ``python -m benchmarks.gpu.tiles [--out FILE] [--sides 1024,2000]``.

A product of two matrices as the expert planner writes it, in blocks of several shapes, with and without each thread's loads of the next
tile ahead, and with a factor in front of one side. Each is built by nvcc for the GPU that is there and timed by CUDA events around two
launches in a row, the median of 12, data as the previous launch left it in the caches; results are held against one thread an element. A
line of JSON for each: microseconds of a launch, registers of a thread. Needs nvcc and a GPU.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from assistant.build.architectures import architecture
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.launch import Dim3
from assistant.model.profile import Finding, Severity
from assistant.model.source import Source
from assistant.plan.expert.analysis.element_kernel import element_kernel
from assistant.plan.expert.analysis.scaled_loads import with_factors
from assistant.plan.expert.analysis.staged_loads import staged_loads
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.transformation import TransformationContext
from assistant.plan.expert.writing.register_tile_text import RegisterTile, register_tile_edits
from assistant.record import Record

__all__ = ["TileForm", "forms", "program"]

_KERNEL = """typedef {type} real;
__global__ void product(const real *A, const real *B, real *C, int n, real alpha)
{{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    real sum = 0;
    for (int k = 0; k < n; k++)
        sum += {term};
    C[i * n + j] = sum;
}}
"""
_LOOP_LINE = 8
_MAIN = """
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void simple(const real *A, const real *B, real *C, int n, real alpha)
{{
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n)
        return;
    real sum = 0;
    for (int k = 0; k < n; k++)
        sum += {term};
    C[i * n + j] = sum;
}}

int main(int argc, char **argv)
{{
    const int n = atoi(argv[1]);
    const size_t bytes = sizeof(real) * n * n;
    std::vector<real> a(n * n), b(n * n), c(n * n), d(n * n);
    for (int i = 0; i < n * n; i++) {{
        a[i] = (i * 7 % 13) * 0.25f - 1.0f;
        b[i] = (i * 5 % 11) * 0.5f - 2.0f;
    }}
    real *A, *B, *C, *D;
    for (real **p : {{&A, &B, &C, &D}})
        cudaMalloc(p, bytes);
    cudaMemcpy(A, a.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(B, b.data(), bytes, cudaMemcpyHostToDevice);
    dim3 block({block.x}, {block.y}), grid((n + {x} - 1) / {x}, (n + {y} - 1) / {y});
    cudaEvent_t first, last;
    cudaEventCreate(&first);
    cudaEventCreate(&last);
    std::vector<float> us;
    for (int i = 0; i < 12; i++) {{
        cudaEventRecord(first);
        product<<<grid, block>>>(A, B, C, n, (real)1.5);
        product<<<grid, block>>>(A, B, C, n, (real)1.5);
        cudaEventRecord(last);
        cudaEventSynchronize(last);
        float ms;
        cudaEventElapsedTime(&ms, first, last);
        us.push_back(ms * 500);
    }}
    std::sort(us.begin(), us.end());
    simple<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(A, B, D, n, (real)1.5);
    cudaMemcpy(c.data(), C, bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(d.data(), D, bytes, cudaMemcpyDeviceToHost);
    double off = 0;
    for (int i = 0; i < n * n; i++)
        off = std::max(off, std::fabs((double)c[i] - d[i]));
    cudaFuncAttributes kernel;
    cudaFuncGetAttributes(&kernel, product);
    const char *status = cudaGetErrorName(cudaGetLastError());
    printf("{{\\"n\\": %d, \\"us\\": %.2f, \\"registers\\": %d, ", n, (us[5] + us[6]) / 2, kernel.numRegs);
    printf("\\"off\\": %g, \\"status\\": \\"%s\\"}}\\n", off, status);
}}
"""
_SHAPES = ((16, 16, 4, 4), (16, 16, 8, 4), (16, 16, 8, 8), (32, 8, 4, 4), (32, 8, 8, 2), (32, 8, 8, 4))
"""Threads of a block along x and y, elements of a thread along y and x."""
_MOST_ELEMENTS = {"float": 64, "double": 32}
_BYTES = {"float": 4, "double": 8}


class TileForm(Record):
    """One way to write the kernel."""

    type: str
    block: Dim3
    rows: int
    """Elements of a thread along y."""
    columns: int
    depth: int
    is_ahead: bool
    is_scaled: bool
    """With a factor in front of one side."""

    @property
    def name(self) -> str:
        words = ("scaled" if self.is_scaled else "", "ahead" if self.is_ahead else "")
        shape = f"{self.type} {self.block.x}x{self.block.y} threads, {self.rows}x{self.columns} each, {self.depth} deep"
        return ", ".join(filter(None, (shape, *words)))


def forms() -> Iterator[TileForm]:
    """All that are timed."""
    for kind in ("float", "double"):
        for x, y, rows, columns in _SHAPES:
            for depth in (16, 8) if rows * columns <= _MOST_ELEMENTS[kind] else ():
                for is_scaled in (False, True):
                    for is_ahead in (False, True):
                        yield TileForm(kind, Dim3(x, y), rows, columns, depth, is_ahead, is_scaled)


def program(form: TileForm) -> str:
    """A program that times the form and prints one JSON object."""
    term = f"{'alpha * ' if form.is_scaled else ''}A[i * n + k] * B[k * n + j]"
    text = _KERNEL.format(type=form.type, term=term)
    parsed, limits = parse(Source(Path("/product.cu"), text)), architecture("sm_90")
    assert limits is not None
    found = Finding("KO108", parsed.kernels[0].key, _LOOP_LINE, Severity.WARNING, "", (), None)
    context = TransformationContext(parsed, SyntaxTree(text), parsed.kernels[0], found, (), (), (), None, limits)
    kernel = element_kernel(context, form.block)
    assert not isinstance(kernel, Obstacle), kernel.reason
    loads = staged_loads(context, kernel)
    assert not isinstance(loads, Obstacle), loads.reason
    factors = {"x": form.columns, "y": form.rows}
    loads = with_factors(context.tree, kernel.function, loads)
    tile = RegisterTile(kernel, loads, form.block, factors, form.depth, _BYTES[form.type], form.is_ahead)
    for edit in sorted(register_tile_edits(context, tile), reverse=True):
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text + _MAIN.format(term=term, block=form.block, x=tile.extent("x"), y=tile.extent("y"))


def _built(folder: Path, number: int, form: TileForm) -> Path:
    source, executable = folder / f"{number}.cu", folder / str(number)
    source.write_text(program(form))
    subprocess.run(["nvcc", "-O3", "-std=c++17", "-arch=native", "-o", executable, source], check=True)
    return executable


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu.tiles")
    parser.add_argument("--out", type=Path, default=Path(".kernelopt/tiles.jsonl"))
    parser.add_argument("--sides", default="1024,2000", help="of the matrices")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, options.out.open("w") as out, ThreadPoolExecutor(16) as threads:
        wanted = tuple(forms())
        builds = [threads.submit(_built, Path(folder), number, form) for number, form in enumerate(wanted)]
        for form, build in zip(wanted, [build.result() for build in builds], strict=True):
            for side in options.sides.split(","):
                ran = subprocess.run([build, side], capture_output=True, text=True, check=True)
                line = json.dumps({"form": form.name, **json.loads(ran.stdout)})
                print(line)
                out.write(line + "\n")


if __name__ == "__main__":
    main()
