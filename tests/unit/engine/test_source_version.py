"""Which file is read, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import SourceVersion, as_candidate, candidate_of, holder_of, read_source, with_text, with_texts
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.model.workload import LiveWorkload
from assistant.workload.blocks import sidecar_path
from tests.changes import own

TURN = "__global__ void turn(float *x) { x[threadIdx.x] = 1; }\n"


def refusal(path: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_source(path)
    return caught.value


def test_a_text_inside_another_file_is_not_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "train.ipynb").touch()
    (tmp_path / "notes").touch()
    assert refusal(tmp_path / "train.ipynb.halve.cu").message == "train.ipynb.halve.cu is a text inside train.ipynb"
    assert refusal(tmp_path / "train.py.halve.cu").message == "train.py holds no CUDA text that is called train.py.halve.cu"
    for name in ("train.py.cu", "other.py.halve.cu", "notes.halve.cu", "halve.cu"):
        assert "does not exist" in refusal(tmp_path / name).message


def test_the_holder_is_a_python_file_or_a_notebook_that_exists(tmp_path: Path) -> None:
    for name in ("a.ipynb", "b.c.py"):
        (tmp_path / name).touch()
        assert holder_of(tmp_path / f"{name}.k-2.cu") == tmp_path / name
    assert holder_of(tmp_path / "a.ipynb") is None


def test_a_candidate_is_built_with_the_flags_of_what_it_is_a_candidate_for(tmp_path: Path) -> None:
    block = '/* kernelopt\n[workload.k]\nargs = { x = "randn(n)" }\ngrid = [1]\nblock = [32]\nshapes = [{ n = 32 }]\nflags = ["FLAG"]\n*/\n'
    kernel = "__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n"
    source = tmp_path / "k.cu"
    source.write_text(block.replace("FLAG", "-DN=1") + kernel)
    original = read_version(JobRequest(source, tmp_path), Flags(("-O3",), "default"))
    candidate = candidate_of(original, own(original, block.replace("FLAG", "-DN=2") + kernel))
    assert candidate.program.flags == original.program.flags == Flags(("-O3", "-DN=1"), "default")
    assert candidate.program.is_candidate


def test_flags_that_start_programs_are_not_even_compiled_with(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n")
    with pytest.raises(CannotAnswerError, match=r"^.*-wrapper.*kernelopt\.toml"):
        read_version(JobRequest(source, tmp_path), Flags(("-Xcompiler=-wrapper,./x.sh",), "kernelopt.toml"))


@pytest.mark.parametrize(("text", "what"), [("int main() {}\n", "holds no __global__ function"), ("\n", "is empty")])
def test_a_source_without_kernels_is_refused_unless_only_its_text_is_shown(tmp_path: Path, text: str, what: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(text)
    with pytest.raises(UsageError, match=what):
        read_version(JobRequest(source, tmp_path), Flags())
    assert read_version(JobRequest(source, tmp_path, needs_kernels=False), Flags()).kernels == ()


def read(tmp_path: Path, text: str, **more: object) -> SourceVersion:
    (tmp_path / "k.cu").write_text(text)
    return read_version(JobRequest(tmp_path / "k.cu", tmp_path, **more), Flags())  # type: ignore[arg-type]


MANY = "".join(f"__global__ void k{index}(float *x) {{}}\n" for index in range(14))


def test_a_selector_chooses_kernels_and_one_that_fits_none_is_answered_with_what_there_is(tmp_path: Path) -> None:
    assert [kernel.name for kernel in read(tmp_path, MANY, kernel="k3").kernels] == ["k3"]
    assert len(read(tmp_path, MANY).kernels) == 14
    with pytest.raises(UsageError) as caught:
        read(tmp_path, MANY, kernel="other")
    assert caught.value.message.endswith("has no kernel 'other'")
    assert caught.value.remedy is not None and caught.value.remedy.startswith("it has: k0(float *), k1(")
    assert caught.value.remedy.count("(") == 12


def test_what_is_no_readable_text_is_refused(tmp_path: Path) -> None:
    folder, binary, latin = tmp_path / "folder", tmp_path / "a.cu", tmp_path / "b.cu"
    folder.mkdir()
    binary.write_bytes(b"int x;\0")
    latin.write_bytes(b"// caf\xe9\n")
    assert refusal(folder).remedy == "name a .cu file, or use: kernelopt watch DIR"
    assert refusal(binary).message.endswith("is not a text file (it holds NUL bytes)")
    assert read_source(latin).text == "// caf\udce9\n"
    large = tmp_path / "large.cu"
    with large.open("wb") as file:
        file.truncate(16 << 20)
        assert refusal(large).message.endswith("NUL bytes)")
        file.truncate((16 << 20) + 1)
    assert refusal(large).remedy == "name a CUDA C++ source"
    (tmp_path / "loop.cu").symlink_to("loop.cu")
    assert "cannot be read" in refusal(tmp_path / "loop.cu").message


BLOCK = '/* kernelopt\n[workload.k]\nargs = { x = "randn(n)" }\ngrid = [1]\nblock = [32]\nshapes = [{ n = 32 }]\n*/\n'
KERNEL = "__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n"


def test_a_block_beside_the_file_counts_and_a_wrong_one_is_an_error(tmp_path: Path) -> None:
    sidecar = sidecar_path(tmp_path / "k.cu")
    sidecar.write_text("\n".join(BLOCK.splitlines()[1:-1]))
    assert [workload.name for workload in read(tmp_path, KERNEL).declared] == ["k"]
    with pytest.raises(CannotAnswerError, match=r"^.*k\.cu:4: unknown key") as caught:
        read(tmp_path, BLOCK.replace("grid", "gird") + KERNEL)
    assert caught.value.remedy == "fix the workload block"


def test_arrays_stand_in_place_of_blocks_and_of_no_main(tmp_path: Path) -> None:
    live = LiveWorkload((), None)  # type: ignore[arg-type]
    assert read(tmp_path, BLOCK + KERNEL, live=live).declared == ()
    with pytest.raises(UsageError, match=r"^k\.cu has main\(\): it runs as a program, without arrays"):
        read(tmp_path, KERNEL + "int main() {}\n", live=live)


def test_a_command_stands_for_main_and_a_text_of_the_users_own_is_no_candidate(tmp_path: Path) -> None:
    version = read(tmp_path, KERNEL, run_command=("./app",))
    assert version.has_main and not read(tmp_path, KERNEL).has_main
    candidate = as_candidate(version)
    assert (candidate.program.is_candidate, with_text(candidate, KERNEL).program.is_candidate) == (True, False)


def test_a_problem_of_the_text_says_why_there_is_no_kernel(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read(tmp_path, "int f() { return 1; }\n")
    assert caught.value.remedy == "name a CUDA C++ source with at least one kernel"


def test_a_text_of_another_program_is_refused_with_the_files_of_this_one(tmp_path: Path) -> None:
    own_file, other = tmp_path / "a.cu", tmp_path / "b.cu"
    own_file.write_text(f"{TURN}int main() {{ turn<<<1, 1>>>(nullptr); }}\n")
    version = read_version(JobRequest(own_file, tmp_path), Flags())
    with pytest.raises(UsageError, match=r"b.cu is no file of the program of a.cu") as caught:
        with_texts(version, (Source(other, TURN), Source(own_file, TURN)))
    assert caught.value.remedy == "its files: a.cu"


def test_where_an_edit_replaces_the_kernel_that_was_asked_about_all_are_in_question(tmp_path: Path) -> None:
    file = tmp_path / "a.cu"
    file.write_text(f"{TURN}{TURN.replace('turn', 'other')}int main() {{ turn<<<1, 1>>>(nullptr); }}\n")
    version = read_version(JobRequest(file, tmp_path, kernel="turn"), Flags())
    assert [kernel.name for kernel in version.kernels] == ["turn"]
    edited = candidate_of(version, (Source(file, file.read_text().replace("turn", "spin")),))
    assert sorted(kernel.name for kernel in edited.kernels) == ["other", "spin"]
    kept = candidate_of(version, (Source(file, file.read_text().replace("other", "spin")),))
    assert [kernel.name for kernel in kept.kernels] == ["turn"]
    whole = read_version(JobRequest(file, tmp_path), Flags())
    with pytest.raises(UsageError, match="holds no __global__ function"):
        candidate_of(whole, (Source(file, "int main() {}\n"),))
