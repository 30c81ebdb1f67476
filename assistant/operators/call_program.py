"""A ``main()`` that calls a launcher once, on values that stand in files: with it a ``.cu`` that has only a launcher is a program.

Example::

    main_text(launcher, source.text, [Given("x", Path("task/x.bin"), (12, 40))])    # '#include <cstdio>…int main() {…'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from assistant.operators.launcher import Launcher
from assistant.record import Record

__all__ = ["Given", "NoProgram", "main_text"]

_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<[^>\n]*>", re.MULTILINE)
_C_TYPES = {
    "float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16", "int8": "signed char", "int16": "short",
    "int32": "int", "int64": "long long", "uint8": "unsigned char", "bool": "bool",
}  # fmt: skip
_START = """#include <cstdio>
#include <cstdlib>

namespace kernelopt_program {
void *device_memory(size_t size)
{
    void *memory = nullptr;
    if (cudaMalloc(&memory, size > 0 ? size : 1) != cudaSuccess) exit(1);
    return memory;
}

// What the file holds, again and again until the memory is full.
void *device_copy_of(const char *path, size_t size, size_t stored = 0)
{
    if (stored == 0) stored = size;
    void *values = malloc(stored > 0 ? stored : 1), *memory = device_memory(size);
    FILE *file = fopen(path, "rb");
    if (file == nullptr || fread(values, 1, stored, file) != stored) {
        fprintf(stderr, "%s cannot be read\\n", path);
        exit(1);
    }
    fclose(file);
    for (size_t at = 0; at < size; at += stored)
        cudaMemcpy((char *)memory + at, values, size - at < stored ? size - at : stored, cudaMemcpyHostToDevice);
    free(values);
    return memory;
}
}
"""


class Given(Record):
    """One argument of the reference's ``forward``, or one of its weights."""

    name: str
    """As the launcher's table calls it."""
    file: PurePath | None = None
    """Where its elements are, as the program opens it; None: it is no tensor."""
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    """PyTorch's name."""
    stored_bytes: int | None = None
    """How much of it the file holds, which is repeated to the tensor's end; None: all of it."""
    number: int | float | bool | None = None
    """What it is where it is no tensor."""


class NoProgram(Record):
    """Why there is none, in one sentence."""

    reason: str


def main_text(launcher: Launcher, text: str, given: Sequence[Given]) -> str | NoProgram:
    """``text``: of the launcher's file; ``given``: inputs in order, then weights."""
    declared = _declaration(text, launcher.launcher)
    if declared is None:
        return NoProgram(f"no declaration of {launcher.launcher} can be read from its definition")
    odd = next((each for each in given if each.file is not None and each.dtype not in _C_TYPES), None)
    if odd is not None:
        return NoProgram(f"{odd.name} is of {odd.dtype}")
    tensors = {each.name for each in given if each.file is not None} | {name for name, _ in launcher.outputs}
    lines = [*_sizes(launcher, given), *_tensors(given), *_outputs(launcher)]
    call = ", ".join(f"{word}_memory" if word in tensors else _arithmetic(word) for word in launcher.args)
    lines += [f"{launcher.launcher}({call});", "return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;"]
    includes = "\n".join(dict.fromkeys(["#include <cuda_runtime.h>", *_INCLUDE.findall(text)]))
    body = "\n".join(f"    {line}" for line in lines)
    note = f"// Calls {launcher.launcher} as the task does, so that kernelopt can run it."
    return f"{note}\n{includes}\n{_START}\n{declared};\n\nint main()\n{{\n{body}\n}}\n"


def _declaration(text: str, name: str) -> str | None:
    match = re.search(rf"^([^\n;{{}}()#/]*\b{re.escape(name)}\s*\([^(){{}}]*\))\s*\{{", text, re.MULTILINE)
    if match is None:
        match = re.search(rf'^(extern\s*"C"[^\n;{{}}()#/]*\b{re.escape(name)}\s*\([^(){{}}]*\))\s*\{{', text, re.MULTILINE)
    if match is None or re.search(r"\b(?:static|template|inline)\b", match[1]):
        return None
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", match[1], flags=re.DOTALL).strip()


def _sizes(launcher: Launcher, given: Sequence[Given]) -> Iterator[str]:
    """What the names in the inputs' shapes stand for, and inputs that are numbers."""
    known: set[str] = set()
    by_name = {each.name: each for each in given}
    for name, shape in launcher.inputs:
        tensor = by_name.get(name)
        if tensor is not None and tensor.file is not None:
            for word, size in zip(shape, tensor.shape, strict=False):
                if word.strip().isidentifier() and word.strip() not in known:
                    known.add(word.strip())
                    yield f"const long long {word.strip()} = {size};"
    for each in given:
        if each.number is not None and each.name not in known:
            kind = "double" if isinstance(each.number, float) else "long long"
            yield f"const {kind} {each.name} = {each.number!r};" if kind == "double" else f"const {kind} {each.name} = {int(each.number)};"


def _tensors(given: Sequence[Given]) -> Iterator[str]:
    for each in given:
        if each.file is not None:
            kind, size = _C_TYPES[each.dtype], " * ".join(("1", *map(str, each.shape)))
            path = str(each.file).replace("\\", "\\\\").replace('"', '\\"')
            stored = "" if each.stored_bytes is None else f", {each.stored_bytes}"
            yield f'auto *{each.name}_memory = ({kind} *)kernelopt_program::device_copy_of("{path}", sizeof({kind}) * {size}{stored});'


def _outputs(launcher: Launcher) -> Iterator[str]:
    types = dict(launcher.types)
    for name, shape in launcher.outputs:
        kind, size = _C_TYPES[types[name]], " * ".join(("1", *(f"({_arithmetic(word)})" for word in shape)))
        yield f"auto *{name}_memory = ({kind} *)kernelopt_program::device_memory(sizeof({kind}) * {size});"


def _arithmetic(word: str) -> str:
    """Whole numbers are divided downwards in C++ as by ``//``, where nothing is negative."""
    return word.replace("//", "/")
