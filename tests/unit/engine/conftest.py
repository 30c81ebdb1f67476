"""Small real values of the search: assessed kernels, verdicts, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.assessment import AssessedLaunch, KernelAssessment
from assistant.model.build import Occupancy
from assistant.model.comparison import Comparison, PredictedTime, SpeedOutcome
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.profile import Grade, LaunchProfile, LineAccess, LineInstructions, Method, Signature
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.source import Source
from assistant.model.verification import CaseResult, Outcome, Verification, VerificationFinding
from assistant.ports.store import Store
from tests.changes import change
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.opened_accounts import opened as opened
from tests.unit.engine.regions import evaluated as evaluated

Assess = Callable[..., tuple[KernelAssessment, ...]]
_KERNEL = parse(Source(Path("/k.cu"), "__global__ void k(float *c)\n{\n}\n")).kernels[0]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory of a machine on which nothing was searched yet."""
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))


@pytest.fixture
def access() -> Callable[..., LineAccess]:
    def make(op: str, line: int, requests: int, units: int = 0, **more: Any) -> LineAccess:
        """A line's accesses of one kind; ``units``: sectors or wavefronts of shared memory."""
        is_shared = op.startswith("shared")
        return LineAccess(
            file="k.cu",
            line=line,
            op=op,
            size_bytes=4,
            requests=requests,
            active_threads=requests * 32,
            sectors=None if is_shared else units,
            ideal_sectors=None if is_shared else more.get("ideal", units),
            wavefronts=units if is_shared else None,
            ideal_wavefronts=more.get("ideal", units) if is_shared else None,
            grade=Grade.EXACT,
        )

    return make


@pytest.fixture
def assessed() -> Assess:
    """One kernel with one launch shape."""

    def make(*accesses: LineAccess, **more: Any) -> tuple[KernelAssessment, ...]:
        """The assessment; ``more`` replaces the usual grid, block and occupancy."""
        profile = LaunchProfile(
            index=0,
            kernel="k(float*)",
            config=LaunchConfig(Dim3(more.get("blocks", 4)), Dim3(more.get("threads", 64))),
            method=Method.EMULATOR,
            device="emulator, sm_90 rules",
            blocks_counted=more.get("blocks_counted", more.get("blocks", 4)),
            accesses=accesses,
            executions=(),
            instructions=tuple(LineInstructions("k.cu", line, mix) for line, mix in more.get("mixes", ())),
            unique_sectors=None,
            block_unique_sectors=more.get("block_unique"),
            problems=(),
        )
        predicted = PredictedTime(1e-6, "l2", (), "h200")
        launch = AssessedLaunch(profile, Occupancy(more.get("warps", 32), 64, 1, "blocks"), predicted, more.get("count", 1.0))
        return (KernelAssessment(_KERNEL, "k(float*)", (launch,), None, None, (), (), Signature("l2", ()), Path("/k.cu")),)

    return make


@pytest.fixture
def verdict() -> Callable[..., Verification]:
    def make(outcome: Outcome = Outcome.PASS, *findings: VerificationFinding, **more: Any) -> Verification:
        case = CaseResult("recorded", "n = 8", 1.0, outcome, 0.0, 0.0)
        return Verification(outcome, findings, more.get("labels", ()), (case,), "kernel", (), ())

    return make


@pytest.fixture
def predicted() -> Callable[..., Comparison]:
    def make(ratio: float, low: float | None = None) -> Comparison:
        high = None if low is None else ratio * ratio / low
        quality = "model error 1.28x median" if low is None else "model error known"
        return Comparison(SpeedOutcome.PREDICTED, ratio, low, high, None, quality, (), "performance model for h200", "l2", "launch")

    return make


@pytest.fixture
def store() -> Store:
    return FakeStore()


@pytest.fixture
def offered(tmp_path: Path) -> Proposal:
    """An open proposal, PASS and PREDICTED 2x, that is not stored."""
    return Proposal(
        id="P0000000001",
        job="J1",
        path=tmp_path / "k.cu",
        kernel="k()",
        techniques=("t",),
        summary="",
        files=change(tmp_path / "k.cu", "a\n", "b\n"),
        labels=(),
        assumptions=(),
        verification=Verification(Outcome.PASS, (), (), (), "kernel", (), ()),
        comparison=Comparison(SpeedOutcome.PREDICTED, 2.0, None, None, None, "model error 1.28x median", (), "model"),
        evidence=(),
        predictions=(),
        explanation="",
        signature=Signature("dram", ()),
        state=ProposalState.OPEN,
        created_ms=1,
    )
