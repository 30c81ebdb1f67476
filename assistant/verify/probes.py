"""What the program itself never does: other sizes, memory that is not zero. Is B right only for what it does?

A smaller size on the recorded launch, or other contents of memory that the program has cleared, is no case of the user's, so a
difference there is no failure but an assumption that B makes and A does not: a person decides. It counts only where the original runs
clean and controls fail.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.model.verification import CaseResult, Label, Outcome, VerificationFinding
from assistant.verify.cases import UsableCases, case_name
from assistant.verify.compare import prepare
from assistant.verify.controls import check_controls
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence
from assistant.verify.judged_case import case_result, judge_case
from assistant.verify.problems import new_problems

__all__ = ["judge_probes"]

_OWN = {"resized": "for the program's own sizes", "refilled": "where memory is zero before the launch, as in this program"}
_Judged = tuple[list[VerificationFinding], CaseResult]


def judge_probes(
    usable: UsableCases, evidence: JudgeEvidence, is_precision_changed: bool
) -> tuple[list[CaseResult], list[DetectedLabel], list[str]]:
    """How each probe that counts went, a label for the first on which B differs, and which did not count."""
    results, labels, dropped = list[CaseResult](), list[DetectedLabel](), list[str]()
    for case in usable.probes:
        judged = _judge(case, usable.ordinary, evidence, is_precision_changed)
        if isinstance(judged, str):
            dropped.append(f"{case_name(case)}: {judged}")
            continue
        findings, result = judged
        results.append(result)
        if findings:
            where = f"with {case.origin.shape}, on which the original runs clean"
            message = f"right only {_OWN[case.origin.kind]}; {where}: {findings[0].message}"
            labels.append(DetectedLabel(Label.ASSUMPTION, message, findings[0].line))
    return results, labels[:1], dropped


def _judge(case: CaseEvidence, ordinary: tuple[CaseEvidence, ...], evidence: JudgeEvidence, is_precision_changed: bool) -> _Judged | str:
    """What B did wrong, and the case's result; or why the case does not count."""
    prepared, unusable = prepare((case,), evidence.outputs, evidence.tolerance)
    if unusable:
        return unusable[0].reason
    weak = check_controls((case,), prepared, evidence.tolerance)
    if weak:
        return weak[0][1].reason
    index = len(ordinary)
    every = new_problems((*ordinary, case), evidence.lines)
    usual = {finding.code for finding in every if finding.case != index}
    defects = [finding for finding in every if finding.case == index and finding.code not in usual]
    found, verdicts = judge_case(case, 0, list(prepared), evidence, is_precision_changed)
    findings = [*(f for f in found if f.outcome is Outcome.FAIL), *defects]
    result = case_result(case, findings, verdicts)
    return findings, replace(result, outcome=Outcome.NEEDS_DECISION if findings else Outcome.PASS)
