"""The compile worker that outlives its jobs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.lab.cpu import CpuLab
from assistant.lab.kept import KeptCompiler
from assistant.model.build import Build, Flags
from assistant.model.source import Source
from assistant.ports.lab import Program
from tests.caches import link_kept_emulator
from tests.processes import children_of

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"


class Kept(KeptCompiler):
    """One among those that other tests of this process keep."""

    def __init__(self) -> None:
        super().__init__()
        self.others = compile_workers()


@pytest.fixture
async def kept() -> AsyncGenerator[Kept]:
    compiler = Kept()
    yield compiler
    await compiler.close()


def lab_in(folder: Path, kept: KeptCompiler) -> CpuLab:
    folder.mkdir()
    return CpuLab(folder, link_kept_emulator(folder / "cache"), "h200", compiler=kept.worker)


def program(folder: Path, text: str = KERNEL) -> Program:
    return Program((Source(folder / "k.cu", text),), Flags(), working_directory=folder)


async def process_of(kept: Kept) -> int:
    """The worker's process, as its own parent sees it."""
    await kept.warm_up()
    (found,) = compile_workers() - kept.others
    return found


async def test_it_outlives_the_lab_that_used_it(kept: Kept, tmp_path: Path) -> None:
    before = await process_of(kept)
    lab = lab_in(tmp_path / "a", kept)
    assert isinstance(await lab.inspect(program(tmp_path / "a"), "sm_90"), Build)
    await lab.close()
    assert await process_of(kept) == before


async def test_a_compile_that_is_called_off_leaves_it_ready_for_the_next(kept: Kept, tmp_path: Path) -> None:
    before = await process_of(kept)
    lab = lab_in(tmp_path / "a", kept)
    compiling = asyncio.create_task(lab.inspect(program(tmp_path / "a"), "sm_90"))
    await until_compiling(before)
    compiling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await compiling
    assert compilers_of(before) == []
    assert isinstance(await lab.inspect(program(tmp_path / "a"), "sm_90"), Build)
    assert await process_of(kept) == before
    await lab.close()


async def test_what_a_compile_writes_lies_in_its_jobs_folder(kept: Kept, tmp_path: Path) -> None:
    worker = await process_of(kept)
    lab = lab_in(tmp_path / "a", kept)
    compiling = asyncio.create_task(lab.inspect(program(tmp_path / "a"), "sm_90"))
    await until_compiling(worker)
    assert [path.name for path in (tmp_path / "a").glob("kernelopt-build-*")]
    await compiling
    assert not [path.name for path in (tmp_path / "a").glob("kernelopt-build-*")]
    await lab.close()


async def test_inspecting_leaves_the_machine_code_out(kept: Kept, tmp_path: Path) -> None:
    lab = lab_in(tmp_path / "a", kept)
    seen = await lab.inspect(program(tmp_path / "a"), "sm_90")
    built = await lab.build(program(tmp_path / "a"), "sm_90")
    assert isinstance(seen, Build) and isinstance(built, Build)
    assert seen.resources == built.resources
    assert seen.code == () and built.code
    await lab.close()


async def until_compiling(worker: int) -> None:
    async with asyncio.timeout(60):
        while not compilers_of(worker):  # noqa: ASYNC110 - a process has no event to wait for
            await asyncio.sleep(0.005)


def compilers_of(worker: int) -> list[int]:
    """What runs below it, but for Python: what starts compilers stays with the worker, and so does NVRTC's own process."""
    found = [worker]
    for process in found:
        with suppress(OSError):
            found += children_of(process)
    return [process for process in found if (command := command_of(process)) and b"python" not in command.partition(b"\0")[0]]


def command_of(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def compile_workers() -> set[int]:
    """Those of this process, also if another test started them."""
    return {process for process in children_of(os.getpid()) if b"assistant.device" in command_of(process)}
