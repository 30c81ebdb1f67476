"""Many ask one compiler at once, and it forgets the oldest answers meanwhile."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.build.flags import DEFAULT_FLAGS
from assistant.lab import compiler as lab_compiler
from assistant.lab.compiler import Compiler, Image
from assistant.lab.process import WorkerProcess
from assistant.model.build import Build
from assistant.model.source import Source
from assistant.ports.lab import Program
from assistant.serialize import encode

_PROGRAM_COUNT = 40
"""More than are remembered."""


class Instant(WorkerProcess):
    """Has compiled everything before."""

    def __init__(self, cubin: Path) -> None:
        super().__init__("assistant.device")
        self._cubin = cubin
        self.asked = 0

    async def request(self, message: dict[str, Any], deadline_s: float, is_fresh: bool = False) -> dict[str, Any]:
        self.asked += 1
        built = Build("nvcc 13.0", message["architecture"], DEFAULT_FLAGS, (), (), ())
        return {"ok": True, "result": {"result": encode(built), "cubin": str(self._cubin), "ptx": ""}}


async def test_an_answer_may_be_forgotten_while_its_machine_code_is_looked_for(tmp_path: Path) -> None:
    cubin = tmp_path / "k.cubin"
    cubin.write_bytes(b"machine code")
    compiler = Compiler(Instant(cubin), tmp_path / "cache", tmp_path)
    programs = [
        Program((Source(tmp_path / "k.cu", f"__global__ void k{number}() {{}}\n"),), DEFAULT_FLAGS, working_directory=tmp_path)
        for number in range(_PROGRAM_COUNT)
    ]
    for _ in range(20):
        images = await asyncio.gather(*(compiler.image(program, "sm_90") for program in programs))
        assert images == [Image(str(cubin), ())] * _PROGRAM_COUNT


async def test_installed_headers_are_looked_at_again_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There are thousands, and a comparison compiles a dozen times."""
    cubin, header = tmp_path / "k.cubin", tmp_path / "include" / "ATen.h"
    cubin.write_bytes(b"machine code")
    header.parent.mkdir()
    header.touch()
    worker = Instant(cubin)
    compiler = Compiler(worker, tmp_path / "cache", tmp_path)
    flags = replace(DEFAULT_FLAGS, arguments=(f"-isystem={header.parent}",))
    program = Program((Source(tmp_path / "k.cu", "__global__ void k() {}\n"),), flags, working_directory=tmp_path)
    assert await compiler.image(program, "sm_90") == Image(str(cubin), ())
    os.utime(header, ns=(1, 1))
    await compiler.image(program, "sm_90")
    first = worker.asked
    monkeypatch.setattr(lab_compiler, "_INSTALLED_S", 0.0)
    await compiler.image(program, "sm_90")
    assert (first, worker.asked) == (1, 2)
