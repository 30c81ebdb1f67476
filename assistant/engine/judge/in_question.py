"""The kernels in question: what their texts alone show, and what is wrong with values that timed calls left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assistant.engine.evaluate import Evaluation, facts_of_kernels, text_facts, version_facts
from assistant.engine.judge.baseline import Baseline, case_evidence
from assistant.engine.judge.changes import edited_files, same_kernel
from assistant.engine.judge.probes import integers_of
from assistant.engine.source_version import SourceVersion
from assistant.model.recording import Recording
from assistant.model.source import Kernel
from assistant.model.verification import VerificationFinding
from assistant.verify.cheats import find_cheats
from assistant.verify.evidence import JudgeEvidence, SideRun
from assistant.verify.judge import judge_further
from assistant.verify.kinds import meaning_of
from assistant.verify.labels import VersionFacts, detect_labels, order_of
from assistant.verify.parameters import find_unread_parameters
from assistant.workload.unread import restored_variables

__all__ = ["judge_timed_calls", "kernels_in_question", "other_facts", "other_findings", "static_findings"]


def judge_timed_calls(
    baseline: Baseline,
    evaluation: Evaluation,
    left: Mapping[int, tuple[SideRun, ...]],
    own: Mapping[int, tuple[SideRun, ...]],
) -> tuple[VerificationFinding, ...]:
    """What is wrong with the values that timed calls left. ``left``: of the candidate, by the case's place in the baseline; ``own``: of the
    original, which show how far its results spread."""
    facts = version_facts(evaluation.version, evaluation.assessment)
    in_question = kernels_in_question(baseline, evaluation.version, facts)
    order_before, order_after = map(order_of, in_question)
    cases = tuple(
        case_evidence(replace(item, original=(*item.original, *own.get(index, ()))), left.get(index, ()), baseline.version.struct_text)
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
    return judge_further(evidence, baseline.rules)


def kernels_in_question(baseline: Baseline, candidate: SourceVersion, facts: VersionFacts) -> tuple[VersionFacts, VersionFacts]:
    """Both versions with the judged kernels alone, and their machine code."""
    old, new = _judged_kernels(baseline, candidate)
    return facts_of_kernels(baseline.facts, old), facts_of_kernels(facts, new)


def _judged_kernels(baseline: Baseline, candidate: SourceVersion) -> tuple[list[Kernel], list[Kernel]]:
    """The original's, and those of them that the candidate has."""
    old = [kernel for kernel in baseline.version.parsed.kernels if kernel.key in baseline.kernels]
    return old, [other for kernel in old if (other := same_kernel(kernel, baseline.version, candidate)) is not None]


def other_facts(baseline: Baseline, candidate: SourceVersion) -> tuple[tuple[VersionFacts, VersionFacts], ...]:
    """The other files that the edit changes, as label rules look at them: all of their code, no machine code."""
    version = baseline.version
    pairs = [pair for pair in edited_files(version, candidate) if pair[0].source.path != version.source.path]
    return tuple((text_facts(version.about_file(old.source.path)), text_facts(candidate.about_file(new.source.path))) for old, new in pairs)


def other_findings(others: Sequence[tuple[VersionFacts, VersionFacts]], own: Recording | None) -> tuple[VerificationFinding, ...]:
    """What the static rules say of the other files that the edit changes; ``own``: the candidate's launches."""
    variables = restored_variables(own)
    return tuple(finding for old, new in others for finding in find_cheats(old.parsed, new.parsed, variables))


def static_findings(
    baseline: Baseline, candidate: SourceVersion, followed: Mapping[str, frozenset[str]], own: Recording | None
) -> tuple[VerificationFinding, ...]:
    """What the static rules say of the judged kernels; ``followed``: what the candidate's grids follow from, ``own``: its own launches."""
    names = {kernel.qualified_name for kernel in _judged_kernels(baseline, candidate)[1]}
    before, after = baseline.version.parsed, candidate.parsed
    found = (
        *find_cheats(before, after, restored_variables(own)),
        *find_unread_parameters(before, after, _recorded_integers(baseline), followed),
    )
    return tuple(finding for finding in found if finding.kernel is None or finding.kernel in names)


def _recorded_integers(baseline: Baseline) -> dict[str, dict[str, frozenset[int]]]:
    """Integer arguments of the recorded launches, by the kernel's qualified name and parameter."""
    files = (baseline.version.parsed, *baseline.version.others)
    names = {kernel.key: kernel.qualified_name for file in files for kernel in file.kernels}
    found: dict[str, dict[str, frozenset[int]]] = {}
    for item in baseline.cases:
        if item.case.new.origin.kind == "recorded":
            values = found.setdefault(names[item.case.kernel], {})
            for name, value in integers_of(item.case.new, item.case.parameters[0]).items():
                values[name] = values.get(name, frozenset()) | {value}
    return found
