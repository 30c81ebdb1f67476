"""What the compile worker was asked before is answered without it, as long as the machine code is there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.build.cfg import backward_branches
from assistant.build.symbols import is_in_unit, symbol_for
from assistant.lab.compiler import Compiler, Image
from assistant.lab.gpu_counters import instruction_places
from assistant.lab.process import WorkerProcess
from assistant.model.build import Build, BuildFailure, Flags
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program
from tests.thorough import first_of

KERNEL = "__global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }\n"


class Counted(WorkerProcess):
    """The real worker, with the requests that it got."""

    def __init__(self) -> None:
        super().__init__("assistant.device")
        self.asked: list[dict[str, Any]] = []

    async def request(self, message: dict[str, Any], deadline_s: float) -> dict[str, Any]:
        self.asked.append(message)
        return await super().request(message, deadline_s)


@pytest.fixture
async def worker() -> AsyncGenerator[Counted]:
    made = Counted()
    yield made
    await made.close()


def program(folder: Path, text: str = KERNEL) -> Program:
    return Program((Source(folder / "k.cu", text),), Flags(("-O3",)), working_directory=folder)


def write(path: Path, text: str) -> None:
    path.write_text(text)


def remove(path: Path) -> None:
    path.unlink()


TEMPLATE = """\
enum class Mode { Sum, Max };
template <typename T, Mode mode> __global__ void gather(T *out, const T *in) { out[0] = in[static_cast<int>(mode)]; }
template <typename F> __global__ void apply(F f, int *out) { out[0] = f(3); }
"""
LAUNCHES = """\
void run(int *p)
{
    gather<int, Mode::Max><<<1, 1>>>(p, p);
    apply<<<1, 1>>>([] __device__(int x) { return x + 1; }, p);
}
"""
GATHER = "gather<int, (Mode)1>(int *, const int *)"


def empty(cache: Path) -> int:
    """Remove all machine code from it; how much there was."""
    found = list(cache.rglob("*.cubin"))
    for path in found:
        path.unlink()
    return len(found)


async def test_the_same_question_is_put_to_the_worker_once(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    built = await compiler.built_for_device(program(tmp_path), "sm_90")
    image = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(image, Image) and len(worker.asked) == 1
    assert await compiler.built_for_device(program(tmp_path), "sm_90") == built
    assert len(worker.asked) == 1


@pytest.mark.parametrize("change", first_of(["text", "architecture", "flags"]))
async def test_another_question_is_put_to_it(worker: Counted, tmp_path: Path, change: str) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    await compiler.image(program(tmp_path), "sm_90")
    other = program(tmp_path, KERNEL.replace("2.0f", "3.0f")) if change == "text" else program(tmp_path)
    if change == "flags":
        other = Program(other.sources, Flags(("-O1",)), working_directory=tmp_path)
    await compiler.image(other, "sm_80" if change == "architecture" else "sm_90")
    assert len(worker.asked) == 2


@pytest.mark.thorough
async def test_the_same_name_in_another_file_is_another_question(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    texts = ("static " + KERNEL, "static " + KERNEL.replace("2.0f", "x[1] / 2.0f"))
    sources = tuple(Source(tmp_path / f"{number}.cu", text) for number, text in enumerate(texts))
    one, other = (Program(files, Flags(("-O3",)), working_directory=tmp_path) for files in (sources, sources[::-1]))
    builds = [await compiler.built(asked, "sm_90", "sass") for asked in (one, other)]
    codes = [[item.opcode for item in build.code[0].instructions] for build in builds if isinstance(build, Build)]
    assert len(codes) == 2 and codes[0] != codes[1]


@pytest.mark.thorough
async def test_machine_code_that_was_removed_is_made_again(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    first = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(first, Image)
    empty(tmp_path / "cache")
    again = await compiler.image(program(tmp_path), "sm_90")
    assert again == first and len(worker.asked) == 2
    assert empty(tmp_path / "cache") == 1


TALLY = """\
__global__ void tally(const int *keys, int *bins, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        int key = keys[r * n + i];
        UNROLL
        for (int b = 0; b < 4; b++) {
            int digit = (key >> (b * 8)) & 255;
            if (digit > 200) atomicAdd(&bins[digit * 4 + b], 1);
        }
    }
}
"""


@pytest.mark.parametrize(("pragma", "lines"), [("", {4}), ("#pragma unroll 1", {4, 7})])
async def test_machine_code_goes_back_to_the_loops_that_are_left(worker: Counted, tmp_path: Path, pragma: str, lines: set[int]) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    build = await compiler.built_for_device(program(tmp_path, TALLY.replace("UNROLL", pragma)), "sm_90")
    assert isinstance(build, Build)
    assert {branch.line for branch in backward_branches(build.code[0])} == lines


async def test_an_edited_header_is_another_question(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    text = '#include "factor.h"\n' + KERNEL.replace("2.0f", "FACTOR")
    assert isinstance(await compiler.image(program(tmp_path, text), "sm_90"), LabFailure)  # it is not there
    images: list[Image | LabFailure] = []
    for factor in ("2.0f", "3.0f"):
        write(tmp_path / "factor.h", f"#define FACTOR {factor}\n")
        images.append(await compiler.image(program(tmp_path, text), "sm_90"))
    first, second = images
    assert isinstance(first, Image) and isinstance(second, Image) and first.cubin != second.cubin
    assert len(worker.asked) == 3


@pytest.mark.thorough
async def test_what_no_text_is_to_blame_for_is_asked_again(worker: Counted, tmp_path: Path) -> None:
    """No room for the machine code: the next time there may be."""
    write(tmp_path / "cache", "a file in the folder's place")
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    failure = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(failure, LabFailure) and failure.kind == "no_space"
    remove(tmp_path / "cache")
    assert isinstance(await compiler.image(program(tmp_path), "sm_90"), Image)


@pytest.mark.parametrize("launches", first_of([LAUNCHES, ""]))
async def test_instances_are_built_whose_arguments_are_enumerators(worker: Counted, tmp_path: Path, launches: str) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    asked = Program(
        (Source(tmp_path / "k.cu", TEMPLATE + launches),), Flags(("-extended-lambda",)), working_directory=tmp_path, kernels=(GATHER,)
    )
    built = await compiler.built(asked, "sm_90", "resources")
    assert isinstance(built, Build)
    assert symbol_for(GATHER, ((item.kernel, item.symbol) for item in built.resources)) is not None


async def test_a_kernel_that_cannot_be_spelled_does_not_spoil_the_build(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    unspeakable = "apply<run(int *)::{lambda(int)#1}>(run(int *)::{lambda(int)#1}, int *)"
    flags = Flags(("-extended-lambda",))
    asked = Program(
        (Source(tmp_path / "k.cu", TEMPLATE + LAUNCHES),), flags, working_directory=tmp_path, kernels=(GATHER, unspeakable, "absent")
    )
    built = await compiler.built(asked, "sm_90", "resources")
    assert isinstance(built, Build) and len(built.resources) == 2
    assert isinstance(await compiler.image(asked, "sm_90"), LabFailure)


CALLER = '#include "far.cuh"\n__global__ void shift(float *x) { x[threadIdx.x] += far(threadIdx.x); }\n'
FAR = '#include "far.cuh"\n__device__ float far(int i) { return i * 0.5f; }\n'


async def test_device_code_that_calls_another_unit_is_linked(worker: Counted, tmp_path: Path) -> None:
    (tmp_path / "far.cuh").write_text("#pragma once\n__device__ float far(int);\n")
    sources = (Source(tmp_path / "shift.cu", CALLER), Source(tmp_path / "far.cu", FAR))
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path)
    made = await Compiler(worker, tmp_path / "cache", tmp_path).built(asked, "sm_90", "resources", "sass")
    assert isinstance(made, Build), made
    assert [item.symbol for item in made.resources] == ["_Z5shiftPf"]
    assert any(item.symbol == "_Z5shiftPf" and item.instructions for item in made.code)


async def test_a_kernel_of_a_header_is_compiled_through_the_unit_that_includes_it(worker: Counted, tmp_path: Path) -> None:
    unit = '#define FACTOR 2.0f\n#include "k.cuh"\nint main() { float *x; cudaMalloc(&x, 4); scale<<<1, 1>>>(x); }\n'
    (tmp_path / "k.cuh").write_text("__global__ void scale(float *x) { x[0] = 1.0f; }\n")
    header = Source(tmp_path / "k.cuh", "#pragma once\n__global__ void scale(float *x) { x[threadIdx.x] *= FACTOR; }\n")
    sources = (header, Source(tmp_path / "main.cu", unit))
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path)
    made = await Compiler(worker, tmp_path / "cache", tmp_path).built(asked, "sm_90", "resources", "sass")
    assert isinstance(made, Build), made
    lines = {(Path(item.file).name, item.line) for code in made.code for item in code.instructions if item.opcode.startswith("LDG")}
    assert lines == {("k.cuh", 2)}


async def test_machine_code_of_every_unit_has_its_lines(worker: Counted, tmp_path: Path) -> None:
    """What a GPU counts by instruction is shown by line, in whichever file the kernel is."""
    main = "void far(float *);\n" + KERNEL + "int main() { scale<<<1, 1>>>(nullptr); far(nullptr); }\n"
    far = "\n\n__global__ void shift(float *x) { x[threadIdx.x] += 1.0f; }\nvoid far(float *x) { shift<<<1, 1>>>(x); }\n"
    sources = (Source(tmp_path / "main.cu", main), Source(tmp_path / "far.cu", far))
    kernels = ("scale(float*)", "shift(float*)")
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path, kernels=kernels)
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    places = await instruction_places(compiler, asked, "sm_90", frozenset(("_Z5scalePf", "_Z5shiftPf")))
    lines = {(each["symbol"], Path(each["file"]).name, each["line"]) for each in places if each["opcode"].startswith("LDG")}
    assert lines == {("_Z5scalePf", "main.cu", 2), ("_Z5shiftPf", "far.cu", 3)}


@pytest.mark.thorough
async def test_of_two_kernels_of_one_symbol_neither_gets_lines(worker: Counted, tmp_path: Path) -> None:
    texts = (
        "static " + KERNEL + "int main() { scale<<<1, 1>>>(nullptr); }\n",
        "static " + KERNEL + "__global__ void other(int *x) { *x = 1; }\n",
    )
    sources = tuple(Source(tmp_path / f"{number}.cu", text) for number, text in enumerate(texts))
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path, kernels=("scale(float*)", "other(int*)"))
    code = await Compiler(worker, tmp_path / "cache", tmp_path).code(asked, "sm_90")
    assert [each.symbol for each in code] == ["_Z5otherPi"]


async def test_a_unit_that_needs_others_is_relocatable_code(worker: Counted, tmp_path: Path) -> None:
    text = "extern __device__ float gain;\nextern __device__ float boost(float);\n" + KERNEL.replace("2.0f", "gain * boost(*x)")
    alone = await Compiler(worker, tmp_path / "cache", tmp_path).built(program(tmp_path, text), "sm_90", "resources")
    assert isinstance(alone, Build), alone
    assert (alone.diagnostics, [item.kernel for item in alone.resources]) == ((), ["scale(float*)"])


async def test_a_program_of_one_file_must_hold_the_functions_it_calls(worker: Counted, tmp_path: Path) -> None:
    text = "extern __device__ float boost(float);\n" + KERNEL.replace("2.0f", "boost(*x)") + "int main() { scale<<<1, 1>>>(nullptr); }\n"
    refused = await Compiler(worker, tmp_path / "cache", tmp_path).built(program(tmp_path, text), "sm_90", "resources")
    assert isinstance(refused, BuildFailure), refused
    assert "boost" in refused.diagnostics[0].message


async def test_a_variable_of_another_unit_is_not_taken_for_its_own(worker: Counted, tmp_path: Path) -> None:
    text = "extern __device__ float gain;\n" + KERNEL.replace("2.0f", "gain")
    sources = (Source(tmp_path / "k.cu", text), Source(tmp_path / "gain.cu", "__device__ float gain = 2.0f;\n"))
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path)
    built = await Compiler(worker, tmp_path / "cache", tmp_path).built(asked, "sm_90", "resources")
    assert isinstance(built, Build) and built.diagnostics == ()
    assert [item.registers_per_thread > 0 for item in built.resources if item.kernel == "scale(float*)"] == [True]


SCALED = "__global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }\n"
SHARED_HEADER = "template <typename T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }\n"
UNITS = (
    ("main.cu", '#include "fill.cuh"\n__global__ void scale(float *x);\n'
     "static __global__ void own(float *x) { *x = 1; }\n"
     "int main() { float *p = 0; fill<float><<<1, 1>>>(p, 1.0f); scale<<<1, 1>>>(p); own<<<1, 1>>>(p); }\n"),
    ("scale.cu", '#include "fill.cuh"\n' + SCALED + "static __global__ void own(float *x) { *x = 2; }\n"
     "void others(double *p, float *q) { fill<double><<<1, 1>>>(p, 1.0); own<<<1, 1>>>(q); }\n"),
    ("unused.cu", "__global__ void never(float *x) { *x = 3; }\n"),
    ("fill.cuh", SHARED_HEADER),
)  # fmt: skip


@pytest.mark.parametrize(
    ("kernels", "units"),
    first_of(
        [
            (("fill<float>(float*, float)", "fill<double>(double*, double)"), {"scale.cu": ["fill<double>(double*, double)"]}),
            (("own(float*)",), {}),
            (("scale(float*)",), {"scale.cu": ["scale(float*)"]}),
            (("main.cu:own(float*)", "scale.cu:own(float*)"), {"scale.cu": ["scale.cu:own(float*)"]}),
        ]
    ),
)
async def test_an_image_holds_the_units_that_define_its_kernels(
    worker: Counted, tmp_path: Path, kernels: tuple[str, ...], units: dict[str, list[str]]
) -> None:
    for name, text in UNITS:
        write(tmp_path / name, text)
    sources = tuple(Source(tmp_path / name, text) for name, text in UNITS)
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    asked = Program(sources, Flags(("-O3",)), working_directory=tmp_path, kernels=kernels)
    image = await compiler.image(asked, "sm_90")
    assert isinstance(image, Image), image
    found = {Path(other.unit).name: [k for k in kernels if is_in_unit(k, other.unit, other.kernels)] for other in image.others}
    assert found == units
    elsewhere = {kernel for names in units.values() for kernel in names}
    assert all(symbol_for(kernel, image.kernels) is not None for kernel in set(kernels) - elsewhere)
    assert isinstance(await compiler.built_for_device(asked, "sm_90"), Build)


EXTENSION = """#include <torch/of_none.h>
__global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }
torch::Tensor scaled(torch::Tensor x) { scale<<<1, 32>>>(x.data_ptr<float>()); return x; }
"""
CUBLAS = """#include <cublas_v2.h>
template <class T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }
int main() { cublasHandle_t h; float *x = nullptr, a = 2; cublasCreate(&h); scale<float><<<1, 32>>>(x); cublasSscal(h, 32, &a, x, 1); }
"""


@pytest.mark.parametrize(("text", "is_extension"), first_of([(EXTENSION, True), (CUBLAS, False)]))
async def test_device_code_is_compiled_where_a_library_of_the_host_code_is_not_there(
    tmp_path: Path, worker: Counted, text: str, is_extension: bool
) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    built = await compiler.built(replace(program(tmp_path, text), is_extension=is_extension), "sm_90", "resources")
    assert isinstance(built, Build), built
    assert [resources.kernel.removeprefix("void ").partition("(")[0].partition("<")[0] for resources in built.resources] == ["scale"]


async def test_a_mistake_in_device_code_is_told_where_a_library_is_not_there(tmp_path: Path, worker: Counted) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    built = await compiler.built(program(tmp_path, CUBLAS.replace("*= 2;", "*= missing;")), "sm_90", "resources")
    assert isinstance(built, BuildFailure) and any("missing" in found.message for found in built.diagnostics)
