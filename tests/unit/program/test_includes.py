"""Programs that are found by includes and by the names that units share."""

from __future__ import annotations

import os

import pytest

from assistant.model.program import ProgramOrigin
from assistant.program import programs_of_folder, sources
from tests.unit.program.conftest import Project

_MAIN = "int main() { return 0; }"
_KERNEL = "__global__ void k() {}\n"


def test_a_unit_that_has_all_in_itself_is_the_program(project: Project) -> None:
    project.write(a_cu=_KERNEL + _MAIN, b_cu=_KERNEL + _MAIN)
    assert project.units("a.cu") == [["a.cu"]]
    assert project.one("a.cu").origin is ProgramOrigin.INCLUDES


def test_cutlass_is_not_read_where_the_workspace_does_not_hold_it(project: Project) -> None:
    installed = project.root.parent / "installed"
    (installed / "cutlass").mkdir(parents=True)
    (installed / "cutlass/gemm.h").write_text("#include <cutlass/more.h>\n")
    (installed / "own.h").write_text("")
    project.write(a_cu="#include <cutlass/gemm.h>\n#include <own.h>\n" + _KERNEL + _MAIN)
    assert project.units("a.cu", flags=(f"-I{installed}",)) == [["a.cu"]]
    assert installed / "own.h" in project.read_paths and installed / "cutlass/gemm.h" not in project.read_paths
    project.write(include__cutlass__gemm_h="")
    project.units("a.cu", flags=("-Iinclude",))
    assert project.root / "include/cutlass/gemm.h" in project.read_paths


def test_installed_headers_are_read_where_the_workspace_holds_them(project: Project) -> None:
    """PyTorch's are ten thousand, and include nothing of a project."""
    torch = project.root.parent / "installed/torch"
    torch.mkdir(parents=True)
    (torch / "extension.h").write_text("")
    project.write(
        a_cu="#include <torch/extension.h>\n#include <kernels.cuh>\n" + _MAIN, vendor__kernels_cuh=_KERNEL, b_cu=_KERNEL.replace("k", "b")
    )
    assert project.units("vendor/kernels.cuh", flags=(f"-isystem={torch.parent}", "-isystem=vendor")) == [["a.cu"]]
    assert torch / "extension.h" not in project.read_paths


def test_only_units_that_are_used_belong_to_it(project: Project) -> None:
    project.write(
        all_h="void one(); void two(); void three();",
        main_cu='#include "all.h"\nint main() { one(); }',
        one_cu='#include "all.h"\nvoid one() { two(); }',
        two_cu="void two() {}",
        three_cu="void three() {}",
    )
    assert project.units("two.cu") == [["main.cu", "one.cu", "two.cu"]]
    assert project.units("three.cu") == []


def test_units_that_use_each_other_belong_together(project: Project) -> None:
    project.write(main_cu="void a(); int main() { a(); }", a_cu="void b(); void a() { b(); }", b_cu="void a(); void b() { a(); }")
    assert project.units("b.cu") == [["main.cu", "a.cu", "b.cu"]]


@pytest.mark.parametrize(
    "definition", ["static void f() {}", "namespace { void f() {} }", "inline void f() {}", "namespace n { void f() {} }"]
)
def test_a_definition_of_a_units_own_does_not_link(project: Project, definition: str) -> None:
    project.write(main_cu=_KERNEL + "void f(); int main() { f(); }", f_cu=definition)
    assert project.units("main.cu") == [["main.cu"]]


def test_the_same_static_name_in_the_unit_itself_needs_no_other(project: Project) -> None:
    project.write(main_cu=_KERNEL + "static void f(); static void f() {} int main() { f(); }", f_cu="void f() {}")
    assert project.units("main.cu") == [["main.cu"]]


def test_the_nearest_definition_is_taken(project: Project) -> None:
    project.write(
        app__main_cu=_KERNEL + "void f(); int main() { f(); }",
        app__f_cu="void f() {}",
        old__f_cu="void f() {}",
        vendor__x__f_cu="void f() {}",
    )
    assert project.units("app/main.cu") == [["app/main.cu", "app/f.cu"]]
    (project.root / "app/f.cu").unlink()
    assert project.units("app/main.cu") == [["app/main.cu", "old/f.cu"]]


def test_a_unit_with_a_main_of_its_own_is_not_added(project: Project) -> None:
    project.write(main_cu=_KERNEL + "void f(); int main() { f(); }", other_cu=f"void f() {{}} {_MAIN}")
    assert project.units("main.cu") == [["main.cu"]]


def test_what_is_ambiguous_is_settled_by_a_unit_that_is_needed_anyway(project: Project) -> None:
    project.write(
        main_cu=_KERNEL + "void f(); void g(); int main() { f(); g(); }", a__a_cu="void f() {} void g() {}", b__b_cu="void f() {}"
    )
    assert project.units("main.cu") == [["main.cu", "a/a.cu"]]
    assert project.find("main.cu").problem == ""


