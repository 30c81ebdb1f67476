"""A program of several files: whose kernels are asked about, which file is in question, what differs between two programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.engine.compared_files import Sides, sides_of
from assistant.engine.evaluate.evaluating import without_workload
from assistant.engine.programs import answer_key, others_sha256
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion, with_text, with_texts
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.program import STANDS_ALONE, FoundProgram, ProgramOrigin
from assistant.program import choose_program
from tests.changes import own
from tests.unit.engine.commands import HOST, SCALE, Commands

FILES = {
    "k.cuh": '#pragma once\n#include "plain.h"\ntemplate <typename T> __global__ void first(T* x) { *x = 1; }\n',
    "plain.h": "#pragma once\nint plain();\n",
    "b.cu": "__global__ void second(float* x) { *x = 2; }\nvoid run(float* x) { second<<<1, 1>>>(x); }\n",
    "main.cu": '#include "k.cuh"\nvoid run(float*);\nint main() { float* x; first<float><<<1, 1>>>(x); run(x); }\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def read(folder: Path, file: str, *others: str, **more: Any) -> SourceVersion:
    """With the named sources; where none is named, the file alone."""
    return found(folder, file, *others, **({} if others else {"programs": STANDS_ALONE}), **more)


def found(folder: Path, file: str, *others: str, **more: Any) -> SourceVersion:
    """With the sources that are found."""
    return read_version(JobRequest(folder / file, folder, extra_sources=tuple(folder / name for name in others), **more), Flags())


def names(version: SourceVersion) -> list[str]:
    return [kernel.name for kernel in version.kernels]


def test_a_file_with_main_asks_about_all_kernels_and_others_about_their_own(folder: Path) -> None:
    assert names(read(folder, "main.cu", "b.cu")) == ["second", "first"]
    assert names(read(folder, "b.cu", "main.cu")) == ["second"]
    assert names(read(folder, "k.cuh", "main.cu", "b.cu")) == ["first"]
    assert names(read(folder, "k.cuh", "main.cu", "b.cu", kernel="second")) == ["second"]
    with pytest.raises(UsageError, match=r"^.*holds no __global__ function"):
        read(folder, "main.cu", "b.cu", programs=STANDS_ALONE)
    with pytest.raises(UsageError, match=r"^.*has no kernel 'third'"):
        read(folder, "main.cu", "b.cu", kernel="third")


def test_any_file_may_have_main(folder: Path) -> None:
    assert read(folder, "b.cu", "main.cu").has_main
    assert not read(folder, "b.cu").has_main
    assert read(folder, "b.cu", run_command=("./bench",)).has_main


def test_the_program_holds_units_and_headers_with_kernels(folder: Path) -> None:
    version = read(folder, "main.cu", "b.cu")
    assert [source.path.name for source in version.program.sources] == ["main.cu", "b.cu", "k.cuh"]
    edited = read(folder, "main.cu", texts=((folder / "plain.h", "int plain(int);\n"),), needs_kernels=False)
    assert [source.path.name for source in edited.program.sources] == ["main.cu", "k.cuh", "plain.h"]


def test_the_structs_of_a_header_without_kernels_are_known_and_stay_so_in_every_version(folder: Path) -> None:
    (folder / "plain.h").write_text("#pragma once\nstruct pair { float a, b; };\n")
    version = read(folder, "main.cu", "b.cu")
    assert [file.source.path.name for file in version.others] == ["b.cu", "k.cuh"]
    (kernel,) = (kernel for kernel in version.kernels if kernel.name == "second")
    for each in (version, version.about(kernel), with_text(version, f"{version.source.text}\n")):
        assert each.struct_text.startswith(each.source.text) and "struct pair" in each.struct_text


def test_an_instance_is_known_in_whichever_file_its_kernel_stands(folder: Path) -> None:
    version = read(folder, "main.cu", "b.cu")
    found = [version.kernel_of(instance) for instance in ("void first<float>(float*)", "second(float*)", "third(float*)")]
    assert [kernel and kernel.name for kernel in found] == ["first", "second", None]


def test_a_kernels_own_file_comes_into_question(folder: Path) -> None:
    version = read(folder, "main.cu", "b.cu")
    second, first = version.kernels
    about = version.about(first)
    assert (about.source.path.name, names(about)) == ("k.cuh", ["first"])
    assert [source.path.name for source in about.program.sources] == ["k.cuh", "main.cu", "b.cu"]
    assert [file.source.path.name for file in about.others] == ["main.cu", "b.cu"]
    assert about.has_main
    assert [(path.name, site.line) for path, site in about.launch_sites_of(first)] == [("main.cu", 3)]
    assert version.about(second).source.path.name == "b.cu"
    own = read(folder, "b.cu", "main.cu")
    assert own.about(own.kernels[0]) is own


def test_an_edit_of_another_file_stays_while_the_file_in_question_is_edited(folder: Path) -> None:
    version = read(folder, "main.cu", "b.cu")
    second, first = version.kernels
    edited = with_text(version.about(second), FILES["b.cu"].replace("= 2", "= 3"))
    both = with_texts(version.about(first), (edited.source, *own(version.about(first), FILES["k.cuh"].replace("= 1", "= 4"))))
    texts = {source.path.name: source.text for source in both.program.sources}
    assert ("= 3" in texts["b.cu"], "= 4" in texts["k.cuh"], texts["main.cu"]) == (True, True, FILES["main.cu"])
    assert [file.source.text for file in both.others] == [FILES["main.cu"], edited.source.text]
    assert names(both) == ["first"]


@pytest.fixture
def copy(folder: Path) -> Path:
    """The whole project in another folder."""
    other = folder / "copy"
    other.mkdir()
    for name, text in FILES.items():
        (other / name).write_text(text)
    for place in (folder, other):
        (place / "kernelopt.toml").touch()
    return other


def sides(folder: Path, copy: Path, file: str = "main.cu") -> Sides:
    request = JobRequest(folder / file, folder)
    return sides_of(request, read_version(request, Flags()), copy / file)


def test_of_a_copy_that_differs_in_one_file_that_one_is_compared(folder: Path, copy: Path) -> None:
    (copy / "main.cu").write_text(FILES["main.cu"] + "// edited\n")
    assert (sides(folder, copy).b.source.path, sides(folder, copy).note) == (copy / "main.cu", "")


@pytest.mark.parametrize("file", ["main.cu", "b.cu"])
def test_of_a_copy_that_differs_in_several_files_all_are_judged_in_the_originals_places(folder: Path, copy: Path, file: str) -> None:
    edited = {"k.cuh": FILES["k.cuh"].replace("= 1", "= 4"), "plain.h": "#pragma once\nint plain(int);\n"}
    for name, text in edited.items():
        (copy / name).write_text(text)
    found = sides(folder, copy, file)
    assert "k.cuh" in found.note and "plain.h" in found.note
    old, new = ({source.path: source.text for source in side.sources} for side in (found.a, found.b))
    assert {path.name: text for path, text in new.items() if old[path] != text} == edited
    assert all(path.parent == folder for path in new) and set(names(found.a)) == {"first", "second"}


def test_programs_of_different_files_are_not_compared(folder: Path, copy: Path) -> None:
    (copy / "b.cu").unlink()
    (copy / "main.cu").write_text('#include "k.cuh"\nint main() { float* x; first<float><<<1, 1>>>(x); }\n')
    with pytest.raises(CannotAnswerError, match=r"^.*different files \(b\.cu\)"):
        sides(folder, copy)


def test_a_copy_without_a_header_that_has_no_kernels_is_a_program_of_its_own(folder: Path, copy: Path) -> None:
    (copy / "plain.h").unlink()
    found = sides(folder, copy)
    assert (found.b.source.path, found.note) == (copy / "main.cu", "")
    (copy / "b.cu").write_text(FILES["b.cu"].replace("= 2", "= 3"))
    with pytest.raises(CannotAnswerError, match=r"^.*different files \(plain\.h\)"):
        sides(folder, copy)


def test_a_unit_that_only_the_copy_has_is_named(folder: Path, copy: Path) -> None:
    (copy / "c.cu").write_text("void third() {}\n")
    (copy / "main.cu").write_text(FILES["main.cu"].replace("int main", "void third();\nint main").replace("{ ", "{ third(); ", 1))
    with pytest.raises(CannotAnswerError, match=r"^.*different files \(c\.cu\)"):
        sides(folder, copy)


@pytest.mark.parametrize("file", ["k.cuh", "b.cu", "main.cu"])
def test_the_rest_of_a_program_is_found_from_any_of_its_files(folder: Path, file: str) -> None:
    version = found(folder, file)
    assert version.found is not None and version.found.name == "main.cu"
    assert {source.path.name for source in version.program.sources} == {"main.cu", "b.cu", "k.cuh"}
    assert version.source.path.name == file
    assert with_text(version, version.source.text + "\n").found == version.found


def test_of_several_programs_one_must_be_chosen(folder: Path) -> None:
    (folder / "bench.cu").write_text(FILES["main.cu"])
    with pytest.raises(CannotAnswerError, match=r"^k\.cuh is part of 2 programs \(bench\.cu, main\.cu\)"):
        found(folder, "k.cuh")
    choose_program(folder / "k.cuh", folder, "bench.cu")
    version = found(folder, "k.cuh")
    assert version.found is not None and version.found.units[0].name == "bench.cu"
    assert found(folder, "k.cuh", "main.cu", "b.cu").found is not None


def test_a_table_gives_arguments_folder_and_flags(folder: Path) -> None:
    (folder / "kernelopt.toml").write_text('[program.demo]\nsources = ["main.cu", "b.cu"]\nargs = ["3"]\nflags = "-DN=4"\ncwd = "data"\n')
    (folder / "data").mkdir()
    program = found(folder, "k.cuh").program
    assert (program.arguments, program.working_directory, program.flags.arguments) == (("3",), folder / "data", ("-DN=4",))
    assert found(folder, "k.cuh", arguments=("5",)).program.arguments == ("5",)
    assert found(folder, "k.cuh", run_command=("./bench",)).found is None


@pytest.mark.parametrize(("given", "flags"), [(DEFAULT_FLAGS, ("-O2",)), (Flags(("-O3",), "command line"), ("-O2", "-O3"))])
def test_the_default_optimization_gives_way_to_the_programs_own(folder: Path, given: Flags, flags: tuple[str, ...]) -> None:
    (folder / "kernelopt.toml").write_text('[program.demo]\nsources = ["main.cu", "b.cu"]\nflags = "-O2"\n')
    assert read_version(JobRequest(folder / "k.cuh", folder), given).program.flags.arguments == flags


def test_a_declared_workload_needs_no_program(folder: Path) -> None:
    block = '/* kernelopt\n[workload.k]\nargs = { x = "randn(n)" }\ngrid = [1]\nblock = [32]\nshapes = [{ n = 32 }]\n*/\n'
    (folder / "b.cu").write_text(block.replace("workload.k", "workload.second") + FILES["b.cu"])
    assert found(folder, "b.cu").found is None


def test_two_mains_on_the_command_line_are_refused(folder: Path) -> None:
    (folder / "bench.cu").write_text(FILES["main.cu"])
    with pytest.raises(CannotAnswerError, match=r"^main"):
        found(folder, "main.cu", "bench.cu")


def test_what_is_unclear_about_a_program_is_kept_with_it(folder: Path) -> None:
    (folder / "one").mkdir()
    (folder / "two").mkdir()
    for name in ("one", "two"):
        (folder / name / "b.cu").write_text(FILES["b.cu"])
    (folder / "b.cu").unlink()
    program = found(folder, "main.cu").found
    assert program is not None
    assert [unit.name for unit in program.units] == ["main.cu"]
    assert all(word in program.unclear for word in ("run", "one/b.cu", "two/b.cu"))


def test_kernels_of_one_name_in_several_files_are_known(folder: Path) -> None:
    (folder / "b.cu").write_text("static __global__ void first(float* x) {}\n" + FILES["b.cu"])
    (folder / "k.cuh").write_text('#pragma once\n#include "plain.h"\nstatic __global__ void first(float* x) { *x = 1; }\n')
    (folder / "main.cu").write_text(FILES["main.cu"].replace("first<float>", "first"))
    version = found(folder, "main.cu")
    assert version.untold_kernels == ()
    assert replace(version, program=replace(version.program, run_command=("./app",))).untold_kernels == ("first",)
    assert [kernel.key for kernel in version.kernels if kernel.name == "first"] == ["b.cu:first(float *)", "k.cuh:first(float *)"]
    own, of_header = (kernel for kernel in version.kernels if kernel.name == "first")
    assert version.kernel_of("b.cu:first(float*)") == own
    assert version.launch_sites_of(own) == ()
    assert [path.name for path, _ in version.launch_sites_of(of_header)] == ["main.cu"]
    assert [kernel.key for kernel in found(folder, "main.cu", kernel="b.cu:first").kernels] == ["b.cu:first(float *)"]


def test_python_is_not_read_as_cuda(folder: Path) -> None:
    (folder / "train.py").write_text("print(1)\n")
    with pytest.raises(UsageError, match=r"^train\.py is no CUDA"):
        found(folder, "train.py")


@pytest.mark.parametrize("origin", list(ProgramOrigin))
def test_where_nothing_runs_a_file_the_reason_is_named(folder: Path, origin: ProgramOrigin) -> None:
    bare = read(folder, "b.cu")
    program = FoundProgram("ext.cu", (folder / "b.cu",), origin, "", extension="ext", unclear="run it by Python")
    failure = without_workload(replace(bare, found=program))
    assert failure.kind == "no_workload"
    assert ("is part of the PyTorch extension ext, and nothing starts it" in failure.message) is (origin is ProgramOrigin.EXTENSION)
    assert failure.remedy.startswith("run it by Python; or" if origin is ProgramOrigin.EXTENSION else "kernelopt init ")


@pytest.mark.parametrize(("count", "more"), [(2, ""), (20, ""), (21, " and 1 more"), (25, " and 5 more")])
async def test_the_first_twenty_sources_of_a_program_are_named(tmp_path: Path, count: int, more: str) -> None:
    (tmp_path / ".git").mkdir()
    others = tuple(tmp_path / f"part{number:02}.cu" for number in range(1, count))
    for path in others:
        path.write_text(f"void {path.stem}() {{}}\n")
    on = Commands(tmp_path)
    await on.hear(on.session.inspect(on.request(SCALE + HOST, extra_sources=others)))
    (told,) = (words for words in on.said if words.startswith("sources of the program: "))
    shown = ["a.cu", *(path.name for path in others)][:20]
    assert told == f"sources of the program: {', '.join(shown)}{more}"


def test_an_answer_is_kept_by_all_files_of_its_program_and_how_they_are_built(folder: Path) -> None:
    main = folder / "main.cu"

    def key(program: FoundProgram | None, **edited: str) -> str:
        request = JobRequest(main, folder, texts=tuple((folder / name.replace("_", "."), text) for name, text in edited.items()))
        return others_sha256(request, program)

    alone = FoundProgram("main.cu", (main,), ProgramOrigin.INCLUDES, "")
    assert key(None) == key(alone) == key(alone, main_cu="int x;") == "", "the file's own text says all"
    both = replace(alone, units=(main, folder / "b.cu"))
    known = key(both)
    assert known and key(both, main_cu="int x;") == known, "its own text is the other half of the key"
    others = (key(replace(both, flags=("-O3",))), key(replace(both, arguments=("3",))), key(replace(both, working_directory=folder)))
    assert len({known, key(both, b_cu="int x;"), *others}) == 5
    assert (answer_key("a", ""), answer_key("a", known)) == ("a", f"a+{known}")
