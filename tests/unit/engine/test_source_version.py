"""Which file is read, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.engine.source_version import candidate_of, holder_of, read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.build import Flags


def refusal(path: Path) -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_source(path)
    return caught.value


def test_a_text_inside_another_file_is_not_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "train.py").touch()
    (tmp_path / "notes").touch()
    assert refusal(tmp_path / "train.py.halve.cu").message == "train.py.halve.cu is a text inside train.py"
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
    candidate = candidate_of(original, block.replace("FLAG", "-DN=2") + kernel)
    assert candidate.program.flags == original.program.flags == Flags(("-O3", "-DN=1"), "default")
    assert candidate.program.is_candidate


def test_flags_that_start_programs_are_not_even_compiled_with(tmp_path: Path) -> None:
    source = tmp_path / "k.cu"
    source.write_text("__global__ void k(float *x) { x[threadIdx.x] *= 2.0f; }\n")
    with pytest.raises(CannotAnswerError, match=r"-wrapper.*kernelopt\.toml"):
        read_version(JobRequest(source, tmp_path), Flags(("-Xcompiler=-wrapper,./x.sh",), "kernelopt.toml"))


@pytest.mark.parametrize(("text", "what"), [("int main() {}\n", "holds no __global__ function"), ("\n", "is empty")])
def test_a_source_without_kernels_is_refused_unless_only_its_text_is_shown(tmp_path: Path, text: str, what: str) -> None:
    source = tmp_path / "k.cu"
    source.write_text(text)
    with pytest.raises(UsageError, match=what):
        read_version(JobRequest(source, tmp_path), Flags())
    assert read_version(JobRequest(source, tmp_path, needs_kernels=False), Flags()).kernels == ()
