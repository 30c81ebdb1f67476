"""Which flags count, where they come from, and what makes two compiles the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.build.flags import (
    DEFAULT_FLAGS,
    cache_key,
    choose_flags,
    compile_commands_flags,
    is_semantic,
    nvrtc_options,
)
from assistant.model.build import Flags


def test_the_command_line_wins_over_every_file() -> None:
    flags = choose_flags(command_line=("-O1",), project=("-O2",), database=("-O3",))
    assert flags == Flags(("-O1",), "command line")


def test_the_project_wins_over_the_compile_database() -> None:
    assert choose_flags(command_line=None, project=(), database=("-O3",)) == Flags((), "kernelopt.toml")


def test_without_any_word_the_default_holds() -> None:
    assert choose_flags(command_line=None, project=None, database=None) == DEFAULT_FLAGS


def test_values_are_joined_and_outputs_and_targets_dropped() -> None:
    words = ("-I", "inc", "-DN=4", "-arch=sm_80", "-o", "a.out", "-c", "k.cu", "-lineinfo", "--std", "c++17", "-lcublas")
    flags = choose_flags(command_line=words, project=None, database=None)
    assert flags.arguments == ("-Iinc", "-DN=4", "--std=c++17")


def no_files(path: Path) -> str:
    raise FileNotFoundError(path)


DATABASE = json.dumps(
    [
        {"directory": "/p/build", "file": "../src/k.cu", "command": "nvcc -I../include -DX='a b' -O2 -c ../src/k.cu -o k.o"},
        {"directory": "/p", "file": "/p/src/l.cu", "arguments": ["nvcc", "-use_fast_math", "-c", "src/l.cu"]},
    ]
)


def test_include_folders_of_a_database_are_made_absolute() -> None:
    assert compile_commands_flags(DATABASE, Path("/p/src/k.cu"), no_files) == ("-I/p/include", "-DX=a b", "-O2")


def test_a_file_that_the_database_does_not_name_has_no_flags_there() -> None:
    assert compile_commands_flags(DATABASE, Path("/p/src/other.cu"), no_files) is None


def test_something_else_than_a_database_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a list"):
        compile_commands_flags("{}", Path("/p/k.cu"), no_files)


def flags_of(files: dict[str, str], *words: str) -> tuple[str, ...] | None:
    entry = {"directory": "/p/build", "file": "/p/k.cu", "arguments": ["nvcc", *words, "-c", "/p/k.cu"]}
    return compile_commands_flags(
        json.dumps([entry]), Path("/p/k.cu"), lambda path: files[str(path)] if str(path) in files else no_files(path)
    )


@pytest.mark.parametrize(
    "words",
    [
        ("--options-file", "o/i.rsp"),
        ("-optf", "o/i.rsp"),
        ("--options-file=o/i.rsp",),
        ("-optf=o/i.rsp",),
        ("@o/i.rsp",),
        ("@/p/build/o/i.rsp",),
    ],
)
def test_flags_that_cmake_keeps_in_a_file_stand_in_its_place(words: tuple[str, ...]) -> None:
    files = {"/p/build/o/i.rsp": '-I../include -I"/opt/a b"\n-isystem=/opt/c -DN=4\n'}
    assert flags_of(files, "-O2", *words, "-DM") == ("-O2", "-I/p/include", "-I/opt/a b", "-isystem=/opt/c", "-DN=4", "-DM")


def test_a_file_with_flags_may_name_further_ones() -> None:
    files = {"/p/build/a.rsp": "-DA @b.rsp", "/p/build/b.rsp": "-DB", "/p/build/c.rsp": "-DC"}
    assert flags_of(files, "--options-file", "a.rsp,c.rsp") == ("-DA", "-DB", "-DC")


def test_a_file_with_flags_that_is_missing_or_names_itself_is_reported() -> None:
    with pytest.raises(ValueError, match=r"/p/build/gone\.rsp cannot be read"):
        flags_of({}, "@gone.rsp")
    with pytest.raises(ValueError, match="more than 64 files"):
        flags_of({"/p/build/a.rsp": "-DA @a.rsp"}, "@a.rsp")


def test_fast_math_changes_meaning_and_optimisation_does_not() -> None:
    assert [flag for flag in ("-O1", "-use_fast_math", "-DN=4", "-Xptxas=-v") if is_semantic(flag)] == ["-use_fast_math", "-DN=4"]


def test_flags_beyond_nvrtc_leave_the_word_to_nvcc() -> None:
    assert nvrtc_options(Flags(("-O3", "-DN=4", "-Iinc"))) == ("-DN=4", "-Iinc")
    assert nvrtc_options(Flags(("--extended-lambda",))) is None
    assert nvrtc_options(Flags(("-Xptxas=-dlcm=cg",))) is None


@pytest.mark.parametrize(
    "other",
    [
        ("nvcc 13.1", "sm_90", ("-O3",), {"k.cu": "a", "h.h": "b"}, ()),
        ("nvcc 13.0", "sm_80", ("-O3",), {"k.cu": "a", "h.h": "b"}, ()),
        ("nvcc 13.0", "sm_90", ("-O2",), {"k.cu": "a", "h.h": "b"}, ()),
        ("nvcc 13.0", "sm_90", ("-O3",), {"k.cu": "a", "h.h": "changed"}, ()),
        ("nvcc 13.0", "sm_90", ("-O3",), {"k.cu": "a", "h.h": "b"}, ("sass",)),
    ],
)
def test_whatever_changes_the_output_changes_the_key(
    other: tuple[str, str, tuple[str, ...], dict[str, str], tuple[str, ...]],
) -> None:
    same = ("nvcc 13.0", "sm_90", ("-O3",), {"h.h": "b", "k.cu": "a"}, ())
    assert cache_key(*same) == cache_key("nvcc 13.0", "sm_90", ("-O3",), {"k.cu": "a", "h.h": "b"}, ())
    assert cache_key(*same) != cache_key(*other)
