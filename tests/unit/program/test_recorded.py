"""Programs of recorded builds: from the calls that were seen to the sources, their flags, and what has changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.build.compiler_calls import NotedCall, read_call
from assistant.model.program import ProgramOrigin
from assistant.program.build_files import build_hint, made_from, sources_taken
from assistant.program.build_record import BuildRecord, RecordedProgram, keep_record, read_records
from assistant.program.recorded_calls import linked_programs
from tests.unit.program.conftest import Project

_KERNEL = "__global__ void k() {}\n"


class Recorded:
    """A build of a project, told by its command lines."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.calls: list[NotedCall] = []
        self.digests: dict[str, str] = {}
        """Content by file; a file that no one names here has none."""
        self.generated: dict[str, str] = {}
        self.copies: list[tuple[str, str]] = []
        self.objects: dict[str, str] = {}
        """Of sources in C, as they are kept."""

    def run(self, *lines: str) -> Recorded:
        root = str(self.project.root)
        for line in lines:
            tool, *words = line.split()
            call = read_call(tool, tuple(words), root)
            named = (*(unit.object for unit in call.units), call.output, *call.inputs)
            digests = {file: self.digests[file] for file in named if file in self.digests}
            self.calls.append(NotedCall(tool, root, call, digests))
        return self

    def linked(self) -> tuple[RecordedProgram, ...]:
        return linked_programs(self.calls, self.copies, self.project.root, frozenset(self.generated), self.objects)[0]

    @property
    def notes(self) -> tuple[str, ...]:
        return linked_programs(self.calls, self.copies, self.project.root, frozenset(self.generated))[1]

    def units(self) -> list[tuple[str, list[str]]]:
        return [(program.name, [unit.source for unit in program.units]) for program in self.linked()]

    def keep(self, *command: str) -> Project:
        root, words = self.project.root, command or ("make",)
        files = made_from(root, words, root)
        sources, objects = sources_taken(root, words, files), tuple(self.objects.values())
        record = BuildRecord(words, ".", self.linked(), files, sources, tuple(self.generated), objects, self.notes)
        kept = root.parent / "kept"
        for name, text in (self.generated | dict.fromkeys(objects, "")).items():
            (kept / name).parent.mkdir(parents=True, exist_ok=True)
            (kept / name).write_text(text)
        keep_record(root, record, kept)
        return self.project


@pytest.fixture
def build(project: Project) -> Recorded:
    """Three units: ``main()`` uses ``f``, which two of them define."""
    project.write(main_cu="void f();\nint main() { f(); }", a_cu=_KERNEL + "void f() {}", b_cu=_KERNEL + "void f() {}", Makefile_="x")
    (project.root / "Makefile.").rename(project.root / "Makefile")
    return Recorded(project)


def test_objects_lead_back_to_their_sources(build: Recorded) -> None:
    build.run("nvcc -c main.cu -o o/main.o", "nvcc -c b.cu -o o/b.o", "g++ -o bin/app o/main.o o/b.o -lcudart")
    assert build.units() == [("bin/app", ["main.cu", "b.cu"])]
    program = build.keep().one("b.cu")
    assert (program.name, program.origin) == ("bin/app", ProgramOrigin.RECORDED_BUILD)
    assert [unit.name for unit in program.units] == ["main.cu", "b.cu"]
    assert program.why == "make links it"


def test_one_call_that_compiles_and_links(build: Recorded) -> None:
    assert build.run("nvcc -O3 main.cu a.cu -lm").units() == [("a.out", ["main.cu", "a.cu"])]


def test_an_object_made_twice_is_the_last_one_at_each_link(build: Recorded) -> None:
    build.run("nvcc -c a.cu -o x.o", "nvcc -o one main.cu x.o", "nvcc -c b.cu -o x.o", "nvcc -o two main.cu x.o")
    assert build.units() == [("one", ["main.cu", "a.cu"]), ("two", ["main.cu", "b.cu"])]


def test_static_and_shared_libraries_of_the_build_are_looked_into(build: Recorded) -> None:
    build.run("nvcc -c a.cu", "ar rcs lib/libf.a a.o", "nvcc -o one main.cu -Llib -lf")
    build.run("nvcc -shared -o lib/libg.so b.cu", "g++ -o two main.o -Llib -lg")
    assert build.units() == [("one", ["main.cu", "a.cu"]), ("two", ["b.cu"])]
    assert [unit.archive for unit in build.linked()[0].units] == ["", "lib/libf.a"]


def test_members_of_an_archive_are_replaced_by_name(build: Recorded) -> None:
    build.run("nvcc -c a.cu -o f.o", "ar rc libf.a f.o", "nvcc -c b.cu -o f.o", "ar r libf.a f.o", "nvcc -o app main.cu libf.a")
    assert build.units() == [("app", ["main.cu", "b.cu"])]


def test_a_device_link_and_a_partial_link_add_nothing_and_all(build: Recorded) -> None:
    build.run("nvcc -dc main.cu a.cu", "nvcc -dlink -o d.o main.o a.o", "ld -r -o all.o main.o a.o", "g++ -o app all.o d.o")
    assert build.units() == [("app", ["main.cu", "a.cu"])]


