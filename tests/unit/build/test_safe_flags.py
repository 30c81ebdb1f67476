"""No flag that a workspace names has a compiler start programs or write files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.build.flags import choose_flags, compile_commands_flags
from assistant.build.safe_flags import refused_flag


@pytest.mark.parametrize(
    "words",
    [
        ("-O3", "-std=c++17", "--use_fast_math", "-lineinfo", "-maxrregcount=32", '-DNAME=\\"a b\\"', "-I../include", "-D", "N=3"),
        ("-Xcompiler=-fopenmp,-Wall,-Wno-unused,-march=native,-fPIC,-O2,-g3,-DN=1,-I/opt/a,-include,a.h,-std=gnu++17",),
        ("-Xcompiler", "-Wextra -fno-exceptions -fdiagnostics-color=always", "--compiler-options", "'-fvisibility=hidden'"),
        ("-Xptxas=-v,-O3,-dlcm=ca,--warn-on-spills", "-Xptxas", "-v", "--ptxas-options=-O1", "-diag-suppress=20012", "-ftz=true"),
    ],
)
def test_flags_that_programs_are_built_with_are_taken(words: tuple[str, ...]) -> None:
    assert refused_flag(words) is None


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (("-Xcompiler=-wrapper,./x.sh",), "-wrapper"),
        (("-Xcompiler", "-fopenmp,-fplugin=./x.so"), "-fplugin=./x.so"),
        (("--compiler-options=-O2 -B.",), "-B."),
        (('-Xcompiler="-specs=x"',), "-specs=x"),
        (("-Xcompiler=@x",), "@x"),
        (("-Xcompiler=-Wp,-MD,x",), "-Wp"),
        (("-Xcompiler=-fmodule-mapper=x",), "-fmodule-mapper=x"),
        (("-Xcompiler=-fdiagnostics-format=sarif-file",), "-fdiagnostics-format=sarif-file"),
        (("-Xcompiler=-o,x",), "-o"),
        (("-Xptxas=-v,-o,x",), "-o"),
        (("-Xptxas", "--options-file=x"), "--options-file=x"),
        (("-O3", "--run"), "--run"),
        (("-ccbin=./x",), "-ccbin=./x"),
        (("--options-file", "x.rsp"), "--options-file"),
        (("-MF", "x"), "-MF"),
        (("other.cu",), "other.cu"),
        (("@x",), "@x"),
        (("-DN=$(id)",), "-DN=$(id)"),
        (("-I`id`",), "-I`id`"),
        (('-DN=\\\\";id;\\\\"',), '-DN=\\\\";id;\\\\"'),
        (("-DN=1\nid",), "-DN=1\nid"),
    ],
)
def test_flags_that_start_programs_or_write_files_are_not(words: tuple[str, ...], refused: str) -> None:
    assert refused_flag(words) == refused


def test_what_a_compile_database_says_of_outputs_is_dropped_before() -> None:
    words = (
        "-ccbin",
        "g++",
        "--options-file",
        "includes.rsp",
        "-MD",
        "-MF",
        "k.d",
        "-forward-unknown-to-host-compiler",
        "-O2",
        "-o",
        "k.o",
    )
    flags = choose_flags(command_line=None, project=None, database=words)
    assert flags.arguments == ("-O2",)
    assert refused_flag(flags.arguments) is None


@pytest.mark.parametrize(
    ("word", "refused"), [("-Xcompiler=-fplugin=./x.so", "-fplugin=./x.so"), ("--run", "--run"), ("'-DN=$(id)'", "-DN=$(id)")]
)
def test_flags_that_a_compile_database_keeps_in_a_file_are_checked_too(word: str, refused: str) -> None:
    database = json.dumps([{"directory": "/p", "file": "k.cu", "arguments": ["nvcc", "--options-file", "i.rsp", "k.cu"]}])
    known = compile_commands_flags(database, Path("/p/k.cu"), lambda path: f"-I/p/include {word}")
    assert known is not None and refused_flag(choose_flags(command_line=None, project=None, database=known).arguments) == refused
