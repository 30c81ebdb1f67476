"""Arithmetic on large outputs leaves the event loop free, so that a job can be cancelled meanwhile."""

from __future__ import annotations

import ast
import asyncio
import time
from pathlib import Path

import numpy as np
import pytest

import assistant.engine.judge
from assistant.engine.threads import in_thread
from assistant.model.verification import Outcome, Verification
from assistant.model.workload import AutoTolerance
from assistant.verify.evidence import JudgeEvidence
from assistant.verify.judge import judge
from tests.unit.verify.judged_cases import Buffers, case

COUNT = 1 << 22
LARGEST_GAP_RATIO = 0.5
"""Of the time that the comparison takes by itself."""
TICK_S = 0.005
OF_WHOLE_OUTPUTS = {"judge", "judge_timed_calls", "need_tolerance", "own_error", "program_verdict", "write_cases"}
"""What of the engine's judging looks at whole outputs, or writes whole inputs."""


def double(b: Buffers) -> None:
    b["out"][:] = b["x"] * np.float32(2)


def double_by_another_way(b: Buffers) -> None:
    b["out"][:] = b["x"] * np.float32(2) * (1 + np.float32(2**-23) * (np.arange(COUNT) % 2).astype(np.float32))


@pytest.fixture(scope="module")
def evidence() -> JudgeEvidence:
    x = np.random.default_rng(1).standard_normal(COUNT).astype(np.float32)
    out, buffers = np.zeros(COUNT, np.float32), {"x": x}
    return JudgeEvidence((case(double, double_by_another_way, out=out, buffers=buffers, truth=lambda b: b["x"] * 2),), AutoTolerance())


async def gaps() -> float:
    """The longest time in which the loop did not come round, until cancelled."""
    longest, last = 0.0, time.perf_counter()
    try:
        while True:
            await asyncio.sleep(TICK_S)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
    except asyncio.CancelledError:
        return longest


async def test_a_job_is_cancelled_while_a_large_comparison_is_under_way(evidence: JudgeEvidence) -> None:
    start = time.perf_counter()
    found = judge(evidence)
    alone_s = time.perf_counter() - start
    assert isinstance(found, Verification) and found.outcome is Outcome.PASS
    job, ticks = asyncio.create_task(in_thread(judge, evidence)), asyncio.create_task(gaps())
    await asyncio.sleep(alone_s / 4)
    assert not job.done(), "it would have ended before it could be cancelled"
    start = time.perf_counter()
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    ticks.cancel()
    assert time.perf_counter() - start < LARGEST_GAP_RATIO * alone_s
    assert await ticks < LARGEST_GAP_RATIO * alone_s


@pytest.mark.parametrize("path", sorted(Path(assistant.engine.judge.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_no_coroutine_of_the_judge_does_such_arithmetic_itself(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(function, ast.AsyncFunctionDef):
            called = {node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
            assert not called & OF_WHOLE_OUTPUTS, f"{path.name}: {function.name}() keeps the event loop: use in_thread()"
