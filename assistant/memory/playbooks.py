"""What the trials of a technique teach beyond its text in the catalogue: when it paid, when it did not, how it was written.

A textual gradient without a model. Predictions of the text that is kept are held against outcomes; the one condition on a kernel's state
that explains best what went otherwise is found on two thirds of the kernels. It is kept only where it predicts the gains on the last third,
which it has not seen, better than what was kept before. Statements are made of numbers and known words; imports teach nothing here. Pure.
Example::

    lesson = learnt("warp-per-row", rows, kept=None)
    lesson.statements       # ("paid on memory-bound kernels: 5 of 6 gained, median 2.10x", …)
"""

from __future__ import annotations

import json
import math
import re
import statistics
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from assistant.memory.experience_rows import Known
from assistant.memory.recall_words import family_words, label_words
from assistant.model.comparison import format_ratio
from assistant.model.experience import UNKNOWN, Origin
from assistant.record import Record

__all__ = [
    "GAINED",
    "LEAST_HELD_OUT",
    "LEAST_LEARNT",
    "LEAST_SIDE",
    "LIKE",
    "PULL",
    "QUANTITIES",
    "WORD",
    "Condition",
    "Lesson",
    "LessonScore",
    "is_held_out",
    "learnt",
    "own_trials",
]

LEAST_LEARNT, LEAST_HELD_OUT = 4, 2
"""Kernels that a lesson is learnt from, and that it is held against."""
LEAST_SIDE = 2
"""Kernels on each side of a condition: one case is no rule."""
_HELD_OUT_OF = 3
"""One kernel of so many is held out, by its id, so that it stays held out when others come."""
_LESS_ERROR = 0.95
"""Of the error of what was kept before, below which a lesson is kept (chosen: a twentieth less)."""
GAINED = math.log(1.02)
"""From here a kernel gained."""
PULL = 1.0
"""Kernels of the plain mean that the mean of a side is pulled by."""
_MOST_ROWS = 400
_SHOWN_ROWS = 12
_NAME = re.compile(r"[A-Za-z_]\w{0,23}")
QUANTITIES = ("threads", "blocks", "threads per block")
WORD, LIKE = "word", "like"
"""Conditions on what an edit adds (`writing.py`): a word of CUDA's own, much the same code as the trial of an id."""


class Condition(Record):
    """What parts the kernels, or the edits, on which a technique pays from the others."""

    field: str
    """``label``, ``family``, ``element``, or a quantity of the launch (``threads``); of edits `WORD` or `LIKE`."""
    value: str
    """The label, family, element or word; of a quantity the largest number below the line; the trial to be like."""

    @property
    def is_of_edits(self) -> bool:
        """How an edit is written, where others are about the kernel."""
        return self.field in (WORD, LIKE)

    @property
    def words(self) -> tuple[str, str]:
        """(kernels or edits that meet it, the others)."""
        if self.field == WORD:
            return f"with {self.value}", f"without {self.value}"
        if self.field == LIKE:
            return f"much as {self.value} is", f"otherwise than {self.value} is"
        if self.field == "label":
            return f"{label_words(self.value)} kernels", "kernels that are not"
        if self.field == "family":
            return family_words(self.value), "other kernels"
        if self.field == "element":
            return f"kernels of {self.value}", "kernels of other types"
        return f"launches with at most {int(self.value):,} {self.field}", f"launches with more than {int(self.value):,} {self.field}"


class LessonScore(Record):
    """How well gains are predicted on kernels that were held out: mean squared error of log(time before / time after)."""

    error_before: float
    """Of what was kept before: the last lesson, or the plain mean."""
    error: float
    kernel_count: int

    @property
    def is_better(self) -> bool:
        return self.error < _LESS_ERROR * self.error_before


