"""Is B right? Runs original and candidate on the same cases and lets ``verify.judge`` decide.

``preparing.prepare`` runs the original once for a given effort; ``verify`` runs one candidate against it. Screening and confirming differ
only in their ``Effort``: fresh seeds, repeats, checks and boundary shapes belong to the confirmation.

It has two halves. ``run_candidate`` asks for nothing that a busy machine answers otherwise, so that several kernels may be run side by
side; ``judge_runs`` also runs whole programs, which have a time by the clock, and wants the machine to itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.engine.evaluate import CountedRun, Effort, Evaluation, version_facts, with_types
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline, PreparedCase, case_evidence
from assistant.engine.judge.case_runs import candidate_runs, perturb, task_of
from assistant.engine.judge.changes import edited_kernels
from assistant.engine.judge.checked_blocks import CheckedOnBlocks, checked_on_blocks
from assistant.engine.judge.faults import unless_original_is_faulty
from assistant.engine.judge.filled import as_found
from assistant.engine.judge.fitting import Fitting, VersionLaunches, fitted, fittings, followed
from assistant.engine.judge.in_part import judged_in_part
from assistant.engine.judge.in_question import kernels_in_question, other_facts, other_findings, static_findings
from assistant.engine.judge.large_launches import ComparedInMemory, compared_in_memory
from assistant.engine.judge.one_program import OneProgram, compared
from assistant.engine.judge.other_programs import unjudged_programs
from assistant.engine.judge.own_blocks import CaseOfBoth
from assistant.engine.judge.pairing import line_pairs, pairing_of
from assistant.engine.judge.promises import promises_of
from assistant.engine.judge.repeated import repeats_left_out
from assistant.engine.judge.streams import UNCHECKED, OriginalRuns, StreamOrder, can_be_late, check_streams
from assistant.engine.judge.tried_launches import kept_numbers, untried_findings, well_read
from assistant.engine.judge.trying import trials_of
from assistant.engine.judge.whole_program import ProgramChecks, check_whole_program, program_verdict, recorded_cases
from assistant.engine.source_version import SourceVersion
from assistant.engine.threads import in_thread
from assistant.model.verification import CannotJudge, Outcome, Unjudgeable, Verification, VerificationResult
from assistant.ports.lab import LabFailure
from assistant.record import Record
from assistant.verify.evidence import CaseEvidence, DetectedLabel, JudgeEvidence, SideRun
from assistant.verify.host_edits import edits_host_code
from assistant.verify.judge import judge
from assistant.verify.kinds import meaning_of
from assistant.verify.labels import VersionFacts, changes_streams, detect_labels, new_bounds, order_of
from assistant.verify.rules import own_error
from assistant.workload.recordings import NewCase
from assistant.workload.select import Pairing, ProgramLevelOnly

__all__ = ["CandidateRuns", "judge_runs", "run_candidate", "verify"]

_UNCHECKED = "races and bounds not checked: the launches are too large"
_TOO_LARGE = "the program takes too long to be run whole here, and no launch of one version can be held against one of the other"
_SMALLER = "give the program smaller arguments after --, raise run.whole_s and --timeout, or judge it on a GPU (--device gpu)"
_WITHIN_BOUNDS = frozenset({"wrong_value", "precision", "assumption"})
"""Finding codes that wider bounds may take back."""
_NUMBERS_OF_THE_HOST = frozenset({"wrong_value", "wrong_output"})
"""Finding codes of the program oracle that another rounding may explain."""


class CandidateRuns(Record):
    """A candidate on the cases that it can be run on."""

    one: OneProgram
    """What came of comparing the compilers."""
    pairing: Pairing | ProgramLevelOnly | None
    """None where nothing was recorded, so that cases are declared or of a notebook's arrays."""
    fitting: tuple[Fitting, ...]
    cases: tuple[tuple[PreparedCase, NewCase], ...]
    """Each with what the candidate is started on."""
    runs: tuple[tuple[SideRun, ...], ...]
    """Of each of them."""

    def held_against(self, baseline: Baseline) -> CandidateRuns:
        """With the cases as ``baseline`` has them, which knows more of them by now."""
        known = {id(item.case): item for item in baseline.cases}
        fitting = tuple(replace(one, item=known[id(one.item.case)]) for one in self.fitting)
        return replace(self, fitting=fitting, cases=tuple((known[id(item.case)], new) for item, new in self.cases))


