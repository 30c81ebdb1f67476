"""What the compile worker was asked before is answered without it, as long as the machine code is there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from assistant.lab.compiler import Compiler, Image
from assistant.lab.process import WorkerProcess
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports import LabFailure, Program

KERNEL = "__global__ void scale(float *x) { x[threadIdx.x] *= 2.0f; }\n"


class Counted(WorkerProcess):
    """The real worker, with the requests that it got."""

    def __init__(self) -> None:
        super().__init__("assistant.device")
        self.asked: list[dict[str, Any]] = []

    async def request(self, message: dict[str, Any], deadline_s: float) -> dict[str, Any]:
        self.asked.append(message)
        return await super().request(message, deadline_s)


@pytest.fixture
async def worker() -> AsyncGenerator[Counted]:
    made = Counted()
    yield made
    await made.close()


def program(folder: Path, text: str = KERNEL) -> Program:
    return Program((Source(folder / "k.cu", text),), Flags(("-O3",)), working_directory=folder)


def write(path: Path, text: str) -> None:
    path.write_text(text)


def remove(path: Path) -> None:
    path.unlink()


def empty(cache: Path) -> int:
    """Remove all machine code from it; how much there was."""
    found = list(cache.rglob("*.cubin"))
    for path in found:
        path.unlink()
    return len(found)


async def test_the_same_question_is_put_to_the_worker_once(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    built = await compiler.built_for_device(program(tmp_path), "sm_90")
    image = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(image, Image) and len(worker.asked) == 1
    assert await compiler.built_for_device(program(tmp_path), "sm_90") == built
    assert len(worker.asked) == 1


@pytest.mark.parametrize("change", ["text", "architecture", "flags"])
async def test_another_question_is_put_to_it(worker: Counted, tmp_path: Path, change: str) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    await compiler.image(program(tmp_path), "sm_90")
    other = program(tmp_path, KERNEL.replace("2.0f", "3.0f")) if change == "text" else program(tmp_path)
    if change == "flags":
        other = Program(other.sources, Flags(("-O1",)), working_directory=tmp_path)
    await compiler.image(other, "sm_80" if change == "architecture" else "sm_90")
    assert len(worker.asked) == 2


async def test_machine_code_that_somebody_removed_is_made_again(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    first = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(first, Image)
    empty(tmp_path / "cache")
    again = await compiler.image(program(tmp_path), "sm_90")
    assert again == first and len(worker.asked) == 2
    assert empty(tmp_path / "cache") == 1


async def test_an_edited_header_is_another_question(worker: Counted, tmp_path: Path) -> None:
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    text = '#include "factor.h"\n' + KERNEL.replace("2.0f", "FACTOR")
    assert isinstance(await compiler.image(program(tmp_path, text), "sm_90"), LabFailure)  # it is not there
    images: list[Image | LabFailure] = []
    for factor in ("2.0f", "3.0f"):
        write(tmp_path / "factor.h", f"#define FACTOR {factor}\n")
        images.append(await compiler.image(program(tmp_path, text), "sm_90"))
    first, second = images
    assert isinstance(first, Image) and isinstance(second, Image) and first.cubin != second.cubin
    assert len(worker.asked) == 3


async def test_what_no_text_is_to_blame_for_is_asked_again(worker: Counted, tmp_path: Path) -> None:
    """No room for the machine code: the next time there may be."""
    write(tmp_path / "cache", "a file in the folder's place")
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    failure = await compiler.image(program(tmp_path), "sm_90")
    assert isinstance(failure, LabFailure) and failure.kind == "no_space"
    remove(tmp_path / "cache")
    assert isinstance(await compiler.image(program(tmp_path), "sm_90"), Image)
