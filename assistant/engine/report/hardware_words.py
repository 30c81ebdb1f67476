"""What a GPU's own counters say of a launch, in two sentences for people. Pure.

Example::

    measured_in_words(profile)   # "measured: L1 47 %, L2 37 %, DRAM 2 % of their peaks; …"
"""

from __future__ import annotations

from assistant.engine.report.profile_parts import share_in_words, stall_heat, stall_shares
from assistant.model import events
from assistant.profile.quantity import format_quantity

__all__ = ["measured_in_words", "stalls_in_words"]

_LEVELS = (
    ("L1", "l1_utilisation"),
    ("L2", "l2_utilisation"),
    ("DRAM", "dram_utilisation"),
    ("the busiest pipe", "compute_utilisation"),
    ("instruction issue", "issue_utilisation"),
)
_REASONS_SHOWN = 3


def measured_in_words(profile: events.Profile) -> str | None:
    """How near the launch came to each peak, its occupancy and its time under the profiler; None where nothing was measured."""
    values = {fact.metric: fact.value for fact in profile.evidence if fact.line is None}
    parts: list[str] = []
    levels = [f"{title} {share_in_words(values[name])}" for title, name in _LEVELS if name in values]
    if levels:
        parts.append(f"{', '.join(levels)} of the peak")
    if "achieved_occupancy" in values:
        fits = f" of the {share_in_words(values['theoretical_occupancy'])} that fit" if "theoretical_occupancy" in values else ""
        parts.append(f"occupancy {share_in_words(values['achieved_occupancy'])}{fits}")
    if "profiled_duration" in values:
        parts.append(f"{format_quantity(values['profiled_duration'], 's')} under the profiler, which is not a measured speed")
    return f"measured by {profile.method}: {'; '.join(parts)}" if parts else None


def stalls_in_words(profile: events.Profile) -> str | None:
    """What warps waited for, and where most; None where nothing was sampled."""
    shares = stall_shares(profile.stalls)
    if not shares:
        return None
    reasons = ", ".join(f"{share.name} {share_in_words(share.ratio)}" for share in shares[:_REASONS_SHOWN])
    (_, line), ratio = max(stall_heat(profile.stalls).items(), key=lambda item: item[1])
    samples = sum(stall.samples for stall in profile.stalls)
    where = f"; line {line} has {share_in_words(ratio)} of them" if line else ""
    return f"warps waited in {samples:,} samples: {reasons}{where}"
