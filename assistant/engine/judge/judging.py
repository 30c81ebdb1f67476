"""Is B right? Runs original and candidate on the same cases and lets ``verify.judge`` decide.

``prepare`` runs the original once for a given effort; ``verify`` runs one candidate against it. Screening and confirming differ only
in their ``Effort``: fresh seeds, repeats, checks and boundary shapes belong to the confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from assistant.cuda.match import kernel_of_instance
from assistant.cuda.struct_layouts import layout_named
from assistant.engine.evaluate.cases import Effort, for_candidate
from assistant.engine.evaluate.counting import OTHER_ORDER, Counted, run_program
from assistant.engine.evaluate.traces import least_roundoff, trace_of, with_types
from assistant.engine.job import Job
from assistant.engine.judge.case_runs import PerturbedCases, PreparedCase, candidate_runs, case_evidence, original_runs, task_of
from assistant.engine.judge.changes import changed_kernels, edited_kernels, same_kernel
from assistant.engine.judge.filled import as_found, filled
from assistant.engine.judge.fitting import Fitting, Launched, fitted, fittings
from assistant.engine.judge.gathering import gather
from assistant.engine.judge.one_program import compared
from assistant.engine.judge.other_uploads import OtherUploads, Sides, other_uploads
from assistant.engine.judge.probes import integers_of
from assistant.engine.judge.streams import UNCHECKED, OriginalRuns, StreamOrder, can_be_late, check_streams
from assistant.engine.subject import Subject
from assistant.model.recording import Recording
from assistant.model.source import Kernel
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.model.workload import AutoTolerance, Tolerance
from assistant.ports import LabFailure, ProgramRun
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.cheats import find_cheats
from assistant.verify.compare import own_error
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence, ProgramVerdict, SideRun, SizesTried
from assistant.verify.host_edits import edits_host_code
from assistant.verify.judge import judge, judge_further
from assistant.verify.kinds import meaning_of
from assistant.verify.labels import Version, changes_streams, detect_labels, new_bounds, order_of
from assistant.verify.lines import LinePairs, Text
from assistant.verify.members import split_members
from assistant.verify.parameters import find_unread_parameters
from assistant.verify.problems import new_findings
from assistant.verify.program import compare_programs
from assistant.workload.recordings import NewCase
from assistant.workload.select import Pairing, ProgramLevelOnly, pair_launches
from assistant.workload.unread import restored_variables

__all__ = [
    "Baseline",
    "Version",
    "changed_kernels",
    "judge_timed_calls",
    "line_pairs",
    "prepare",
    "runnable_cases",
    "unpaired_launches",
    "verify",
]

_ARBITRARY_RESULTS = frozenset(
    {
        "shared_race", "global_race", "missing_syncwarp", "uninitialised_read", "barrier_divergence", "missing_fence", "plain_poll",
        "async_copy_not_awaited", "async_source_overwritten", "stale_read", "inactive_lane_value",
    }
)  # fmt: skip
"""Problem kinds that leave an original without a result that others could be held against."""
_ROUGH_TOLERANCE = "the original's error is not fully known"
_OF_THE_HOST = "only what reaches the host was compared, at the program's own sizes"
_WHOLE_UNCHECKED = "races and bounds not checked"
_UNCHECKED = "races and bounds not checked: the launches are too large"
_COMPARED_VALUES = frozenset({"wrong_value", "wrong_output", "not_written", "untyped_value", "unread_value"})
"""Finding codes that rest on the original's own values."""
_WITHIN_BOUNDS = frozenset({"wrong_value", "precision", "assumption"})
"""Finding codes that wider bounds may take back."""
_NUMBERS_OF_THE_HOST = frozenset({"wrong_value", "wrong_output"})
"""Finding codes of the program oracle that another rounding may explain."""


