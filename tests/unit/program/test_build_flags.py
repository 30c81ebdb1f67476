"""Flags that only the build's own files name: said where includes made the program, and nobody gave flags."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.program.build_flags import named_flags, way_to_use
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


def test_a_build_file_with_macros_is_named(project: Project) -> None:
    project.put("src/main.cu", MAIN)
    assert project.one("src/main.cu").unused == ""
    project.put("Makefile", "all:\n\tnvcc -Isrc -DN=512 src/main.cu\n")
    said = project.one("src/main.cu").unused
    assert said == "Makefile has -DN=512 and -Isrc, which are not used"
    assert project.one("src/main.cu", flags=("-DN=4",)).unused == ""


def test_a_build_file_without_macros_is_not(project: Project) -> None:
    project.put("main.cu", MAIN)
    project.put("Makefile", "all:\n\tnvcc -O3 -std=c++17 -Iinclude -arch=sm_80 main.cu\n")
    assert project.one("main.cu").unused == ""


def test_the_default_optimisation_is_nothing_that_a_person_gave(project: Project) -> None:
    project.put("main.cu", MAIN)
    project.put("CMakeLists.txt", "add_executable(app main.cu)\ntarget_compile_definitions(app PRIVATE N=4)\n")
    assert project.one("main.cu", flags=DEFAULT_FLAGS.arguments).unused == "CMakeLists.txt has -DN=4, which is not used"


def test_sources_that_the_command_line_names_are_built_without_the_build_s_flags_too(project: Project) -> None:
    project.put("main.cu", "void run();\nint main() { run(); }")
    project.put("run.cu", "__global__ void k() {}\nvoid run() { k<<<1, N>>>(); }")
    project.put("Makefile", "all:\n\tnvcc -DN=512 main.cu run.cu\n")
    assert project.one("run.cu", "main.cu").unused == "Makefile has -DN=512, which is not used"


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("CMakeLists.txt", "kernelopt program {file} --configure has them used, or --cflags gives them"),
        ("Makefile", 'kernelopt program {file} --record "make" has them used, or --cflags gives them'),
        ("setup.py", "--cflags gives them, or `flags` of a [program.NAME] table in kernelopt.toml"),
    ],
)
def test_what_to_do_is_one_command(tmp_path: Path, name: str, way: str) -> None:
    (tmp_path / name).write_text("")
    file = tmp_path / "a.cu"
    assert way_to_use(tmp_path, file) == way.format(file=file)
