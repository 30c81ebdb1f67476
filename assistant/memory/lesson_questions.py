"""What a model is asked about the trials of a technique, without source, names and paths; and the condition that it answers. Pure.

Trials on kernels that lessons are held against are not in a question. Example::

    question_of("warp-per-row", rows, edits, kept=())       # LessonQuestion(…, trials=("T1: memory-bound row reductions of float; …", …))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

from assistant.memory.experience_rows import Known
from assistant.memory.playbooks import LEAST_LEARNT, QUANTITIES, WORD, Condition, Lesson, is_held_out, own_trials
from assistant.memory.recall_words import family_words, label_words
from assistant.memory.writing import WORDS, Edit
from assistant.model.comparison import format_ratio
from assistant.model.experience import UNKNOWN
from assistant.model.lesson import LessonDraft, LessonQuestion

__all__ = ["condition_of", "question_of"]

_MOST_TRIALS = 60
_MOST_SIZE = 1 << 48
_STATE_FIELDS = ("label", "family", "element")


def question_of(
    technique: str, rows: Iterable[Known], edits: Callable[[str], Edit | None], kept: Iterable[Lesson]
) -> LessonQuestion | None:
    """None where too few kernels were tried to learn from."""
    groups = [some for some in own_trials(row for row in rows if row.technique == technique) if not is_held_out(some[0])]
    trials = [row for some in groups for row in some if not row.is_right or row.log_ratio is not None][:_MOST_TRIALS]
    if len({row.kernel_id for row in trials}) < LEAST_LEARNT:
        return None
    added = {row.id: edit.words for row in trials if (edit := edits(row.id)) is not None}
    states = [(field, tuple(sorted({getattr(row, field) for row in trials} - {UNKNOWN}))) for field in _STATE_FIELDS]
    words = tuple(sorted({word for some in added.values() for word in some}))
    return LessonQuestion(
        technique=technique,
        trials=tuple(f"T{number}: {_line(row, added.get(row.id))}" for number, row in enumerate(trials, 1)),
        conditions=(*((field, values) for field, values in (*states, (WORD, words)) if values), *((name, ()) for name in QUANTITIES)),
        kept=tuple(statement for lesson in kept if lesson.technique == technique for statement in lesson.statements),
    )


def condition_of(draft: LessonDraft) -> Condition | None:
    """What the model named; None where memory has no such condition."""
    if draft.field in QUANTITIES:
        digits = draft.value.replace(",", "")
        if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(_MOST_SIZE)) and int(digits) > 0):
            return None
        return Condition(draft.field, str(int(digits)))
    if draft.field == WORD:
        return Condition(WORD, draft.value) if draft.value in WORDS else None
    return Condition(draft.field, draft.value) if draft.field in _STATE_FIELDS and draft.value != UNKNOWN else None


def _line(row: Known, words: frozenset[str] | None) -> str:
    element = "" if row.element == UNKNOWN else f" of {row.element}"
    sizes = ", ".join(f"{name} {count:,}" for name, count in row.scale.items())
    how = "measured" if row.is_measured else "predicted"
    came_to = f"{format_ratio(math.exp(row.log_ratio or 0.0))}x, {how}" if row.is_right else "did not build or answered wrongly"
    return "; ".join(
        (f"{label_words(row.label)} ({row.label}) {family_words(row.family)}{element}", *_known(sizes), *_known(_added(words)), came_to)
    )


def _added(words: frozenset[str] | None) -> str:
    return "" if not words else f"adds {', '.join(sorted(words))}"


def _known(text: str) -> Iterator[str]:
    if text:
        yield text
