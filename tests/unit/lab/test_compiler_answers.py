"""Many ask one compiler at once, and it forgets the oldest answers meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from assistant.build.flags import DEFAULT_FLAGS
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

    async def request(self, message: dict[str, Any], deadline_s: float) -> dict[str, Any]:
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
