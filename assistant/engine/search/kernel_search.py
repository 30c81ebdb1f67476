"""The search on one kernel: rounds from frontier to frontier, the best version confirmed and offered, again after a rejection.

What is offered is the best that was ever kept, not the last; where it fails on fresh values the next best is confirmed. An edit that a
human must decide on (lower precision, say) is offered alone, never bundled with pure ones.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate import costliest
from assistant.engine.proposals import SHOWN_GAIN_RATIO, SettledStep, StandingRejection, refusals
from assistant.engine.search.confirming import Confirmation, ConfirmationResult, Offer
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.kept_before import taken_up
from assistant.engine.search.round import Round
from assistant.engine.search.trials import SearchNode
from assistant.model.profile import Severity
from assistant.model.proposal import DecisionKind, Proposal
from assistant.profile.speed_of_light import speed_of_light
from assistant.record import Record

__all__ = ["KernelSearch", "KernelSearchResult"]

_MOST_OFFERS = 4
"""Edits of one kernel that a person is asked about in one run; who turns down so many wants none."""
_MOST_CONFIRMATIONS = 3
"""SpeedQuestion that are confirmed for one offer, the best first: a confirmation costs as much as several screens."""

_ACCEPTED = (DecisionKind.ACCEPTED, DecisionKind.PARTIALLY_ACCEPTED)


class KernelSearchResult(Record):
    """What the search on one kernel came to."""

    proposals: tuple[Proposal, ...]
    """As they were offered, in order."""
    accepted: SearchNode | None
    """What the next kernel starts from, where a proposal was accepted; only the last one may be."""
    accepted_count: int
    """Decisions that took all or a part of a proposal."""
    withheld: tuple[str, ...]
    """Edits of host code that were not allowed."""


class KernelSearch:
    """The search on one kernel, while it goes on."""

    def __init__(self, context: SearchContext, services: SearchServices, offer: Offer) -> None:
        self._context = context
        self._services = services
        self._offer = offer
        self._frontier = Frontier.at(context.start, context.shape.width)
        self._places: tuple[SettledStep, ...] = ()
        """What was turned down, in the text that the user has."""
        self._seen: set[str] = set()
        """Texts that were confirmed, whether they were offered or not."""
        self._is_alternative = False
        """What needs a decision was offered and left open; what needs none is offered as well."""
        self._withheld: list[str] = []
        self._offered: list[ConfirmationResult] = []

    async def run(self) -> KernelSearchResult:
        """Search, offer, and search again without what was turned down, until something else is decided or nothing is left."""
        self._tell_refusals()
        accepted: SearchNode | None = None
        for offer_index in range(_MOST_OFFERS):
            self._note_refusals()
            if not (self._is_alternative and self._left()) and not (self._context.shape.asks_models and self._left()):
                await self._search()
            if not self._left():
                break
            node, result = await self._confirmed()
            if result.decision is DecisionKind.ACCEPTED:
                accepted = SearchNode(node.evaluation)
            if result.decision is None and node.is_deferred:
                self._is_alternative = True
                if not self._left():
                    break
                text = f"{self._context.kernel}: also offers the best edit that asks for no decision"
                self._context.job.say(Severity.INFORMATION, text)
                continue
            if result.decision is not DecisionKind.REJECTED:
                break
            if offer_index + 1 < _MOST_OFFERS:
                text = f"{self._context.kernel}: looks for the next best edit, without what was rejected"
                self._context.job.say(Severity.INFORMATION, text)
        return KernelSearchResult(
            proposals=tuple(offered.proposal for offered in self._offered if offered.proposal is not None),
            accepted=accepted,
            accepted_count=sum(offered.decision in _ACCEPTED for offered in self._offered),
            withheld=tuple(self._withheld),
        )

    async def _search(self) -> None:
        """Rounds from the text that the user has, each on the frontier of the last one."""
        context, services = self._context, self._services
        services.history.begin_again()
        services.history.starts_from(context.start.key, "the text that the search starts from")
        self._frontier = await taken_up(context, services, Frontier.at(replace(context.start, settled=self._places), context.shape.width))
        depth = len(self._frontier.nodes[0].kept) if self._frontier.nodes else 0
        idle_rounds, best_ratio = 0, self._frontier.best_ratio
        for _ in range(depth, context.options.max_rounds):
            if not self._frontier.nodes or not services.accounts.may_begin_round():
                break
            near = self._near_limit()
            if near is not None:
                context.job.say(Severity.INFORMATION, near)
                break
            if await self._round_is_idle():
                break
            idle_rounds = 0 if self._frontier.best_ratio > best_ratio else idle_rounds + 1
            best_ratio = self._frontier.best_ratio
            if idle_rounds >= context.shape.patience_rounds:
                break

    async def _round_is_idle(self) -> bool:
        """One round on each version of the frontier, and the next frontier. Whether no plan had a step."""
        rounds = [await Round(self._context, self._services, node).run() for node in self._frontier.nodes]
        kept = [node for result in rounds for node in result.kept]
        self._frontier = self._frontier.after(kept) if kept else self._frontier.elsewhere([result.settled for result in rounds])
        self._withheld += [edit for result in rounds for edit in result.withheld]
        return all(result.is_idle for result in rounds)

    async def _confirmed(self) -> tuple[SearchNode, ConfirmationResult]:
        """The best version that is left, or the next best where it does not hold."""
        left = self._left()
        candidates = left[:_MOST_CONFIRMATIONS]
        for node in candidates:
            self._seen.add(node.key)
            others = tuple(other for other in left if _is_more(other, node) and other.key not in self._seen)
            beside = tuple(one.proposal.id for one in self._offered if self._is_alternative and one.proposal is not None)
            result = await Confirmation(self._context, self._services, self._frontier.root, self._offer, others, beside).run(node)
            self._offered.append(result)
            if not result.is_failed:
                return node, result
        return candidates[-1], self._offered[-1]

    def _left(self) -> tuple[SearchNode, ...]:
        """Kept versions that were neither shown nor turned down, best first.

        After a rejection a model's are offered without asking it again; rules plan again at once, which may come to more.
        """
        left = (node for node in self._frontier.ranked() if node.key not in self._seen and not self._is_turned_down(node))
        return tuple(node for node in left if not (self._is_alternative and node.needs_decision))

    def _is_turned_down(self, node: SearchNode) -> bool:
        first = node.kept[0].step
        return (first.technique, first.line) in self._context.refused

    def _tell_refusals(self) -> None:
        context = self._context
        for refusal in self._refusals():
            remedy = f"change the kernel, or kernelopt memory forget {context.job.request.file}"
            place = f"{refusal.place.technique} at line {min(refusal.place.lines)}"
            context.job.say(Severity.INFORMATION, f"{context.kernel}: {place} is not offered again: {refusal.decision}", remedy)

    def _note_refusals(self) -> None:
        self._places = tuple(refusal.place for refusal in self._refusals())
        self._context = replace(self._context, refused=frozenset((place.technique, line) for place in self._places for line in place.lines))

    def _refusals(self) -> tuple[StandingRejection, ...]:
        context = self._context
        return refusals(self._services.store, context.workspace, context.start.evaluation.version.parsed, context.kernel)

    def _near_limit(self) -> str | None:
        """Why no edit could gain much any more; None where one could, or where it is not known."""
        least = self._context.shape.near_limit_ratio
        items = self._context.assessed(self._frontier.nodes[0])
        if least is None or not items:
            return None
        main = max(costliest(items).launches, key=lambda launch: launch.count * launch.predicted.time_s)
        light = speed_of_light(main.profile, main.predicted, self._context.job.target)
        if light is None or light.ratio < least:
            return None
        limit = f"{light.ratio:.0%} of what {light.limit} allows on {self._context.job.target.name} (performance model, estimated)"
        return f"{self._context.kernel}: at least {limit} is reached, so the search ends here"


def _is_more(other: SearchNode, offered: SearchNode) -> bool:
    """Whether a person would want to know of ``other``, which comes after ``offered`` because it asks more of them."""
    return other.ratio >= offered.ratio * SHOWN_GAIN_RATIO