class Lesson(Record):
    """A proposed or kept edit of one technique's text."""

    technique: str
    condition: Condition
    mean_met: float
    """Expected log(time before / time after) where the condition is met."""
    mean_other: float
    statements: tuple[str, ...]
    rows: tuple[str, ...]
    """Ids of trials that it was learnt from, the newest of each kernel."""
    held_out: tuple[str, ...]
    score: LessonScore
    example: str = ""
    """Id of the trial whose edit is the one to go by; empty where there is none, and of lessons on kernels."""
    prose: tuple[str, ...] = ()
    """Sentences of the model that proposed the condition, without numbers; empty of rules."""
    model: str = ""

    @property
    def text(self) -> str:
        """As it stands below the technique's own text."""
        lines = [f"- {statement}" for statement in (*self.statements, *self.opinions)]
        lines += [f"- an edit to go by: {self.example}"] if self.example else []
        seen = f"{len(self.rows)} {'trials' if self.condition.is_of_edits else 'kernels'} ({', '.join(self.rows[:_SHOWN_ROWS])})"
        title = "## How it was written" if self.condition.is_of_edits else "## Learned from trials"
        return "\n".join((title, "", *lines, "", f"From {seen}.", ""))

    @property
    def opinions(self) -> tuple[str, ...]:
        """What a model said, as its own words."""
        return tuple(f"in the words of {self.model}, {sentence}" for sentence in self.prose)


class _Kernel(Record):
    """Trials of the technique on one kernel."""

    rows: tuple[Known, ...]
    gain: float
    """Mean log(time before / time after); what was wrong gained nothing."""

    @property
    def first(self) -> Known:
        return self.rows[0]

    @property
    def is_held_out(self) -> bool:
        return is_held_out(self.first)

    def quantity(self, name: str) -> int | None:
        return self.first.scale.get(name)

    def meets(self, condition: Condition) -> bool | None:
        """None where it is not known."""
        if condition.field in QUANTITIES:
            count = self.quantity(condition.field)
            return None if count is None else count <= int(condition.value)
        value = {"label": self.first.label, "family": self.first.family, "element": self.first.element}[condition.field]
        return None if value == UNKNOWN else value == condition.value


def learnt(technique: str, rows: Iterable[Known], kept: Lesson | None, only: Condition | None = None) -> Lesson | None:
    """What the rows teach of the technique, with its score against ``kept``; None where they are too few, or part in no way.

    ``only``: the one condition that is looked at.
    """
    kernels = _kernels(row for row in rows if row.technique == technique)
    learning = [kernel for kernel in kernels if not kernel.is_held_out]
    held_out = [kernel for kernel in kernels if kernel.is_held_out]
    if len(learning) < LEAST_LEARNT or len(held_out) < LEAST_HELD_OUT:
        return None
    plain = statistics.fmean(kernel.gain for kernel in learning)
    best = min(
        _conditions(learning, only),
        key=lambda each: (_error(learning, each, *_means(learning, each, plain), plain), str(each)),
        default=None,
    )
    if best is None:
        return None
    met, other = _means(learning, best, plain)
    before = _error(held_out, None, plain, plain, plain) if kept is None else _error_of(held_out, kept, plain)
    return Lesson(
        technique=technique,
        condition=best,
        mean_met=met,
        mean_other=other,
        statements=tuple(_statements(learning, best)),
        rows=tuple(kernel.first.id for kernel in learning),
        held_out=tuple(kernel.first.id for kernel in held_out),
        score=LessonScore(before, _error(held_out, best, met, other, plain), len(held_out)),
    )


def is_held_out(row: Known) -> bool:
    """Whether the kernel of a trial is one that lessons are held against."""
    return zlib.crc32(row.kernel_id.encode()) % _HELD_OUT_OF == 0


def own_trials(rows: Iterable[Known]) -> Iterator[tuple[Known, ...]]:
    """Trials of one technique by kernel and device, newest first, repetitions left out; those that were not judged, and imports, are
    none."""
    by_kernel: dict[tuple[str, str], dict[str, Known]] = {}
    own = sorted((row for row in rows if row.origin != Origin.IMPORT and row.is_right is not None), key=lambda row: -row.created_ms)
    for row in own[:_MOST_ROWS]:
        by_kernel.setdefault((row.kernel_id, row.device), {}).setdefault(row.same, row)
    return (tuple(trials.values()) for trials in by_kernel.values())


