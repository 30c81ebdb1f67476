"""What a source transformation is: a finding on one kernel in, edits or a reason to decline out.

A transformation looks at text and counters only; it never builds, runs or judges. Its edits must keep the kernel's meaning by
construction, and where that cannot be shown it declines with a reason that the kernel's author understands. What only the recorded
launches show is guarded in the code, or stated as an assumption.

Example::

    match LoopUnrolling().rewrite(context):
        case Decline(reason=reason): ...       # 'the number of iterations depends on data: …'
        case rewrites: apply(context.text, rewrites[0].edits)
"""

from __future__ import annotations

from typing import Protocol

from assistant.cuda.macros import macro_of_another_file
from assistant.cuda.syntax import Node, SyntaxTree
from assistant.model.build import KernelResources
from assistant.model.device import Architecture
from assistant.model.launch import LaunchConfig
from assistant.model.plan import Decline, DeclineReason, MetricPrediction, Rewrite
from assistant.model.profile import Evidence, Finding, LaunchProfile
from assistant.model.recorded_facts import PointerReach, RecordedFacts
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.plan.expert.obstacle import Obstacle
from assistant.record import Record

__all__ = ["Transformation", "TransformationContext"]

_HIDDEN_BY_MACROS = frozenset(
    {DeclineReason.ADDRESS_UNKNOWN, DeclineReason.BOUND_UNKNOWN, DeclineReason.LOOP_FORM, DeclineReason.SIZE_UNKNOWN}
)


class TransformationContext(Record):
    """One finding on one kernel, and everything known about it."""

    parsed: ParsedSource
    tree: SyntaxTree
    """A parse of ``parsed.source.text``, which knows the program's other files."""
    kernel: Kernel
    finding: Finding
    evidence: tuple[Evidence, ...]
    """What the finding cites, most important first; empty when it comes from static rules alone."""
    launches: tuple[LaunchConfig, ...]
    """Distinct launch shapes that were seen, most costly first; empty when nothing has run."""
    profiles: tuple[LaunchProfile, ...]
    """The kernel's counted launches, most costly first."""
    resources: KernelResources | None
    architecture: Architecture
    recorded: RecordedFacts | None = None
    """What every launch of the kernel had in common; None where none was seen."""
    reaches: tuple[PointerReach, ...] = ()
    """How far its pointers reached in these launches, where that is known."""
    elsewhere: tuple[Source, ...] = ()
    """Files of other programs that include the kernel's file, where it is a header."""

    @property
    def text(self) -> str:
        return self.parsed.source.text

    @property
    def line(self) -> int:
        """The finding's line."""
        return self.finding.line

    @property
    def body(self) -> Node:
        """The kernel's ``compound_statement``."""
        node = self.tree.node_at(self.kernel.body)
        while node is not None and node.type != "compound_statement":
            node = node.parent
        return self.tree.root if node is None else node

    def decline(self, technique: str, obstacle: Obstacle) -> Decline:
        """A decline of ``technique`` at the finding's line; where a macro hides what would have to be known, it says which."""
        macro = macro_of_another_file(self.tree, self.line) if obstacle.code in _HIDDEN_BY_MACROS else None
        unclear = f"what the macro {macro} of another file stands for is not certain"
        reason = obstacle.reason if macro is None else f"{unclear}: every source with this kernel would have to define it alike"
        return Decline(technique, self.kernel.key, self.line, reason, obstacle.code)

    def predict(self, metric: str, after: float) -> tuple[MetricPrediction, ...]:
        """A prediction for ``metric`` where the finding cites it; empty where it does not."""
        return tuple(
            MetricPrediction(metric, evidence.value, after, evidence.unit) for evidence in self.evidence if evidence.metric == metric
        )


class Transformation(Protocol):
    """One technique of the catalogue as edits of CUDA source."""

    @property
    def technique(self) -> str:
        """Id in the catalogue (``loop-unrolling``)."""
        ...

    def rewrite(self, context: TransformationContext) -> tuple[Rewrite, ...] | Decline:
        """The edits that answer ``context.finding``, best variant first, or why there are none; empty where the finding is about an access
        of another kind than the technique's, of which there is nothing to say."""
        ...
