"""Flags that only the build's own files name: said where includes made the program, and nobody gave flags."""

from __future__ import annotations

import pytest

from assistant.program.build_flags import named_flags
from tests.unit.program.conftest import Project

MAIN = "__global__ void k() {}\nint main() { k<<<1, N>>>(); }"


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("CFLAGS = -O3 -DN=512 -D LOUD -Iinclude -std=c++20 # -DOLD", ("-DN=512", "-DLOUD", "-Iinclude", "-std=c++20")),
        ("nvcc -std=c++17 -arch=sm_80 -gencode=arch=compute_90,code=sm_90 a.cu", ("-arch=sm_80", "-gencode=arch=compute_90,code=sm_90")),
        ('target_compile_definitions(app PRIVATE N=4 "LOUD")\nset(CMAKE_CUDA_STANDARD 20)', ("-DN=4", "-DLOUD", "-std=c++20")),
        ("target_include_directories(app PUBLIC inc $<BUILD_INTERFACE:x>)\ntarget_compile_features(app PUBLIC cuda_std_20)",
         ("-Iinc", "-std=c++20")),
        ("add_definitions(-DN=4)", ("-DN=4",)),
        ("ext = Extension(define_macros=[('N', '4'), ('LOUD', None)], extra_compile_args=['-DM=2'])", ("-DM=2", "-DN=4", "-DLOUD")),
        ("all: main\n\tcp -r X-Dir out", ()),
    ],
)  # fmt: skip
def test_flags_are_read_word_by_word(text: str, flags: tuple[str, ...]) -> None:
    assert named_flags("/p/Makefile", text) == flags


def test_a_build_file_with_macros_is_named_with_the_ways_to_give_them(project: Project) -> None:
    project.put("src/main.cu", MAIN)
    assert project.one("src/main.cu").unused == ""
    project.put("Makefile", "all:\n\tnvcc -Isrc -DN=512 src/main.cu\n")
    said = project.one("src/main.cu").unused
    assert said.startswith("Makefile has -DN=512 and -Isrc, which are not used")
    assert "--cflags" in said and "compile_commands.json" in said
    assert project.one("src/main.cu", flags=("-DN=4",)).unused == ""


def test_a_build_file_without_macros_is_not(project: Project) -> None:
    project.put("main.cu", MAIN)
    project.put("Makefile", "all:\n\tnvcc -O3 -std=c++17 -Iinclude -arch=sm_80 main.cu\n")
    assert project.one("main.cu").unused == ""
