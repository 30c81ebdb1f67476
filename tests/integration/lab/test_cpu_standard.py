"""A program of a newer C++ standard than the emulator's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.lab.cpu import CpuLab
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits

_TEXT = """
#include <cstdio>
#include <span>
__global__ void k() {}
int main() { int v[] = {4, 5}; k<<<1, 1>>>(); printf("%d", std::span<int>(v)[1]); }
"""


@pytest.mark.parametrize(("flag", "printed"), [("-std=c++20", b"5"), ("-std=c++14", None)])
async def test_the_standard_that_a_flag_names_is_compiled(tmp_path: Path, own_cache: Path, flag: str, printed: bytes | None) -> None:
    program = Program((Source(Path("/k.cu"), _TEXT),), Flags((flag,), "command line"))
    lab = CpuLab(tmp_path, own_cache, "h200")
    try:
        ran = await lab.run(program, "plain", RunLimits(), record=False)
    finally:
        await lab.close()
    assert isinstance(ran, LabFailure) if printed is None else (isinstance(ran, ProgramRun) and ran.stdout == printed)
