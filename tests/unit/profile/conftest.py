"""Builders: a test states the counters it is about, the rest is an ordinary launch on an H200."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from assistant.measure import predict, target
from assistant.model.build import KernelResources, Occupancy
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Evidence, Finding, Grade, LaunchProfile, LineAccess, Method
from assistant.profile import CountedLaunch, FindContext, SourceFacts, find

H200 = target("h200")


def make_access(op: str, requests: int, line: int = 1, **counters: int) -> LineAccess:
    """``sectors`` and ``ideal`` for global, ``wavefronts`` and ``ideal_wavefronts`` for shared memory."""
    sectors, wavefronts = counters.get("sectors"), counters.get("wavefronts")
    return LineAccess(
        file="k.cu",
        line=line,
        op=op,
        size_bytes=counters.get("size_bytes", 4),
        requests=requests,
        active_threads=counters.get("active_threads", requests * 32),
        sectors=sectors,
        ideal_sectors=counters.get("ideal", sectors),
        wavefronts=wavefronts,
        ideal_wavefronts=counters.get("ideal_wavefronts", wavefronts),
        grade=Grade.EXACT,
    )


def make_profile(*accesses: LineAccess, blocks: int = 4096, threads: int = 256, **more: object) -> LaunchProfile:
    values: dict = {
        "index": 0,
        "kernel": "k()",
        "config": LaunchConfig(Dim3(blocks), Dim3(threads)),
        "method": Method.EMULATOR,
        "device": "CPU emulator (sm_90 rules)",
        "blocks_counted": blocks,
        "accesses": accesses,
        "executions": (),
        "instructions": (),
        "unique_sectors": None,
        "block_unique_sectors": None,
        "problems": (),
        "line": 40,
    }
    return LaunchProfile(**(values | more))


def make_occupancy(threads: int = 256, warps: int = 64, limiter: str = "threads") -> Occupancy:
    return Occupancy(warps, 64, max(1, warps // math.ceil(threads / 32)), limiter)


def make_resources(registers: int = 32, spill_store_bytes: int = 0, spill_load_bytes: int = 0) -> KernelResources:
    return KernelResources("k()", "_Z1kv", "sm_90", registers, spill_store_bytes, spill_load_bytes, 0, 0, 0)


@dataclass(frozen=True)
class Found:
    """Findings of one launch, with the ways tests look at them."""

    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]

    @property
    def codes(self) -> list[str]:
        return [f.code for f in self.findings]

    def one(self, code: str) -> Finding:
        (finding,) = [f for f in self.findings if f.code == code]
        return finding

    def value(self, finding: Finding, metric: str) -> float:
        return next(e.value for e in self.evidence if e.id in finding.evidence and e.metric == metric)


def examine(
    *profiles: LaunchProfile,
    facts: SourceFacts | None = None,
    occupancy: Occupancy | None = None,
    resources: KernelResources | None = None,
) -> Found:
    launches = tuple(CountedLaunch(p, occupancy or make_occupancy(p.config.block.count)) for p in profiles)
    result = find(FindContext("k()", launches, H200, predict, resources, facts or SourceFacts(kernel_line=3)))
    return Found(result.findings, result.evidence)


@pytest.fixture(scope="session")
def access() -> Callable[..., LineAccess]:
    return make_access


@pytest.fixture(scope="session")
def profile() -> Callable[..., LaunchProfile]:
    return make_profile


@pytest.fixture(scope="session")
def occupancy() -> Callable[..., Occupancy]:
    return make_occupancy


@pytest.fixture(scope="session")
def resources() -> Callable[..., KernelResources]:
    return make_resources


@pytest.fixture(scope="session")
def check() -> Callable[..., Found]:
    return examine
