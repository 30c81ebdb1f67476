"""The search on one kernel: rounds from frontier to frontier, the best version confirmed and offered, again after a rejection.

What is offered is the best that was ever kept, not the last; where it fails on fresh values the next best is confirmed. An edit that a
human must decide on (lower precision, say) is never bundled with pure ones, unless that was put off to the end of the search: then what is
offered has alternatives, the best without decisions and the best with each. A predicted gain that is smaller than the error of the
performance model is told, and not offered.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from assistant.engine.proposals import PREDICTED_GAIN_RATIO, SHOWN_GAIN_RATIO, SettledStep, StandingRejection, chain_in_words, refusals
from assistant.engine.search.after_confirmation import improved_versions, may_improve
from assistant.engine.search.alternatives import Version, as_offered, asks_for_less
from assistant.engine.search.confirming import Confirmation, ConfirmationResult, Offer
from assistant.engine.search.context import SearchContext, SearchServices
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.islands import Islands
from assistant.engine.search.kept_before import taken_up
from assistant.engine.search.trials import SearchNode
from assistant.measure import MODEL_ACCURACY
from assistant.model.comparison import format_ratio
from assistant.model.plan import Decline, SetbackKind
from assistant.model.profile import Severity
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["KernelSearch", "KernelSearchResult"]

_MOST_OFFERS = 4
"""Edits of one kernel that a person is asked about in one run; who turns down so many wants none."""
_MOST_CONFIRMATIONS = 3
"""Versions that are confirmed for one offer, the best first: a confirmation costs as much as several screens."""

_MOST_ALTERNATIVES = 3
"""Of one proposal: each is confirmed, and read by a person."""
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
    outcomes: tuple[TrialOutcome, ...] = ()
    """Of all candidates, in order."""
    untried: tuple[TrialOutcome, ...] = ()
    """Of what was planned and came to no trial."""
    unjudged: tuple[str, ...] = ()
    """Why candidates could not be judged."""
    not_offered: tuple[str, ...] = ()
    """Why versions that were kept at first are not offered, in the order in which they were confirmed."""
    declines: tuple[Decline, ...] = ()
    """Techniques that did not apply."""
    confirmed_s: float = 0.0
    """What confirming took; 0: nothing was confirmed."""


class KernelSearch:
    """The search on one kernel, while it goes on."""

    def __init__(self, context: SearchContext, services: SearchServices, offer: Offer) -> None:
        self._context = context
        self._services = services
        self._offer = offer
        self._frontier = Frontier.at(context.start)
        self._places: tuple[SettledStep, ...] = ()
        """What was turned down, in the text that the user has."""
        self._seen: set[str] = set()
        """Texts that were confirmed, whether they were offered or not."""
        self._improved: set[str] = set()
        """Texts that went back to their writer after a confirmation."""
        self._withheld: list[str] = []
        self._offered: list[Proposal] = []
        self._decided: list[DecisionKind | None] = []
        self._confirmed_s = 0.0
        self._not_offered: list[str] = []

    async def run(self) -> KernelSearchResult:
        """Search, offer, and search again without what was turned down, until something else is decided or nothing is left."""
        self._report_refusals()
        accepted: SearchNode | None = None
        for offer_index in range(_MOST_OFFERS):
            self._note_refusals()
            if not (self._context.shape.asks_models and self._left()):
                await self._search()
            begun_s = time.monotonic()
            versions = await self._versions()
            self._confirmed_s += time.monotonic() - begun_s
            if not versions:
                self._report_doubtful()
                break
            node, decision = await self._made(versions)
            if decision is DecisionKind.ACCEPTED:
                accepted = SearchNode(node.evaluation)
            if decision is not DecisionKind.REJECTED:
                break
            if offer_index + 1 < _MOST_OFFERS:
                text = f"{self._context.kernel}: looks for the next best edit, without what was rejected"
                self._context.job.say(Severity.INFORMATION, text)
        return KernelSearchResult(
            proposals=tuple(self._offered),
            accepted=accepted,
            accepted_count=sum(decision in _ACCEPTED for decision in self._decided),
            withheld=tuple(self._withheld),
            outcomes=self._services.history.outcomes,
            untried=self._services.history.untried,
            unjudged=self._services.history.unjudged,
            not_offered=tuple(self._not_offered),
            declines=self._services.history.declines,
            confirmed_s=self._confirmed_s if self._offered else 0.0,
        )

    async def _versions(self) -> list[Version]:
        """What is offered together: the best and, where nobody has decided on what it asks, the best of those that ask for less.

        The last place is kept for a version that asks for no decision, however many slower ones ask for other ones.
        """
        best = await self._confirmed(lambda _: True)
        found = [] if best is None else [best]
        if best is not None and self._is_taken(best):
            return found
        while found and _has_alternatives(found[0]) and found[-1].decisions and len(found) <= _MOST_ALTERNATIVES:
            is_last = len(found) == _MOST_ALTERNATIVES
            known = [version.decisions for version in found]
            other = await self._confirmed(lambda asked, known=known, is_last=is_last: not asked if is_last else asks_for_less(asked, known))
            if other is None:
                break
            found.append(other)
        return found

    def _is_taken(self, version: Version) -> bool:
        """Whether what it asks for is allowed already, so that there is nothing to choose between."""
        allowed = {label.value for label in self._services.deferred}
        return self._context.options.takes_allowed and version.decisions <= allowed

    async def _made(self, versions: Sequence[Version]) -> tuple[SearchNode, DecisionKind | None]:
        """One proposal of them all: that which asks for no decision is what is offered, the others are its alternatives."""
        ordered = as_offered(versions)
        proposal = ordered[0].proposal.with_alternatives([version.proposal for version in ordered[1:]])
        self._offered.append(proposal)
        made = await Confirmation(self._context, self._services, self._frontier.root, self._offer).offered(proposal)
        decision = None if made is None else DecisionKind(made.kind)
        self._decided.append(decision)
        return ordered[0 if made is None else made.alternative].node, decision

    async def _search(self) -> None:
        """Rounds from the text that the user has, each on the frontier of the last one."""
        context, services = self._context, self._services
        services.history.begin_again()
        services.history.starts_from(context.start.key, "the text that the search starts from")
        islands = Islands(context, services, Frontier.at(replace(context.start, settled=self._places)))
        await islands.run()
        self._frontier = await taken_up(context, services, islands.frontier)
        self._withheld += islands.withheld

    async def _confirmed(self, is_wanted: Callable[[frozenset[str]], bool]) -> Version | None:
        """The best version that is left and whose decisions are wanted, or the next best where it does not hold or may not be offered.

        What its writer makes of a setback counts as one.
        """
        judged_count = 0
        while judged_count < _MOST_CONFIRMATIONS:
            nodes = tuple(node for node in self._left() if is_wanted(node.decisions))
            if not nodes:
                return None
            node = nodes[0]
            self._seen.add(node.key)
            others = tuple(other for other in nodes if _is_more(other, node) and other.key not in self._seen)
            result = await self._confirmation(node, others)
            if result.proposal is not None:
                return Version(node, result.proposal)
            self._not_offered += [result.why_not] if result.why_not else []
            if result.is_open_already:
                return None
            judged_count += result.is_judged
        return None

    async def _confirmation(self, node: SearchNode, others: tuple[SearchNode, ...]) -> ConfirmationResult:
        """What comes of a version; what failed, or is right only here, goes back to its writer once. That it is right only here, its
        writer may know from its trial."""
        context, services = self._context, self._services
        may_go_back = node.key not in self._improved and may_improve(context, services, node)
        is_asked = may_go_back and not services.history.was_sent_back(node.key)
        confirmation = Confirmation(context, services, self._frontier.root, self._offer, others, is_asked)
        result = await confirmation.run(node)
        if result.setback is None or not may_go_back:
            return result
        self._improved.add(node.key)
        better = await improved_versions(context, services, self._frontier, node, result.setback)
        self._frontier = self._frontier.after(better)
        if result.setback.kind is not SetbackKind.ONLY_HERE:
            return result
        if not better:
            return await replace(confirmation, is_asked=False).run(node)
        self._seen.discard(node.key)
        return result

    def _left(self) -> tuple[SearchNode, ...]:
        """Kept versions that were neither shown nor turned down, best first.

        After a rejection a model's are offered without asking it again; rules plan again at once, which may come to more.
        """
        return tuple(node for node in self._open() if not self._is_doubtful(node))

    def _open(self) -> Iterator[SearchNode]:
        return (node for node in self._frontier.ranked() if node.key not in self._seen and not self._is_turned_down(node))

    def _is_doubtful(self, node: SearchNode) -> bool:
        """Whether its gain is only predicted, and too little to be sure of; a person may have said how much is enough."""
        is_left_to_us = self._context.job.lab.timing is None and self._context.options.rules.min_ratio is None
        return is_left_to_us and node.ratio < PREDICTED_GAIN_RATIO

    def _report_doubtful(self) -> None:
        """The best edit that is not offered as what it gains may be nothing."""
        best = max((node for node in self._open() if self._is_doubtful(node)), key=lambda node: node.ratio, default=None)
        if best is None:
            return
        found = chain_in_words(best.kept)
        error = f"half of its predictions were off by more than {format_ratio(MODEL_ACCURACY.doubtful_ratio)}x"
        text = f"{found} was found, predicted {format_ratio(best.ratio)}x; that is within the performance model's own error ({error})"
        self._context.job.say(Severity.INFORMATION, f"{self._context.kernel}: {text}, so it is not offered")

    def _is_turned_down(self, node: SearchNode) -> bool:
        first = node.kept[0].step
        return (first.technique, first.line) in self._context.refused

    def _report_refusals(self) -> None:
        context = self._context
        for refusal in self._refusals():
            remedy = f"change the kernel, or {refusal.decision.taken_back(context.job.request.file)}"
            place = f"{refusal.place.technique} at line {min(refusal.place.lines)}"
            context.job.say(Severity.INFORMATION, f"{context.kernel}: {place} is not offered again: {refusal.decision.words}", remedy)

    def _note_refusals(self) -> None:
        self._places = tuple(refusal.place for refusal in self._refusals())
        self._context = replace(self._context, refused=frozenset((place.technique, line) for place in self._places for line in place.lines))

    def _refusals(self) -> tuple[StandingRejection, ...]:
        context = self._context
        return refusals(self._services.store, context.workspace, context.start.evaluation.version.parsed, context.kernel)


def _has_alternatives(best: Version) -> bool:
    """Whether it is offered with others: its decisions were put off, or its confirmation found some that its screen had not."""
    return best.node.is_deferred or not best.decisions <= best.node.decisions


def _is_more(other: SearchNode, offered: SearchNode) -> bool:
    """Whether a person would want to know of ``other``, which comes after ``offered``: it asks more of them, or an agent chose."""
    return other.ratio >= offered.ratio * SHOWN_GAIN_RATIO
