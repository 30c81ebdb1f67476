"""An edit of a person or a coding agent, once it was compared, as experience: where a technique of the catalogue is recognised in it.

The expert plans the original; an edit is one of its techniques if it is the same code as what a rule would write, or adds most of the same
code. What is not recognised teaches nothing. Example::

    edit = await recognised(request, planner, text_after)
    edit.technique, edit.likeness        # "staged-store", 0.83
"""

from __future__ import annotations

import time

from assistant.config import find_workspace
from assistant.cuda.edit_likeness import added, likeness
from assistant.cuda.edits import apply_edits
from assistant.cuda.same_code import code_hash
from assistant.engine.evaluate import KernelAssessment, costliest
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge import ComparisonResult
from assistant.engine.request import OptimizeOptions
from assistant.engine.search import NO_MEMORY, NOTHING_EARLIER, PlanRequests, SearchNode, kernel_traits, side_effects
from assistant.model.attempt import Attempt
from assistant.model.experience import AGENT, PERSON, TechniqueUse
from assistant.model.plan import Rewrite, Step
from assistant.model.profile import Signature
from assistant.model.trial import TrialOutcome
from assistant.plan.catalogue import Catalogue
from assistant.ports.planner import Planner, PlanRequest
from assistant.ports.store import AttemptStore
from assistant.record import Record

__all__ = ["Learner", "Recognised", "own_edit", "recognised"]

_LEAST_LIKENESS = 0.6
"""Share of the added code that both have, from which an edit is taken for a technique (chosen; two techniques are at most half alike)."""

_AUTHORS = {PERSON: "an edit of your own that was compared", AGENT: "an edit of a coding agent, judged again"}


class Learner(Record):
    """Who recognises techniques in edits, and where other edits are kept."""

    planner: Planner
    catalogue: Catalogue
    store: AttemptStore


class Recognised(Record):
    """A technique in somebody's edit."""

    step: Step
    likeness: float
    """1: the same code as the rule's."""


async def recognised(request: PlanRequest, planner: Planner, after: str) -> Recognised | None:
    """The technique whose edit of the request's text is most like the one that leads to ``after``; None where none is like it."""
    before = request.parsed.source.text
    mine, found = added(before, after), list[Recognised]()
    for step in (await planner.plan(request)).steps:
        written = [one async for one in planner.rewrites(request, step) if isinstance(one, Rewrite)]
        for rewrite in (each for one in written for each in (one, *one.alternatives)):
            text = apply_edits(before, rewrite.edits)
            if isinstance(text, str):
                alike = 1.0 if code_hash(text) == code_hash(after) else likeness(added(before, text), mine)
                found.append(Recognised(step, alike))
    best = max(found, key=lambda each: each.likeness, default=None)
    return best if best is not None and best.likeness >= _LEAST_LIKENESS else None


async def own_edit(job: Job, result: ComparisonResult, learner: Learner, author: str) -> Attempt | None:
    """What memory keeps of a comparison of two versions of one file that differ in one kernel; None where it keeps nothing.

    ``author``: `PERSON` or `AGENT`.
    """
    workspace = find_workspace(job.request.file)
    before, after = result.before, result.after
    verdicts = [verdict for verdict in result.verdicts if verdict.kernel is not None]
    if before is None or after is None or len(verdicts) != 1 or before.version.sources[1:] != after.version.sources[1:]:
        return None
    kernels = [item for item in before.assessment.kernels if item.kernel.key == verdicts[0].kernel]
    if not kernels or before.version.source.text == after.version.source.text:
        return None
    node = SearchNode(before)
    options = OptimizeOptions(choice=NO_MEMORY)
    requests = PlanRequests(job, options, learner.store, learner.catalogue, workspace, NOTHING_EARLIER)
    found = await recognised(requests.request(node, tuple(kernels), ()), learner.planner, after.version.source.text)
    if found is None:
        return None
    main = costliest(kernels)
    afterwards = after.kernel(main.kernel.qualified_name)
    lab, verdict = job.lab.describe(), verdicts[0]
    speed = verdict.speed if verdict.speed is not None or result.whole is None else result.whole.speed
    if verdict.is_failure:
        outcome, speed = TrialOutcome.FAILED, None
    elif speed is None:
        return None
    else:
        outcome = TrialOutcome.KEPT if speed.is_gain else TrialOutcome.NOT_BETTER
    return Attempt(
        id=new_id("C"),
        job=job.id,
        workspace=workspace,
        path=before.version.source.path,
        kernel=main.kernel.key,
        technique=found.step.technique,
        finding=found.step.finding,
        line=found.step.line,
        planner=author,
        parent_text=before.version.source.text,
        text=after.version.source.text,
        outcome=outcome,
        reason=f"{_AUTHORS[author]}; {_words(found)}",
        verification=verdict.verification.outcome,
        comparison=speed,
        predictions=(),
        before=main.signature,
        after=_signature(afterwards),
        lab=lab.name,
        device=lab.device,
        target=job.target.name,
        created_ms=time.time_ns() // 1_000_000,
        traits=kernel_traits(before, main),
        architecture=job.architecture.name,
        use=TechniqueUse(found.step.technique),
        side_effects=side_effects(main, afterwards),
    )


def _words(found: Recognised) -> str:
    if found.likeness == 1.0:
        return f"it is the same code as {found.step.technique} would write"
    return f"it adds {found.likeness:.0%} of the code that {found.step.technique} would add"


def _signature(kernels: tuple[KernelAssessment, ...]) -> Signature | None:
    return costliest(kernels).signature if kernels else None
