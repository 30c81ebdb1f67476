"""Jobs about CUDA texts of Python files: which one is meant, and how a decision writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.engine import JobRequest, about_text
from assistant.engine.files import replace_text, replace_texts
from assistant.engine.source_version import read_source
from assistant.errors import CannotAnswerError, UsageError
from assistant.model.program import STANDS_ALONE
from assistant.model.source import Source
from assistant.program.python_texts import in_words

HALVE = "__global__ void halve(float* x) { x[0] /= 2; }"
SCALE = "__global__ void scale(float* x) { x[0] *= 3; }"
ONE = f"import cupy\nk = cupy.RawKernel('{HALVE}', 'halve')\n"
TWO = f"{ONE}l = cupy.RawKernel('{SCALE}', 'scale')\n"
INLINE = f"from torch.utils.cpp_extension import load_inline\nload_inline('m', '', '{HALVE}')\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "train.py"


def asked(file: Path, kernel: str | None = None) -> JobRequest:
    return about_text(JobRequest(file, file.parent, kernel=kernel))


def test_the_only_text_is_meant_and_stands_alone(file: Path) -> None:
    file.write_text(ONE)
    request = asked(file)
    assert (request.file.name, request.texts[0][1], request.programs) == ("train.py.halve.cu", HALVE, STANDS_ALONE)
    assert asked(request.file) == request, "its path means the same"
    assert in_words(request.file) == "train.py.halve.cu is the CUDA text in train.py from line 2 on: its line 1 is line 2 there"


def test_a_text_of_load_inline_may_have_a_program(file: Path) -> None:
    file.write_text(INLINE)
    assert asked(file).programs is None


def test_of_several_texts_the_kernel_tells_which_is_meant(file: Path) -> None:
    file.write_text(TWO)
    with pytest.raises(UsageError, match=r"^.*holds 2 CUDA texts") as caught:
        asked(file)
    assert caught.value.remedy is not None and "train.py.scale.cu" in caught.value.remedy
    assert asked(file, "scale").file.name == "train.py.scale.cu"
    with pytest.raises(UsageError, match=r"^.*holds 2 CUDA texts") as caught:
        asked(file, "gone")
    assert caught.value.remedy is not None and caught.value.remedy.startswith("--kernel gone is in none of ")
    assert caught.value.remedy.count("train.py.") == 2


def test_a_text_that_only_the_program_knows_is_refused_with_its_line(file: Path) -> None:
    file.write_text("import cupy\nk = cupy.RawKernel(f'__global__ void {name}() {{}}', 'k')\n")
    with pytest.raises(UsageError, match=r"^train\.py:2 holds a CUDA text that cannot be read"):
        asked(file)


def test_python_without_cuda_and_other_files_are_left_as_they_are(file: Path) -> None:
    file.write_text("print(1)\n")
    for path in (file, file.with_name("k.cu"), file.with_name("train.py.halve.cu")):
        assert asked(path).file == path and not asked(path).texts


def test_both_texts_of_a_file_are_written_at_once(file: Path) -> None:
    file.write_text(TWO)
    before = tuple(read_source(file.with_name(f"train.py.{name}.cu")) for name in ("halve", "scale"))
    assert [source.text for source in before] == [HALVE, SCALE]
    after = tuple(Source(source.path, source.text.replace("x[0]", "x[1]")) for source in before)
    replace_texts(before, after, file.with_name("note"))
    assert file.read_text() == TWO.replace("x[0]", "x[1]")
    assert [path.name for path in file.parent.iterdir()] == ["train.py"]


def test_a_text_that_changed_or_does_not_fit_its_string_is_not_written(file: Path) -> None:
    file.write_text(ONE.replace("cupy.RawKernel('", "cupy.RawKernel(r'"))
    path = file.with_name("train.py.halve.cu")
    with pytest.raises(CannotAnswerError, match=r"^.*changed just now"):
        replace_texts((Source(path, SCALE),), (Source(path, HALVE),), file.with_name("note"))
    with pytest.raises(CannotAnswerError, match=r"^.*cannot be written"):
        replace_text(path, HALVE + " /* ' */")
    assert HALVE in file.read_text()