async def verify(
    job: Job,
    baseline: Baseline,
    evaluation: Evaluation,
    stated_labels: tuple[DetectedLabel, ...] = (),
    *,
    is_as_a_whole: bool = False,
) -> VerificationResult | LabFailure:
    """Run the candidate, as it was evaluated, on the baseline's cases and judge it. ``stated_labels``: those its author admits to.
    ``is_as_a_whole``: by what the whole program does alone; kernels may share its work otherwise.

    Both orders: screening runs it behind the original, in the same process; a confirmation first, in one that has run neither.
    """
    runs = await run_candidate(job, baseline, evaluation)
    if not isinstance(runs, CandidateRuns):
        return runs
    return await judge_runs(job, baseline, evaluation, runs, stated_labels, is_as_a_whole=is_as_a_whole)


async def run_candidate(job: Job, baseline: Baseline, evaluation: Evaluation) -> CandidateRuns | CannotJudge | LabFailure:
    """The candidate on the baseline's cases, as far as it can be run on them."""
    candidate, counted = evaluation.version, evaluation.counted
    one = await compared(job, baseline.version, candidate)
    if one.problem is not None:
        return one.problem
    pairing = pairing_of(baseline.version, baseline.recorded, counted)
    pairs = pairing.pairs if isinstance(pairing, Pairing) else ()
    sides = VersionLaunches(baseline.version, baseline.recorded.recording), VersionLaunches(candidate, counted.recording)
    fitting = fittings(baseline.cases, pairs, *sides)
    chosen = await fitted(trials_of(job, candidate.program), [one for one in fitting if one.unlike is None])
    effort = replace(baseline.effort, is_fresh=baseline.effort.is_confirming)
    runs = await candidate_runs(job, candidate, [task_of(item.case, new, effort) for item, new in chosen])
    return runs if isinstance(runs, LabFailure) else CandidateRuns(one, pairing, tuple(fitting), tuple(chosen), tuple(runs))


