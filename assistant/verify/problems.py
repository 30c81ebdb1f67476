"""Defects that runs exposed: which of B's are new against A's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from assistant.model.profile import Problem
from assistant.model.verification import Outcome, VerificationFinding
from assistant.verify.evidence import CaseEvidence, SideRun

__all__ = ["UNSUPPORTED", "findings_of", "new_problems", "run_failure", "unsupported"]

_CODES = {
    "shared_race": "race",
    "global_race": "race",
    "possible_shared_race": "possible_race",
    "possible_global_race": "possible_race",
    "bad_launch": "launch_failed",
}
"""Codes that differ from the problem's kind."""
UNSUPPORTED = "unsupported"
"""The kind that says what the lab cannot do; no defect of the kernel."""
_ERROR_CODES = {"crashed": "crashed", "timed out": "timed_out"}


def new_problems(cases: tuple[CaseEvidence, ...]) -> tuple[VerificationFinding, ...]:
    """One finding per kind of problem that B has at more places than A, over all cases (DESIGN §5.8: only new ones count)."""
    of_a = _places(run.problems for case in cases for run in case.original)
    of_b = _places(run.problems for case in cases for run in case.candidate)
    findings = list[VerificationFinding]()
    for kind, places in of_b.items():
        if kind == UNSUPPORTED or len(places) <= len(of_a.get(kind, {})):
            continue
        problem = next(iter(places.values()))
        case_index = next(i for i, c in enumerate(cases) if any(problem in run.problems for run in c.candidate))
        findings.append(replace(_finding(problem), kernel=cases[case_index].kernel, case=case_index))
    return tuple(findings)


def findings_of(problems: Iterable[Problem]) -> tuple[VerificationFinding, ...]:
    """One finding per kind and line, of a run that no case belongs to; what the lab cannot do is none."""
    found = {(problem.kind, problem.line): _finding(problem) for problem in problems if problem.kind != UNSUPPORTED}
    return tuple(found.values())


def unsupported(run: SideRun) -> str | None:
    """What the lab could not do in this run; None when it could do all."""
    return next((problem.message for problem in run.problems if problem.kind == UNSUPPORTED), None)


def run_failure(case: CaseEvidence, index: int, run: SideRun) -> VerificationFinding | None:
    """Why B's run counts as failed; None when it ran and its guard zones are whole."""
    shape = f" at {case.origin.shape}" if case.origin.shape else ""
    if run.error is not None:
        code = _ERROR_CODES.get(run.error, "launch_failed")
        return VerificationFinding(code, Outcome.FAIL, f"the kernel failed{shape}: {run.error}", case.kernel, case=index)
    if not run.guards_intact and all(original.guards_intact for original in case.original):
        message = f"the kernel wrote beyond the end of a buffer{shape}"
        return VerificationFinding("out_of_bounds", Outcome.FAIL, message, case.kernel, case=index)
    return None


def _finding(problem: Problem) -> VerificationFinding:
    code = _CODES.get(problem.kind, problem.kind)
    outcome = Outcome.NEEDS_DECISION if code == "possible_race" else Outcome.FAIL
    return VerificationFinding(code, outcome, problem.message, line=problem.line or None)


def _places(problems: Iterable[tuple[Problem, ...]]) -> dict[str, dict[tuple[str, int, int | None], Problem]]:
    """Per kind, the distinct places with one problem each."""
    places: dict[str, dict[tuple[str, int, int | None], Problem]] = defaultdict(dict)
    for group in problems:
        for problem in group:
            places[problem.kind].setdefault((problem.file, problem.line, problem.other_line), problem)
    return places