class Baseline(Record):
    """The original, run on every case."""

    subject: Subject
    kernels: frozenset[str]
    """Keys of the kernels that are judged."""
    counted: Counted
    recorded: Counted
    """The run whose recording the cases were made from."""
    version: Version
    effort: Effort
    cases: tuple[PreparedCase, ...]
    second_run: Counted | None
    """Another run of the original's program: what differs between its own runs is masked."""
    tolerance: Tolerance
    outputs: tuple[str, ...]
    missing_checks: tuple[str, ...]
    dropped_cases: tuple[str, ...]
    """Cases of our own making on which the original is not clean."""
    sizes: SizesTried | None
    """None for declared workloads, whose sizes are the user's to choose."""
    caveats: tuple[str, ...] = ()
    """What a verdict line says of every candidate that is held against it."""
    perturbed: PerturbedCases = field(default_factory=PerturbedCases, compare=False)

    @property
    def is_declared(self) -> bool:
        return bool(self.subject.declared) and self.counted.run is None


async def prepare(
    job: Job,
    subject: Subject,
    counted: Counted,
    version: Version,
    kernels: frozenset[str],
    effort: Effort,
    second_run: Counted | None,
) -> Baseline | LabFailure:
    """Run the original on the cases of the chosen kernels (by key).

    Cases come from the second run's recording: made with every check on, it knows which memory a launch never reads before writing.
    """
    recorded = counted if second_run is None or second_run.recording is None else second_run
    gathered = await gather(job, subject, recorded, kernels, effort)
    prepared = await original_runs(job, subject, gathered.cases, effort)
    if isinstance(prepared, LabFailure):
        return prepared
    workload = subject.declared[0] if subject.declared else None
    return Baseline(
        subject=subject,
        kernels=kernels,
        counted=counted,
        recorded=recorded,
        version=version,
        effort=effort,
        cases=prepared.cases,
        second_run=second_run,
        tolerance=AutoTolerance() if workload is None else workload.tolerance,
        outputs=() if workload is None else workload.outputs,
        missing_checks=(*(() if counted.recording is None else counted.recording.not_captured), *gathered.notes, *prepared.missing),
        caveats=(_ROUGH_TOLERANCE,) if prepared.missing else (),
        dropped_cases=gathered.dropped,
        sizes=gathered.sizes,
    )


async def verify(
    job: Job,
    baseline: Baseline,
    candidate: Subject,
    counted: Counted,
    version: Version,
    stated_labels: tuple[DetectedLabel, ...] = (),
) -> VerificationResult | LabFailure:
    """Run the candidate on the baseline's cases and judge it. ``stated_labels``: those its author admits to.

    Both orders: screening runs it behind the original, in the same process; a confirmation first, in one that has run neither.
    """
    one = await compared(job, baseline.subject, candidate)
    if one.problem is not None:
        return one.problem
    pairing = _pairing(baseline.subject, baseline.recorded, counted)
    pairs = pairing.pairs if isinstance(pairing, Pairing) else ()
    sides = Launched(baseline.subject, baseline.recorded.recording), Launched(candidate, counted.recording)
    fitting = fittings(baseline.cases, pairs, *sides)
    chosen = await fitted(job, candidate, fitting)
    effort = replace(baseline.effort, is_fresh=baseline.effort.is_confirming)
    runs = await candidate_runs(job, candidate, [task_of(item.case, new, effort) for item, new in chosen])
    if isinstance(runs, LabFailure):
        return runs
    limits = () if counted.run is None else counted.run.missing_limits
    missing = [*baseline.missing_checks, *limits]
    if isinstance(pairing, ProgramLevelOnly):
        missing.append(f"kernel-level replay: {pairing.reason}; only what reaches the host was compared")
    chosen = [(baseline.perturbed.known(item), new) for item, new in chosen]
    is_whole = not chosen and counted.run is not None
    program = _program_verdict(baseline, candidate, counted)
    is_checked = is_whole and effort.mode == "check"
    shown = await _checked_as_a_whole(job, baseline, candidate, version, counted, program) if is_checked else _Shown()
    in_question = (baseline.version, version) if is_whole else _in_question(baseline, candidate, version)
    order_before, order_after = map(order_of, in_question)
    order = await _stream_order(job, baseline, candidate, counted)
    of_edit = (*_of_streams(baseline, candidate, version, order), *_of_bounds(in_question))
    shown_cases = [(item, as_found(item, new, side)) for (item, new), side in zip(chosen, runs, strict=True)]
    evidence = JudgeEvidence(
        cases=_evidence_of(baseline, shown_cases),
        tolerance=baseline.tolerance,
        outputs=baseline.outputs,
        labels=(*stated_labels, *shown.labels, *detect_labels(*in_question), *one.labels),
        findings=(
            *_static_findings(baseline, candidate, _followed(baseline, candidate, fitting), counted.recording),
            *shown.findings,
            *order.findings,
        ),
        program=program,
        is_declared=baseline.is_declared,
        dropped_cases=baseline.dropped_cases,
        missing_checks=(*missing, *shown.missing),
        caveats=(*baseline.caveats, *of_edit, *_without_checks(baseline, effort, chosen), *shown.caveats, *one.caveats),
        lines=line_pairs(baseline.subject, candidate),
        edited=tuple(sorted(baseline.kernels & edited_kernels(baseline.subject, candidate))),
        sizes=baseline.sizes,
        order_before=order_before,
        order_after=order_after,
    )
    judged = await _unless_perturbed(job, baseline, shown_cases, _Judged(evidence, judge(evidence)))
    judged = await _unless_rounding(job, baseline, candidate, counted, judged)
    return _unless_original_is_faulty(baseline, judged.verdict)


