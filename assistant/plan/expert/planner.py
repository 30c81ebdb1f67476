"""The planner that needs no model: findings → techniques of the catalogue → source transformations.

It never builds, runs or judges. Each finding is offered to every transformation whose technique answers it; what a transformation
declines is kept with its reason.

Example::

    planner = ExpertPlanner(load_catalogue(techniques_directory), EXPERT_TRANSFORMATIONS)
    plan = await planner.plan(request)
    async for rewrite in planner.rewrites(request, plan.steps[0]): ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from assistant.cuda.syntax import SyntaxTree
from assistant.model.experience import COMPOSED
from assistant.model.launch import LaunchConfig
from assistant.model.plan import Decline, DeclineReason, FileEdits, Plan, Rewrite, Setback, Step, Technique
from assistant.model.profile import Finding
from assistant.model.source import TextEdit
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from assistant.plan.expert.analysis.other_programs import left_behind
from assistant.plan.expert.composite import Composed, carried_back, composed, edited, sequences
from assistant.plan.expert.kept_sums import joined, kept_sums
from assistant.plan.expert.numbered import tuned
from assistant.plan.expert.obstacle import Obstacle
from assistant.plan.expert.steps import composite_step, is_modelled, is_silent, merged, step_of, with_rank
from assistant.plan.expert.transformation import Transformation, TransformationContext
from assistant.plan.expert.writing.counting_heads import counting_heads
from assistant.plan.expert.writing.declared_late import declared_late
from assistant.plan.expert.writing.opened_helper import OpenedHelper, opened_helper
from assistant.plan.expert.writing.rolled_steps import rolled_steps
from assistant.plan.expert.writing.staying_threads import staying_threads
from assistant.plan.expert.writing.written_macros import written_macros
from assistant.plan.expert.writing.written_rows import written_rows
from assistant.plan.policy.ordering import Draft, offer_of, reordered
from assistant.plan.policy.situation import OFF, StepPolicy
from assistant.ports.planner import PlanRequest, Story

__all__ = ["ExpertPlanner"]

_MORE_THOROUGH = {"warp-shuffle-tail": "block-shuffles"}
"""Techniques that are left out where another one answers the same finding with an edit that does all they do, and more."""

_SHARES_LOOPS = frozenset(
    {
        "block-to-grid", "coalescing-interchange", "double-tensor-cores", "loop-to-grid", "loop-to-threads", "register-tile",
        "serial-to-block", "shared-tile", "split-k", "split-loop", "thread-coarsening", "tiled-pairs", "warp-per-row", "window-tile",
    }
)  # fmt: skip
"""Techniques that give a kernel's loops to other threads or blocks, which need the loops in the kernel."""

_KEEPS_THREADS = frozenset({"tiled-pairs"})
"""Of these, techniques after which each thread does all that it did: what stands around the loop does not matter to them."""

_READS_STEPS = frozenset({"block-shuffles"})
"""Techniques that read the steps of a reduction from a loop."""

_READS_INDICES = frozenset({"wavefront-tiles"})
"""Techniques that read an element's row and column from its index in the array."""

_NO_LOOP = (DeclineReason.NOTHING_TO_CHANGE, DeclineReason.LOOP_FORM)
"""Of declines that miss a loop: that it is in a helper says more."""

Rewritten = Callable[[TransformationContext], tuple[TextEdit, ...]]
"""Edits that write a kernel as rules read it."""

Policies = Callable[[str], StepPolicy | None]
"""Opens a trained policy by its name (`PlanRequest.policy`); raises UsageError where there is none that can be used."""


