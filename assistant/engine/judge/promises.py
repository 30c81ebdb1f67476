"""What an edit newly promises of pointers, held against the recorded launches and against the program's text.

A promise that a recorded launch breaks is wrong. One that the text does not keep for every launch is an assumption, no matter who made it.
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.cuda.functions import functions
from assistant.cuda.syntax import SyntaxTree
from assistant.engine.evaluate import CountedRun, facts_of_launches
from assistant.engine.judge.changes import same_kernel
from assistant.engine.source_version import SourceVersion
from assistant.model.recorded_facts import RecordedFacts, Separation
from assistant.model.source import Kernel
from assistant.model.verification import Label, Outcome, VerificationFinding
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel
from assistant.verify.promises import new_promises
from assistant.workload.aliasing import overlap
from assistant.workload.recorded_words import apart_assumption, overlap_in_words

__all__ = ["CONTRADICTED", "Promises", "promises_of"]

CONTRADICTED = "contradicted_assumption"
"""Code of the finding that a recorded launch breaks a promise."""


class Promises(Record):
    """What they come to."""

    findings: tuple[VerificationFinding, ...] = ()
    labels: tuple[DetectedLabel, ...] = ()


def promises_of(before: SourceVersion, after: SourceVersion, counted: CountedRun, kernels: frozenset[str]) -> Promises:
    """Promises of B's kernels that answer A's ``kernels`` (by key); ``counted``: B's own run, whose launches the promises are about."""
    findings: list[VerificationFinding] = []
    labels: list[DetectedLabel] = []
    for kernel in (kernel for file in before.files for kernel in file.kernels if kernel.key in kernels):
        other = same_kernel(kernel, before, after)
        found = () if other is None else tuple(_judged(kernel, other, after.about(other), counted))
        findings += [each for each in found if isinstance(each, VerificationFinding)]
        labels += [each for each in found if isinstance(each, DetectedLabel)]
    return Promises(tuple(findings), tuple(labels))


def _judged(old: Kernel, new: Kernel, after: SourceVersion, counted: CountedRun) -> Iterator[VerificationFinding | DetectedLabel]:
    """``after``: with the file of ``new`` in question."""
    if not any(parameter.is_restrict for parameter in new.parameters):
        return
    tree = SyntaxTree(after.source.text, others=after.sources[1:])
    function = next((each for each in functions(tree) if tree.span(each.body) == new.body), None)
    promised = () if function is None else new_promises(old, new, tree, function.body)
    if function is None or not promised:
        return
    facts = facts_of_launches(after, counted, new)
    for first, second in promised:
        separation = Separation.UNKNOWN if facts is None else facts.separation(first, second)
        if facts is not None and separation is Separation.SAME_ADDRESS:
            message = f"`__restrict__` promises that `{first}` and `{second}` never overlap, but {overlap_in_words(facts, first, second)}"
            yield VerificationFinding(CONTRADICTED, Outcome.FAIL, message, new.qualified_name, line=new.line)
        elif overlap(tree, function, first, second) is not None:
            yield DetectedLabel(Label.ASSUMPTION, f"`__restrict__` promises that {_assumed(facts, separation, first, second)}", new.line)


def _assumed(facts: RecordedFacts | None, separation: Separation, first: str, second: str) -> str:
    if facts is not None and separation is Separation.APART:
        return apart_assumption(facts, (first, second))
    words = None if facts is None else overlap_in_words(facts, first, second)
    known = "no launch was seen" if words is None else words
    return f"`{first}` never overlaps `{second}`: {known}, and neither the text nor a check shows that they are apart"
