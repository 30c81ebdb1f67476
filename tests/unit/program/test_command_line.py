"""Sources that a command line names are one program."""

from __future__ import annotations

from assistant.model.program import ProgramOrigin
from tests.unit.program.conftest import Project

_MAIN = "int main() {}"
_KERNEL = "__global__ void k() {}"


def test_the_unit_with_main_comes_first_wherever_it_is_named(project: Project) -> None:
    project.write(a_cu=_KERNEL, b_cpp=_MAIN, c_cu="void c() {}")
    assert project.units("a.cu", "c.cu", "b.cpp") == [["b.cpp", "a.cu", "c.cu"]]
    assert project.units("b.cpp", "c.cu", "a.cu") == [["b.cpp", "c.cu", "a.cu"]]
    program = project.one("a.cu", "b.cpp", "c.cu")
    assert (program.name, program.origin) == ("b.cpp", ProgramOrigin.COMMAND_LINE)
    assert program.why == "the command line names a.cu, b.cpp and c.cu"


def test_a_header_is_no_unit(project: Project) -> None:
    project.write(k_cuh=_KERNEL, main_cu='#include "k.cuh"\n' + _MAIN)
    assert project.units("k.cuh", "main.cu") == [["main.cu"]]


def test_it_wins_over_all_else_and_names_each_file_once(project: Project) -> None:
    project.write(a_cu=_KERNEL, main_cu=_MAIN, kernelopt_toml='[program.p]\nsources = ["a.cu"]\n')
    assert project.units("a.cu", "main.cu", "a.cu") == [["main.cu", "a.cu"]]


def test_two_mains_are_named(project: Project) -> None:
    project.write(a_cu=_MAIN, b_cu=_MAIN, c_cu=_KERNEL)
    search = project.find("c.cu", "b.cu", "a.cu")
    assert (search.found, search.problem) == ((), "b.cu and a.cu have a main() each: name the sources of one program")


def test_without_main_the_units_stay_as_they_are_named(project: Project) -> None:
    project.write(a_cu=_KERNEL, b_cu="void b() {}")
    assert project.units("b.cu", "a.cu") == [["b.cu", "a.cu"]]


def test_a_file_that_is_not_there_is_named(project: Project) -> None:
    project.write(a_cu=_MAIN)
    search = project.find("a.cu", "gone.cu")
    assert (search.found, search.problem) == ((), "gone.cu cannot be read: check the path on the command line")


def test_headers_alone_are_no_program(project: Project) -> None:
    project.write(a_cuh=_KERNEL, b_h="")
    search = project.find("a.cuh", "b.h")
    assert (search.found, search.problem) == ((), "a.cuh and b.h are headers: name the source that includes them, too")
    assert project.find("a.cuh", "a.cuh").problem == "a.cuh is a header: name the source that includes it, too"


def test_files_that_are_named_by_links_keep_their_names(project: Project) -> None:
    project.write(a_cu=_KERNEL, main_cu=_MAIN)
    link = project.root.parent / "link"
    link.symlink_to(project.root)
    elsewhere = Project(link)
    elsewhere.unsaved[link / "main.cu"] = "int x;"
    elsewhere.unsaved[link / "a.cu"] = _MAIN
    assert elsewhere.one("main.cu", "a.cu").units == (link / "a.cu", link / "main.cu")
