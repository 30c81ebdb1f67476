"""The search on one kernel: rounds from frontier to frontier, the best version confirmed and offered, again after a rejection.

What is offered is the best that was ever kept, not the last; where it fails on fresh values the next best is confirmed. An edit that a
human must decide on (lower precision, say) is offered alone, never bundled with pure ones.
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.proposals.choice import Taken
from assistant.engine.proposals.gate import SHOWN_GAIN_RATIO
from assistant.engine.proposals.records import costliest
from assistant.engine.proposals.rejected import StandingRejection, refusals
from assistant.engine.search.confirming import Confirmation, ConfirmationResult, Offer
from assistant.engine.search.frontier import Frontier, Node
from assistant.engine.search.kept_before import taken_up
from assistant.engine.search.round import Kit, Round
from assistant.engine.search.trial import Link
from assistant.model.profile import Severity
from assistant.model.proposal import Proposal
from assistant.profile.speed_of_light import speed_of_light
from assistant.record import Record

__all__ = ["KernelSearch", "KernelSearchResult"]

_MOST_OFFERS = 4
"""Edits of one kernel that a person is asked about in one run; who turns down so many wants none."""
_MOST_CONFIRMATIONS = 3
"""SpeedQuestion that are confirmed for one offer, the best first: a confirmation costs as much as several screens."""

_ACCEPTED = ("accepted", "partially_accepted")
"""Kinds of decisions."""


class KernelSearchResult(Record):
    """What the search on one kernel came to."""

    proposals: tuple[Proposal, ...]
    """As they were offered, in order."""
    accepted: Link | None
    """What the next kernel starts from, where a proposal was accepted; only the last one may be."""
    accepted_count: int
    """Decisions that took all or a part of a proposal."""
    withheld: tuple[str, ...]
    """Edits of host code that nobody allowed."""


class KernelSearch:
    """The search on one kernel, while it goes on."""

    def __init__(self, kit: Kit, offer: Offer) -> None:
        self._kit = kit
        self._offer = offer
        self._frontier = Frontier.at(Node(kit.start), kit.shape.width)
        self._places: tuple[Taken, ...] = ()
        """What was turned down, in the text that the user has."""
        self._seen: set[str] = set()
        """Texts that were confirmed, whether they were offered or not."""
        self._withheld: list[str] = []
        self._offered: list[ConfirmationResult] = []

    async def run(self) -> KernelSearchResult:
        """Search, offer, and search again without what was turned down, until something else is decided or nothing is left."""
        self._tell_refusals()
        accepted: Link | None = None
        for offer_index in range(_MOST_OFFERS):
            self._note_refusals()
            if not (self._kit.shape.asks_models and self._left()):
                await self._search()
            if not self._left():
                break
            node, came_to = await self._confirmed()
            if came_to.decision == "accepted":
                accepted = replace(node.link, kept=(), attempts=(), needs_decision=False)
            if came_to.decision != "rejected":
                break
            if offer_index + 1 < _MOST_OFFERS:
                text = f"{self._kit.name}: looks for the next best edit, without what was rejected"
                self._kit.job.say(Severity.INFORMATION, text)
        return KernelSearchResult(
            proposals=tuple(offered.proposal for offered in self._offered if offered.proposal is not None),
            accepted=accepted,
            accepted_count=sum(offered.decision in _ACCEPTED for offered in self._offered),
            withheld=tuple(self._withheld),
        )

    async def _search(self) -> None:
        """Rounds from the text that the user has, each on the frontier of the last one."""
        kit = self._kit
        kit.book.begin_again()
        kit.book.starts_from(kit.start.text, "the text that the search starts from")
        self._frontier = await taken_up(kit, Frontier.at(Node(kit.start, taken=self._places), kit.shape.width))
        depth = len(self._frontier.nodes[0].link.kept) if self._frontier.nodes else 0
        idle_rounds, best_ratio = 0, self._frontier.best_ratio
        for _ in range(depth, kit.options.max_rounds):
            if not self._frontier.nodes or not kit.accounts.may_begin_round():
                break
            near = self._near_limit()
            if near is not None:
                kit.job.say(Severity.INFORMATION, near)
                break
            if await self._round_is_idle():
                break
            idle_rounds = 0 if self._frontier.best_ratio > best_ratio else idle_rounds + 1
            best_ratio = self._frontier.best_ratio
            if idle_rounds >= kit.shape.patience_rounds:
                break

    async def _round_is_idle(self) -> bool:
        """One round on each version of the frontier, and the next frontier. Whether no plan had a step."""
        rounds = [await Round(self._kit, node).run() for node in self._frontier.nodes]
        kept = [node for came_to in rounds for node in came_to.kept]
        self._frontier = self._frontier.after(kept) if kept else self._frontier.elsewhere([came_to.settled for came_to in rounds])
        self._withheld += [edit for came_to in rounds for edit in came_to.withheld]
        return all(came_to.is_idle for came_to in rounds)

    async def _confirmed(self) -> tuple[Node, ConfirmationResult]:
        """The best version that is left, or the next best where it does not hold."""
        left = self._left()
        tries = left[:_MOST_CONFIRMATIONS]
        for node in tries:
            self._seen.add(node.text)
            others = tuple(other.link for other in left if _is_more(other, node) and other.text not in self._seen)
            came_to = await Confirmation(self._kit, self._frontier.root, self._offer, others).run(node)
            self._offered.append(came_to)
            if not came_to.is_failed:
                return node, came_to
        return tries[-1], self._offered[-1]

    def _left(self) -> tuple[Node, ...]:
        """Kept versions that nobody has seen or turned down, best first.

        After a rejection a model's are offered without asking it again; rules plan again at once, which may come to more.
        """
        return tuple(node for node in self._frontier.ranked() if node.text not in self._seen and not self._is_turned_down(node))

    def _is_turned_down(self, node: Node) -> bool:
        first = node.link.kept[0].step
        return (first.technique, first.line) in self._kit.refused

    def _tell_refusals(self) -> None:
        kit = self._kit
        for refusal in self._refusals():
            remedy = f"change the kernel, or kernelopt memory forget {kit.job.request.file}"
            place = f"{refusal.place.technique} at line {min(refusal.place.lines)}"
            kit.job.say(Severity.INFORMATION, f"{kit.name}: {place} is not offered again: {refusal.decision}", remedy)

    def _note_refusals(self) -> None:
        self._places = tuple(refusal.place for refusal in self._refusals())
        self._kit = replace(self._kit, refused=frozenset((place.technique, line) for place in self._places for line in place.lines))

    def _refusals(self) -> tuple[StandingRejection, ...]:
        kit = self._kit
        return refusals(kit.store, kit.workspace, kit.start.evaluation.version.parsed, kit.name)

    def _near_limit(self) -> str | None:
        """Why no edit could gain much any more; None where one could, or where nobody knows."""
        least = self._kit.shape.near_limit_ratio
        items = self._kit.bench.kernel(self._frontier.nodes[0].link)
        if least is None or not items:
            return None
        main = max(costliest(items).launches, key=lambda launch: launch.count * launch.predicted.time_s)
        light = speed_of_light(main.profile, main.predicted, self._kit.job.target)
        if light is None or light.ratio < least:
            return None
        limit = f"{light.ratio:.0%} of what {light.limit} allows on {self._kit.job.target.name} (performance model, estimated)"
        return f"{self._kit.name}: at least {limit} is reached, so the search ends here"


def _is_more(other: Node, offered: Node) -> bool:
    """Whether a person would want to know of ``other``, which comes after ``offered`` because it asks more of them."""
    return other.ratio >= offered.ratio * SHOWN_GAIN_RATIO