async def judge_runs(
    job: Job,
    baseline: Baseline,
    evaluation: Evaluation,
    ran: CandidateRuns,
    stated_labels: tuple[DetectedLabel, ...] = (),
    *,
    is_as_a_whole: bool = False,
) -> VerificationResult | LabFailure:
    """The verdict on what was run, as of ``verify``."""
    candidate, counted = evaluation.version, evaluation.counted
    facts = version_facts(candidate, evaluation.assessment)
    one, pairing, fitting, chosen, runs = ran.one, ran.pairing, ran.fitting, list(ran.cases), list(ran.runs)
    effort = replace(baseline.effort, is_fresh=baseline.effort.is_confirming)
    limits = () if counted.run is None else counted.run.missing_limits
    in_others = await unjudged_programs(job, baseline.version, candidate) if effort.is_confirming else ()
    missing = [*baseline.missing_checks, *limits, *in_others]
    if isinstance(pairing, ProgramLevelOnly):
        missing.append(f"kernel-level replay: {pairing.reason}; only what reaches the host was compared")
    in_part = judged_in_part(baseline, candidate, counted, [CaseOfBoth(*each, side) for each, side in zip(chosen, runs, strict=True)])
    chosen, runs = [(one.item, one.new) for one in in_part.cases], [one.side for one in in_part.cases]
    chosen = [(baseline.perturbed.known(item), new) for item, new in chosen]
    blocks = _on_blocks(baseline, chosen)
    is_whole = not chosen and counted.run is not None and not in_part.is_partial
    program = None if in_part.is_partial else await in_thread(program_verdict, baseline, candidate, counted)
    is_checked = is_whole and effort.mode == "check"
    looks_in_memory = effort.is_confirming and isinstance(pairing, Pairing) and not is_as_a_whole
    memory = await compared_in_memory(job, baseline, candidate) if looks_in_memory else ComparedInMemory()
    shown = ProgramChecks()
    if is_checked:
        shown = await check_whole_program(job, baseline, candidate, facts, counted, program, memory.compared)
    in_question = (baseline.facts, facts) if is_whole else kernels_in_question(baseline, candidate, facts)
    order_before, order_after = map(order_of, in_question)
    others = other_facts(baseline, candidate)
    order = UNCHECKED if in_part.is_partial else await _stream_order(job, baseline, candidate, counted)
    of_edit = (*_of_streams(baseline, candidate, ((baseline.facts, facts), *others), order), *_of_bounds(in_question))
    shown_cases = [(item, as_found(item.case.new, item.original, new, side)) for (item, new), side in zip(chosen, runs, strict=True)]
    promises = promises_of(baseline.version, candidate, counted, baseline.kernels)
    launched, run_on = (baseline.recorded.recording, counted.recording), [new for _, new in chosen]
    untried = untried_findings(baseline.version, candidate, launched, run_on) if effort.is_confirming else ()
    kept = kept_numbers(baseline.version, candidate, counted.recording, run_on) if effort.is_confirming else ()
    evidence = JudgeEvidence(
        cases=_evidence_of(baseline, shown_cases),
        tolerance=baseline.tolerance,
        outputs=baseline.outputs,
        labels=(
            *candidate.stated,
            *stated_labels,
            *shown.labels,
            *promises.labels,
            *in_part.labels,
            *(label for pair in (in_question, *others) for label in detect_labels(*pair)),
            *one.labels,
            *repeats_left_out(baseline.recorded.recording, counted.recording),
        ),
        findings=(
            *static_findings(baseline, candidate, followed(baseline, candidate, fitting), counted.recording),
            *other_findings(others, counted.recording),
            *untried,
            *shown.findings,
            *memory.findings,
            *order.findings,
            *promises.findings,
            *in_part.findings,
        ),
        program=program,
        is_declared=baseline.is_declared,
        dropped_cases=(*baseline.dropped_cases, *dict.fromkeys(one.unlike for one in fitting if one.unlike is not None)),
        missing_checks=(
            *missing,
            *kept,
            *(baseline.case_notes if chosen else ()),
            *shown.missing,
            *memory.missing,
            *in_part.missing,
            *blocks.missing,
        ),
        caveats=(
            *(*in_part.caveats, *baseline.caveats, *of_edit, *_without_checks(baseline, effort, chosen)),
            *(*blocks.caveats, *shown.caveats, *one.caveats),
        ),
        lines=line_pairs(baseline.version, candidate),
        edited=tuple(sorted(baseline.kernels & edited_kernels(baseline.version, candidate))),
        sizes=None if in_part.is_led_by_smaller else baseline.sizes,
        well_read=well_read(baseline.kernels, baseline.version, candidate),
        order_before=order_before,
        order_after=order_after,
    )
    judged = await _unless_perturbed(job, baseline, shown_cases, await _judged(baseline, evidence))
    judged = await _unless_rounding(job, baseline, candidate, counted, judged)
    verdict = judged.verdict
    if isinstance(verdict, CannotJudge) and in_part.is_partial and isinstance(pairing, ProgramLevelOnly):
        verdict = CannotJudge(Unjudgeable.NO_CASE, f"{_TOO_LARGE}: {pairing.reason}", _SMALLER)
    return await unless_original_is_faulty(job, baseline, verdict, candidate if effort.is_confirming else None, is_whole=is_whole)


class _Judgement(Record):
    """Evidence, and what follows from it."""

    evidence: JudgeEvidence
    verdict: VerificationResult


async def _judged(baseline: Baseline, evidence: JudgeEvidence) -> _Judgement:
    return _Judgement(evidence, await in_thread(judge, evidence, baseline.rules))


def _evidence_of(baseline: Baseline, cases: Sequence[tuple[PreparedCase, tuple[SideRun, ...]]]) -> tuple[CaseEvidence, ...]:
    text = baseline.version.struct_text
    return tuple(case_evidence(baseline.perturbed.known(item), side, text) for item, side in cases)


async def _unless_perturbed(
    job: Job, baseline: Baseline, cases: Sequence[tuple[PreparedCase, tuple[SideRun, ...]]], judged: _Judgement
) -> _Judgement:
    """Where values differ by more than the narrow bounds, with how far the original itself moves: on the program's own kinds of values
    first, as a difference there decides."""
    for is_every in (False, True):
        known = [baseline.perturbed.known(item) for item, _ in cases]
        items = [item for item in known if item.can_be_perturbed and (is_every or meaning_of(item.case.new.origin.kind) is None)]
        if items and _rests_on_values(judged.verdict):
            await perturb(job, baseline.version, items, baseline.perturbed)
            evidence = replace(judged.evidence, cases=_evidence_of(baseline, cases))
            judged = await _judged(baseline, evidence)
    return judged