class _Judged(Record):
    """Evidence, and what follows from it."""

    evidence: JudgeEvidence
    verdict: VerificationResult


def _evidence_of(baseline: Baseline, cases: Sequence[tuple[PreparedCase, tuple[SideRun, ...]]]) -> tuple[CaseEvidence, ...]:
    text = baseline.subject.source.text
    return tuple(case_evidence(baseline.perturbed.known(item), side, text) for item, side in cases)


async def _unless_perturbed(
    job: Job, baseline: Baseline, cases: Sequence[tuple[PreparedCase, tuple[SideRun, ...]]], judged: _Judged
) -> _Judged:
    """Where values differ by more than the narrow bounds, with how far the original itself moves: on the program's own kinds of values
    first, as a difference there decides."""
    for is_every in (False, True):
        known = [baseline.perturbed.known(item) for item, _ in cases]
        items = [item for item in known if item.can_be_perturbed and (is_every or meaning_of(item.case.new.origin.kind) is None)]
        if items and _rests_on_values(judged.verdict):
            await baseline.perturbed.make(job, baseline.subject, items)
            evidence = replace(judged.evidence, cases=_evidence_of(baseline, cases))
            judged = _Judged(evidence, judge(evidence))
    return judged


def _rests_on_values(verdict: VerificationResult) -> bool:
    """Whether wider bounds may change it; they change no refusal to judge."""
    return isinstance(verdict, Verification) and bool({finding.code for finding in verdict.findings} & _WITHIN_BOUNDS)


async def _unless_rounding(job: Job, baseline: Baseline, candidate: Subject, counted: Counted, judged: _Judged) -> _Judged:
    """Where numbers on the host are all that is wrong, with how inaccurate the original's own results are, and how far they move in a run
    that rounds otherwise: what nearly cancels moves further than any rule of roundoffs says."""
    program = judged.evidence.program
    if program is None or not program.findings or any(finding.code not in _NUMBERS_OF_THE_HOST for finding in program.findings):
        return judged
    without = judge(replace(judged.evidence, program=replace(program, findings=())))
    if not isinstance(without, Verification) or without.outcome is Outcome.FAIL:
        return judged
    run = await job.further_runs.fused(job.lab, baseline.subject.program, job.limits)
    rounded = None if isinstance(run, LabFailure) else with_types(run, baseline.subject.source.text)
    error = own_error(_recorded_cases(baseline), baseline.outputs, baseline.tolerance)
    evidence = replace(judged.evidence, program=_program_verdict(baseline, candidate, counted, error, rounded))
    return _Judged(evidence, judge(evidence))


