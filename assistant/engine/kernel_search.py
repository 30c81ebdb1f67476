"""The search on one kernel: rounds from frontier to frontier, the best version confirmed and offered, again after a rejection.

What is offered is the best that was ever kept, not the last; where it fails on fresh values the next best is confirmed. An edit that a
human must decide on (lower precision, say) is offered alone, never bundled with pure ones.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from assistant.engine.choice import Taken
from assistant.engine.confirming import Confirmation, Offer
from assistant.engine.frontier import Frontier, Node
from assistant.engine.gate import SHOWN_GAIN_RATIO
from assistant.engine.records import costliest
from assistant.engine.rejected import Refusal, refusals
from assistant.engine.round import Kit, Round
from assistant.engine.taking_up import TakingUp
from assistant.engine.trial import Link
from assistant.model import events
from assistant.model.profile import Severity
from assistant.profile.speed_of_light import speed_of_light

__all__ = ["KernelSearch"]

_MOST_OFFERS = 4
"""Edits of one kernel that a person is asked about in one run; who turns down so many wants none."""
_MOST_CONFIRMATIONS = 3
"""Versions that are confirmed for one offer, the best first: a confirmation costs as much as several screens."""


class KernelSearch:
    """The search on one kernel; ``accepted`` is what the next kernel starts from, where something was."""

    def __init__(self, kit: Kit, offer: Offer) -> None:
        self._kit = kit
        self._offer = offer
        self._frontier = Frontier.at(Node(kit.start), kit.shape.width)
        self._places: tuple[Taken, ...] = ()
        """What was turned down, in the text that the user has."""
        self._seen: set[str] = set()
        """Texts that were confirmed, whether they were offered or not."""
        self._is_idle = False
        """No plan of the last round had a step."""
        self.accepted: Link | None = None

    async def run(self) -> AsyncIterator[events.Event]:
        """Search, offer, and search again without what was turned down, until something else is decided or nothing is left."""
        kit = self._kit
        for refusal in self._refusals():
            remedy = f"change the kernel, or kernelopt memory forget {kit.job.request.file}"
            place = f"{refusal.place.technique} at line {min(refusal.place.lines)}"
            text = f"{kit.name}: {place} is not offered again: {refusal.decision}"
            yield kit.job.message(Severity.INFORMATION, text, remedy)
        for offer_index in range(_MOST_OFFERS):
            self._note_refusals()
            if not (self._kit.shape.asks_models and self._left()):
                async for event in self._searched():
                    yield event
            if not self._left():
                return
            confirmation = Confirmation(self._kit, self._frontier.root, self._offer)
            async for event in self._confirmed(confirmation):
                yield event
            if confirmation.decision != "rejected":
                return
            if offer_index + 1 < _MOST_OFFERS:
                yield kit.job.message(Severity.INFORMATION, f"{kit.name}: looks for the next best edit, without what was rejected")

    async def _searched(self) -> AsyncIterator[events.Event]:
        """Rounds from the text that the user has, each on the frontier of the last one."""
        kit = self._kit
        kit.book.begin_again()
        kit.book.starts_from(kit.start.text, "the text that the search starts from")
        self._frontier = Frontier.at(Node(kit.start, taken=self._places), kit.shape.width)
        taking_up = TakingUp(kit, self._frontier)
        async for event in taking_up.run():
            yield event
        self._frontier = taking_up.frontier
        depth = len(self._frontier.nodes[0].link.kept) if self._frontier.nodes else 0
        idle_rounds, best_ratio = 0, self._frontier.best_ratio
        for _ in range(depth, kit.options.max_rounds):
            if not self._frontier.nodes or not kit.accounts.may_begin_round():
                break
            near = self._near_limit()
            if near is not None:
                yield kit.job.message(Severity.INFORMATION, near)
                break
            async for event in self._round():
                yield event
            if self._is_idle:
                break
            idle_rounds = 0 if self._frontier.best_ratio > best_ratio else idle_rounds + 1
            best_ratio = self._frontier.best_ratio
            if idle_rounds >= kit.shape.patience_rounds:
                break
        for event in kit.aside.taken():
            yield event

    async def _round(self) -> AsyncIterator[events.Event]:
        """One round on each version of the frontier, and the next frontier."""
        kept: list[Node] = []
        settled: list[Node] = []
        self._is_idle = True
        for node in self._frontier.nodes:
            round_ = Round(self._kit, node)
            async for event in round_.run():
                yield event
            kept += round_.children()
            self._is_idle = self._is_idle and round_.is_idle
            settled.append(round_.settled())
        self._frontier = self._frontier.after(kept) if kept else self._frontier.elsewhere(settled)

    async def _confirmed(self, confirmation: Confirmation) -> AsyncIterator[events.Event]:
        """The best version, or the next best where it does not hold."""
        left = self._left()
        for node in left[:_MOST_CONFIRMATIONS]:
            self._seen.add(node.text)
            confirmation.is_failed = False
            confirmation.others = tuple(other.link for other in left if _is_more(other, node) and other.text not in self._seen)
            async for event in confirmation.run(node):
                yield event
            if confirmation.decision == "accepted":
                self.accepted = replace(node.link, kept=(), attempts=(), needs_decision=False)
            if not confirmation.is_failed:
                return

    def _left(self) -> tuple[Node, ...]:
        """Kept versions that nobody has seen or turned down, best first.

        After a rejection a model's are offered without asking it again; rules plan again at once, which may come to more.
        """
        return tuple(node for node in self._frontier.ranked() if node.text not in self._seen and not self._is_turned_down(node))

    def _is_turned_down(self, node: Node) -> bool:
        first = node.link.kept[0].step
        return (first.technique, first.line) in self._kit.refused

    def _note_refusals(self) -> None:
        self._places = tuple(refusal.place for refusal in self._refusals())
        self._kit = replace(self._kit, refused=frozenset((place.technique, line) for place in self._places for line in place.lines))

    def _refusals(self) -> tuple[Refusal, ...]:
        kit = self._kit
        return refusals(kit.store, kit.workspace, kit.start.looked.subject.parsed, kit.name)

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
