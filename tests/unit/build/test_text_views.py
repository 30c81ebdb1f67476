"""Blanked host code, include closure, PTX by line, instruction classes."""

from __future__ import annotations

from pathlib import Path

from assistant.build.blank import blank_spans, host_includes, host_spans, name_expressions
from assistant.build.includes import include_closure
from assistant.build.mix import instruction_class
from assistant.cuda.functions import functions
from assistant.cuda.parse import parse
from assistant.cuda.syntax import SyntaxTree
from assistant.model.source import Source, Span

PROGRAM = """\
#include <vector>
#include "mine.h"
template <int P> __global__ void tr(float* a) { a[P] = 0; }
__device__ float twice(float x) { return 2 * x; }
__global__ void plain(float* a) { a[0] = twice(a[1]); }
int main() {
  std::vector<float> v;
  tr<0><<<1, 1>>>(0); tr<1><<<1, 1>>>(0); plain<<<1, 1>>>(0);
}
"""


def test_blanking_keeps_every_line_and_column() -> None:
    assert blank_spans("ab\ncd\nef", (Span(1, 4),)) == "a \n d\nef"


def test_overlapping_spans_are_blanked_once() -> None:
    assert blank_spans("abcdef", (Span(0, 4), Span(2, 3), Span(3, 5))) == "     f"


def test_host_functions_and_host_headers_are_what_is_blanked() -> None:
    parsed = parse(Source(Path("/p/k.cu"), PROGRAM))
    spans = tuple(f.span for f in functions(SyntaxTree(PROGRAM)))
    text = blank_spans(PROGRAM, (*host_includes(PROGRAM), *host_spans(parsed, spans)))
    assert "main" not in text
    assert "<vector>" not in text
    assert '#include "mine.h"' in text
    assert "twice(a[1])" in text
    assert text.count("\n") == PROGRAM.count("\n")


def test_macros_and_conditions_of_host_code_stay() -> None:
    text = PROGRAM.replace("  std::vector", "#define SCALE \\\n 2\n#ifdef A\n  int q;\n#endif\n  std::vector")
    spans = tuple(f.span for f in functions(SyntaxTree(text)))
    blank = blank_spans(text, host_spans(parse(Source(Path("/p/k.cu"), text)), spans))
    assert "#define SCALE \\\n 2\n#ifdef A\n" in blank and "\n#endif\n" in blank and "int q" not in blank and "std::vector" not in blank


def test_launch_sites_name_the_template_instances() -> None:
    assert name_expressions(parse(Source(Path("/p/k.cu"), PROGRAM))) == ("tr<0>", "tr<1>", "plain")


def test_the_closure_follows_quotes_and_folders_and_ends_at_cycles() -> None:
    files = {"/p/a.h": '#include <b.h>\n#include "k.cu"', "/inc/b.h": '#include "a.h"', "/p/k.cu": '#include "a.h"'}
    found = include_closure("/p/k.cu", files["/p/k.cu"], ("/inc",), files.get)
    assert set(found) == {"/p/a.h", "/inc/b.h", "/p/k.cu"}


def test_short_products_of_doubles_have_a_class_of_their_own() -> None:
    opcodes = ["DMMA.8x8x4", "DMMA.884", "DMMA.16x8x4", "DMMA.16x8x8", "DMMA.16x8x16", "HMMA.1688.F32"]
    assert [instruction_class(opcode) for opcode in opcodes] == ["double_tensor"] * 3 + ["tensor"] * 3


def test_each_unit_knows_its_opcodes() -> None:
    opcodes = ["FFMA", "DADD", "HFMA2.MMA", "HMMA.16816.F32", "F2F.F64.F32", "MUFU.RCP", "IMAD.WIDE", "IMAD.MOV.U32",
               "LDG.E.128", "BRA", "S2R"]  # fmt: skip
    assert [instruction_class(opcode) for opcode in opcodes] == [
        "fp32", "fp64", "half", "tensor", "conversion", "special", "integer", "other", "load_store", "control", "other",
    ]  # fmt: skip
