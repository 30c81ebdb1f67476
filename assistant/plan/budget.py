"""What a search may spend and what it has spent. Pure.

Money needs a price, which only the user's own table knows. Where it is unknown no money cap can be kept, and a cap on tokens takes its
place. Example::

    broken_by(spent, caps, served, input_token_count=3_000, max_output_tokens=8_192)    # "money_usd", or None: the call fits
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from assistant.model.completion import Caps, Price, ServedModel, Spending
from assistant.record import Record

__all__ = [
    "FALLBACK_TOKENS",
    "MANUAL",
    "Extent",
    "added",
    "believed",
    "broken_by",
    "call_cost",
    "estimate",
    "keepable",
    "reached",
    "repeated",
]

_TOKENS_PER_MILLION = 1_000_000
MANUAL = "manual"
"""`ServedModel.provider` where a person answers, which costs nothing here."""
FALLBACK_TOKENS = 200_000
"""Cap on tokens where a money cap was asked for and a price is unknown (chosen: about the calls of a kernel's whole search)."""


_LEAST_BELIEVED = 8
"""A count that is less than this part of our estimate is none: the estimate errs upwards, but never so far (chosen)."""
_MOST_BELIEVED = 4
"""A count above so many times our estimate is none either: the estimate is an upper one (chosen)."""
_UNSEEN_TOKENS = 1_000
"""What an endpoint may put around a prompt on its own (chosen)."""


class Extent(Record):
    """How many calls a search makes if every answer can be used as it comes, and how large each is at most."""

    plan_count: int
    code_count: int
    """Rewrites and their repairs."""
    explanation_count: int
    input_token_count: int
    """Tokens of a prompt, at most."""
    max_output_tokens: int


def call_cost(price: Price | None, input_token_count: int, output_token_count: int) -> float | None:
    """Dollars; None where the price is unknown."""
    if price is None:
        return None
    micro_usd = input_token_count * price.input_usd_per_million_tokens + output_token_count * price.output_usd_per_million_tokens
    return micro_usd / _TOKENS_PER_MILLION


def believed(reported: int | None, estimated: int, longest: int = 0) -> int:
    """The count that is charged: the endpoint's own, within what a text of ``estimated`` tokens can be.

    ``longest``: of the answer that was asked for, hidden thoughts included.
    """
    if reported is None or reported * _LEAST_BELIEVED < estimated:
        return estimated
    return min(reported, max(longest, estimated * _MOST_BELIEVED + _UNSEEN_TOKENS))


def added(a: Spending, b: Spending) -> Spending:
    """Both together; money is unknown where either's is."""
    return Spending(
        money_usd=None if a.money_usd is None or b.money_usd is None else a.money_usd + b.money_usd,
        input_token_count=a.input_token_count + b.input_token_count,
        output_token_count=a.output_token_count + b.output_token_count,
        call_count=a.call_count + b.call_count,
        gpu_s=a.gpu_s + b.gpu_s,
        round_count=a.round_count + b.round_count,
        wall_s=a.wall_s + b.wall_s,
    )


def repeated(call: Spending, count: int) -> Spending:
    """``count`` such calls."""
    return Spending(
        money_usd=None if call.money_usd is None else call.money_usd * count,
        input_token_count=call.input_token_count * count,
        output_token_count=call.output_token_count * count,
        call_count=call.call_count * count,
    )


def broken_by(spent: Spending, caps: Caps, served: ServedModel, input_token_count: int, max_output_tokens: int) -> str | None:
    """The cap that a call would break if it took its longest answer; None where it fits what is left."""
    cost = call_cost(served.price, input_token_count, max_output_tokens)
    if caps.money_usd is not None and (cost is None or spent.money_usd is None or spent.money_usd + cost > caps.money_usd):
        return "money_usd"
    if caps.token_count is not None and spent.token_count + input_token_count + max_output_tokens > caps.token_count:
        return "token_count"
    return None


def reached(spent: Spending, caps: Caps) -> str | None:
    """The cap on time or rounds that leaves no room for another round; None where one may begin."""
    if caps.gpu_s is not None and spent.gpu_s >= caps.gpu_s:
        return "gpu_s"
    if caps.wall_s is not None and spent.wall_s >= caps.wall_s:
        return "wall_s"
    if caps.round_count is not None and spent.round_count >= caps.round_count:
        return "round_count"
    return None


def keepable(caps: Caps, served: Iterable[ServedModel]) -> Caps:
    """The caps that can be kept: one on tokens instead of one on money where a price is unknown.

    A person as the model costs nothing here.
    """
    unpriced = [model for model in served if model.price is None]
    if caps.money_usd is None or not unpriced:
        return caps
    if all(model.provider == MANUAL for model in unpriced):
        return replace(caps, money_usd=None)
    token_count = FALLBACK_TOKENS if caps.token_count is None else caps.token_count
    return replace(caps, money_usd=None, token_count=token_count)


def estimate(extent: Extent, planner: ServedModel, coder: ServedModel, summariser: ServedModel) -> Spending:
    """Estimate for a whole search whose answers can all be used: every call made, every prompt and answer as long as allowed.

    An answer that must be asked for again comes on top, so this is no bound; the caps are.
    """
    calls = ((planner, extent.plan_count), (coder, extent.code_count), (summariser, extent.explanation_count))
    total = Spending()
    for served, count in calls:
        cost = call_cost(served.price, extent.input_token_count, extent.max_output_tokens)
        one = Spending(cost, extent.input_token_count, extent.max_output_tokens, 1)
        total = added(total, repeated(one, count)) if count else total
    return total
