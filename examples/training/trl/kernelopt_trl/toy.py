"""Toy tasks: twenty-one small CUDA programs of three families, each slow for one reason. Pure.

Tasks are held out of training so that each size and each expression is trained on, but not the two together. Example::

    task = TASKS["window-3-affine"]
    task.kernel         # what the model reads
    task.program        # what the judge is given: the kernel, a launch, a main() that prints a sum
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["HELD_OUT", "TASKS", "TRAINING", "ToyTask", "program"]

_FLOATS = {"affine": "v * 1.5f + 0.25f", "cubic": "v * v * v", "rational": "v / (1.1 + v * v)"}
"""Done to each value. In the last, a constant is a double: computed in float, the result has fewer digits."""


@dataclass(frozen=True)
class ToyTask:
    name: str
    kernel: str
    """Device code."""
    launch: str
    """A statement on ``x`` and ``y``."""
    read_count: int
    """Elements of ``x``."""
    written_count: int
    """Elements of ``y``."""
    is_held_out: bool

    @property
    def program(self) -> str:
        return program(self, self.kernel)


def program(task: ToyTask, kernel: str) -> str:
    """The task's program with that kernel in the place of its own."""
    return f"""#include <cstdio>
#include <vector>

{kernel}
int main()
{{
    std::vector<float> in({task.read_count}), out({task.written_count});
    for (size_t i = 0; i < in.size(); i++) in[i] = float(i * 37 % 101) * 0.02f - 1.0f;
    float *x, *y;
    cudaMalloc(&x, in.size() * sizeof(float));
    cudaMalloc(&y, out.size() * sizeof(float));
    cudaMemcpy(x, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(y, 0, out.size() * sizeof(float));
    {task.launch}
    cudaMemcpy(out.data(), y, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (size_t i = 0; i < out.size(); i++) sum += double(out[i]) * double(i % 7 + 1);
    printf("%.6g\\n", sum);
    cudaFree(x);
    cudaFree(y);
}}
"""


def _kernel(expression: str, signature: str, body: str) -> str:
    value = f"__device__ float value(float v) {{ return {expression}; }}"
    return f"{value}\n\n__global__ void {signature}\n{{\n{body}}}\n"


def _map(name: str, expression: str, is_held_out: bool) -> ToyTask:
    body = """\
    int i = threadIdx.x * gridDim.x + blockIdx.x;
    if (i < n) y[i] = value(x[i]);
"""
    kernel = _kernel(expression, "apply(const float *x, float *y, int n)", body)
    return ToyTask(f"map-{name}", kernel, "apply<<<16, 128>>>(x, y, 2000);", 2000, 2000, is_held_out)


def _window(margin: int, name: str, expression: str, is_held_out: bool) -> ToyTask:
    body = f"""\
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int d = 0; d <= {margin}; d++) sum += x[i + d];
    y[i] = value(sum);
"""
    kernel = _kernel(expression, "window(const float *x, float *y, int n)", body)
    launch = "window<<<8, 128>>>(x, y, 1000);"
    return ToyTask(f"window-{margin}-{name}", kernel, launch, 1000 + margin, 1000, is_held_out)


def _sums(columns: int, name: str, expression: str, is_held_out: bool) -> ToyTask:
    body = f"""\
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    y[i] = 0;
    for (int c = 0; c < {columns}; c++) y[i] += value(x[i * {columns} + c]);
"""
    kernel = _kernel(expression, "sums(const float *x, float *y, int n)", body)
    launch = "sums<<<4, 128>>>(x, y, 500);"
    return ToyTask(f"sums-{columns}-{name}", kernel, launch, 500 * columns, 500, is_held_out)


def _all() -> list[ToyTask]:
    """Of each family and size, one expression is held out: not the same one for all sizes."""
    tasks = [_map(name, text, place == 0) for place, (name, text) in enumerate(_FLOATS.items())]
    for make, sizes in ((_window, (2, 3, 4)), (_sums, (4, 6, 9))):
        for turn, size in enumerate(sizes):
            tasks += [make(size, name, text, place == turn) for place, (name, text) in enumerate(_FLOATS.items())]
    return tasks


TASKS = {task.name: task for task in _all()}
TRAINING = tuple(task for task in TASKS.values() if not task.is_held_out)
HELD_OUT = tuple(task for task in TASKS.values() if task.is_held_out)