async def _stream_order(job: Job, baseline: Baseline, candidate: Subject, counted: Counted) -> StreamOrder:
    """By late runs, for a confirmation of whole programs."""
    first, second = baseline.counted.run, baseline.second_run
    if not baseline.effort.is_confirming or first is None or second is None or second.run is None:
        return UNCHECKED
    return await check_streams(job, OriginalRuns(baseline.subject, first, second.run, baseline.tolerance), candidate, counted)


def _of_streams(baseline: Baseline, candidate: Subject, version: Version, order: StreamOrder) -> tuple[str, ...]:
    """Ordinary runs do one operation after the other: what the host must wait for shows nowhere."""
    if order.is_checked or not (can_be_late(baseline.subject) or can_be_late(candidate)):
        return ()
    is_edited = edits_host_code(baseline.version.parsed, version.parsed) and changes_streams(baseline.version, version)
    return ("the order of streams not checked",) if is_edited else ()


def _of_bounds(in_question: tuple[Version, Version]) -> tuple[str, ...]:
    """What B's new ``__launch_bounds__`` leave of it."""
    names = {kernel.qualified_name for kernel in new_bounds(*in_question)}
    limits = [limit for name, limit in in_question[1].bounded if name in names]
    return (f"for blocks of up to {min(limits)} threads",) if limits else ()


class _Shown(Record):
    """What a run of the whole program shows beside its results."""

    findings: tuple[VerificationFinding, ...] = ()
    caveats: tuple[str, ...] = ()
    labels: tuple[DetectedLabel, ...] = ()
    missing: tuple[str, ...] = ()


async def _checked_as_a_whole(
    job: Job, baseline: Baseline, candidate: Subject, version: Version, counted: Counted, program: ProgramVerdict | None
) -> _Shown:
    """A candidate whose launches no case can be made of: its program with every check on, for races and bounds, with its threads in
    another order, and on other values."""
    seen = await run_program(job, candidate, "check", order_seed=OTHER_ORDER)
    if isinstance(seen, LabFailure) or seen.failure is not None:
        reason = seen.message if isinstance(seen, LabFailure) else seen.failure.message if seen.failure else ""
        message = f"{_WHOLE_UNCHECKED}, and no launch can be judged by itself: {reason}"
        return _Shown((VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message),), (_OF_THE_HOST, _WHOLE_UNCHECKED))
    before = (baseline.counted, *(() if baseline.second_run is None else (baseline.second_run,)))
    known = [problem for counted in before for problem in counted.problems]
    lines = line_pairs(baseline.subject, candidate)
    sides = Sides(baseline.subject, candidate, baseline.counted, counted, before, baseline.tolerance, lines)
    is_wrong = program is None or bool(program.findings)
    by_order = () if is_wrong else tuple(_by_order(baseline, candidate, version, seen))
    others = OtherUploads() if is_wrong or by_order else await other_uploads(job, sides)
    told = f"{_OF_THE_HOST}, on its values and {counted_noun(others.draw_count, 'other draw')}"
    return _Shown(
        (*new_findings(seen.problems, known, lines), *by_order, *others.findings),
        (told if others.draw_count else _OF_THE_HOST, *others.caveats),
        others.labels,
        others.missing,
    )


def _by_order(baseline: Baseline, candidate: Subject, version: Version, seen: Counted) -> Iterator[VerificationFinding]:
    """What B's program leaves otherwise with its threads in another order, and A's does not; of sums of floats a person decides."""
    verdict = _program_verdict(baseline, candidate, seen)
    findings = () if verdict is None else verdict.findings
    worst = Outcome.NEEDS_DECISION if findings and order_of(version).float_sums else Outcome.FAIL
    for finding in findings:
        outcome = worst if finding.outcome is Outcome.FAIL else finding.outcome
        yield replace(finding, outcome=outcome, message=f"with the threads in another order: {finding.message}")