def _kernels(rows: Iterable[Known]) -> list[_Kernel]:
    """Newest first; kernels with no trial that was judged, and rows of imports, are left out."""
    found: list[_Kernel] = []
    for trials in own_trials(rows):
        gains = [0.0 if not row.is_right else row.log_ratio for row in trials if not row.is_right or row.log_ratio is not None]
        if gains:
            found.append(_Kernel(trials, statistics.fmean(gain for gain in gains if gain is not None)))
    return found


def _conditions(kernels: Sequence[_Kernel], only: Condition | None) -> Iterator[Condition]:
    """Every one that has `LEAST_SIDE` kernels on both sides; or the one that is given, if it has."""
    words = [Condition(field, getattr(kernel.first, field)) for kernel in kernels for field in ("label", "family", "element")]
    lines = [Condition(name, str(count)) for name in QUANTITIES for kernel in kernels if (count := kernel.quantity(name)) is not None]
    for condition in dict.fromkeys((*words, *lines)) if only is None else (only,):
        sides = Counter(kernel.meets(condition) for kernel in kernels)
        if condition.value != UNKNOWN and min(sides[True], sides[False]) >= LEAST_SIDE:
            yield condition


def _means(kernels: Sequence[_Kernel], condition: Condition, plain: float) -> tuple[float, float]:
    """Expected gains where the condition is met and where not, each pulled towards the mean of all."""
    sides = ([kernel.gain for kernel in kernels if kernel.meets(condition) is side] for side in (True, False))
    met, other = ((math.fsum(gains) + PULL * plain) / (len(gains) + PULL) for gains in sides)
    return met, other


def _error(kernels: Sequence[_Kernel], condition: Condition | None, met: float, other: float, plain: float) -> float:
    expected = {True: met, False: other, None: plain}
    return statistics.fmean((kernel.gain - expected[None if condition is None else kernel.meets(condition)]) ** 2 for kernel in kernels)


def _error_of(kernels: Sequence[_Kernel], kept: Lesson, plain: float) -> float:
    return _error(kernels, kept.condition, kept.mean_met, kept.mean_other, plain)


def _statements(kernels: Sequence[_Kernel], condition: Condition) -> Iterator[str]:
    """When it paid, when it did not, how it was written."""
    sides = [[kernel for kernel in kernels if kernel.meets(condition) is side] for side in (True, False)]
    named = list(zip(condition.words, sides, strict=True))
    named.sort(key=lambda pair: -statistics.fmean(kernel.gain for kernel in pair[1]))
    for verb, (words, side) in zip(("paid on", "paid less on"), named, strict=True):
        gained = sum(kernel.gain >= GAINED for kernel in side)
        median = math.exp(statistics.median(kernel.gain for kernel in side))
        yield f"{verb} {words}: {gained} of {len(side)} gained, median {format_ratio(median)}x"
    wrong = sum(row.is_right == 0 for kernel in kernels for row in kernel.rows)
    tried = sum(len(kernel.rows) for kernel in kernels)
    if wrong:
        yield f"{wrong} of {tried} edits did not build or answered wrongly"
    yield from _numbers(kernels)


def _numbers(kernels: Sequence[_Kernel]) -> Iterator[str]:
    """The value of each of its numbers that was best on most kernels."""
    best: dict[str, list[int]] = {}
    for kernel in kernels:
        timed = [row for row in kernel.rows if row.is_right and (row.log_ratio or 0.0) >= GAINED]
        if timed:
            chosen = max(timed, key=lambda row: row.log_ratio or 0.0)
            for name, value in json.loads(chosen.detail)["parameters"]:
                if _NAME.fullmatch(name):
                    best.setdefault(name, []).append(value)
    for name, values in sorted(best.items()):
        (value, count), *_ = Counter(values).most_common(1)
        if count >= LEAST_SIDE:
            yield f"{name} = {value} was chosen on {count} of {len(values)} kernels that gained"
