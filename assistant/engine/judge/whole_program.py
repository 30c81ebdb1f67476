"""Is the program as a whole right? What reaches its host, and what runs of it with every check on show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from assistant.engine.evaluate import OTHER_ORDER, CountedRun, least_roundoff, run_program, trace_of
from assistant.engine.job import Job
from assistant.engine.judge.baseline import Baseline, case_evidence
from assistant.engine.judge.block_results import divided_otherwise, marked, transfers_of_blocks
from assistant.engine.judge.changes import edited_kernels
from assistant.engine.judge.other_uploads import OtherUploads, Sides, other_uploads
from assistant.engine.judge.pairing import line_pairs
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Recording
from assistant.model.verification import Outcome, VerificationFinding
from assistant.ports.lab import LabFailure, ProgramRun
from assistant.profile.quantity import counted_noun
from assistant.record import Record
from assistant.verify.evidence import CaseEvidence, DetectedLabel, ProgramVerdict
from assistant.verify.labels import VersionFacts, order_of
from assistant.verify.members import split_members
from assistant.verify.problems import new_findings
from assistant.verify.program import compare_programs

__all__ = ["ProgramChecks", "check_whole_program", "program_verdict", "recorded_cases"]

_OWN_SIZES = ", at the program's own sizes"
_OF_THE_HOST = f"only what reaches the host was compared{_OWN_SIZES}"


_WHOLE_UNCHECKED = "races and bounds not checked"
_BLOCKS = "races and bounds checked on some blocks of its launches"


class ProgramChecks(Record):
    """What a run of the whole program shows in addition to its results."""

    findings: tuple[VerificationFinding, ...] = ()
    caveats: tuple[str, ...] = ()
    labels: tuple[DetectedLabel, ...] = ()
    missing: tuple[str, ...] = ()


async def check_whole_program(
    job: Job,
    baseline: Baseline,
    candidate: SourceVersion,
    facts: VersionFacts,
    counted: CountedRun,
    program: ProgramVerdict | None,
    in_memory: tuple[str, ...] = (),
) -> ProgramChecks:
    """A candidate whose launches no case can be made of: its program with every check on, for races and bounds, with its threads in
    another order, and on other values. ``in_memory``: what was compared of the GPU's memory, for people."""
    of_host = f"what reaches the host was compared, and {' and '.join(in_memory)}{_OWN_SIZES}" if in_memory else _OF_THE_HOST
    seen = await run_program(job, candidate, "check", order_seed=OTHER_ORDER)
    if isinstance(seen, LabFailure) or seen.failure is not None:
        reason = seen.message if isinstance(seen, LabFailure) else seen.failure.message if seen.failure else ""
        message = f"{_WHOLE_UNCHECKED}, and no launch can be judged by itself: {reason}"
        return ProgramChecks((VerificationFinding("not_judged", Outcome.NEEDS_DECISION, message),), (of_host, _WHOLE_UNCHECKED))
    before = (baseline.counted, *(() if baseline.second_run is None else (baseline.second_run,)))
    known = [problem for counted in before for problem in counted.problems]
    lines = line_pairs(baseline.version, candidate)
    divided = divided_otherwise(baseline.version, candidate, baseline.counted.recording, counted.recording)
    sides = Sides(baseline.version, candidate, baseline.counted, counted, before, baseline.tolerance, lines, divided)
    is_wrong = program is None or bool(program.findings)
    own, other = _in_other_order(baseline, seen, counted)
    by_order = () if is_wrong else tuple(_by_order(own, other, candidate, facts, _same_in(own, baseline, candidate, counted)))
    others = OtherUploads() if is_wrong or by_order else await other_uploads(job, sides)
    compared = f"{of_host}, on its values and {counted_noun(others.draw_count, 'other draw')}"
    return ProgramChecks(
        (*new_findings(seen.problems, known, lines), *by_order, *others.findings),
        (compared if others.draw_count else of_host, *others.caveats, *((_BLOCKS,) if seen.is_counted_in_part else ())),
        others.labels,
        (*others.missing, *_not_seen(seen)),
    )


def _not_seen(seen: CountedRun) -> tuple[str, ...]:
    """What the emulator did not come to of B's program, which a GPU ran whole."""
    if seen.recording is None or not seen.is_counted_in_part:
        return ()
    return (*seen.recording.not_captured, "another order of threads: the emulator does not run the program whole, and a GPU has its own")


def _in_other_order(baseline: Baseline, seen: CountedRun, counted: CountedRun) -> tuple[Baseline, CountedRun]:
    """The emulator's runs alone, where it ran all of them whole: it decides the order, and its values differ from a GPU's in their last
    bits; else the runs as they are. ``counted``: the same program as ``seen``, in its usual order."""
    known = (baseline.counted, baseline.second_run, seen)
    emulated = [None if one is None or one.run is None else one.run.under_emulator for one in known]
    if baseline.second_run is None or None in emulated:
        return baseline, seen
    usual = (baseline.counted, baseline.counted, counted)
    runs = (None if run is None else _typed_as(run, one.recording) for run, one in zip(emulated, usual, strict=True))
    first, second, other = (replace(one, run=run) for one, run in zip((baseline.counted, baseline.second_run, seen), runs, strict=True))
    return replace(baseline, counted=first, second_run=second), other


