"""Programs that a workspace's tables name, and what is said of tables that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.config import load_settings
from assistant.model.program import ProgramOrigin
from tests.unit.program.conftest import Project

_MAIN = "int main() {}"
_KERNEL = "__global__ void k() {}"


def _project(project: Project, table: str, name: str = "kernelopt.toml") -> Project:
    project.write(main_cu=f'#include "k.cuh"\n{_MAIN}', k_cuh=_KERNEL, src__a_cu=_KERNEL, src__b_cu="void b() {}", alone_cu=_KERNEL)
    project.put(name, table)
    return project


def test_a_table_says_all_that_there_is_to_say(project: Project) -> None:
    table = """
[program.demo]
sources = ["src/*.cu", "main.cu", "k.cuh"]
flags = "-O2 -I inc -DN=4"
args = "8 'two words'"
cwd = "src"
build = "make -j demo"
run = "./demo"
"""
    program = _project(project, table).one("src/a.cu")
    assert program.name == "demo"
    assert program.origin is ProgramOrigin.CONFIGURATION
    assert program.why == "[program.demo] in kernelopt.toml:2 has src/a.cu"
    assert [unit.name for unit in program.units] == ["main.cu", "a.cu", "b.cu"]
    assert program.flags == ("-O2", f"-I{project.root}/inc", "-DN=4")
    assert program.arguments == ("8", "two words")
    assert program.working_directory == project.root / "src"
    assert (program.build_command, program.run_command) == (("make", "-j", "demo"), ("./demo",))


def test_lists_are_taken_as_they_are(project: Project) -> None:
    program = _project(project, '[program.p]\nsources = ["main.cu"]\nflags = ["-DT=unsigned int"]\nargs = ["a b", ""]').one("main.cu")
    assert (program.flags, program.arguments) == (("-DT=unsigned int",), ("a b", ""))


def test_a_program_is_found_by_what_its_sources_include(project: Project) -> None:
    program = _project(project, '[program.p]\nsources = ["main.cu"]').one("k.cuh")
    assert program.why == "[program.p] in kernelopt.toml:1 has k.cuh among what its sources include"


def test_a_table_without_the_file_leaves_the_search_to_other_places(project: Project) -> None:
    search = _project(project, '[program.p]\nsources = ["alone.cu"]').find("k.cuh")
    assert search.found[0].origin is ProgramOrigin.INCLUDES
    assert search.looked_for[0] == "no [program.NAME] of kernelopt.toml has k.cuh, or includes it"


def test_the_nearest_file_with_tables_counts(project: Project) -> None:
    _project(project, '[program.outer]\nsources = ["src/a.cu"]')
    assert project.one("src/a.cu").name == "outer"
    project.put("src/kernelopt.toml", '[program.inner]\nsources = ["../main.cu", "a.cu"]')
    assert project.one("src/a.cu").name == "inner"
    project.put("src/kernelopt.toml", 'target = "a100"')
    assert project.one("src/a.cu").name == "outer"


def test_a_table_may_stand_in_pyproject(project: Project) -> None:
    table = '[tool.kernelopt.program.p]\nsources = ["main.cu"]'
    assert _project(project, table, "pyproject.toml").one("main.cu").why == "[program.p] in pyproject.toml:1 has main.cu"


@pytest.mark.parametrize("name", ["kernelopt.toml", "pyproject.toml"])
def test_the_settings_of_a_file_with_tables_are_read(project: Project, name: str) -> None:
    prefix = "tool.kernelopt." if name == "pyproject.toml" else ""
    project.put(name, f'[{prefix}run]\ntimeout_s = 3\n[{prefix}program.p]\nsources = ["main.cu"]\nnonsense = 4\n')
    loaded = load_settings(project.root)
    assert (loaded.settings.run.timeout_s, loaded.warnings) == (3, ())


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("[program.p]\nargs = []", "kernelopt.toml:1: [program.p] has no sources: write sources = "),
        ('[program.p]\nsource = ["a.cu"]', "kernelopt.toml:2: [program.p] has no key source: did you mean sources?"),
        ('[program.p]\nsources = ["main.cu"]\n\nzzz = 1', "kernelopt.toml:4: [program.p] has no key zzz: it may have sources, flags"),
        ('[program.p]\nsources = "main.cu"', "kernelopt.toml:2: sources of [program.p] must be a list of strings"),
        ('[program.p]\nsources = ["main.cu", 3]', "kernelopt.toml:2: sources of [program.p] must be a list of strings"),
        ("[program.p]\nsources = []", "kernelopt.toml:2: sources of [program.p] is empty"),
        ('[program.p]\nsources = ["main.cu"]\nargs = 3', "kernelopt.toml:3: args of [program.p] must be a string or a list of strings"),
        ('[program.p]\nsources = ["main.cu"]\ncwd = ["src"]', "kernelopt.toml:3: cwd of [program.p] must be a string"),
        ('[program.p]\nsources = ["main.cu"]\ncwd = "no"', "kernelopt.toml:3: cwd of [program.p] is no, and there is no such folder"),
        ('[program.p]\nsources = ["main.cu"]\nrun = ""', "kernelopt.toml:3: run of [program.p] is empty"),
        ('[program.p]\nsources = ["main.cu"]\nargs = "it\'s"', "kernelopt.toml:3: args of [program.p] has an open quote"),
        ('[program.p]\nsources = ["main.cu", "gone.cu"]', "kernelopt.toml:2: sources of [program.p] name gone.cu, and there is no such"),
        ('[program.p]\nsources = ["main.cu", "no/*.cu"]', "kernelopt.toml:2: no file matches no/*.cu in sources of [program.p]"),
        ('[program.p]\nsources = ["k.cuh"]', "kernelopt.toml:1: sources of [program.p] are headers only"),
        (
            '[program.p]\nsources = ["main.cu"]\nflags = "-Xcompiler=-wrapper,sh"',
            "kernelopt.toml:3: the flag -wrapper of [program.p] is not",
        ),
        ('[program.p]\nsources = ["main.cu"]\nflags = ["-DN=`id`"]', "kernelopt.toml:3: the flag -DN=`id` of [program.p] is not taken"),
        ("[program]\np = 4", "kernelopt.toml:2: program.p is no table: write [program.p]"),
        ("program = 4", "kernelopt.toml:1: program is no table: write [program.NAME]"),
        ("[program.p\nsources = 1", "kernelopt.toml is not valid TOML: "),
    ],
)
def test_a_table_that_cannot_be_used_is_said_with_its_place_and_a_remedy(project: Project, table: str, problem: str) -> None:
    search = _project(project, table).find("main.cu")
    assert search.problem.startswith(problem)
    assert search.found[0].origin is ProgramOrigin.INCLUDES


def test_two_mains_in_a_table_are_named(project: Project) -> None:
    _project(project, '[program.p]\nsources = ["main.cu", "other.cu"]').write(other_cu=_MAIN)
    search = project.find("main.cu")
    assert search.problem == "kernelopt.toml:1: main.cu and other.cu of [program.p] have a main() each: leave all but one out"


def test_a_command_that_starts_the_program_needs_no_main(project: Project) -> None:
    program = _project(project, '[program.p]\nsources = ["alone.cu"]\nrun = "python train.py"').one("alone.cu")
    assert program.run_command == ("python", "train.py")


def test_a_command_that_starts_programs_may_have_several_mains(project: Project) -> None:
    _project(project, '[program.p]\nsources = ["alone.cu", "main.cu", "other.cu"]\nrun = "make test"').write(other_cu=_MAIN)
    assert project.units("alone.cu") == [["main.cu", "alone.cu", "other.cu"]]


def test_one_broken_table_hides_no_other(project: Project) -> None:
    search = _project(project, '[program.bad]\nsources = ["gone.cu"]\n[program.good]\nsources = ["main.cu"]').find("main.cu")
    assert [program.name for program in search.found] == ["good"]
    assert search.problem.startswith("kernelopt.toml:2: sources of [program.bad] name gone.cu")


def test_unsaved_text_of_the_configuration_counts(project: Project) -> None:
    _project(project, "")
    project.unsaved[project.root / "kernelopt.toml"] = '[program.typed]\nsources = ["main.cu"]'
    assert project.one("main.cu").name == "typed"


def test_flags_of_a_table_find_its_includes_and_its_main(project: Project) -> None:
    project.write(src__m_cu="#include <k.cuh>\n#ifdef WITH_MAIN\nint main() {}\n#endif", inc__k_cuh=_KERNEL, a_cu=_KERNEL)
    project.put("kernelopt.toml", '[program.p]\nsources = ["a.cu", "src/m.cu"]\nflags = "-isystem inc -DWITH_MAIN"')
    assert project.units("inc/k.cuh") == [["src/m.cu", "a.cu"]]


def test_a_source_by_a_link_is_the_file_that_it_leads_to(project: Project, tmp_path: Path) -> None:
    _project(project, '[program.p]\nsources = ["linked.cu"]')
    (project.root / "linked.cu").symlink_to(project.root / "main.cu")
    assert project.one("main.cu").name == "p"
