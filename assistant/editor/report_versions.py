"""Both versions of a kernel side by side, in parts for a page: time, traffic, what warps wait for, the roofline. Pure.

A time that was not measured is always called predicted. Example::

    versions_part(proposal.figures, speed_report(proposal.comparison)).times[0].after   # '1.04 ms'
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.editor.report_roofline import RooflinePart, two_rooflines_part
from assistant.engine.report import limit_in_words, share_in_words
from assistant.model import event_parts
from assistant.model.figures import BeforeAfter, LaunchFigures
from assistant.profile.evidence import made_by
from assistant.profile.quantity import format_quantity
from assistant.record import Record

__all__ = ["PairPart", "VersionsPart", "versions_part"]

_NO_STALLS = "Stalls of warps were not sampled: that needs a GPU. Both versions were counted on {method}."
_NO_ROOFLINE = "One of the versions has no place on a roofline: it only moves data, or its machine code was not read."
_PREDICTED = "Predicted by the performance model for {target}; nothing was timed."
_MEASURED = "Median times of one launch; {method}."
_SHOWN_STALLS = 6


class PairPart(Record):
    """One figure of both versions."""

    name: str
    before: str
    after: str
    before_ratio: float
    """Length of its bar, of the longest in its table (0..1)."""
    after_ratio: float


class VersionsPart(Record):
    """One launch before and after an edit."""

    before: str
    """The launch (``n=1024: grid 32 × 32 × 1, block 32 × 8 × 1``) and what limits it."""
    after: str
    method: str
    """How the counts were made."""
    times: tuple[PairPart, ...]
    time_method: str
    counts: tuple[PairPart, ...]
    stalls: tuple[PairPart, ...]
    no_stalls: str
    """Why there are none; empty where there are."""
    roofline: RooflinePart | None
    no_roofline: str


def versions_part(figures: BeforeAfter, speed: event_parts.SpeedReport | None) -> VersionsPart:
    """``speed``: what was timed of the same versions, if anything."""
    before, after = figures.before, figures.after
    method = made_by(before.method, figures.device)
    measured = tuple(_measured(speed))
    predicted = (_time("one launch, predicted", before.predicted_time_s, after.predicted_time_s),)
    roofline = two_rooflines_part(before.roofline, after.roofline)
    has_stalls = bool(before.stalls and after.stalls)
    return VersionsPart(
        before=_launch(before),
        after=_launch(after),
        method=method,
        times=measured or predicted,
        time_method=_time_method(speed if measured else None, before.roofline.target),
        counts=tuple(_counts(before, after)),
        stalls=tuple(_stalls(before, after)) if has_stalls else (),
        no_stalls="" if has_stalls else _NO_STALLS.format(method=figures.device),
        roofline=roofline,
        no_roofline="" if roofline is not None else _NO_ROOFLINE,
    )


def _time_method(timed: event_parts.SpeedReport | None, target: str) -> str:
    return _PREDICTED.format(target=target) if timed is None else _MEASURED.format(method=timed.method)


def _launch(figures: LaunchFigures) -> str:
    shape = f"{figures.shape}: " if figures.shape else ""
    return f"{shape}grid {_triple(figures.grid)}, block {_triple(figures.block)}, limited by {limit_in_words(figures.limited_by)}"


def _measured(speed: event_parts.SpeedReport | None) -> Iterator[PairPart]:
    """Each timed shape on a scale of its own, as shapes differ by orders of magnitude."""
    for case in () if speed is None else speed.cases:
        if case.before_s is not None and case.after_s is not None:
            yield _time(case.shape or "one launch", case.before_s, case.after_s)


def _counts(before: LaunchFigures, after: LaunchFigures) -> Iterator[PairPart]:
    """Total traffic, and the least that the requests would need."""
    sectors = (before.sectors, before.ideal_sectors), (after.sectors, after.ideal_sectors)
    wavefronts = (before.wavefronts, before.ideal_wavefronts), (after.wavefronts, after.ideal_wavefronts)
    for name, sides in (("32-byte sectors, global and local", sectors), ("shared-memory wavefronts", wavefronts)):
        longest = max(count for count, _ in sides)
        if longest:
            (old, old_ideal), (new, new_ideal) = sides
            words = f"{old:,} ({old_ideal:,} ideal)", f"{new:,} ({new_ideal:,} ideal)"
            yield PairPart(name, words[0], words[1], old / longest, new / longest)


def _stalls(before: LaunchFigures, after: LaunchFigures) -> Iterator[PairPart]:
    """Shares of each version's samples, as a longer kernel is sampled more often."""
    old, new = ({stall.reason: stall.samples for stall in side.stalls} for side in (before, after))
    for reason in list(dict.fromkeys((*old, *new)))[:_SHOWN_STALLS]:
        was, becomes = old.get(reason, 0) / sum(old.values()), new.get(reason, 0) / sum(new.values())
        yield PairPart(reason.replace("_", " "), share_in_words(was), share_in_words(becomes), was, becomes)


def _time(name: str, before_s: float, after_s: float) -> PairPart:
    longest = max(before_s, after_s)
    return PairPart(name, format_quantity(before_s, "s"), format_quantity(after_s, "s"), before_s / longest, after_s / longest)


def _triple(value: tuple[int, int, int]) -> str:
    return " × ".join(str(part) for part in value)
