"""Sequences of techniques that pay as one, as one edit: each technique's rule is applied to what the one before it made.

Memory knows some, of kernels like the one in question; some are usual.

Nothing runs in between: findings and counters are those of the text as it stands, at the lines that they have come to. What the later
rules make of them is judged as ever. Example::

    composed(request, ("shared-tile", "register-tile"), attempt)    # (finding, technique, (Rewrite, …)) or None
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from assistant.cuda.edits import apply_edits, edits_between
from assistant.cuda.parse import parse
from assistant.model.experience import COMPOSED, MOST_COMPOSED, TechniqueEvidence
from assistant.model.plan import Rewrite
from assistant.model.profile import Finding
from assistant.model.source import Source, TextEdit
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["USUAL", "Composed", "carried_back", "composed", "edited", "sequences"]

USUAL: Mapping[tuple[str, ...], str] = {
    ("private-histogram", "fewer-blocks"): "each block adds its table up once, which costs the less the fewer blocks there are",
    ("private-histogram", "vectorized-access", "fewer-blocks"): (
        "each block adds its table up once, which costs the less the fewer blocks there are, and a thread that loads one element at a time "
        "waits for memory longer than it takes to count in shared memory"
    ),
}
"""Sequences of which the first alone may lose, whatever memory knows, and why they go together."""

_MOST_SEQUENCES = 3
"""Offered for one version of a kernel."""
_MOST_VARIANTS = 4
_LEAST_LOG_RATIO = 0.05
"""Of what memory expects of a sequence: below it there is nothing to offer (chosen: 5 %)."""

Attempt = Callable[[PlanRequest, str], Iterator[tuple[Finding, tuple[Rewrite, ...]]]]
"""(request, technique) → what the technique's rule makes of each finding that it answers."""


class Composed(Record):
    """A sequence as one edit."""

    name: str
    """Its techniques, joined by `COMPOSED`."""
    findings: tuple[Finding, ...]
    """That its techniques answer, in their order."""
    rewrites: tuple[Rewrite, ...]
    """Variants of the last one, best first."""


def sequences(recalled: tuple[TechniqueEvidence, ...]) -> tuple[tuple[str, ...], ...]:
    """Those that memory expects to gain on a kernel like this one, best first, then the usual ones."""
    return tuple(dict.fromkeys((*_recalled(recalled), *USUAL)))


def _recalled(recalled: tuple[TechniqueEvidence, ...]) -> Iterator[tuple[str, ...]]:
    count = 0
    for evidence in recalled:
        techniques = tuple(evidence.technique.split(COMPOSED))
        if 1 < len(techniques) <= MOST_COMPOSED and evidence.precision > 0 and evidence.log_ratio > _LEAST_LOG_RATIO:
            count += 1
            if count > _MOST_SEQUENCES:
                return
            yield techniques


def composed(request: PlanRequest, techniques: tuple[str, ...], attempt: Attempt) -> Composed | None:
    """The techniques in a row, on the first place where each of them applies; None where they do not apply in a row."""
    first, *others = techniques
    for finding, rewrites in attempt(request, first):
        after = None if rewrites[0].in_others else edited(request, rewrites[0].edits)
        if after is None:
            continue
        found = composed(after, tuple(others), attempt) if len(others) > 1 else _last(after, others[0], attempt)
        if found is not None:
            name = COMPOSED.join(techniques)
            joined = tuple(_joined(request, name, rewrites[0], after, later) for later in found.rewrites[:_MOST_VARIANTS])
            return Composed(name, (finding, *found.findings), joined)
    return None


def _last(request: PlanRequest, technique: str, attempt: Attempt) -> Composed | None:
    return next((Composed(technique, (finding,), rewrites) for finding, rewrites in attempt(request, technique)), None)


def edited(request: PlanRequest, edits: tuple[TextEdit, ...], lines: Mapping[int, int] | None = None) -> PlanRequest | None:
    """The request about what edits make of its text; None where they edit more than the kernel, of whose launches nothing is known then.

    ``lines``: where lines have come to that stand elsewhere in the text still.
    """
    kernel, text = request.kernel, request.parsed.source.text
    span = kernel.span
    if not all(span.start <= edit.span.start and edit.span.end <= span.end for edit in edits):
        return None
    after = apply_edits(text, edits)
    if not isinstance(after, str):
        return None
    parsed = parse(Source(request.parsed.source.path, after))
    same = [each for each in parsed.kernels if each.qualified_name == kernel.qualified_name]
    if len(same) != 1:
        return None
    by_text = _moves(text, after)

    def moved(line: int) -> int:
        return by_text(line) if lines is None or line not in lines else lines[line]

    return replace(
        request,
        parsed=parsed,
        kernel=same[0],
        findings=tuple(replace(finding, line=moved(finding.line)) for finding in request.findings),
        evidence=tuple(replace(fact, line=moved(fact.line)) if fact.line else fact for fact in request.evidence),
        profiles=tuple(
            replace(profile, accesses=tuple(replace(access, line=moved(access.line)) for access in profile.accesses))
            for profile in request.profiles
        ),
    )


def _moves(before: str, after: str) -> Callable[[int], int]:
    """Where a line has come to; one that was changed is at the same place of what took its place, or at its end."""
    blocks = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()

    def moved(line: int) -> int:
        for _, low, high, after_low, after_high in blocks:
            if low < line <= high:
                return min(after_low + line - low, max(after_low + 1, after_high))
        return line

    return moved


def carried_back(request: PlanRequest, between: PlanRequest, rewrite: Rewrite, put_back: Callable[[str], str] = str) -> Rewrite:
    """A rewrite of what `edited` gave, as one of the request's own text; ``put_back``: what of it is said in the author's words again."""
    own, other, kernel = request.parsed.source.text, between.parsed.source.text, between.kernel.span
    after = apply_edits(other, rewrite.edits)
    assert isinstance(after, str), "a rule's edits fit the text that it was given"
    start = kernel.start + sum(_growth(edit) for edit in rewrite.edits if edit.span.end <= kernel.start)
    end = len(after) - (len(other) - kernel.end) - sum(_growth(edit) for edit in rewrite.edits if edit.span.start >= kernel.end)
    after = after[:start] + put_back(after[start:end]) + after[end:]
    return replace(rewrite, edits=edits_between(own, after), line=_moves(other, own)(rewrite.line))


def _growth(edit: TextEdit) -> int:
    return len(edit.new_text) - (edit.span.end - edit.span.start)


def _joined(request: PlanRequest, name: str, first: Rewrite, between: PlanRequest, second: Rewrite) -> Rewrite:
    """Both as one edit of the request's text."""
    after = apply_edits(between.parsed.source.text, second.edits)
    assert isinstance(after, str), "a rule's edits fit the text that it was given"
    return Rewrite(
        technique=name,
        kernel=request.kernel.key,
        line=first.line,
        edits=edits_between(request.parsed.source.text, after),
        summary=f"{first.summary.rstrip('.')}; then: {second.summary}",
        labels=tuple(dict.fromkeys((*first.labels, *second.labels))),
        assumptions=tuple(dict.fromkeys((*first.assumptions, *second.assumptions))),
        in_others=second.in_others,
        numbers=second.numbers,
    )
