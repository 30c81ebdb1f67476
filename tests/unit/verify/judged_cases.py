"""Kernels written as NumPy functions, run on cases that the judge is shown: what its tests share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assistant.model.profile import Problem
from assistant.model.verification import Verification
from assistant.model.workload import AutoTolerance, CaseOrigin
from assistant.verify.evidence import BufferFacts, CaseEvidence, JudgeEvidence, SideRun
from assistant.verify.judge import judge

N = 512
Buffers = dict[str, np.ndarray]
Kernel = Callable[[Buffers], None]
FILLS = (0xAB, 0x54)


def scale_add(b: Buffers) -> None:
    """out[i] = 2 x[i] + y[i], all but the last element."""
    b["out"][: N - 1] = (b["x"] * np.float32(2) + b["y"])[: N - 1]


def inputs(seed: int) -> Buffers:
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(N).astype(np.float32) for name in ("x", "y")}


def side(kernel: Kernel, buffers: Buffers, out: np.ndarray, fill: int, **extra: object) -> SideRun:
    memory = {name: values.copy() for name, values in buffers.items()}
    memory["out"] = np.frombuffer(bytes([fill]) * out.nbytes, out.dtype).copy()
    kernel(memory)
    after = tuple((number, values.tobytes()) for number, values in enumerate(memory.values()))
    return SideRun(after, fill=fill, **extra)  # type: ignore[arg-type]


def case(
    original: Kernel,
    candidate: Kernel,
    *,
    seed: int = 1,
    kind: str = "recorded",
    out: np.ndarray | None = None,
    buffers: Buffers | None = None,
    truth: Callable[[Buffers], np.ndarray] | None = None,
) -> CaseEvidence:
    """One case with a poisoned ``out`` run with two fills; ``truth`` gives float64 values of ``out``."""
    buffers = inputs(seed) if buffers is None else buffers
    out = np.zeros(N, np.float32) if out is None else out
    types = {"float32": "float", "int32": "int", "float64": "double", "float16": "half"}
    facts = [BufferFacts(i, name, types[str(v.dtype)], v.tobytes()) for i, (name, v) in enumerate(buffers.items())]
    facts.append(BufferFacts(len(buffers), "out", types[str(out.dtype)], bytes(out.nbytes), is_poisoned=True))
    reference = () if truth is None else ((len(buffers), truth({n: v.astype(np.float64) for n, v in buffers.items()}).tobytes()),)
    return CaseEvidence(
        origin=CaseOrigin(kind, f"n={N}", seed, 1.0, 1.0 if kind == "recorded" else 0.0),
        kernel="k",
        buffers=tuple(facts),
        original=tuple(side(original, buffers, out, fill) for fill in FILLS),
        candidate=tuple(side(candidate, buffers, out, fill) for fill in FILLS),
        reference=reference,
    )


def truth(b: Buffers) -> np.ndarray:
    return b["x"] * 2 + b["y"]


def verdict(original: Kernel, candidate: Kernel, **extra: object) -> Verification:
    result = judge(evidence(original, candidate, **extra))
    assert isinstance(result, Verification), result
    return result


def evidence(original: Kernel, candidate: Kernel, **extra: object) -> JudgeEvidence:
    cases = tuple(case(original, candidate, seed=seed, kind="recorded" if seed == 1 else "resampled", truth=truth) for seed in (1, 2, 3))
    return replace(JudgeEvidence(cases, AutoTolerance()), **extra)  # type: ignore[arg-type]


def codes(result: Verification) -> set[str]:
    return {finding.code for finding in result.findings}


def problem(kind: str, line: int) -> Problem:
    return Problem(kind, f"{kind} on line {line}", "k.cu", line, None, None, None, None, None, 1)


def verdict_on(evidence: JudgeEvidence) -> Verification:
    result = judge(evidence)
    assert isinstance(result, Verification), result
    return result
