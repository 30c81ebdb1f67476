"""Macros that other files of a program put in force before a kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.cuda.constants import constants_of
from assistant.cuda.macros import conditional_macros, macro_text, macro_texts
from assistant.cuda.outer_macros import outer_macros
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source

KERNEL = "__global__ void k(float *a) { a[IDX(threadIdx.x, N)] = TILE; }\n"
SIZES = "#define N 64\n#define TILE 16\n#define IDX(i, j) ((i) * N + (j))\n"


def read(own: str, given: frozenset[str] = frozenset(), name: str = "kernel.cuh", **others: str) -> SyntaxTree:
    """``common_h="…"`` is the text of ``common.h``, ``main_cu`` that of ``main.cu``."""
    files = tuple(Source(Path("/p", other.replace("_", ".")), text) for other, text in others.items())
    outer = outer_macros(Source(Path("/p", name), own), files, own.index("__global__"), (), given)
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
    tree = SyntaxTree(own.text, others=others, outer=outer_macros(own, others, own.text.index("__global__")))
    assert known(tree) == {"TILE": "16"}


def test_folders_of_the_build_are_searched():
    own = Source(Path("/p/src/kernel.cu"), f"#include <sizes.h>\n{KERNEL}")
    others = (Source(Path("/p/include/sizes.h"), SIZES),)
    at = own.text.index("__global__")
    assert outer_macros(own, others, at) == ""
    assert "#define TILE 16" in outer_macros(own, others, at, ("/p/include",))


def test_macros_that_the_text_does_not_use_are_left_out():
    assert outer_macros(Source(Path("/p/k.cu"), f'#include "a.h"\n{KERNEL}'), (Source(Path("/p/a.h"), "#define OTHER 4\n"),), 20) == ""


def test_the_guard_of_a_header_is_no_condition():
    assert conditional_macros(SyntaxTree(f"#ifndef K_CUH\n#define K_CUH\n{SIZES}{KERNEL}#endif\n")) == frozenset()
    assert conditional_macros(SyntaxTree(f"#ifndef TILE\n#define TILE 4\n#endif\n{KERNEL}")) == {"TILE"}