class ExpertPlanner:
    """Plans from findings alone, by rules an expert would sign."""

    name = "expert"

    def __init__(self, catalogue: Catalogue, transformations: Sequence[Transformation], policies: Policies | None = None) -> None:
        """``policies``: opens what orders steps that memory knows nothing of, by the name that a request has for it."""
        self._catalogue = catalogue
        self._transformations = {t.technique: t for t in transformations}
        self._policies = policies
        self._written: _WrittenRequest | None = None
        """Of the latest request that was asked about: each technique asks, and reading a long text again takes a tenth of a second."""

    async def plan(self, request: PlanRequest) -> Plan:
        """Steps by descending rank, one for each different edit, and the declines in the findings' order.

        Findings that one edit answers together share a step: it cites the costliest one, and promises what they promise together.
        """
        tree = _tree(request)
        steps: dict[tuple[str, tuple[TextEdit, ...], tuple[FileEdits, ...]], Step] = {}
        written: dict[tuple[str, int], tuple[Rewrite, ...]] = {}
        declines: list[Decline] = []
        answered: set[tuple[str, Finding]] = set()
        for finding, technique in self._considered(request):
            if (_MORE_THOROUGH.get(technique.id), finding) in answered:
                continue
            match self._attempt(request, _context(request, tree, finding), technique):
                case Decline() as decline:
                    declines.append(decline)
                case ():
                    pass
                case rewrites:
                    step = step_of(request, finding, technique, rewrites[0])
                    if (step.technique, step.line) not in request.excluded and Label.ASSUMPTION not in rewrites[0].labels:
                        answered.add((technique.id, finding))
                    key = (technique.id, rewrites[0].edits, rewrites[0].in_others)
                    steps[key] = merged(steps[key], step) if key in steps else step
                    written.setdefault((step.technique, step.line), rewrites)
        composites = [composite_step(request, found) for found in self._composed(request)]
        known = [*steps.values(), *composites]
        tried = [s for s in known if (s.technique, s.line) in request.excluded]
        declines += [
            Decline(s.technique, s.kernel, s.line, "it was already tried on this text", DeclineReason.ALREADY_TRIED) for s in tried
        ]
        ranked = self._ordered_by_policy(request, [step for step in known if step not in tried], written)
        ordered = sorted(ranked, key=lambda s: (-s.rank, s.line, s.technique))
        return Plan(tuple(ordered), tuple(dict.fromkeys(declines)), self.name)

    def _ordered_by_policy(
        self, request: PlanRequest, steps: Sequence[Step], written: Mapping[tuple[str, int], tuple[Rewrite, ...]]
    ) -> tuple[Step, ...]:
        """With their ranks by memory, or by the policy where memory is silent."""
        ranked = tuple(with_rank(request, step) for step in steps)
        policy = None if self._policies is None or request.policy == OFF else self._policies(request.policy)
        if policy is None:
            return ranked
        drafts = [
            Draft(ranked_step, offer_of(step, written[step.technique, step.line], is_modelled(step)), is_silent(request, step))
            for step, ranked_step in zip(steps, ranked, strict=True)
            if COMPOSED not in step.technique
        ]
        composites = (step for step in ranked if COMPOSED in step.technique)
        return (*reordered(request, drafts, policy), *composites)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        """The variants of ``step``, best first; what differs in numbers alone is one to be tuned. None only for another request's step."""
        for rewrite in tuned(self._variants(request, step)):
            yield rewrite

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        """Rules do not learn from setbacks."""

    async def explained(self, story: Story) -> None:
        """The rules' own words are in every explanation."""

    def _composed(self, request: PlanRequest) -> Iterator[Composed]:
        """Sequences that pay as one, as far as they apply here."""
        for techniques in sequences(request.recalled):
            found = composed(request, techniques, self._applied)
            if found is not None:
                yield found

    def _applied(self, request: PlanRequest, technique: str) -> Iterator[tuple[Finding, tuple[Rewrite, ...]]]:
        tree = _tree(request)
        for finding, each in self._considered(request):
            if each.id == technique:
                rewrites = self._attempt(request, _context(request, tree, finding), each)
                if not isinstance(rewrites, Decline) and rewrites:
                    yield finding, rewrites

    def _variants(self, request: PlanRequest, step: Step) -> tuple[Rewrite, ...]:
        if COMPOSED in step.technique:
            found = composed(request, tuple(step.technique.split(COMPOSED)), self._applied)
            return () if found is None else found.rewrites
        tree = _tree(request)
        for finding, technique in self._considered(request):
            if (finding.code, technique.id) != (step.finding, step.technique):
                continue
            match self._attempt(request, _context(request, tree, finding), technique):
                case Decline() | ():
                    continue
                case rewrites if rewrites[0].line == step.line:
                    return rewrites
                case _:
                    continue
        return ()

    def _considered(self, request: PlanRequest) -> Iterator[tuple[Finding, Technique]]:
        for finding in request.findings:
            for technique in self._catalogue.answering(finding.code):
                if technique.id in self._transformations:
                    yield finding, technique

    def _attempt(self, request: PlanRequest, context: TransformationContext, technique: Technique) -> tuple[Rewrite, ...] | Decline:
        result = self._attempt_as_written(request, context, technique)
        if result and not isinstance(result, Decline):
            return result
        later = self._with_written_macros(request, context, technique)
        is_more = bool(later) and (isinstance(result, Decline) or not isinstance(later, Decline))
        return later if later is not None and is_more else result

    def _attempt_as_written(
        self, request: PlanRequest, context: TransformationContext, technique: Technique
    ) -> tuple[Rewrite, ...] | Decline:
        result = self._transformations[technique.id].rewrite(context)
        if technique.id in _READS_STEPS and not (result and not isinstance(result, Decline)):
            result = self._with_rolled_steps(request, context, technique) or result
        if not isinstance(result, Decline) and not result and technique.id in _SHARES_LOOPS:
            later = self._with_opened_helper(request, context, technique)
            result = result if isinstance(later, Decline) else later
        if isinstance(result, Decline):
            later = self._with(declared_late, request, context, technique) or self._with(counting_heads, request, context, technique)
            later = later or self._with_opened_helper(request, context, technique)
            if not later and technique.id in _READS_INDICES:
                later = self._with(written_rows, request, context, technique)
            if not later and result.code is DeclineReason.LEAVES_EARLY:
                later = self._with_staying_threads(request, context, technique)
            if not later or isinstance(later, Decline):
                later = self._with_kept_sums(request, context, technique) or later
            if isinstance(later, Decline):
                return later if result.code in _NO_LOOP else result
            if not later:
                return result
            result = later
        headers = {header.path for header in request.headers}
        header = next((edits.path for rewrite in result for edits in rewrite.in_others if edits.path in headers), None)
        if header is not None:
            why = f"it would change {header.name}, a header that other programs may include"
            return Decline(technique.id, context.kernel.key, context.line, why, DeclineReason.USED_ELSEWHERE)
        behind = next((found for rewrite in result if (found := left_behind(context, rewrite)) is not None), None)
        if behind is not None:
            return context.decline(technique.id, behind)
        return tuple(replace(r, labels=tuple(dict.fromkeys((*technique.labels, *r.labels)))) for r in result)

    def _with_written_macros(
        self, request: PlanRequest, context: TransformationContext, technique: Technique
    ) -> tuple[Rewrite, ...] | Decline | None:
        """What the technique makes of the kernel with the macros of its indices written out, or why nothing; None where it has none."""
        if self._written is None or self._written.request is not request:
            self._written = _WrittenRequest(request, context)
        written = self._written
        if written.macros is None or written.after is None or written.tree is None:
            return None
        finding = written.after.findings[request.findings.index(context.finding)]
        found = self._attempt_as_written(written.after, _context(written.after, written.tree, finding), technique)
        if isinstance(found, Decline):
            return found
        return tuple(carried_back(request, written.after, rewrite, written.macros.put_back) for rewrite in found)

    def _with(
        self, rewritten: Rewritten, request: PlanRequest, context: TransformationContext, technique: Technique
    ) -> tuple[Rewrite, ...]:
        """What the technique makes of the kernel as ``rewritten`` writes it, which does the same."""
        edits = rewritten(context)
        after = edited(request, edits) if edits else None
        if after is None:
            return ()
        finding = after.findings[request.findings.index(context.finding)]
        found = self._transformations[technique.id].rewrite(_context(after, _tree(after), finding))
        return () if isinstance(found, Decline) else tuple(carried_back(request, after, rewrite) for rewrite in found)

    def _with_staying_threads(self, request: PlanRequest, context: TransformationContext, technique: Technique) -> tuple[Rewrite, ...]:
        """What the technique makes of the kernel where threads beyond the last element stay for the block's sum."""
        edits = staying_threads(context)
        after = edited(request, edits) if edits else None
        if after is None:
            return ()
        finding = after.findings[request.findings.index(context.finding)]
        found = self._transformations[technique.id].rewrite(_context(after, _tree(after), finding))
        if isinstance(found, Decline):
            return ()
        own = (carried_back(request, after, rewrite) for rewrite in found)
        return tuple(replace(r, summary=f"{r.summary.rstrip('.')}; threads beyond the last element stay for it.") for r in own)

    def _with_rolled_steps(self, request: PlanRequest, context: TransformationContext, technique: Technique) -> tuple[Rewrite, ...]:
        """What the technique makes of the kernel with a loop in the place of a reduction whose steps are written out."""
        place, rolled = request.findings.index(context.finding), rolled_steps(context)
        after = None if rolled is None else edited(request, rolled.edits, {context.line: rolled.line})
        if rolled is None or after is None:
            return ()
        inner = _context(after, _tree(after), after.findings[place])
        found = self._transformations[technique.id].rewrite(inner)
        if isinstance(found, Decline):
            found = self._with_staying_threads(after, inner, technique) if found.code is DeclineReason.LEAVES_EARLY else ()
        own = (carried_back(request, after, rewrite) for rewrite in found)
        return tuple(replace(r, edits=tuple(sorted((*r.edits, *rolled.removals)))) for r in own)

    def _with_kept_sums(self, request: PlanRequest, context: TransformationContext, technique: Technique) -> tuple[Rewrite, ...]:
        """What the technique makes of the kernel with the running values of its loops in registers."""
        place = request.findings.index(context.finding)
        if technique.id not in _SHARES_LOOPS:
            return ()
        kept = kept_sums(request, context, lambda of: _context(of, _tree(of), of.findings[place]))
        if kept is None:
            return ()
        after = kept.request
        found = self._transformations[technique.id].rewrite(_context(after, _tree(after), after.findings[place]))
        return () if isinstance(found, Decline) else tuple(joined(request, kept, rewrite) for rewrite in found)

    def _with_opened_helper(
        self, request: PlanRequest, context: TransformationContext, technique: Technique
    ) -> tuple[Rewrite, ...] | Decline:
        """What the technique makes of the kernel with the loop of its helper written into it; why it has to stay where it is."""
        opened = opened_helper(context, technique.id in _KEEPS_THREADS) if technique.id in _SHARES_LOOPS else None
        if isinstance(opened, Obstacle):
            is_in_kernel = context.tree.line(context.body) <= context.line <= context.body.end_point[0] + 1
            return () if is_in_kernel else context.decline(technique.id, opened)
        after = None if opened is None else edited(request, opened.edits, opened.lines)
        if opened is None or after is None:
            return ()
        finding = after.findings[request.findings.index(context.finding)]
        inner = _context(after, _tree(after), finding)
        found = self._transformations[technique.id].rewrite(inner)
        if isinstance(found, Decline):
            found = self._with(declared_late, after, inner, technique)
        return tuple(_with_helper(carried_back(request, after, rewrite), opened) for rewrite in found)


