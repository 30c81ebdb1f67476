"""Defects that runs exposed: which of B's are new against A's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from assistant.model.profile import Problem
from assistant.model.verification import Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.evidence import TIMED_OUT, CaseEvidence, SideRun
from assistant.verify.lines import LinePairs, Place

__all__ = ["ASSUMPTIONS", "UNSUPPORTED", "WEIGHTS", "Weight", "new_findings", "new_problems", "run_failure", "unsupported"]


class Weight(Record):
    """What a new problem of one kind makes of the verdict."""

    outcome: Outcome
    code: str = ""
    """Code of the finding; empty: the problem's kind."""


_WRONG, _DOUBTFUL = Weight(Outcome.FAIL), Weight(Outcome.NEEDS_DECISION)
WEIGHTS: dict[str, Weight] = {
    "shared_race": Weight(Outcome.FAIL, "race"),
    "global_race": Weight(Outcome.FAIL, "race"),
    "possible_shared_race": Weight(Outcome.NEEDS_DECISION, "possible_race"),
    "possible_global_race": Weight(Outcome.NEEDS_DECISION, "possible_race"),
    "missing_syncwarp": _WRONG,
    "lock_step": _DOUBTFUL,
    "missing_fence": _WRONG,
    "missing_wait": _DOUBTFUL,
    "possible_missing_fence": _DOUBTFUL,
    "plain_poll": _WRONG,
    "co_residency": _DOUBTFUL,
    "block_order": _DOUBTFUL,
    "async_copy_not_awaited": _WRONG,
    "async_source_overwritten": _WRONG,
    "stale_read": _WRONG,
    "bad_warp_mask": _WRONG,
    "inactive_lane_value": _WRONG,
    "inactive_lane_read": _DOUBTFUL,
    "convergence_assumed": _DOUBTFUL,
    "bad_launch": Weight(Outcome.FAIL, "launch_failed"),
}
"""Kinds that are not listed are wrong. What a run shows only possibly is left to a person."""
ASSUMPTIONS = frozenset({"lock_step", "co_residency", "block_order", "convergence_assumed"})
"""Codes of findings that say what an edit takes for granted and CUDA does not promise."""
UNSUPPORTED = "unsupported"
"""The kind that says what the lab cannot do; no defect of the kernel."""
_ERROR_CODES = {"crashed": "crashed", TIMED_OUT: "timed_out"}


def new_problems(cases: tuple[CaseEvidence, ...], lines: LinePairs | None) -> tuple[VerificationFinding, ...]:
    """Per case one finding for each kind of problem that B has where A has none of that kind (only new ones count).

    A's problems count from all cases of the same kernel. Without ``lines`` equal line numbers are the same place.
    """
    known: dict[str, list[Problem]] = defaultdict(list)
    for case in cases:
        known[case.kernel].extend(problem for run in case.original for problem in run.problems)
    findings = list[VerificationFinding]()
    for index, case in enumerate(cases):
        problems = (problem for run in case.candidate for problem in run.problems)
        findings.extend(_per_kind(_new(problems, known[case.kernel], lines), case.kernel, index))
    return tuple(findings)


def new_findings(problems: Iterable[Problem], known: Iterable[Problem], lines: LinePairs | None) -> tuple[VerificationFinding, ...]:
    """One finding per kind of problem that is not among the original's ``known`` ones, of a run that no case belongs to."""
    return tuple(_per_kind(_new(problems, tuple(known), lines), None, None))


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


_New = tuple[Problem, int | None]
"""A problem that A has not, and the line on which A has another one of its kind."""


def _new(problems: Iterable[Problem], known: Iterable[Problem], lines: LinePairs | None) -> list[_New]:
    """Problems at a place where A has none of the kind; each end of a race must be an end of one of A's races."""
    of_a: dict[str, set[Place]] = defaultdict(set)
    for problem in known:
        of_a[problem.kind] |= _ends(problem)
        of_a[f"possible_{problem.kind}"] |= _ends(problem)
    new = list[_New]()
    for problem in dict.fromkeys(problems):
        old = of_a.get(problem.kind, set())
        if problem.kind != UNSUPPORTED and not all(_is_known(end, old, lines) for end in _ends(problem)):
            new.append((problem, min((line for _, line in old if line), default=None)))
    return new


def _is_known(end: Place, old: set[Place], lines: LinePairs | None) -> bool:
    if lines is None:
        return end[1] in {line for _, line in old}
    return bool(old.intersection(lines.counterparts(*end)))


def _ends(problem: Problem) -> set[Place]:
    other = () if problem.other_line is None else ((problem.other_file or problem.file, problem.other_line),)
    return {(problem.file, problem.line), *other}


def _per_kind(found: list[_New], kernel: str | None, case: int | None) -> list[VerificationFinding]:
    """The first problem of each kind, saying on how many further lines B has it."""
    kinds: dict[str, list[_New]] = defaultdict(list)
    for problem, line in found:
        kinds[problem.kind].append((problem, line))
    return [_finding(group, kernel, case) for group in kinds.values()]


def _finding(group: list[_New], kernel: str | None, case: int | None) -> VerificationFinding:
    problem, old_line = group[0]
    weight = WEIGHTS.get(problem.kind, _WRONG)
    code = weight.code or problem.kind
    further = sorted({other.line for other, _ in group} - {problem.line})
    partner = f"; the other access is on line {problem.other_line}" if problem.other_line not in (None, problem.line) else ""
    more = f"; also on line {', '.join(map(str, further))}" if further else ""
    known = "" if old_line is None else f"; the original has a problem of this kind on line {old_line}, but not here"
    return VerificationFinding(code, weight.outcome, problem.message + partner + more + known, kernel, problem.line or None, case)