def _typed_as(run: ProgramRun, known: Recording | None) -> ProgramRun:
    """The run with the types of transfers that another run of the program knows: too large a launch is recorded by a GPU alone."""
    recording = run.recording
    if recording is None or known is None or not _have_same_transfers(recording, known):
        return run
    pairs = zip(recording.transfers, known.transfers, strict=True)
    transfers = tuple(replace(mine, element_type=mine.element_type or other.element_type) for mine, other in pairs)
    return replace(run, recording=replace(recording, transfers=transfers))


def _by_order(
    baseline: Baseline, seen: CountedRun, candidate: SourceVersion, facts: VersionFacts, of_blocks: frozenset[int] | None
) -> Iterator[VerificationFinding]:
    """What B's program leaves otherwise with its threads in another order, and A's does not; of sums of floats a person decides."""
    verdict = program_verdict(baseline, candidate, seen, of_blocks=of_blocks)
    findings = () if verdict is None else verdict.findings
    worst = Outcome.NEEDS_DECISION if findings and order_of(facts).float_sums else Outcome.FAIL
    for finding in findings:
        outcome = worst if finding.outcome is Outcome.FAIL else finding.outcome
        yield replace(finding, outcome=outcome, message=f"with the threads in another order: {finding.message}")


def _have_same_transfers(one: Recording | None, other: Recording | None) -> bool:
    """Whether two runs of a program brought as much to the host, transfer by transfer, so that the same place is the same transfer."""
    sizes = [None if each is None else [transfer.size_bytes for transfer in each.transfers] for each in (one, other)]
    return sizes[0] is not None and sizes[0] == sizes[1]


def recorded_cases(baseline: Baseline) -> tuple[CaseEvidence, ...]:
    """The original on what its own run had."""
    recorded = (item for item in baseline.cases if item.case.new.origin.kind == "recorded")
    return tuple(split_members(case_evidence(item, (), baseline.version.struct_text)) for item in recorded)


def _transfers_of_blocks(baseline: Baseline, candidate: SourceVersion, changed: ProgramRun | None) -> frozenset[int]:
    """Of the original's run, those that bring results of blocks which ``changed`` may have divided otherwise."""
    first = baseline.counted.run
    if first is None or changed is None:
        return frozenset()
    divided = divided_otherwise(baseline.version, candidate, first.recording, changed.recording)
    return transfers_of_blocks(trace_of(first, baseline.version.struct_text), first.recording, divided) if divided else frozenset()


def _same_in(own: Baseline, baseline: Baseline, candidate: SourceVersion, counted: CountedRun) -> frozenset[int] | None:
    """The transfers of ``own`` that are results of blocks by the runs of ``baseline`` and ``counted``; None where they show none, or where
    what the runs show is not the same transfers, so that the same place would not be the same one."""
    of_blocks = _transfers_of_blocks(baseline, candidate, counted.run)
    runs = (own.counted.run, baseline.counted.run)
    traces = [trace_of(run, baseline.version.struct_text) for run in runs if run is not None] if of_blocks else []
    sizes = [[len(item.data) for item in trace.transfers] for trace in traces]
    return of_blocks if len(sizes) == len(runs) and sizes[0] == sizes[1] else None


def program_verdict(
    baseline: Baseline,
    candidate: SourceVersion,
    counted: CountedRun,
    own_error: float = 0.0,
    rounded: ProgramRun | None = None,
    of_blocks: frozenset[int] | None = None,
) -> ProgramVerdict | None:
    """``own_error``, ``rounded``: as in ``compare_programs``. ``of_blocks``: transfers that bring results of blocks which may be other
    ones, where other runs have shown it, as large launches are not recorded in every run."""
    first, second, changed = baseline.counted.run, baseline.second_run, counted.run
    if first is None or second is None or second.run is None or changed is None:
        return None
    text = baseline.version.struct_text
    a, again, b = (trace_of(run, text) for run in (first, second.run, changed))
    a = marked(a, _transfers_of_blocks(baseline, candidate, changed) if of_blocks is None else of_blocks)
    instances = () if first.recording is None else {launch.kernel for launch in first.recording.launches}
    least = least_roundoff(baseline.version.parsed, edited_kernels(baseline.version, candidate), instances)
    otherwise = None if rounded is None else trace_of(rounded, text)
    verdict = compare_programs(a, again, b, baseline.tolerance, least, own_error, otherwise)
    return verdict if isinstance(verdict, ProgramVerdict) else None
