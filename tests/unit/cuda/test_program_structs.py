"""Structs that a file's kernels are passed and that another file of the program declares."""

from __future__ import annotations

from assistant.cuda.program_structs import with_structs_of
from assistant.cuda.struct_layouts import layout_named

KERNEL = "__global__ void k(const pt *p, float *out) { out[threadIdx.x] = p[threadIdx.x].x; }\n"
POINT = "struct pt { float x, y; };\n"


def size_of(name: str, text: str, *others: str) -> int | None:
    layout = layout_named(with_structs_of(text, others), name)
    return None if layout is None else layout.size_bytes


def test_a_struct_of_a_header_is_known() -> None:
    assert size_of("pt", KERNEL) is None
    assert size_of("pt", KERNEL, "int unrelated();\n", POINT) == 8


def test_a_struct_made_of_those_of_another_header_is_known() -> None:
    assert size_of("line", KERNEL, POINT, "struct line { pt from, to; };\n") == 16


def test_the_files_own_struct_is_the_one_that_it_means() -> None:
    assert size_of("pt", f"struct pt {{ double x, y, z; }};\n{KERNEL}", POINT) == 24
    assert size_of("pt", KERNEL, POINT, "struct pt { double x; };\n") == 8, "the first file that declares it"


def test_a_header_that_packs_its_structs_hides_no_others() -> None:
    packed = "#pragma pack(push, 1)\nstruct head { char kind; int size; };\n#pragma pack(pop)\n"
    assert size_of("pt", KERNEL, packed, POINT) == 8
    assert size_of("head", KERNEL, packed, POINT) is None


def test_a_template_of_a_header_is_known() -> None:
    assert size_of("view<float>", KERNEL, "template <typename T> struct view { T *at; int n; };\n") == 16
