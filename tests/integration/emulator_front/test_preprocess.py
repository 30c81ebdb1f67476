"""What the emulator compiles of a program, told by its preprocessor; every flavour of it compiles the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assistant.emulator import toolchain
from assistant.emulator.build import BuildRequest, BuiltProgram, build
from assistant.emulator.preprocess import preprocess
from assistant.emulator.toolchain import BARE_FLAGS, Compiler, Flavour
from assistant.model.build import CompilerMissing
from assistant.model.preprocessed import NotPreprocessed, PreprocessedProgram, Survivor
from assistant.worker.tools import run_tool

MAIN = Path("/user/main.cu")


def request(cache_dir: Path, text: str, **options: object) -> BuildRequest:
    return BuildRequest(sources=((MAIN, text),), cache_dir=cache_dir, **options)  # type: ignore[arg-type]


def compiler() -> Compiler:
    found = toolchain.find_compiler(os.environ["PATH"])
    assert not isinstance(found, CompilerMissing)
    return found


def macros(flags: tuple[str, ...]) -> frozenset[str]:
    run = run_tool((str(compiler().path), *flags, "-I", str(toolchain.INCLUDE_DIR), "-dM", "-E", "-x", "c++", "/dev/null"))
    assert run.is_ok
    return frozenset(run.output.splitlines())


def test_lines_survive_with_their_macros_expanded_and_others_named(cache_dir: Path) -> None:
    text = "#define TWICE(x) (2 * (x))\n#ifdef __CUDACC__\nint a = TWICE(__CUDACC_VER_MAJOR__);\n#else\nint b;\n#endif\nint c;\n"
    found = preprocess(request(cache_dir, text))
    assert isinstance(found, PreprocessedProgram)
    assert found.lines == (
        Survivor("/user/main.cu", 3, "int a = (2 * (kernelopt_macro___CUDACC_VER_MAJOR__));"),
        Survivor("/user/main.cu", 7, "int c;"),
    )
    assert found.macros == (("__CUDACC_VER_MAJOR__", "13"),) and found.files == ()


def test_what_is_read_next_to_the_source_is_named_and_its_lines_are_reported(cache_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "a header.h").write_text("#pragma once\nint of_header;\n")
    main = tmp_path / "main.cu"
    text = '#include <vector>\n#define NAME "a header.h"\n#include NAME\nint x;\n'
    found = preprocess(BuildRequest(sources=((main, text),), cache_dir=cache_dir))
    assert isinstance(found, PreprocessedProgram)
    assert found.files == (str(tmp_path / "a header.h"),)
    assert [(Path(line.file).name, line.line, line.text) for line in found.lines] == [
        ("a header.h", 2, "int of_header;"),
        ("main.cu", 4, "int x;"),
    ]


def test_flags_and_their_macros_count(cache_dir: Path) -> None:
    found = preprocess(request(cache_dir, "int n = N;\n#ifdef DEBUG\nint d;\n#endif\n", defines=("N=7", "DEBUG")))
    assert isinstance(found, PreprocessedProgram)
    assert [line.text for line in found.lines] == ["int n = kernelopt_macro_N;", "int d;"] and found.macros == (("N", "7"),)


def test_a_text_that_is_refused_says_why_and_what_was_read_but_nothing_of_that(cache_dir: Path, tmp_path: Path) -> None:
    secret, main = tmp_path / "secret", tmp_path / "main.cu"
    secret.write_text("#password hunter2\n")
    found = preprocess(BuildRequest(sources=((main, f'int a;\n#include "{secret}"\n'),), cache_dir=cache_dir))
    assert found == NotPreprocessed("what it includes has errors", files=(str(secret),))


def test_a_file_outside_the_program_is_not_read(cache_dir: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("#password hunter2\n")
    found = preprocess(request(cache_dir, f'int a;\n#include "{secret}"\n'))
    assert isinstance(found, NotPreprocessed) and "Permission denied" in found.reason and "hunter2" not in found.reason


def test_a_text_with_an_error_of_its_own_says_which(cache_dir: Path) -> None:
    assert preprocess(request(cache_dir, "int a;\n#error stop\n")) == NotPreprocessed("line 2: #error stop")
    found = preprocess(request(cache_dir, "#include <cub/no_such.cuh>\n"))
    assert isinstance(found, NotPreprocessed) and found.lacks_header


def test_a_program_that_builds_with_the_bare_prelude_is_seen_with_it(cache_dir: Path) -> None:
    """One of its names would be ambiguous with the usual one."""
    text = "using namespace std;\nint iota = 3;\n#ifdef _GLIBCXX_MAP\nint usual;\n#endif\nint main() { return iota; }\n"
    lines = [0, 0]
    for number in range(2):
        found = preprocess(request(cache_dir, text))
        assert isinstance(found, PreprocessedProgram)
        lines[number] = len(found.lines)
        assert isinstance(build(request(cache_dir, text)), BuiltProgram)
    assert lines == [4, 3]


@pytest.mark.parametrize("flavour", ["counted", "checked"])
def test_every_flavour_defines_the_same_macros(flavour: Flavour) -> None:
    assert macros(toolchain.compile_flags(flavour, "17", has_openmp=False)) == macros(
        toolchain.compile_flags("fast", "17", has_openmp=False)
    )


def test_a_compiler_without_flags_defines_no_other_macros_but_for_position_and_optimization() -> None:
    """As nvcc starts it for host code, but for its own macros."""
    ours = macros((*toolchain.compile_flags("fast", "17", has_openmp=False), *BARE_FLAGS))
    plain = macros(("-std=gnu++17", "-O2", "-D_GNU_SOURCE"))
    names = {line.split()[1] for line in ours ^ plain}
    assert names <= {"__PIC__", "__pic__", "__PIE__", "__pie__", "EMU_BARE_PRELUDE"}
