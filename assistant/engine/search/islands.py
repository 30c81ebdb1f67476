"""The rounds on one kernel: several searches side by side, each building on its own versions, with one pool of what was kept.

Rules need one: they plan the same of the same text. A model's islands plan at once, so that labs have candidates while another island
waits for an answer. One that finds nothing more takes the best that no island has built on, else the best of all (migration). Rules whose
rounds have come to an end go back for block sizes that were put off and never tried, where these may still gain more. Example::

    islands = Islands(context, services, Frontier.at(start))
    await islands.run()
    islands.frontier.ranked()     # what was kept, best first
"""

from __future__ import annotations

from assistant.engine.evaluate import costliest
from assistant.engine.search.context import RoundResult, SearchContext, SearchServices
from assistant.engine.search.frontier import Frontier
from assistant.engine.search.together import gathered
from assistant.engine.search.trials import SearchNode
from assistant.model.profile import Severity
from assistant.profile.speed_of_light import speed_of_light

__all__ = ["Islands"]

_MOST_BY_SIZES = 2.0
"""What block sizes alone may gain (chosen: in 15 programs of which edits of the code were kept, too, they gained 1.4x at most on an H200,
and in one 2.8x, where the other edit gained 33x)."""


class Islands:
    """The search's rounds, while they go on."""

    def __init__(self, context: SearchContext, services: SearchServices, frontier: Frontier) -> None:
        self.frontier = frontier
        """All that was kept."""
        self.withheld: list[str] = []
        """Edits of host code that were not allowed."""
        self._context = context
        self._services = services
        self._is_over = False
        """A version is near its limit, or a cap is reached."""

    async def run(self) -> None:
        """Until every island has come to its end."""
        count = self._context.shape.width if self._context.shape.asks_models else 1
        async with gathered() as works:
            for island in range(count):
                works.begin(self._searched(island, self.frontier.nodes[0]))

    async def _searched(self, island: int, node: SearchNode | None) -> None:
        """Rounds from ``node`` on, until there is no version left to build on, or nothing gained for too long."""
        context = self._context
        built_on: set[str] = set()
        awaiting: SearchNode | None = None
        idle_count, best_ratio = 0, self.frontier.best_ratio
        for _ in range(context.options.max_rounds):
            if node is None or self._is_over or self._is_full or not self._services.accounts.may_begin_round() or self._is_near_limit(node):
                return
            built_on.add(node.key)
            if node.awaits_sizes:
                text = f"{context.kernel}: goes back for block sizes, which were not planned for what was kept"
                context.job.say(Severity.INFORMATION, text)
            result = await self._services.run_round(context, self._services, node, island)
            self.withheld += result.withheld
            awaiting = result.awaiting_sizes if result.has_sizes else awaiting
            if result.is_idle:
                self.frontier = self.frontier.after(result.kept) if result.kept else self.frontier
            else:
                node = self._next(node, result, built_on)
            idle_count = 0 if self.frontier.best_ratio > best_ratio else idle_count + 1
            best_ratio = self.frontier.best_ratio
            if result.is_idle or idle_count >= context.shape.patience_rounds:
                node, awaiting = self._back_for_sizes(awaiting), None

    def _back_for_sizes(self, awaiting: SearchNode | None) -> SearchNode | None:
        """The version, where its block sizes may gain more than what was kept; a model would be asked for a plan of it."""
        if awaiting is None or self._context.shape.asks_models:
            return None
        return awaiting if self.frontier.best_ratio < awaiting.ratio * _MOST_BY_SIZES else None

    @property
    def _is_full(self) -> bool:
        """Whether a plan would be paid for whose steps could not be tried."""
        return self._context.shape.asks_models and self._services.history.is_full

    def _next(self, node: SearchNode, result: RoundResult, built_on: set[str]) -> SearchNode | None:
        """The best that the round kept; without one what no island has built on, the best of all islands, or the same once more."""
        self.frontier = self.frontier.after(result.kept) if result.kept else self.frontier.elsewhere(result.settled)
        following = self.frontier.nodes[0] if self.frontier.nodes else None
        if following is not result.settled:
            return following
        better = [
            other for other in self.frontier.chosen if other.ratio > node.ratio and other.may_be_built_on and other.key not in built_on
        ]
        return max(better, key=lambda other: other.ratio, default=result.settled)

    def _is_near_limit(self, node: SearchNode) -> bool:
        """Whether no edit could gain much any more; then the search says so, and ends."""
        least = self._context.shape.near_limit_ratio
        items = self._context.searched(node)
        if least is None or not items:
            return False
        main = max(costliest(items).launches, key=lambda launch: launch.total_time_s)
        light = speed_of_light(main.profile, main.predicted, self._context.job.target)
        if light is None or light.ratio < least:
            return False
        limit = f"{light.ratio:.0%} of what {light.limit} allows on {self._context.job.target.name} (performance model, estimated)"
        if not self._is_over:
            self._context.job.say(Severity.INFORMATION, f"{self._context.kernel}: at least {limit} is reached, so the search ends here")
        self._is_over = True
        return True