def _without_checks(baseline: Baseline, effort: Effort, chosen: Sequence[tuple[PreparedCase, NewCase]]) -> tuple[str, ...]:
    """Where a judged kernel has cases, and none of them is run with the checks that a confirmation asks for."""
    if effort.mode != "check":
        return ()
    checked = {item.case.kernel for item, new in chosen if task_of(item.case, new, effort).is_checked}
    unchecked = {item.case.kernel for item, _ in chosen} & baseline.kernels - checked
    return (_UNCHECKED,) if unchecked else ()


def judge_timed_calls(
    baseline: Baseline,
    candidate: Subject,
    version: Version,
    left: Mapping[int, tuple[SideRun, ...]],
    own: Mapping[int, tuple[SideRun, ...]],
) -> tuple[VerificationFinding, ...]:
    """What is wrong with the values that timed calls left. ``left``: of the candidate, by the case's place in the baseline; ``own``: of the
    original, which show how far its results spread."""
    in_question = _in_question(baseline, candidate, version)
    order_before, order_after = map(order_of, in_question)
    cases = tuple(
        case_evidence(replace(item, original=(*item.original, *own.get(index, ()))), left.get(index, ()), baseline.subject.source.text)
        for index, item in enumerate(baseline.cases)
        if item.case.new.origin.is_own_size and meaning_of(item.case.new.origin.kind) is None
    )
    evidence = JudgeEvidence(
        cases=cases,
        tolerance=baseline.tolerance,
        outputs=baseline.outputs,
        labels=detect_labels(*in_question),
        order_before=order_before,
        order_after=order_after,
    )
    return judge_further(evidence)


def runnable_cases(baseline: Baseline, candidate: Subject, counted: Counted) -> list[tuple[PreparedCase, NewCase]]:
    """The baseline's cases that the candidate can be run on, each with what the candidate runs."""
    pairing = _pairing(baseline.subject, baseline.recorded, counted)
    pairs = pairing.pairs if isinstance(pairing, Pairing) else ()
    runnable = ((item, for_candidate(item.case, pairs, candidate)) for item in baseline.cases)
    recordings = baseline.recorded.recording, counted.recording
    return [(item, filled(new, item.case, pairs, *recordings)) for item, new in runnable if new is not None]


def _unless_original_is_faulty(baseline: Baseline, verdict: VerificationResult) -> VerificationResult:
    """An original that races or reads uninitialised memory is named as the reason where its results were of no use."""
    if isinstance(verdict, Verification) and not _fails_by_values_alone(verdict):
        return verdict
    problems = [problem for case in baseline.cases for run in case.original for problem in run.problems]
    fault = next((problem for problem in problems if problem.kind in _ARBITRARY_RESULTS), None)
    if fault is None:
        return verdict
    path = baseline.subject.source.path
    kind = fault.kind.replace("_", " ")
    reason = f"the original's own results are arbitrary: {kind} on line {fault.line} of {path.name}"
    return CannotJudge(reason, f"fix the original first: kernelopt check {path}")


def _fails_by_values_alone(verdict: Verification) -> bool:
    failed = {finding.code for finding in verdict.findings if finding.outcome is Outcome.FAIL}
    return verdict.outcome is Outcome.FAIL and not failed - _COMPARED_VALUES


def _in_question(baseline: Baseline, candidate: Subject, version: Version) -> tuple[Version, Version]:
    """Both versions with the judged kernels alone, and their machine code."""
    old = [kernel for kernel in baseline.subject.parsed.kernels if kernel.key in baseline.kernels]
    new = [other for kernel in old if (other := same_kernel(kernel, baseline.subject, candidate)) is not None]
    return _of_kernels(baseline.version, old), _of_kernels(version, new)


def _of_kernels(version: Version, kernels: Sequence[Kernel]) -> Version:
    code = tuple(item for item in version.code if kernel_of_instance(version.parsed, item.kernel) in kernels)
    return replace(version, code=code, kernels=tuple(kernel.qualified_name for kernel in kernels))