def test_extern_variables_link(project: Project) -> None:
    project.write(
        v_h="extern __device__ int table[4];\nextern const float half;",
        main_cu='#include "v.h"\n__global__ void k(float *a) { a[0] = table[0] + half; }\nint main() {}',
        v_cu='#include "v.h"\n__device__ int table[4] = {1};\n',
        half_cu='#include "v.h"\nconst float half = 0.5f;',
        own_cu="const float half = 2.0f;",
    )
    assert project.units("v.h") == [["main.cu", "half.cu", "v.cu"]]


def test_programs_without_cuda_are_none(project: Project) -> None:
    project.write(main_cpp='#include "a.h"\n' + _MAIN, a_h="void f();")
    assert project.units("a.h") == []
    project.write(main_cpp='#include "a.h"\n#include "k.cuh"\n' + _MAIN, k_cuh=_KERNEL)
    assert project.units("a.h") == [["main.cpp"]]


def test_includes_look_next_to_the_includer_then_where_flags_say(project: Project) -> None:
    project.write(a__main_cu=f'#include "k.cuh"\n{_MAIN}', a__k_cuh=_KERNEL, inc__k_cuh=_KERNEL, b__main_cu=f"#include <k.cuh>\n{_MAIN}")
    assert project.units("a/k.cuh", flags=("-Iinc",)) == [["a/main.cu"]]
    assert project.units("inc/k.cuh", flags=("-I", "inc")) == [["b/main.cu"]]


@pytest.mark.parametrize(
    ("includer", "directive", "header", "folder"),
    [
        ("src/main.cu", '"kernels/k.cuh"', "kernels/k.cuh", ""),
        ("src/main.cu", '"lib/k.cuh"', "include/lib/k.cuh", "/include"),
        ("src/app/main.cu", "<lib/k.cuh>", "src/include/lib/k.cuh", "/src/include"),
        ("src/main.cu", '"k.cuh"', "other/deep/k.cuh", "/other/deep"),
    ],
)
def test_a_path_that_only_one_file_matches_is_that_file(project: Project, includer: str, directive: str, header: str, folder: str) -> None:
    project.put(includer, f"#include {directive}\n{_MAIN}")
    project.put(header, _KERNEL)
    assert project.one(header).flags == (f"-I{project.root}{folder}",)
    project.put(f"include/other/{header}", _KERNEL)
    project.put(f"elsewhere/{header}", _KERNEL)
    assert project.units(f"elsewhere/{header}") == []


def test_a_system_header_is_not_taken_for_a_file_of_the_project(project: Project) -> None:
    project.write(main_cu=f"#include <string.h>\n{_KERNEL}{_MAIN}", util__string_h="int x;")
    assert project.units("util/string.h") == []


@pytest.mark.parametrize("directive", ["<cooperative_groups/reduce.h>", "<thrust/sort.h>"])
def test_cudas_own_header_is_not_taken_for_a_copy_in_the_project(project: Project, directive: str) -> None:
    header = directive.strip("<>")
    project.write(main_cu=f"#include {directive}\n{_KERNEL}int main() {{ run(); }}", run_cu="void run() {}")
    project.put(f"stubs/include/{header}", "void run();")
    found = project.one("main.cu")
    assert (project.units("main.cu"), found.flags) == ([["main.cu"]], ())


def test_main_counts_in_an_included_file_and_under_the_conditions_of_its_unit(project: Project) -> None:
    project.write(
        run_inl="#ifndef NO_MAIN\nint main() { }\n#endif",
        a_cu=_KERNEL + '#include "run.inl"',
        b_cu='#define NO_MAIN\n#include "run.inl"\n' + _KERNEL,
    )
    assert project.units("run.inl") == [["a.cu"]]


def test_unsaved_text_counts(project: Project) -> None:
    project.write(main_cu=_MAIN, k_cuh=_KERNEL)
    assert project.units("k.cuh") == []
    project.unsaved[project.root / "main.cu"] = f'#include "k.cuh"\n{_MAIN}'
    assert project.units("k.cuh") == [["main.cu"]]


def test_a_change_is_seen_at_once(project: Project) -> None:
    project.write(main_cu=f'#include "k.cuh"\n{_MAIN}', k_cuh=_KERNEL)
    assert project.units("k.cuh") == [["main.cu"]]
    project.write(main_cu=_MAIN)
    assert project.units("k.cuh") == []


def test_a_file_that_is_reached_by_a_link_keeps_its_name(project: Project) -> None:
    project.write(main_cu=f'#include "k.cuh"\n{_MAIN}', k_cuh=_KERNEL)
    link = project.root.parent / "link"
    link.symlink_to(project.root)
    elsewhere = Project(link)
    assert elsewhere.one("k.cuh").units == (link / "main.cu",)
    assert elsewhere.one("main.cu").units == (link / "main.cu",)


