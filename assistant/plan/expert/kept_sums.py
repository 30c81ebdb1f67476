"""A kernel whose loops keep their running values in registers instead of in global memory, for techniques that share such loops.

Rules that give a loop to several threads need what it makes in a local. Example::

    for (int j = 0; j < n; j++) x[i] += a[j * n + i] * y[j];
    // is, for them,
    float x_acc = x[i];
    for (int j = 0; j < n; j++) x_acc += a[j * n + i] * y[j];
    x[i] = x_acc;
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from assistant.model.plan import Decline, Rewrite
from assistant.plan.expert.analysis.accumulators import updated_lines
from assistant.plan.expert.composite import carried_back, edited
from assistant.plan.expert.scalar_replacement import ScalarReplacement
from assistant.plan.expert.transformation import TransformationContext
from assistant.ports.planner import PlanRequest
from assistant.record import Record

__all__ = ["KeptSums", "joined", "kept_sums"]

_MOST = 4
"""Running values of one kernel. Our own limit."""

ContextOf = Callable[[PlanRequest], TransformationContext]
"""The context of the finding that is answered, in another text."""


class KeptSums(Record):
    """Such a kernel."""

    request: PlanRequest
    """About the text with the registers."""
    rewrites: tuple[Rewrite, ...]
    """That led there, one after another."""


def kept_sums(request: PlanRequest, context: TransformationContext, context_of: ContextOf) -> KeptSums | None:
    """The kernel with each running value that can be in a register; None where there is none. ``context``: the request's own."""
    found: list[Rewrite] = []
    after = request
    while len(found) < _MOST:
        rewrite = next(_kept(context_of(after) if found else context), None)
        later = None if rewrite is None else edited(after, rewrite.edits)
        if rewrite is None or later is None:
            break
        found.append(rewrite)
        after = later
    return KeptSums(after, tuple(found)) if found else None


def joined(request: PlanRequest, kept: KeptSums, rewrite: Rewrite) -> Rewrite:
    """A rewrite of the kernel with the registers as one of the request's own text, which says so."""
    own = carried_back(request, kept.request, rewrite)
    said = "; ".join(each.summary.partition(" while ")[0].removeprefix("Keep ") for each in kept.rewrites)
    return replace(
        own,
        summary=f"{own.summary.rstrip('.')}, with {said}.",
        labels=tuple(dict.fromkeys((*(label for each in kept.rewrites for label in each.labels), *own.labels))),
        assumptions=tuple(dict.fromkeys((*(words for each in kept.rewrites for words in each.assumptions), *own.assumptions))),
    )


def _kept(context: TransformationContext) -> Iterator[Rewrite]:
    """What scalar replacement makes of the updates in the kernel's own loops, line by line."""
    for line in updated_lines(context):
        result = ScalarReplacement().rewrite(replace(context, finding=replace(context.finding, line=line)))
        if not isinstance(result, Decline):
            yield from result
