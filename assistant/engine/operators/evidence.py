"""What both sides' processes wrote, as the evidence that a judge looks at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.engine.operators.reading import OperatorPair
from assistant.engine.request import OperatorOptions
from assistant.operators.evidence import (
    CandidateCase,
    Evidence,
    Failure,
    LibraryKernel,
    Pass,
    ReferenceCase,
    Seen,
    TensorLeft,
)
from assistant.operators.tampering import tampering
from assistant.ports.lab import LabFailure

__all__ = ["against_candidate", "evidence_of", "reference_cases", "seen_on_gpu", "whole_answer"]

_CAVEAT = "on the CPU emulator"
_FAILS_CANDIDATE = frozenset({"not_built", "crashed", "timed_out", "out_of_memory"})
"""Kinds of failure that speak against the candidate; any other one is the lab's own."""


def reference_cases(reference: Mapping[str, Any]) -> tuple[ReferenceCase, ...]:
    """What the reference's process wrote, read whole: its files can be removed before a candidate runs."""
    return tuple(_reference_case(case, reference["models"][case["model"]]) for case in reference["cases"])


def against_candidate(failure: LabFailure) -> dict[str, Any] | LabFailure:
    """As the answer of a candidate that failed as a whole, where that is its own fault."""
    if failure.kind not in _FAILS_CANDIDATE:
        return failure
    return whole_answer({"failure": {"kind": failure.kind, "message": failure.message}})


def whole_answer(answer: dict[str, Any]) -> dict[str, Any]:
    """A candidate's process that ended with its first error says nothing else."""
    return {"cases": [], "calls": [], "extensions": [], "replaced": [], "reads_reference": False, "is_blind": False, **answer}


def evidence_of(
    pair: OperatorPair,
    reference: Mapping[str, Any],
    cases: tuple[ReferenceCase, ...],
    candidate: Mapping[str, Any],
    seen: Seen,
    options: OperatorOptions,
) -> Evidence:
    """``reference``, ``candidate``: answers of the two processes; ``cases``: `reference_cases` of the first."""
    failure = None if candidate["failure"] is None else Failure(**candidate["failure"])
    models: list[int] = [case["model"] for case in reference["cases"]]
    left = () if failure is not None else tuple(
        CandidateCase(_pass(each["first"]), _pass(each["second"]), models.index(models[number]) == number)
        for number, each in enumerate(candidate["cases"])
    )  # fmt: skip
    return Evidence(
        reference=cases,
        candidate=left,
        failure=failure,
        tampering=tampering(pair.candidate.source.text, pair.task.path),
        replaced=tuple(candidate.get("replaced", ())),
        reads_reference=bool(candidate.get("reads_reference")),
        seen=seen,
        lowers_precision=pair.lowers_precision,
        only_custom=options.only_custom,
        is_backward=options.is_backward,
        dropped=tuple(reference["dropped"]),
        fixed_sizes=tuple(size.name for size in pair.task.model_sizes if size.name not in reference["varied"]),
        caveats=() if seen.is_on_gpu else (_CAVEAT,),
    )


def seen_on_gpu(candidate: Mapping[str, Any]) -> Seen:
    """Kernels that ran on the GPU in all cases of the first pass, as the profiler of the candidate's process reports them."""
    if candidate["failure"] is not None or candidate["is_blind"]:
        return Seen(launch_count=None if candidate["failure"] is None else 0, is_on_gpu=True)
    ran = [kernel for case in candidate["cases"] for kernel in case["first"]["kernels"]]
    whole_s = sum(time_s for _, _, time_s in ran) or 1.0
    foreign = dict.fromkeys(name for name, is_own, _ in ran if not is_own)
    library = tuple(
        LibraryKernel(
            name,
            sum(each == name and not is_own for each, is_own, _ in ran),
            sum(time_s for each, is_own, time_s in ran if each == name and not is_own) / whole_s,
        )
        for name in foreign
    )
    by_time = tuple(sorted(library, key=lambda kernel: -kernel.time_ratio))
    return Seen(launch_count=sum(is_own for _, is_own, _ in ran), library_kernels=by_time, is_on_gpu=True)


def _reference_case(case: Mapping[str, Any], model: Mapping[str, Any]) -> ReferenceCase:
    return ReferenceCase(
        kind=case["kind"],
        scale=case["scale"],
        shape=case["shape"],
        seed=model["seed"],
        outputs=_tensors(case["outputs"]),
        repeated=_tensors(case["repeated"]),
        output_count=case["output_count"],
        float64=None if case["float64"] is None else _tensors(case["float64"]),
        perturbed=tuple(map(_tensors, case["perturbed"])),
        inputs_after=_digests(case["inputs_after"]),
        term_count=case["term_count"],
        buffers=tuple(model["buffers"]),
        gradients=_named(case["gradients"]),
        gradients64=_named(case["gradients64"]),
    )


def _pass(left: Mapping[str, Any]) -> Pass:
    own = left["call_count"] + sum(is_own for _, is_own, _ in left["kernels"])
    work = (*sorted(left["computing"].items()), ("calls", own))
    inputs_after = _digests(left["inputs_after"])
    if left["failure"] is not None:
        return Pass(Failure(**left["failure"]), inputs_after=inputs_after, work=work)
    return Pass(
        failure=None,
        outputs=_tensors(left["outputs"]),
        output_count=left["output_count"],
        inputs_after=inputs_after,
        is_late=left["is_late"],
        shares_memory=left["shares_memory"],
        work=work,
        gradients=_named(left["gradients"]),
    )


def _named(saved: dict[str, dict[str, Any]]) -> dict[str, TensorLeft]:
    return dict(zip(saved, _tensors(list(saved.values())), strict=True))


def _tensors(saved: list[dict[str, Any]]) -> tuple[TensorLeft, ...]:
    return tuple(TensorLeft(each["dtype"], tuple(each["shape"]), tuple(each["stride"]), Path(each["file"]).read_bytes()) for each in saved)


def _digests(saved: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(each["sha256"] for each in saved)