def test_what_was_moved_is_known_by_its_content(build: Recorded) -> None:
    root = build.project.root
    build.digests = {f"{root}/a.o": "1", f"{root}/moved/x.o": "1", f"{root}/app": "2"}
    build.run("nvcc -c a.cu", "nvcc -o app main.cu moved/x.o")
    build.copies.append((f"{root}/bin/app", f"{root}/app"))
    assert build.units() == [("app", ["main.cu", "a.cu"])]
    assert build.linked()[0].also == ("bin/app",)


def test_an_object_that_nobody_made_is_said(build: Recorded) -> None:
    build.run("nvcc -o app main.cu old/f.o")
    assert build.notes == ("app is linked from old/f.o, made by no compiler that was seen",)


def test_sources_that_are_gone_are_trials_of_a_configuration(build: Recorded) -> None:
    build.run("g++ conftest.cpp -o conftest", "nvcc /tmp/gone/test.cu -o /tmp/gone/test", "nvcc -o build/CMakeFiles/a.out main.cu")
    assert build.units() == []


def test_libraries_of_others_are_kept_in_order(build: Recorded, tmp_path: Path) -> None:
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "libq.a").touch()
    build.run(f"nvcc -o app main.cu a.cu -L{tmp_path}/z -lz {tmp_path}/z/libq.a -lcudart -lm -lcublas -L/not/there")
    assert build.linked()[0].libraries == (f"-L{tmp_path}/z", "-lz", f"{tmp_path}/z/libq.a", "-lcublas")
    assert build.keep().one("a.cu").libraries == (f"-L{tmp_path}/z", "-lz", f"{tmp_path}/z/libq.a", "-lcublas")


def test_flags_are_merged_and_those_that_differ_are_said(build: Recorded) -> None:
    build.run("nvcc -Iinc -O3 -DN=4 -DM -c main.cu", "nvcc -I inc -O3 -DN=8 -arch=sm_80 -c b.cu", "nvcc -o app main.o b.o")
    build.project.put("b.cu", _KERNEL + "int n = N;\nvoid f() {}")
    build.project.put("main.cu", "void f();\nint m = N;\nint main() { f(); }")
    search = build.keep().find("b.cu")
    assert search.found[0].flags == (f"-I{build.project.root}/inc", "-DM", "-O3")
    assert "the recorded build make compiles the units of one program with -DN=4 (main.cu) and -DN=8 (b.cu)" in search.problem


def test_folders_of_a_toolkit_and_flags_that_start_programs_are_left_out(build: Recorded, tmp_path: Path) -> None:
    (tmp_path / "cuda").mkdir()
    (tmp_path / "cuda" / "cuda_runtime_api.h").touch()
    build.run(f"nvcc -I{tmp_path}/cuda -I/not/there --keep -ccbin evil -DA=`id` -O2 main.cu a.cu -o app")
    assert build.keep().one("a.cu").flags == ("-O2",)


def test_of_an_archive_a_second_definition_is_left_out(build: Recorded) -> None:
    build.run("nvcc -c a.cu", "nvcc -c b.cu", "ar rc libf.a b.o a.o", "nvcc -o app main.cu libf.a")
    assert build.keep().units("main.cu") == [["main.cu", "b.cu"]]
    assert "no recorded build has a.cu in what it links" in build.project.find("a.cu").looked_for


def test_an_archive_is_taken_whole_where_texts_do_not_say_what_is_used(build: Recorded) -> None:
    build.project.put("c.cu", _KERNEL + "#define MAKE(x) void x##_all() {}\nMAKE(scale)")
    build.run("nvcc -c a.cu", "nvcc -c c.cu", "ar rc libf.a a.o c.o", "nvcc -o app main.cu libf.a")
    assert build.keep().units("main.cu") == [["main.cu", "a.cu", "c.cu"]]


def test_a_header_belongs_to_what_includes_it(build: Recorded) -> None:
    build.project.write(inc__k_cuh=_KERNEL, a_cu='#include "k.cuh"\nvoid f() {}')
    build.run("nvcc -Iinc main.cu a.cu -o app")
    assert build.keep().one("inc/k.cuh").why == "make links it: a.cu includes inc/k.cuh"
    assert build.project.find("b.cu").looked_for[1] == "no recorded build has b.cu in what it links"


def test_what_the_build_generated_lies_beside_the_record(build: Recorded) -> None:
    build.project.put("a.cu", '#include "table.h"\n#include "local.h"\nvoid f() {}')
    build.generated = {"out/table.h": _KERNEL, "local.h": "", "out/made.cu": _KERNEL}
    build.run("nvcc -Iout main.cu a.cu out/made.cu -o app")
    program = build.keep().one("a.cu")
    (folder,) = (build.project.root / ".kernelopt" / "builds").iterdir()
    assert program.units[-1] == folder / "out" / "made.cu"
    assert program.flags[:3] == (f"-I{build.project.root}/out", f"-I{folder}", f"-I{folder}/out")
    assert build.project.find(str(folder / "out" / "table.h")).found[0].name == "app"


