"""What both sides' processes wrote, as the evidence that a judge looks at."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assistant.engine.operators.extensions import ExtensionRuns
from assistant.engine.operators.reading import OperatorPair
from assistant.operators.evidence import CandidateCase, Evidence, Failure, Pass, ReferenceCase, TensorLeft
from assistant.operators.tampering import tampering

__all__ = ["evidence_of"]

_CAVEAT = "on the CPU emulator"


def evidence_of(pair: OperatorPair, reference: Mapping[str, Any], candidate: Mapping[str, Any], runs: ExtensionRuns) -> Evidence:
    """``reference``, ``candidate``: answers of the two processes."""
    failure = None if candidate["failure"] is None else Failure(**candidate["failure"])
    cases = tuple(_reference_case(case, reference["models"][case["model"]]["seed"]) for case in reference["cases"])
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
        problems=runs.problems,
        launch_count=runs.launch_count,
        lowers_precision=pair.lowers_precision,
        only_custom=False,
        is_backward=False,
        dropped=tuple(reference["dropped"]),
        caveats=(_CAVEAT,),
    )


def _reference_case(case: Mapping[str, Any], seed: int) -> ReferenceCase:
    return ReferenceCase(
        kind=case["kind"],
        scale=case["scale"],
        shape=case["shape"],
        seed=seed,
        outputs=_tensors(case["outputs"]),
        repeated=_tensors(case["repeated"]),
        output_count=case["output_count"],
        float64=None if case["float64"] is None else _tensors(case["float64"]),
        perturbed=tuple(map(_tensors, case["perturbed"])),
        inputs_after=_digests(case["inputs_after"]),
        term_count=case["term_count"],
    )


def _pass(left: Mapping[str, Any]) -> Pass:
    work = (*sorted(left["computing"].items()), ("calls", left["call_count"]))
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
    )


def _tensors(saved: list[dict[str, Any]]) -> tuple[TensorLeft, ...]:
    return tuple(TensorLeft(each["dtype"], tuple(each["shape"]), tuple(each["stride"]), Path(each["file"]).read_bytes()) for each in saved)


def _digests(saved: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(each["sha256"] for each in saved)
