"""Speed-of-light shares: how busy each resource is at the predicted time, busiest first.

Example::

    summarize(predicted).shares[0]   # Share("l2", "L2 cache", 0.98)
"""

from __future__ import annotations

from assistant.model.comparison import PredictedTime
from assistant.profile.quantity import format_quantity
from assistant.profile.wording import percent
from assistant.record import Record

__all__ = ["Share", "Summary", "summarize"]

_TITLES = {
    "dram": "DRAM bandwidth",
    "l2": "L2 cache",
    "l1": "L1 cache",
    "shared": "shared memory",
    "issue": "instruction issue",
    "fp32": "single-precision pipe",
    "fp64": "double-precision pipe",
    "half": "half-precision pipe",
    "conversion": "conversion pipe",
    "special": "special-function pipe",
    "integer": "integer pipe",
    "blocks": "starting blocks",
    "latency": "latency",
    "launch": "launch overhead",
}


class Share(Record):
    """One resource's share of the predicted time."""

    name: str
    title: str
    ratio: float


class Summary(Record):
    sentence: str
    shares: tuple[Share, ...]
    """Busiest first."""
    notes: tuple[str, ...]
    """What the prediction had to assume."""


def summarize(predicted: PredictedTime) -> Summary:
    """Shares of every resource that is used, and one sentence; it says predicted, never measured."""
    shares = tuple(
        sorted(
            (Share(t.name, _TITLES.get(t.name, t.name), min(1.0, t.time_s / predicted.time_s)) for t in predicted.terms),
            key=lambda share: -share.ratio,
        )
    )
    top = shares[0]
    sentence = (
        f"Predicted {format_quantity(predicted.time_s, 's')} a launch on {predicted.target}, limited by {top.title} "
        f"({percent(top.ratio)} of that time); nothing was timed"
    )
    return Summary(sentence, shares, predicted.notes)