def test_another_command_adds_and_the_same_replaces(build: Recorded) -> None:
    build.run("nvcc -o app main.cu a.cu").keep("make")
    other = Recorded(build.project).run("nvcc -o bench main.cu b.cu")
    other.keep("make", "bench")
    assert [program.name for program in build.project.find("main.cu").found] == ["bench", "app"]
    Recorded(build.project).run("nvcc -o app main.cu b.cu").keep("make")
    assert [record.command for record in read_records(build.project.root).records] == [("make",), ("make", "bench")]
    assert build.project.units("main.cu") == [["main.cu", "b.cu"]] * 2


def test_a_changed_build_file_is_said(build: Recorded) -> None:
    build.project.put("rules.mk", "x: gen.sh").with_name("gen.sh").write_text("#")
    build.run("nvcc -o app main.cu a.cu").keep("make", "app")
    assert build.project.find("a.cu").problem == ""
    build.project.put("gen.sh", "# changed")
    build.project.put("Makefile", "CHANGED = 1")
    problem = build.project.find("a.cu").problem
    assert problem == ("Makefile and gen.sh changed since make app was recorded: kernelopt program --record 'make app' records it again")


def test_a_source_that_is_gone_is_said(build: Recorded) -> None:
    build.run("nvcc -o app main.cu a.cu").keep()
    (build.project.root / "a.cu").unlink()
    assert "a.cu of the recorded build make is not there any more" in build.project.find("main.cu").problem


def test_a_new_source_is_said_where_the_build_takes_what_it_finds(build: Recorded) -> None:
    build.run("nvcc -o app main.cu a.cu").keep()
    build.project.put("new.cu", "")
    assert build.project.find("main.cu").problem == ""
    build.project.put("Makefile", "app: $(wildcard *.cu)")
    build.keep()
    assert build.project.find("main.cu").problem == ""
    build.project.put("newer.cu", "")
    build.project.put("elsewhere/newer.cu", "")
    assert build.project.find("main.cu").problem.startswith("newer.cu came since make was recorded, which takes what it finds: ")


def test_a_source_in_c_of_which_no_object_was_kept_is_compiled(build: Recorded) -> None:
    build.project.put("util.c", "int util;")
    build.run("gcc -c util.c", "nvcc -o app main.cu a.cu util.o").keep()
    assert [unit.name for unit in build.project.one("a.cu").units] == ["main.cu", "a.cu", "util.c"]


def test_the_object_of_a_source_in_c_is_linked_as_it_is(build: Recorded) -> None:
    build.project.put("util.c", "int util;")
    build.objects = {f"{build.project.root}/util.o": "objects/0-util.o"}
    build.run("gcc -c util.c", "nvcc -o app main.cu a.cu util.o -lz").keep()
    (folder,) = (build.project.root / ".kernelopt" / "builds").iterdir()
    program = build.project.one("a.cu")
    assert program.libraries == (f"{folder}/objects/0-util.o", "-lz")
    assert [unit.name for unit in program.units] == ["main.cu", "a.cu"]
    assert build.project.find("a.cu").problem == ""


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"command": "make"}]', "[" * 100_000])
def test_a_damaged_record_is_said_and_the_search_goes_on(build: Recorded, text: str) -> None:
    build.run("nvcc -o app main.cu a.cu").keep()
    build.project.put(".kernelopt/builds.json", text)
    search = build.project.find("a.cu")
    assert all(program.origin is ProgramOrigin.INCLUDES for program in search.found)
    assert ".kernelopt/builds.json cannot be used" in search.problem


def test_a_record_marks_a_workspace(build: Recorded) -> None:
    from assistant.config import find_workspace

    inner = build.project.put("src/x.cu", "")
    assert find_workspace(inner) == inner.parent
    build.run("nvcc -o app main.cu a.cu").keep()
    assert find_workspace(inner) == build.project.root


@pytest.mark.parametrize("place", ["", "part/"])
def test_a_project_of_cmake_is_asked_before_a_makefile_until_it_was(project: Project, place: str) -> None:
    project.put("Makefile", "")
    project.put(f"{place}CMakeLists.txt", "project(p)")
    file = project.put("part/src/a.cu", "")
    assert f"kernelopt program {file} --configure has CMake list what it builds" in build_hint(project.root, file)
    project.put(".kernelopt/cmake/top/CMakeCache.txt", "")
    assert "--record" in build_hint(project.root, file)


@pytest.mark.parametrize(
    ("file", "command"), [("Makefile", "make"), ("build.ninja", "ninja"), ("build/Makefile", "make -C build"), ("build.sh", "sh build.sh")]
)
def test_a_build_that_could_be_recorded_is_named(project: Project, file: str, command: str) -> None:
    assert build_hint(project.root, None) == ""
    project.put(file, "")
    assert f'kernelopt program /p/a.cu --record "{command}"' in build_hint(project.root, Path("/p/a.cu"))
    project.put("build/CMakeCache.txt", "")
    assert bool(build_hint(project.root, None)) == (not file.startswith("build/"))
