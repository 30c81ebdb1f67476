"""What further programs of a workspace say of a kernel's macros."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.evaluate import outer_definitions_of
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.search.other_programs import with_other_programs
from assistant.engine.source_version import with_text

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] = TILE; }\n"


def program(tile: str) -> str:
    return f'{tile}#include "k.cuh"\nint main() {{ float *a; cudaMalloc(&a, 128); k<<<1, 32>>>(a); }}\n'


@pytest.mark.parametrize(
    ("other", "is_certain"),
    [
        (program("#define TILE 16\n"), True),
        (program("#define TILE 32\n"), False),
        (program("constexpr int TILE = 16;\n"), False),
        ("#define TILE 32\nint main() {}\n", True),
    ],
)
async def test_a_macro_is_certain_where_every_program_with_the_kernel_has_it_alike(tmp_path: Path, other: str, is_certain: bool):
    for name, text in (("k.cuh", KERNEL), ("a.cu", program("#define TILE 16\n")), ("b.cu", other), ("kernelopt.toml", "")):
        (tmp_path / name).write_text(text)
    request = JobRequest(tmp_path / "a.cu", tmp_path)
    version = await with_other_programs(request, read_version(request, DEFAULT_FLAGS))
    about = with_text(version, f"{version.source.text}// another text\n").about(version.kernels[0])
    assert outer_definitions_of(about, version.kernels[0]) == "#define TILE 16\n"
    told = outer_definitions_of(about, version.kernels[0], about.elsewhere)
    assert (told == "#define TILE 16\n") is is_certain
    assert "#define TILE 16\n" in told


async def test_a_kernel_that_no_other_file_includes_has_no_other_programs(tmp_path: Path):
    (tmp_path / "a.cu").write_text(f"#define TILE 16\n{KERNEL}int main() {{}}\n")
    request = JobRequest(tmp_path / "a.cu", tmp_path)
    version = read_version(request, DEFAULT_FLAGS)
    assert (await with_other_programs(request, version)).elsewhere == ()
