"""Macros and integer constants that other files of a program define before a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.constants import constants_of
from assistant.cuda.macros import conditional_macros, macro_text, macro_texts
from assistant.cuda.names import free_name, fresh_name
from assistant.cuda.outer_definitions import outer_definitions
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source

KERNEL = "__global__ void k(float *a) { a[IDX(threadIdx.x, N)] = TILE; }\n"
SIZES = "#define N 64\n#define TILE 16\n#define IDX(i, j) ((i) * N + (j))\n"


def read(own: str, given: frozenset[str] = frozenset(), name: str = "kernel.cuh", **others: str) -> SyntaxTree:
    """``common_h="…"`` is the text of ``common.h``, ``main_cu`` that of ``main.cu``."""
    files = tuple(Source(Path("/p", other.replace("_", ".")), text) for other, text in others.items())
    outer = outer_definitions(Source(Path("/p", name), own), files, own.index("__global__"), (), given)
    return SyntaxTree(own, others=files, outer=outer)


def known(tree: SyntaxTree) -> dict[str, str]:
    found = {name: macro_text(tree, name) for name in macro_texts(tree)}
    return {name: text for name, text in found.items() if text is not None}


def test_macros_of_included_headers_are_those_of_the_text():
    tree = read(f'#include "common.h"\n{KERNEL}', common_h=SIZES)
    assert known(tree) == {"N": "64", "TILE": "16", "IDX": "((i) * N + (j))"}
    assert constants_of(tree) == {"N": 64, "TILE": 16}
    assert not conditional_macros(tree)


def test_includes_of_headers_and_guards_are_followed():
    guarded = f"#ifndef SIZES_H\n#define SIZES_H\n{SIZES}#endif\n"
    tree = read(f'#include "common.h"\n{KERNEL}', common_h='#pragma once\n#include "sizes.h"\n', sizes_h=guarded)
    assert known(tree)["TILE"] == "16"
    assert not conditional_macros(tree)


def test_what_an_includer_defines_before_it_holds():
    main = f'{SIZES}#include "kernel.cuh"\n#define TILE2 8\nint main() {{}}\n'
    assert known(read(KERNEL, main_cu=main))["TILE"] == "16"
    assert "TILE" not in known(read(KERNEL, main_cu=f'#include "kernel.cuh"\n{SIZES}'))


def test_a_source_that_another_one_includes_takes_its_macros():
    assert known(read(KERNEL, name="kernel.cu", main_cu=f'{SIZES}#include "kernel.cu"\n'))["TILE"] == "16"


@pytest.mark.parametrize(
    ("own", "others"),
    [
        (KERNEL, {"a_cu": '#define TILE 16\n#include "kernel.cuh"\n', "b_cu": '#define TILE 32\n#include "kernel.cuh"\n'}),
        (KERNEL, {"a_cu": '#define TILE 16\n#include "kernel.cuh"\n', "b_cu": '#include "kernel.cuh"\n'}),
        (f'#include "common.h"\n{KERNEL}', {"common_h": "#ifdef BIG\n#define TILE 32\n#else\n#define TILE 16\n#endif\n"}),
        (f'#include "common.h"\n{KERNEL}', {"common_h": "#define TILE 16\n#undef TILE\n"}),
        (f'#include "common.h"\n#undef TILE\n{KERNEL}', {"common_h": "#define TILE 16\n"}),
        (f'#include "common.h"\n#ifdef X\n#define TILE 8\n#endif\n{KERNEL}', {"common_h": "#define TILE 16\n"}),
        (f'#include "a.h"\n#include "b.h"\n{KERNEL}', {"a_h": "#define TILE 16\n", "b_h": "#undef TILE\n#define TILE 32\n"}),
        (f'{KERNEL}#include "common.h"\n', {"common_h": "#define TILE 16\n"}),
        (f'#if 0\n#include "common.h"\n#endif\n{KERNEL}', {"common_h": "#define TILE 16\n"}),
        (f'// #include "common.h"\n{KERNEL}', {"common_h": "#define TILE 16\n"}),
        (KERNEL, {"common_h": "#define TILE 16\n", "main_cu": '#include "common.h"\nint main() {}\n'}),
    ],
)
def test_what_is_not_certain_is_not_known(own, others):
    assert "TILE" not in known(read(own, **others))
    assert "TILE" not in constants_of(read(own, **others))


def test_what_is_not_certain_is_still_seen_as_a_macro():
    tree = read(f'#include "common.h"\n{KERNEL}', common_h="#ifdef BIG\n#define TILE hidden\n#else\n#define TILE 16\n#endif\n")
    assert {"hidden", "16"} <= set(macro_texts(tree)["TILE"])


def test_a_default_that_the_command_line_may_change_is_conditional():
    own, header = f'#include "common.h"\n{KERNEL}', "#ifndef TILE\n#define TILE 16\n#endif\n"
    tree = read(own, common_h=header)
    assert known(tree)["TILE"] == "16"
    assert conditional_macros(tree) == {"TILE"}
    assert "TILE" not in known(read(own, frozenset({"TILE"}), common_h=header))
    assert "TILE" not in known(read(own, frozenset({"TILE"}), common_h="#define TILE 16\n"))


def test_a_header_that_is_included_under_a_condition_is_conditional():
    tree = read(f'#ifdef FAST\n#include "common.h"\n#endif\n{KERNEL}', common_h="#define TILE 16\n")
    assert known(tree)["TILE"] == "16"
    assert conditional_macros(tree) == {"TILE"}


def test_a_default_is_left_out_where_the_includer_says_otherwise():
    header = f"#ifndef TILE\n#define TILE 16\n#endif\n{KERNEL}"
    tree = read(f'#include "common.h"\n{KERNEL}', main_cu='#define TILE 32\n#include "kernel.cuh"\n', common_h=header.partition(KERNEL)[0])
    assert known(tree)["TILE"] == "32"
    assert not conditional_macros(tree)


def test_of_headers_with_one_name_the_one_beside_the_includer_is_meant():
    own = Source(Path("/p/a/kernel.cu"), f'#include "sizes.h"\n{KERNEL}')
    others = (Source(Path("/p/a/sizes.h"), "#define TILE 16\n"), Source(Path("/p/b/sizes.h"), "#define TILE 32\n"))
    tree = SyntaxTree(own.text, others=others, outer=outer_definitions(own, others, own.text.index("__global__")))
    assert known(tree) == {"TILE": "16"}


def test_folders_of_the_build_are_searched():
    own = Source(Path("/p/src/kernel.cu"), f"#include <sizes.h>\n{KERNEL}")
    others = (Source(Path("/p/include/sizes.h"), SIZES),)
    at = own.text.index("__global__")
    assert outer_definitions(own, others, at) == ""
    assert "#define TILE 16" in outer_definitions(own, others, at, ("/p/include",))


def test_macros_that_the_text_does_not_use_are_left_out():
    assert outer_definitions(Source(Path("/p/k.cu"), f'#include "a.h"\n{KERNEL}'), (Source(Path("/p/a.h"), "#define OTHER 4\n"),), 20) == ""


def test_a_name_that_is_undefined_before_its_definition_is_known():
    header = "#ifdef TILE\n#undef TILE\n#endif\n#define TILE 16\n"
    assert known(read(f'#include "common.h"\n{KERNEL}', common_h=header))["TILE"] == "16"


def test_a_condition_that_a_header_decides_is_followed():
    tree = read(
        f'#include "config.h"\n#include "sizes.h"\n{KERNEL}',
        config_h="#define USE_BIG\n",
        sizes_h="#ifdef USE_BIG\n#define TILE 32\n#else\n#define TILE 16\n#endif\n",
    )
    assert known(tree) == {"TILE": "32"}
    assert not conditional_macros(tree)


def test_headers_around_the_one_that_defines_a_name_are_read():
    tree = read(f'#include "all.h"\n{KERNEL}', all_h='#include "other.h"\n#include "sizes.h"\n', other_h="void f();\n", sizes_h=SIZES)
    assert known(tree)["TILE"] == "16"


def test_the_guard_of_a_header_is_no_condition():
    assert conditional_macros(SyntaxTree(f"#ifndef K_CUH\n#define K_CUH\n{SIZES}{KERNEL}#endif\n")) == frozenset()
    assert conditional_macros(SyntaxTree(f"#ifndef TILE\n#define TILE 4\n#endif\n{KERNEL}")) == {"TILE"}


CONSTANTS = "constexpr int TILE = HALF * 2;\nstatic const unsigned N = 64;\nenum { HALF = 8, WIDTH = 4 };\n"


def test_integer_constants_of_headers_are_known_like_macros():
    own = f'#include "common.h"\n{KERNEL}'
    assert constants_of(read(own, common_h=CONSTANTS)) == {"TILE": 16, "N": 64, "HALF": 8}
    guarded = f"#ifndef COMMON_H\n#define COMMON_H\nnamespace sizes {{\n{CONSTANTS}}}\n#endif\n"
    assert constants_of(read(own, common_h=guarded))["TILE"] == 16
    assert constants_of(read(KERNEL, main_cu=f'{CONSTANTS}#include "kernel.cuh"\n'))["N"] == 64


@pytest.mark.parametrize(
    ("own", "header"),
    [
        (KERNEL, "int f() { const int TILE = 16; return TILE; }\n"),
        (KERNEL, "#ifdef BIG\nconstexpr int TILE = 32;\n#endif\n"),
        (KERNEL, "struct Sizes { static const int TILE = 16; };\n"),
        (KERNEL, "const float TILE = 16;\n"),
        (KERNEL, "int TILE = 16;\n"),
        (KERNEL, "constexpr int TILE = count();\n"),
        (KERNEL, "namespace a { constexpr int TILE = 16; }\nnamespace b { constexpr int TILE = 32; }\n"),
        ("constexpr int TILE = 32;\n" + KERNEL, "namespace a { constexpr int TILE = 16; }\n"),
        (KERNEL.replace("float *a", "float *a, int TILE"), "constexpr int TILE = 16;\n"),
    ],
)
def test_what_may_be_another_constant_is_not_known(own, header):
    assert "TILE" not in constants_of(read(f'#include "common.h"\n{own}', common_h=header))


def test_constants_of_an_includer_that_stand_behind_the_include_are_not_known():
    assert not constants_of(read(KERNEL, main_cu=f'#include "kernel.cuh"\n{CONSTANTS}'))


def test_a_fresh_name_is_no_macro_of_another_file():
    tree = SyntaxTree(KERNEL, others=(Source(Path("/p/common.h"), "#define WIDTH 4\nconstexpr int HEIGHT = 2;\n"),))
    assert [fresh_name(tree, name) for name in ("WIDTH", "HEIGHT", "DEPTH")] == ["WIDTH2", "HEIGHT2", "DEPTH"]
    assert free_name(tree, next(tree.find("compound_statement")), "WIDTH", "DEPTH") == "DEPTH"
