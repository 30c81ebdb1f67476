"""How near a kernel is to what its device can do, what its share of the program leaves to be gained, and whether to go on. Pure.

Example::

    advice(MeasuredShape("transpose", 31e-6, light=0.93, limit="dram", share_ratio=0.4))
    # "at 93 % of what DRAM allows: at most 1.08x is left; 40 % of the program's GPU time: …; stop here"
"""

from __future__ import annotations

from assistant.model.comparison import format_ratio
from assistant.record import Record

__all__ = ["MeasuredShape", "advice", "is_near_limit", "most_left_ratio", "most_program_ratio"]

_NEAR_LIMIT_RATIO = 0.9
"""From here on at most 1.11x is left, which hardly any edit reaches."""
_SMALL_SHARE_RATIO = 0.1
"""Share of a program's GPU time: below it no edit of the kernel gains the program more than 1.11x."""
_LIMITS = {
    "bytes": "moving its bytes",
    "dram": "DRAM",
    "l2": "L2",
    "fp32": "the single-precision pipe",
    "fp64": "the double-precision pipe",
    "half": "the half-precision pipe",
    "special": "the special-function pipe",
}


class MeasuredShape(Record):
    """One measured launch shape of a kernel."""

    kernel: str
    time_s: float
    light: float | None
    """Least time by distinct bytes and arithmetic at the device's peaks / measured time, 0..1; None where that is not known."""
    limit: str | None
    """What the least time is spent on (``profile.speed_of_light``)."""
    share_ratio: float | None = None
    """Share of the program's GPU time, 0..1; None where not all of it was timed."""
    busiest: tuple[str, float] | None = None
    """(kernel, share) of the kernel that takes most of the program's GPU time, where it is another one."""


def most_left_ratio(standing: MeasuredShape) -> float | None:
    """The most that any rewriting of the same work can gain; None where no bound is known."""
    return None if standing.light is None else 1 / standing.light


def most_program_ratio(standing: MeasuredShape) -> float | None:
    """The most that the program can gain if this kernel took no time at all (Amdahl); None where its share is not known or is all."""
    share = standing.share_ratio
    return None if share is None or share >= 1 else 1 / (1 - share)


def is_near_limit(standing: MeasuredShape) -> bool:
    """Whether hardly anything is left to be gained."""
    return standing.light is not None and standing.light >= _NEAR_LIMIT_RATIO


def advice(standing: MeasuredShape) -> str | None:
    """What to do next, with the numbers that say so; None where nothing is known that would bound a gain."""
    parts = [part for part in (_distance(standing), _share(standing)) if part is not None]
    if not parts:
        return None
    return "; ".join((*parts, _next_step(standing)))


def _distance(standing: MeasuredShape) -> str | None:
    left = most_left_ratio(standing)
    if left is None or standing.light is None:
        return None
    where = _LIMITS.get(standing.limit or "", standing.limit or "the device")
    return f"at {_percent(standing.light)} of what {where} allows: at most {format_ratio(left)}x is left"


def _share(standing: MeasuredShape) -> str | None:
    if standing.share_ratio is None:
        return None
    most = most_program_ratio(standing)
    if most is None:
        return None
    return f"{_percent(standing.share_ratio)} of the program's GPU time: at most {format_ratio(most)}x of it can be gained here"


def _next_step(standing: MeasuredShape) -> str:
    is_done = is_near_limit(standing)
    is_small = standing.share_ratio is not None and standing.share_ratio < _SMALL_SHARE_RATIO
    if not (is_done or is_small):
        return "there is something to gain here"
    if standing.busiest is not None:
        return f"look at {standing.busiest[0]}, which takes {_percent(standing.busiest[1])}"
    return "stop here"


def _percent(ratio: float) -> str:
    return f"{100 * ratio:.0f} %" if ratio >= 0.01 else f"{100 * ratio:.2g} %"