def _rests_on_values(verdict: VerificationResult) -> bool:
    """Whether wider bounds may change it; they change no refusal to judge."""
    return isinstance(verdict, Verification) and bool({finding.code for finding in verdict.findings} & _WITHIN_BOUNDS)


async def _unless_rounding(job: Job, baseline: Baseline, candidate: SourceVersion, counted: CountedRun, judged: _Judgement) -> _Judgement:
    """Where numbers on the host are all that is wrong, with how inaccurate the original's own results are, and how far they move in a run
    that rounds otherwise: what nearly cancels moves further than any rule of roundoffs says."""
    program = judged.evidence.program
    if program is None or not program.findings or any(finding.code not in _NUMBERS_OF_THE_HOST for finding in program.findings):
        return judged
    without = (await _judged(baseline, replace(judged.evidence, program=replace(program, findings=())))).verdict
    if not isinstance(without, Verification) or without.outcome is Outcome.FAIL:
        return judged
    run = await job.further_runs.fused(job.lab, baseline.version.program, job.limits)
    rounded = None if isinstance(run, LabFailure) else with_types(run, baseline.version)
    error = await in_thread(own_error, recorded_cases(baseline), baseline.outputs, baseline.tolerance)
    program = await in_thread(program_verdict, baseline, candidate, counted, error, rounded)
    return await _judged(baseline, replace(judged.evidence, program=program))


async def _stream_order(job: Job, baseline: Baseline, candidate: SourceVersion, counted: CountedRun) -> StreamOrder:
    """By late runs, for a confirmation of whole programs."""
    runs = (counted.run for counted in (baseline.counted, baseline.second_run) if counted is not None and counted.run is not None)
    emulated = [run.under_emulator for run in runs]
    if not baseline.effort.is_confirming or len(emulated) < 2 or emulated[0] is None or emulated[1] is None:
        return UNCHECKED
    return await check_streams(job, OriginalRuns(baseline.version, emulated[0], emulated[1], baseline.tolerance), candidate, counted)


def _of_streams(
    baseline: Baseline, candidate: SourceVersion, edited: Sequence[tuple[VersionFacts, VersionFacts]], order: StreamOrder
) -> tuple[str, ...]:
    """Ordinary runs do one operation after the other: what the host must wait for shows nowhere."""
    if order.is_checked or not (can_be_late(baseline.version) or can_be_late(candidate)):
        return ()
    is_edited = any(edits_host_code(old.parsed, new.parsed) and changes_streams(old, new) for old, new in edited)
    return ("the order of streams not checked",) if is_edited else ()


def _of_bounds(in_question: tuple[VersionFacts, VersionFacts]) -> tuple[str, ...]:
    """What B's new ``__launch_bounds__`` leave of it."""
    names = {kernel.qualified_name for kernel in new_bounds(*in_question)}
    limits = [limit for name, limit in in_question[1].bounded if name in names]
    return (f"for blocks of up to {min(limits)} threads",) if limits else ()


def _without_checks(baseline: Baseline, effort: Effort, chosen: Sequence[tuple[PreparedCase, NewCase]]) -> tuple[str, ...]:
    """Where a judged kernel has cases, and none of them is run with the checks that a confirmation asks for."""
    if effort.mode != "check":
        return ()
    checked = {item.case.kernel for item, new in chosen if task_of(item.case, new, effort).is_checked}
    unchecked = {item.case.kernel for item, _ in chosen} & baseline.kernels - checked
    return (_UNCHECKED,) if unchecked else ()


def _on_blocks(baseline: Baseline, chosen: Sequence[tuple[PreparedCase, NewCase]]) -> CheckedOnBlocks:
    """Of the cases that are run with every check on, where a GPU runs them whole."""
    if not baseline.effort.checks_blocks:
        return CheckedOnBlocks()
    checked = [(item, new) for item, new in chosen if task_of(item.case, new, baseline.effort).is_checked]
    return checked_on_blocks(checked, baseline.kernels)
