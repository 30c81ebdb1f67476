"""What a model is asked about a technique's trials, and what it answers: a condition to be tested, and words that are shown as its own."""

from __future__ import annotations

from assistant.record import Record


class LessonQuestion(Record):
    """Trials of one technique on the kernels that lessons are learnt from; no source, no name of a kernel or a workspace."""

    technique: str
    trials: tuple[str, ...]
    """A line each: state, sizes, words of CUDA's own that the edit adds, what came of it."""
    conditions: tuple[tuple[str, tuple[str, ...]], ...]
    """(field, values) that a condition may have; of sizes any number."""
    kept: tuple[str, ...]
    """Statements of what is kept so far."""


class LessonDraft(Record):
    """A model's answer."""

    technique: str
    field: str
    value: str
    prose: tuple[str, ...]
    """Sentences without numbers: when to use it, how to write it, pitfalls; cleaned."""
    model: str
