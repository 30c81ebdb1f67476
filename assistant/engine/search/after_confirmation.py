"""What a confirmation found wrong goes back to the model that wrote the edit: its next version is tried like any other candidate."""

from __future__ import annotations

from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.shape import is_by_model
from assistant.engine.search.trials import SearchNode
from assistant.model.plan import Rewrite, Setback, UnwrittenStep
from assistant.model.trial import TrialOutcome

__all__ = ["improved_versions", "may_improve"]


def may_improve(context: SearchContext, services: SearchServices, node: SearchNode) -> bool:
    """Whether its writer learns from setbacks and may still be asked."""
    return (
        context.shape.repairs > 0
        and bool(node.kept)
        and is_by_model(node.kept[-1].step)
        and node.kept[-1].rewrite.origin is not None
        and services.accounts.why_no_code is None
        and not services.accounts.is_out_of_time
    )


async def improved_versions(
    context: SearchContext, services: SearchServices, frontier: Frontier, node: SearchNode, setback: Setback
) -> tuple[SearchNode, ...]:
    """The last step of ``node`` written anew with what was seen: the version that it makes, where it was kept."""
    parent = frontier.parent_of(node)
    items = () if parent is None else context.planned(parent)
    if parent is None or not items:
        return ()
    step, rewrite = node.kept[-1].step, node.kept[-1].rewrite
    trials = services.candidates(context, services, parent)
    if not await services.history.place():
        trials.report_untried(step, rewrite.summary, "a repair of it")
        return ()
    try:
        better: Rewrite | UnwrittenStep | None = await services.planner.improved(services.request(parent, items), step, rewrite, setback)
        if isinstance(better, UnwrittenStep):
            trials.report_unjudged(step, rewrite.summary, TrialOutcome.UNWRITTEN, better.reason)
        elif better is not None:
            await trials.tried(step, trials.labelled(better))
    finally:
        services.history.give_back()
    return trials.children()