def test_pipes_loops_and_unreadable_files_hide_nothing(project: Project) -> None:
    project.write(
        main_cu=f'#include "k.cuh"\n#include "pipe.h"\n#include "loop.h"\n{_MAIN}', k_cuh='#include "k.cuh"\n#include "main.cu"\n' + _KERNEL
    )
    os.mkfifo(project.root / "pipe.h")
    os.mkfifo(project.root / "pipe.cu")
    (project.root / "loop.h").symlink_to("loop.h")
    (project.root / "again").symlink_to(project.root)
    (project.root / "binary.cu").write_bytes(b"\0\xff" * 100)
    assert project.units("k.cuh") == [["main.cu"]]


def test_a_file_that_cannot_be_read_is_a_problem(project: Project) -> None:
    os.mkfifo(project.root / "pipe.cu")
    for name in ("gone.cu", "pipe.cu"):
        assert project.find(name).problem == f"{project.root / name} cannot be read: check the path"


def test_nothing_found_says_what_was_looked_for(project: Project) -> None:
    project.write(k_cuh=_KERNEL, a_cu=_KERNEL)
    search = project.find("k.cuh")
    assert (search.found, search.problem) == ((), "")
    assert search.looked_for == (
        f"no kernelopt.toml in {project.root} has a [program.NAME] table",
        "there is no compile_commands.json, neither at the root nor in build, out or cmake-build-*",
        f"none of 1 sources in {project.root} has main() and includes k.cuh, or uses what it defines",
    )


def test_no_more_than_the_nearest_files_are_read(project: Project) -> None:
    project.write(near__k_cuh=_KERNEL, near__main_cu='#include "k.cuh"\nvoid f();\nint main() { f(); }')
    for number in range(sources.MOST_FILES + 10):
        project.put(f"far/m{number // 100}/f{number}.cu", f"void f{number}() {{}}")
    search = project.find("near/k.cuh")
    assert [unit.name for unit in search.found[0].units] == ["main.cu"]
    assert len(set(project.read_paths)) <= sources.MOST_FILES
    assert "12 files further away were not read" in " ".join(project.find("far/m0/f0.cu").looked_for)


def test_of_a_folder_with_too_many_files_those_in_cuda_are_read_first(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_FILES", 4)
    project.write(a_cpp="int a;", b_cpp="int b;", c_h="int c;", k_cuh=_KERNEL, z_cu=f'#include "k.cuh"\n{_MAIN}')
    assert project.units("k.cuh") == [["z.cu"]]


def test_no_file_is_read_twice(project: Project) -> None:
    project.write(
        a_h="void f();",
        main_cu='#include "a.h"\nint main() { f(); }',
        f_cu='#include "a.h"\n' + _KERNEL + "void f() {}",
        g_cu='#include "a.h"',
    )
    assert project.units("f.cu") == [["main.cu", "f.cu"]]
    assert len(project.read_paths) == len(set(project.read_paths)) == 4


def test_the_programs_of_a_folder_are_those_with_a_unit_in_it(project: Project) -> None:
    project.write(a__main_cu="void f(); int main() { f(); }", lib__f_cu="void f() {}", b__main_cu=_KERNEL + _MAIN, c__none_cu=_KERNEL)

    def names(folder: str) -> list[str]:
        return [each.name for each in programs_of_folder(project.root / folder, project.read, project.root, ()).found]

    assert names(".") == ["a/main.cu", "b/main.cu"]
    assert names("lib") == ["a/main.cu"]
    assert names("c") == []


def test_an_extern_template_needs_the_unit_that_instantiates_it(project: Project) -> None:
    project.write(
        f_cuh="template <class T> __global__ void k(T *t) {}\ntemplate <class T> void f(T t) { k<<<1, 1>>>(&t); }",
        main_cu='#include "f.cuh"\nextern template void f<int>(int);\nint main() { f<int>(1); }',
        inst_cu='#include "f.cuh"\ntemplate void f<int>(int);',
    )
    assert project.units("inst.cu") == [["main.cu", "inst.cu"]]
    project.write(main_cu='#include "f.cuh"\nint main() { f<int>(1); }')
    assert project.units("f.cuh") == [["main.cu"]]


def test_files_outside_of_the_workspace_count_among_those_that_are_read(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    outside = Project(project.root.parent / "outside")
    outside.write(a_h='#include "b.h"', b_h='#include "c.h"', c_h="")
    project.write(main_cu=f"#include <a.h>\n{_KERNEL}{_MAIN}")
    monkeypatch.setattr(sources, "MOST_FILES", 3)
    assert project.units("main.cu", flags=(f"-I{outside.root}",)) == [["main.cu"]]
    assert [path.name for path in project.read_paths] == ["main.cu", "a.h", "b.h"]


def test_a_source_without_a_program_has_the_folders_that_its_includes_need(project: Project) -> None:
    project.write(lib__include__vec__ops_cuh="int ops;", src__a_cu="#include <vec/ops.cuh>\n__global__ void a() {}")
    search = project.find("src/a.cu")
    assert (search.found, search.flags) == ((), (f"-I{project.root}/lib/include",))
    assert project.find("src/a.cu", flags=(f"-I{project.root}/lib/include",)).flags == ()
