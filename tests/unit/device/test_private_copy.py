"""Texts of an edited program in the private copy of its folder; those of strings in Python files stand in their string there."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.device.capture.private_copy import files_of, put_texts
from assistant.device.capture.protocol import CaptureFailed, CaptureRequest
from assistant.worker.limits import ProgramLimits

KERNEL = "__global__ void halve(float* x) { x[0] /= 2; }"
SCRIPT = f"import cupy\nk = cupy.RawKernel(r'{KERNEL}', 'halve')\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The user's folder; its copy lies next to it."""
    for name in ("own", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").write_text(SCRIPT)
        (tmp_path / name / "k.cu").write_text(KERNEL)
    return tmp_path / "own"


def request(own: Path, path: Path, text: str) -> CaptureRequest:
    limits = ProgramLimits()
    return CaptureRequest(sources=((str(path), text),), cwd=own, record=own / "record", cache=own / "cache", limits=limits)


def put(own: Path, name: str, text: str) -> Path:
    """The copy, with that text in it."""
    asked = request(own, own / name, text)
    put_texts(asked, own.parent / "copy", asked.sources)
    return own.parent / "copy"


def test_a_source_is_a_file_of_the_copy(own: Path) -> None:
    copy = put(own, "k.cu", KERNEL.replace("2", "3"))
    assert (copy / "k.cu").read_text() == KERNEL.replace("2", "3") and (own / "k.cu").read_text() == KERNEL


def test_a_text_of_a_python_file_stands_in_its_string(own: Path) -> None:
    copy = put(own, "train.py.halve.cu", KERNEL.replace("2", "3"))
    assert (copy / "train.py").read_text() == SCRIPT.replace("2", "3") and (own / "train.py").read_text() == SCRIPT
    assert not (copy / "train.py.halve.cu").exists()


def test_a_source_behind_a_link_out_of_the_copy_is_refused_and_left_alone(own: Path) -> None:
    shared = own.parent / "shared"
    shared.mkdir()
    (shared / "k.cu").write_text(KERNEL)
    for folder in (own, own.parent / "copy"):
        (folder / "linked").symlink_to(shared)
    with pytest.raises(CaptureFailed, match="lies behind a link"):
        put(own, "linked/k.cu", KERNEL.replace("2", "3"))
    assert (shared / "k.cu").read_text() == KERNEL


def test_what_the_string_cannot_hold_or_lies_elsewhere_is_refused_with_the_reason(own: Path) -> None:
    with pytest.raises(CaptureFailed, match=r"cannot be written into train\.py"):
        put(own, "train.py.halve.cu", f"{KERNEL} /* ' */")
    asked = request(own, own.parent / "k.cu", KERNEL)
    with pytest.raises(CaptureFailed, match="is outside"):
        put_texts(asked, own.parent / "copy", asked.sources)


@pytest.mark.parametrize(("name", "file"), [("k.cu", "k.cu"), ("train.py.halve.cu", "train.py"), ("gone.cu", "gone.cu")])
def test_the_file_that_holds_a_text_is_known(own: Path, name: str, file: str) -> None:
    assert [path.name for path in files_of(request(own, own / name, KERNEL))] == [file]
