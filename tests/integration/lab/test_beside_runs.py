"""What the emulator's lab does while it runs something."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from pathlib import Path

from assistant.lab.cpu import CpuLab
from assistant.model.build import Flags
from assistant.model.source import Source
from assistant.ports.lab import LabFailure, Program, RunLimits
from tests.deadlines import HANG_S

KERNEL = "__global__ void k(float *a) { a[threadIdx.x] *= 2; }\n"
WAITING = '#include <cstdio>\n#include <unistd.h>\nint main() { std::fclose(std::fopen(BEGUN, "w")); sleep(600); }\n'


def program(folder: Path, text: str) -> Program:
    return Program((Source(folder / "k.cu", text),), Flags(), working_directory=folder)


def wait_for(file: Path) -> None:
    ends_s = time.monotonic() + HANG_S
    while not file.exists():
        assert time.monotonic() < ends_s
        time.sleep(0.05)


async def test_texts_are_translated_and_built_meanwhile(tmp_path: Path, own_cache: Path) -> None:
    lab = CpuLab(tmp_path, own_cache, "h200")
    begun = tmp_path / "begun"
    waiting = program(tmp_path, KERNEL + WAITING.replace("BEGUN", f'"{begun}"'))
    running = asyncio.create_task(lab.run(waiting, "plain", RunLimits(wall_s=600), record=False))
    try:
        await asyncio.to_thread(wait_for, begun)
        async with asyncio.timeout(HANG_S):
            promoted = await lab.promoted(program(tmp_path, KERNEL))
        assert not isinstance(promoted, LabFailure) and "double *a" in promoted.sources[0].text
        assert not running.done()
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await lab.close()
