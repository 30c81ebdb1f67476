"""Which sources are compiled by themselves, through which one a header is, and where copies of them are found by includes."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.overlay import write_overlay
from assistant.build.units import is_c, is_unit, unit_of, unit_paths

KERNEL = "__global__ void k(float* x) { *x = 1; }\n"


@pytest.mark.parametrize(
    ("name", "expected"), [("a.cu", True), ("a.CU", True), ("a.cc", True), ("a.c", True), ("a.cuh", False), ("a.h", False), ("a", False)]
)
def test_a_name_says_whether_a_file_is_compiled_by_itself(name: str, expected: bool) -> None:
    assert is_unit(name) is expected


def test_a_unit_in_c_is_told_from_one_in_cpp() -> None:
    assert [is_c(name) for name in ("a.c", "a.C", "a.cc", "a.cu")] == [True, False, False, False]


def test_units_are_in_order_and_the_only_file_is_one_whatever_its_name() -> None:
    assert unit_paths((("/p/k.cuh", ""), ("/p/b.cu", ""), ("/p/a.cpp", ""))) == ("/p/b.cu", "/p/a.cpp")
    assert unit_paths((("/p/k.cuh", ""), ("/p/l.cuh", ""))) == ("/p/k.cuh",)


def test_a_header_is_compiled_through_the_first_unit_that_includes_it(tmp_path: Path) -> None:
    folder = tmp_path / "inc"
    folder.mkdir()
    (folder / "between.h").write_text('#include "k.cuh"\n')
    header = (str(folder / "k.cuh"), KERNEL)
    other, near, far = (
        (str(tmp_path / name), text)
        for name, text in (("o.cu", ""), ("n.cu", '#include "inc/k.cuh"\n'), ("f.cu", "#include <between.h>\n"))
    )
    assert unit_of((header, other, near, far), ()) == near[0]
    assert unit_of((header, other, far, near), ()) == near[0]
    assert unit_of((header, other, far, near), (f"-I{folder}",)) == far[0]
    assert unit_of((header, other), ()) == other[0]
    assert unit_of((near, header), ()) == near[0]
    assert unit_of((other, near, header), ()) == other[0]


def test_copies_lie_as_the_files_do_and_say_which_they_are(tmp_path: Path) -> None:
    sources = (("/p/inc/k.cuh", KERNEL), ("/p/src/a.cu", "\ufeffint a;\n"))
    overlay = write_overlay(sources, ("-O3", "-I/p/inc", "-I/elsewhere"), tmp_path, {"/p/src/a.cu": ("#define N 4\n", "int after;\n")})
    assert overlay.place("/p/src/a.cu") == tmp_path / "src" / "a.cu"
    assert overlay.place("/p/src/a.cu").read_text() == '#define N 4\n#line 1 "/p/src/a.cu"\nint a;\n\nint after;\n'
    assert overlay.place("/p/inc/k.cuh").read_text() == f'#line 1 "/p/inc/k.cuh"\n{KERNEL}\n'
    assert overlay.first == (f"-I{tmp_path / 'inc'}",)
    assert overlay.last == ("-I/p/inc", "-I/p/src")


def test_a_header_that_includes_a_replaced_one_is_copied_beside_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "inc").mkdir(parents=True)
    (project / "inc" / "all.h").write_text('#include "k.cuh"\n#include "plain.h"\n')
    (project / "inc" / "plain.h").write_text("int plain;\n")
    header, unit = (str(project / "inc" / "k.cuh"), KERNEL), (str(project / "a.cu"), '#include "inc/all.h"\n')
    overlay = write_overlay((header, unit), (), tmp_path / "copies")
    assert sorted(path.name for path in (tmp_path / "copies").rglob("*.*")) == ["a.cu", "all.h", "k.cuh"]
    assert overlay.place(str(project / "inc" / "all.h")).is_file()
    write_overlay((unit,), (), tmp_path / "unit alone")
    assert [path.name for path in (tmp_path / "unit alone").rglob("*.*")] == ["a.cu"]