class _WrittenRequest:
    """A request about a kernel that has the macros of its indices written out; all None where it has none."""

    def __init__(self, request: PlanRequest, context: TransformationContext) -> None:
        self.request = request
        self.macros = written_macros(context)
        self.after = None if self.macros is None else edited(request, self.macros.edits)
        self.tree = None if self.after is None else _tree(self.after)


def _with_helper(rewrite: Rewrite, opened: OpenedHelper) -> Rewrite:
    """The rewrite without the helper that it leaves without a caller, and saying what became of it."""
    removal = () if opened.removal is None else (opened.removal,)
    words = f"{rewrite.summary.rstrip('.')}, with the loop of `{opened.name}` written into the kernel."
    return replace(rewrite, edits=tuple(sorted((*rewrite.edits, *removal))), summary=words)


def _tree(request: PlanRequest) -> SyntaxTree:
    """The kernel's file, which knows what the program's other files and headers say, and their macros that are in force in it."""
    return SyntaxTree(request.parsed.source.text, others=(*request.others, *request.headers), outer=request.outer_definitions)


def _context(request: PlanRequest, tree: SyntaxTree, finding: Finding) -> TransformationContext:
    cited = {e.id: e for e in request.evidence}
    return TransformationContext(
        parsed=request.parsed,
        tree=tree,
        kernel=request.kernel,
        finding=finding,
        evidence=tuple(cited[i] for i in finding.evidence if i in cited),
        launches=_distinct_launches(request),
        profiles=request.profiles,
        resources=request.resources,
        architecture=request.architecture,
        recorded=request.recorded,
        reaches=request.reaches,
        elsewhere=request.elsewhere,
    )


def _distinct_launches(request: PlanRequest) -> tuple[LaunchConfig, ...]:
    return tuple(dict.fromkeys(profile.config for profile in request.profiles))
