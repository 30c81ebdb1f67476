"""Compiler output becomes diagnostics at the user's own line and column."""

from __future__ import annotations

from assistant.build.diagnostics import parse_compiler, parse_gcc
from assistant.model.build import Diagnostic, DiagnosticSeverity

TEXT = """\
template<class T> struct A { T t; void f(){ t.x(); } };
__global__ void k(float*p){ int u; p[0]=q; }
int main(){ int y = "s"
}
"""
NVCC = """\
bad.cu(2): error: identifier "q" is undefined
  __attribute__((global)) void k(float*p){ int u; p[0]=q; }
                                                       ^

bad.cu(2): warning #177-D: variable "u" was declared but never referenced
  __attribute__((global)) void k(float*p){ int u; p[0]=q; }
                                               ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

bad.cu(1): error: expression must have class type but it has type "int"
  template<class T> struct A { T t; void f(){ t.x(); } };
                                              ^
          detected during instantiation of "void A<T>::f() [with T=int]" at line 2

bad.cu(3): error: expected a ";"
  int main(){ int y = "s"
                         ^

4 errors detected in the compilation of "bad.cu".
"""


def test_columns_are_those_of_the_users_text() -> None:
    found = parse_compiler(NVCC, {"bad.cu": TEXT}, "nvcc")
    assert [(d.line, d.column) for d in found] == [(2, 41), (2, 33), (1, 45), (3, 24)]


def test_a_file_may_have_parentheses_in_its_name() -> None:
    name = "/w/lab.ipynb.python-1(cuda).cu"
    found = parse_compiler(NVCC.replace("bad.cu(", f"{name}("), {name: TEXT}, "nvcc")
    assert [(d.file, d.line, d.column) for d in found] == [(name, 2, 41), (name, 2, 33), (name, 1, 45), (name, 3, 24)]


def test_a_column_counts_characters_where_the_compiler_counts_bytes() -> None:
    text = "void k(float *x)\n{\n    /* 😀 漢字 */ x[0] = missing_name; // 終\r\n}\n"
    line = text.splitlines()[2]
    told = f'k.cu(3): error: identifier "missing_name" is undefined\n  {line}\n{" " * 31}^\n'
    (found,) = parse_compiler(told, {"k.cu": text}, "nvrtc")
    assert found.column == line.index("missing_name") + 1


def test_a_deeply_indented_line_is_no_part_of_the_message() -> None:
    text = "void k(float *x)\n{\n            x[0] = q;\n}\n"
    told = f'k.cu(3): error: identifier "q" is undefined\n{" " * 14}x[0] = q;\n{" " * 21}^\n'
    (found,) = parse_compiler(told, {"k.cu": text}, "nvrtc")
    assert (found.message, found.column) == ('identifier "q" is undefined', 20)


def test_severity_and_number_are_kept() -> None:
    warning = parse_compiler(NVCC, {"bad.cu": TEXT}, "nvcc")[1]
    assert (warning.severity, warning.code, warning.compiler) == (DiagnosticSeverity.WARNING, "177", "nvcc")


def test_the_instantiation_stands_with_its_error() -> None:
    assert parse_compiler(NVCC, {"bad.cu": TEXT}, "nvcc")[2].message == (
        'expression must have class type but it has type "int"\ndetected during instantiation of "void A<T>::f() [with T=int]" at line 2'
    )


def test_without_the_text_a_column_is_unknown() -> None:
    assert parse_compiler(NVCC, {}, "nvcc")[0].column == 0


def test_a_missing_header_is_the_preprocessors_error() -> None:
    output = "k.cu:2:10: fatal error: nope.h: No such file or directory\n    2 | #include\ncompilation terminated.\n"
    assert parse_compiler(output, {}, "nvcc") == (
        Diagnostic("k.cu", 2, 10, DiagnosticSeverity.ERROR, "nope.h: No such file or directory", None, "g++"),
    )


def test_a_note_stands_with_the_message_it_explains() -> None:
    output = "a.cpp:3:5: error: no match\na.h:9:1: note: candidate is f(int)\n"
    (found,) = parse_gcc(output)
    assert found.message == "no match\na.h:9: note: candidate is f(int)"


def test_ptxas_errors_are_shown() -> None:
    output = "ptxas error   : Entry function '_Z1kv' uses too much shared data (0x20000 bytes, 0xc000 max)\n"
    (found,) = parse_compiler(output, {}, "nvcc")
    assert (found.compiler, found.severity) == ("ptxas", DiagnosticSeverity.ERROR)


def test_a_bad_flag_is_the_drivers_error() -> None:
    (found,) = parse_compiler("nvcc fatal   : Unknown option '-frobnicate'\n", {}, "nvcc")
    assert found.message == "Unknown option '-frobnicate'"


def test_a_compiler_without_a_word_said_nothing() -> None:
    assert parse_compiler("", {}, "nvrtc") == ()


def test_a_clean_compile_says_nothing() -> None:
    assert parse_compiler("ptxas info    : Used 4 registers\n", {}, "nvcc") == ()


def test_a_header_that_is_looked_at_alone_is_not_warned_of_for_being_one() -> None:
    output = "/p/k.cuh:1:9: warning: #pragma once in main file\n/p/k.cuh:2:1: error: 'x' does not name a type\n"
    assert [found.message for found in parse_gcc(output)] == ["'x' does not name a type"]
