"""Checks of a lab with a GPU are the emulator's: what it leaves is no result of the GPU's, and is kept for who asks for any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.lab.gpu import GpuLab
from assistant.model.build import Flags
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.source import Source
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, Kept, Program, ReplayOptions, ReplayRun, RunLimits
from assistant.workload.recordings import write_case
from tests.unit.workload.launches import launched

PROGRAM = Program((Source(Path("/k.cu"), "__global__ void k(float *p, int n) {}"),), Flags(()))


@dataclass
class Emulator:
    """Notes which results it is asked for."""

    compiler: object = field(default_factory=lambda: SimpleNamespace(cache=Path("/")))
    at_once: int = 1
    cache: Path = Path("/")
    kept: list[Kept] = field(default_factory=list[Kept])

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun:
        self.kept.append(options.kept)
        return ReplayRun(tuple(CaseRun(True, None, (), True, None, (), ()) for _ in cases), Path("/blobs"))


@pytest.mark.parametrize(("asked", "kept"), [("compared", "none"), ("any", "any"), ("none", "none")])
async def test_what_the_emulator_leaves_under_checks_is_kept_for_who_asks_for_any(tmp_path: Path, asked: Kept, kept: Kept) -> None:
    emulator: Any = Emulator()
    client: Any = SimpleNamespace(gpu=SimpleNamespace(index=0, name="a GPU", uuid="GPU-0", architecture="sm_90", memory_bytes=1 << 37))
    new, _ = launched(LaunchConfig(Dim3(4), Dim3(256)), {"n": 8}, np.zeros(8, np.float32))
    case = write_case(tmp_path / "case", replace(new, origin=replace(new.origin, kind="resized", is_own_size=False)))
    lab = GpuLab(emulator, client, tmp_path, "h200")
    found = await lab.replay(PROGRAM, [case], ReplayOptions("check", kept=asked), RunLimits())
    assert emulator.kept == [kept]
    assert isinstance(found, ReplayRun) and not found.cases[0].is_comparable