def _static_findings(
    baseline: Baseline, candidate: Subject, followed: Mapping[str, frozenset[str]], own: Recording | None
) -> tuple[VerificationFinding, ...]:
    """What the static rules say of the judged kernels; ``followed``: what the candidate's grids follow from, ``own``: its own launches."""
    judged = [kernel for kernel in baseline.subject.parsed.kernels if kernel.key in baseline.kernels]
    names = {other.qualified_name for kernel in judged if (other := same_kernel(kernel, baseline.subject, candidate)) is not None}
    before, after = baseline.subject.parsed, candidate.parsed
    found = (
        *find_cheats(before, after, restored_variables(own)),
        *find_unread_parameters(before, after, _recorded_integers(baseline), followed),
    )
    return tuple(finding for finding in found if finding.kernel is None or finding.kernel in names)


def _followed(baseline: Baseline, candidate: Subject, fitting: Sequence[Fitting]) -> dict[str, frozenset[str]]:
    """What the candidate's grid follows from where other sizes are tried, by its kernel's qualified name."""
    found: dict[str, frozenset[str]] = {}
    for kernel in baseline.subject.parsed.kernels:
        other = same_kernel(kernel, baseline.subject, candidate)
        mine = [one.followed for one in fitting if one.item.case.kernel == kernel.key and one.followed]
        if other is not None and mine:
            found[other.qualified_name] = mine[0].intersection(*mine[1:])
    return found


def _recorded_integers(baseline: Baseline) -> dict[str, dict[str, frozenset[int]]]:
    """Integer arguments of the recorded launches, by the kernel's qualified name and parameter."""
    names = {kernel.key: kernel.qualified_name for kernel in baseline.subject.parsed.kernels}
    found: dict[str, dict[str, frozenset[int]]] = {}
    for item in baseline.cases:
        if item.case.new.origin.kind == "recorded":
            values = found.setdefault(names[item.case.kernel], {})
            for name, value in integers_of(item.case.new, item.case.parameters[0]).items():
                values[name] = values.get(name, frozenset()) | {value}
    return found


def line_pairs(before: Subject, after: Subject) -> LinePairs:
    """Which lines of the candidate are lines of the original."""
    return LinePairs(*(Text(str(subject.source.path), subject.source.text) for subject in (before, after)))


def unpaired_launches(original: Subject, a: Counted, b: Counted) -> str | None:
    """Why the launches of two programs do not correspond; None where they do, or where neither is a program."""
    pairing = _pairing(original, a, b)
    return pairing.reason if isinstance(pairing, ProgramLevelOnly) else None


def _pairing(original: Subject, a: Counted, b: Counted) -> Pairing | ProgramLevelOnly | None:
    if a.recording is None or b.recording is None:
        return None
    return pair_launches(a.recording, b.recording, lambda name: layout_named(original.source.text, name))


def _recorded_cases(baseline: Baseline) -> tuple[CaseEvidence, ...]:
    """The original on what its own run had."""
    recorded = (item for item in baseline.cases if item.case.new.origin.kind == "recorded")
    return tuple(split_members(case_evidence(item, (), baseline.subject.source.text)) for item in recorded)


def _program_verdict(
    baseline: Baseline, candidate: Subject, counted: Counted, own_error: float = 0.0, rounded: ProgramRun | None = None
) -> ProgramVerdict | None:
    """``own_error``, ``rounded``: as in ``compare_programs``."""
    first, second, changed = baseline.counted.run, baseline.second_run, counted.run
    if first is None or second is None or second.run is None or changed is None:
        return None
    text = baseline.subject.source.text
    a, again, b = (trace_of(run, text) for run in (first, second.run, changed))
    instances = () if first.recording is None else {launch.kernel for launch in first.recording.launches}
    least = least_roundoff(baseline.subject.parsed, edited_kernels(baseline.subject, candidate), instances)
    otherwise = None if rounded is None else trace_of(rounded, text)
    verdict = compare_programs(a, again, b, baseline.tolerance, least, own_error, otherwise)
    return verdict if isinstance(verdict, ProgramVerdict) else None
