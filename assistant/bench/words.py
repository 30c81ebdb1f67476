"""A row and a run in words, for terminals and pages. Pure.

Example::

    row_line(row)     # 'matmul 96: 12.3 µs → 4.5 µs, FASTER 2.73x (2.60 to 2.86), PASS; tiling; 34 s'
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assistant.bench.bound import Bound
from assistant.bench.figures import FAR_RATIO, NEAR_RATIO, Figures, Mean
from assistant.bench.row import Cost, Row, RowOutcome
from assistant.model.comparison import format_ratio
from assistant.profile.quantity import counted_noun, first_of, format_quantity

__all__ = ["PREDICTED_NOTE", "bound_words", "cost_words", "figures_lines", "left_out_words", "row_line", "verdict_words"]

PREDICTED_NOTE = "All times and speed-ups are PREDICTED by the performance model: nothing was timed."
_SOURCES_SHOWN = 6


def left_out_words(sources: Sequence[Path]) -> tuple[str, ...]:
    """A sentence on the sources of a folder that no program runs; none where there are none."""
    if not sources:
        return ()
    names, verb = first_of([source.as_posix() for source in sources], _SOURCES_SHOWN), "is" if len(sources) == 1 else "are"
    return (f"{counted_noun(len(sources), 'source')} {verb} left out, as no program runs them (no main(), no declared workload): {names}",)


def row_line(row: Row) -> str:
    """All of it in one line."""
    times = ""
    if row.times is not None:
        original, best = format_quantity(row.times.original_s, "s"), format_quantity(row.times.best_s, "s")
        times = f"{original} → {best}, " if row.chain else f"{original}{' PREDICTED' if row.times.is_predicted else ''}, "
    bound = "" if row.distance is None else f"; {row.distance:.3g}x its bound"
    bound += "" if not row.chain or row.best_distance is None else f", then {row.best_distance:.3g}x"
    bound += "" if row.dram_share is None else f", {row.dram_share:.0%} of DRAM's peak"
    chain = f"; {' + '.join(row.chain)}" if row.chain else ""
    unused = f"; {row.unused}" if row.unused else ""
    return f"{row.title}: {times}{verdict_words(row)}{chain}{bound}{unused}; {row.cost.wall_s:.0f} s"


def verdict_words(row: Row) -> str:
    """What was found, and why nothing was where nothing was."""
    if row.verification is None or row.speed is None or row.ratio is None:
        return f"{row.outcome.value}: {row.reason}" if row.outcome is not RowOutcome.NOT_SEARCHED else row.outcome.value
    interval = f" ({format_ratio(row.low)} to {format_ratio(row.high)})" if row.low is not None and row.high is not None else ""
    labels = f" [{', '.join(row.labels)}]" if row.labels else ""
    cut_off = "; search cut off" if row.is_cut_off else ""
    return f"{row.speed} {format_ratio(row.ratio)}x{interval}, {row.verification}{labels}{cut_off}"


def bound_words(bound: Bound | None) -> str:
    """``2.3 µs (DRAM, in steps)``; empty where none is known."""
    if bound is None:
        return ""
    return f"{format_quantity(bound.time_s, 's')} ({bound.by}{', in steps' if bound.is_in_steps else ''})"


def cost_words(cost: Cost) -> str:
    """Dollars; a question mark where a price is not known."""
    return "?" if cost.money_usd is None else f"${cost.money_usd:.2f}"


def figures_lines(figures: Figures) -> tuple[str, ...]:
    """The sums, a sentence each."""
    outcomes = ", ".join(f"{count} {name}" for name, count in figures.outcomes.items())
    word = "predicted " if figures.is_predicted else ""
    lines = [f"{counted_noun(sum(figures.outcomes.values()), 'run')}: {outcomes}"]
    if figures.all.count:
        lines.append(f"geometric mean of {word}speed-ups, what failed or was not proved as 1.0x: {_mean_words(figures.all)}")
        lines.append(f"of those that start more than {FAR_RATIO:g}x from their bound: {_mean_words(figures.far)}")
    if figures.bounded_count:
        then = f", {figures.near_after_count} with what was kept" if figures.all.count else ""
        before = f"{figures.near_before_count} of {figures.bounded_count} as they stood"
        lines.append(f"within {NEAR_RATIO:g}x of their bound: {before}{then}")
    money = "unknown price" if figures.money_usd is None else f"${figures.money_usd:.2f}"
    lines.append(f"{figures.token_count:,} tokens, {money}, {format_quantity(figures.wall_s, 's')}")
    return tuple(lines)


def _mean_words(mean: Mean) -> str:
    return "none" if mean.geometric_mean is None else f"{format_ratio(mean.geometric_mean)}x over {mean.count}"
