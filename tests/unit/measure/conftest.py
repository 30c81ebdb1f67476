"""Builders of profiles: a test states only what it is about."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.model.build import Occupancy
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import (
    Grade,
    InstructionMix,
    LaunchProfile,
    LineAccess,
    LineExecution,
    LineInstructions,
    Method,
)

H200 = Path(__file__).parents[2] / "data" / "h200" / "counters.json"


def make_access(op: str, requests: int, sectors: int | None = None, ideal: int | None = None, **more: int) -> LineAccess:
    """One line's access of 4 bytes by full warps; ``wavefronts``/``ideal_wavefronts`` for shared memory."""
    return LineAccess(
        file="k.cu",
        line=more.get("line", 1),
        op=op,
        size_bytes=4,
        requests=requests,
        active_threads=more.get("active_threads", requests * 32),
        sectors=sectors,
        ideal_sectors=ideal if ideal is not None else sectors,
        wavefronts=more.get("wavefronts"),
        ideal_wavefronts=more.get("ideal_wavefronts", more.get("wavefronts")),
        grade=Grade.EXACT,
        tags=more.get("tags"),
    )


def make_launch(
    blocks: int,
    threads: int,
    accesses: tuple[LineAccess, ...],
    *,
    unique: int | None = None,
    block_unique: int | None = None,
    mix: InstructionMix | None = None,
    warp_mix: InstructionMix | None = None,
    executions: tuple[LineExecution, ...] = (),
    counted: int | None = None,
) -> LaunchProfile:
    return LaunchProfile(
        index=0,
        kernel="k()",
        config=LaunchConfig(Dim3(blocks), Dim3(threads)),
        method=Method.EMULATOR,
        device="test",
        blocks_counted=blocks if counted is None else counted,
        accesses=accesses,
        executions=executions,
        instructions=(LineInstructions("k.cu", 1, mix, warp_mix),) if mix else (),
        unique_sectors=unique,
        block_unique_sectors=unique if block_unique is None else block_unique,
        problems=(),
    )


def make_occupancy(threads: int, registers: int = 32) -> Occupancy:
    """sm_90 without shared memory; the build package's own arithmetic is tested there."""
    warps = math.ceil(threads / 32)
    blocks = min(32, 64 // warps, 65536 // (registers * 32 * warps))
    return Occupancy(blocks * warps, 64, blocks, "threads")


@dataclass(frozen=True)
class MeasuredLaunch:
    """A launch of the H200 fixture: its counters as a profile and its duration."""

    profile: LaunchProfile
    occupancy: Occupancy
    duration_s: float


def read_h200() -> tuple[MeasuredLaunch, ...]:
    launches = json.loads(H200.read_text())["launches"]
    return tuple(
        MeasuredLaunch(
            _profile_of(launch), make_occupancy(launch["block_size"], launch["registers_per_thread"]), launch["duration_ns"] / 1e9
        )
        for launch in launches
    )


def _profile_of(launch: dict) -> LaunchProfile:
    accesses = tuple(
        LineAccess(
            file=line["file"],
            line=line["line"],
            op=line["op"],
            size_bytes=4,
            requests=line["instructions"],
            active_threads=line["active_threads"],
            sectors=line.get("sectors"),
            ideal_sectors=line.get("ideal_sectors"),
            wavefronts=line.get("wavefronts"),
            ideal_wavefronts=line.get("ideal_wavefronts"),
            grade=Grade.EXACT,
            tags=line.get("tag_requests"),
        )
        for line in launch["lines"]
    )
    blocks, threads = launch["grid_size"], launch["block_size"]
    mix = InstructionMix(other=launch["totals"]["thread_instructions"])
    unique = UNIQUE_SECTORS.get(launch["kernel"], (None, None))
    return LaunchProfile(
        index=0,
        kernel=launch["kernel"],
        config=LaunchConfig(Dim3(blocks), Dim3(threads)),
        method=Method.NCU,
        device="NVIDIA H200",
        blocks_counted=blocks,
        accesses=accesses,
        executions=(),
        instructions=(LineInstructions("", 0, mix),),
        unique_sectors=unique[0],
        block_unique_sectors=unique[1],
        problems=(),
    )


UNIQUE_SECTORS: dict[str, tuple[int, int]] = {
    "mm_naive": (3 * 8192, 256 * (512 + 512 + 32)),
    "mm_tiled": (3 * 8192, 256 * (512 + 512 + 32)),
    "hist_global": (8192 + 32, 8192 + 32 * 32),
    "hist_shared": (8192 + 32, 8192 + 32 * 32),
    "alias_norestrict": (258, 264),
    "alias_restrict": (258, 264),
    "localarr": (258, 264),
    "saxpy": (250_002, 250_002),
    "transpose_naive": (4_194_304, 4_194_304),
    "transpose_smem": (4_194_304, 4_194_304),
    "reduce_interleaved": (32_769, 33_792),
    "reduce_sequential": (32_769, 33_792),
    "reduce_shuffle": (32_769, 32_832),
}
"""Distinct sectors (grid, Σ blocks) worked out from the programs; the capture did not count them."""


@pytest.fixture(scope="session")
def h200() -> tuple[MeasuredLaunch, ...]:
    return read_h200()


@pytest.fixture(scope="session")
def access() -> Callable[..., LineAccess]:
    return make_access


@pytest.fixture(scope="session")
def launch() -> Callable[..., LaunchProfile]:
    return make_launch


@pytest.fixture(scope="session")
def occupancy() -> Callable[..., Occupancy]:
    return make_occupancy
