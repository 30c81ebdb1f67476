"""A whole CUDA program around a kernel: buffers, values, a launch, a sum that it prints. Pure.

Example::

    program_text(Body(kernel, launch, sizes, (Buffer("x", "float", "n"), Buffer("y", "float", "n", is_input=False))), "seed 7, number 0")
"""

from __future__ import annotations

from assistant.record import Record

__all__ = ["Body", "Buffer", "program_text"]

_VALUES = {"float": "float({i} * 37 % 101) * 0.02f - 1.0f", "double": "double({i} * 37 % 101) * 0.02 - 1.0", "int": "int({i} * 37 % 101)"}


class Buffer(Record):
    """Memory of the device."""

    name: str
    type: str
    length: str
    """In elements, by names of sizes."""
    is_input: bool = True


class Body(Record):
    """What a family writes."""

    kernel: str
    launch: str
    """Statements that launch it, on the buffers by their names."""
    sizes: tuple[tuple[str, int], ...]
    """Arguments of the program with their defaults."""
    buffers: tuple[Buffer, ...]


def program_text(body: Body, origin: str) -> str:
    """A program that takes its sizes as arguments."""
    sizes = "".join(
        f"    int {name} = argc > {place} ? atoi(argv[{place}]) : {value};\n" for place, (name, value) in enumerate(body.sizes, 1)
    )
    (result,) = (buffer for buffer in body.buffers if not buffer.is_input)
    arguments = ", ".join([f"{buffer.type} *{buffer.name}" for buffer in body.buffers] + [f"int {name}" for name, _ in body.sizes])
    given = ", ".join([f"d_{buffer.name}" for buffer in body.buffers] + [name for name, _ in body.sizes])
    return f"""// Drawn by kernelopt tasks make ({origin}).
#include <cstdio>
#include <cstdlib>
#include <vector>

{body.kernel.strip()}

static void launch({arguments})
{{
{_indented(body.launch)}
}}

int main(int argc, char **argv)
{{
{sizes}{"".join(map(_made, body.buffers))}
    launch({given});
    cudaDeviceSynchronize();
    cudaMemcpy({result.name}.data(), d_{result.name}, {result.name}.size() * sizeof({result.type}), cudaMemcpyDeviceToHost);

    double sum = 0;
    for (size_t i = 0; i < {result.name}.size(); i++) sum += double({result.name}[i]) * double(i % 7 + 1);
    printf("%.6g\\n", sum);
{"".join(f"    cudaFree(d_{buffer.name});" + chr(10) for buffer in body.buffers)}    return 0;
}}
"""


def _made(buffer: Buffer) -> str:
    size = f"{buffer.name}.size() * sizeof({buffer.type})"
    filled = f"    for (size_t i = 0; i < {buffer.name}.size(); i++) {buffer.name}[i] = {_VALUES[buffer.type].format(i='i')};\n"
    copied = (
        f"    cudaMemcpy(d_{buffer.name}, {buffer.name}.data(), {size}, cudaMemcpyHostToDevice);\n"
        if buffer.is_input
        else f"    cudaMemset(d_{buffer.name}, 0, {size});\n"
    )
    return (
        f"    std::vector<{buffer.type}> {buffer.name}({buffer.length});\n"
        f"{filled if buffer.is_input else ''}    {buffer.type} *d_{buffer.name};\n    cudaMalloc(&d_{buffer.name}, {size});\n{copied}"
    )


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip().splitlines())
