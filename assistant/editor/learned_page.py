"""What memory learnt, in parts for a page that front ends only lay out: states × techniques, sequences, lessons, what was tried last. Pure.

Every number stands in words; places on the axis repeat them for a drawing. Example::

    page = learned_page(store.what_was_learned(), store.attempts(limit=40))
    page.states[0].techniques[0].speed      # '3.10x [2.20, 4.00]'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assistant.editor.tried import outcome_in_words, why_tried
from assistant.engine.report import technique_in_words
from assistant.memory import promise
from assistant.model.attempt import Attempt
from assistant.model.comparison import format_interval, format_ratio
from assistant.model.knowledge import Knowledge, WhatWasLearned
from assistant.profile.quantity import counted_noun, first_of
from assistant.record import Record
from assistant.svg import LogScale

__all__ = [
    "SHOWN_ATTEMPTS",
    "AxisPart",
    "LearnedPage",
    "LessonPart",
    "StatePart",
    "TechniquePart",
    "TriedPart",
    "learned_page",
    "tried_part",
]

SHOWN_ATTEMPTS = 40
"""Candidates whose reasons a page tells, the newest first."""
_NOTHING = "Nothing was learned yet: every candidate that a search judges, and every decision, is a trial."
_SHOWN_ROWS = 6
_TICKS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0, 25.0, 100.0)
_LEAST_SPAN = 1.5
"""The axis reaches at least so far on both sides of 1.00x."""
_ROOM = 1.1
"""Room beyond the outermost value, as a factor."""


class TechniquePart(Record):
    """One technique on kernels of one state."""

    technique: str
    kernels: str
    """``6 kernels``."""
    right: str
    """``6 of 6``; empty without a trial."""
    speed: str
    """``3.10x [2.20, 4.00]``: the median of time before / time after, and its interval; empty where nothing was timed."""
    how: str
    """``measured on 6``."""
    people: str
    """``accepted 2, rejected 1``; empty where nobody decided."""
    imported: str
    """``3 of them imported``; empty without."""
    place: float | None
    """Of the median on the axis, 0 to 1."""
    low: float | None
    high: float | None


class StatePart(Record):
    """Kernels that are alike, on one device."""

    title: str
    """``Memory-bound row reductions of float``."""
    device: str
    techniques: tuple[TechniquePart, ...]
    """The most promising first."""


class AxisPart(Record):
    """The logarithmic axis that all medians are placed on."""

    one: float
    """Where 1.00x is, 0 to 1."""
    ticks: tuple[tuple[float, str], ...]


class LessonPart(Record):
    """What trials teach beyond a technique's text."""

    id: str
    technique: str
    statements: tuple[str, ...]
    rows: str
    """The trials that it was learned from."""


class TriedPart(Record):
    """One candidate: why it was tried when it was, and what came of it."""

    id: str
    technique: str
    kernel: str
    file: str
    created_ms: int
    outcome: str
    """``not faster``; where its speed was compared, with it."""
    reason: str
    tried: str
    """``1 of 3: expected 1.92x …``."""


class LearnedPage(Record):
    """Everything that memory learnt."""

    states: tuple[StatePart, ...]
    axis: AxisPart | None
    """None where nothing was timed."""
    sequences: tuple[str, ...]
    lessons: tuple[LessonPart, ...]
    tried: tuple[TriedPart, ...]
    nothing: str
    """Why there is no state; empty where there is one."""


def learned_page(learned: WhatWasLearned, attempts: Iterable[Attempt]) -> LearnedPage:
    """States in the order of their names; ``attempts`` newest first."""
    rows = learned.knowledge
    ends = [value for row in rows for value in (row.median_ratio, row.low_ratio, row.high_ratio) if value is not None and value > 0]
    axis = _axis(ends) if ends else None
    states: dict[tuple[str, str], list[Knowledge]] = {}
    for row in rows:
        states.setdefault((row.state, row.device_class), []).append(row)
    return LearnedPage(
        states=tuple(
            StatePart(f"{state[:1].upper()}{state[1:]}", device, tuple(_technique(row, axis) for row in sorted(some, key=promise)))
            for (state, device), some in states.items()
        ),
        axis=None if axis is None else _axis_part(axis),
        sequences=tuple(f"{each.name}{', reverted' if each.is_dropped else ''}: {each.sentence}" for each in learned.sequences),
        lessons=tuple(
            LessonPart(each.id, technique_in_words(each.technique), each.statements, first_of(each.rows, _SHOWN_ROWS))
            for each in learned.lessons
        ),
        tried=tuple(tried_part(attempt) for attempt in attempts),
        nothing="" if rows else _NOTHING,
    )


def tried_part(attempt: Attempt) -> TriedPart:
    """Why one candidate was tried when it was, and what came of it."""
    kernel = attempt.kernel.partition("(")[0]
    outcome, tried = outcome_in_words(attempt), why_tried(attempt)
    return TriedPart(
        attempt.id, technique_in_words(attempt.technique), kernel, attempt.path.name, attempt.created_ms, outcome, attempt.reason, tried
    )


def _technique(row: Knowledge, axis: LogScale | None) -> TechniquePart:
    speed = how = ""
    if row.median_ratio is not None:
        interval = format_interval(row.low_ratio, row.high_ratio)
        speed = f"{format_ratio(row.median_ratio)}x{interval}"
        how = f"measured on {row.measured_count}" if row.measured_count else f"predicted on {row.predicted_count}"
    decided = ((row.accepted_count, "accepted"), (row.rejected_count, "rejected"))
    place, low, high = (_place(axis, value) for value in (row.median_ratio, row.low_ratio, row.high_ratio))
    return TechniquePart(
        technique=technique_in_words(row.technique),
        kernels=counted_noun(row.kernel_count, "kernel") if row.tried_count else "no trial is known",
        right=f"{row.right_count} of {row.tried_count}" if row.tried_count else "",
        speed=speed,
        how=how,
        people=", ".join(f"{verb} {count}" for count, verb in decided if count),
        imported=f"{row.imported_count} imported" if row.imported_count else "",
        place=place,
        low=low,
        high=high,
    )


def _axis(values: Sequence[float]) -> LogScale:
    """From 0 to 1, with 1.00x on it."""
    return LogScale(min(1 / _LEAST_SPAN, *values) / _ROOM, max(_LEAST_SPAN, *values) * _ROOM)


def _axis_part(scale: LogScale) -> AxisPart:
    ticks = [tick for tick in _TICKS if scale.low <= tick <= scale.high]
    return AxisPart(scale.at(1.0), tuple((scale.at(tick), f"{tick:g}x") for tick in ticks))


def _place(scale: LogScale | None, value: float | None) -> float | None:
    return None if scale is None or value is None or value <= 0 else scale.at(value)
