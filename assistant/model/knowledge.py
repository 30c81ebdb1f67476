"""What memory learnt, as values that every front end shows: how techniques did by state, sequences that paid as one, lessons."""

from __future__ import annotations

from assistant.record import Record


class Knowledge(Record):
    """How one technique did on kernels of one state."""

    technique: str
    state: str
    """``memory-bound row reductions of float``."""
    label: str
    """Bottleneck of the kernels it was tried on."""
    family: str
    """Of the kernels (`assistant.cuda.family`), or ``unknown``."""
    element: str
    device_class: str
    """A GPU's name, ``cpu, predicted for h200``, or ``unknown`` for decisions whose attempts were forgotten."""
    kernel_count: int
    """Different kernels it was tried on."""
    tried_count: int
    """Trials that were judged; the same edit of the same text counts once."""
    right_count: int
    """Of them built and verified."""
    measured_count: int
    """Kernels on which it was timed on a GPU."""
    predicted_count: int
    """Kernels on which its time was predicted."""
    median_ratio: float | None
    """Median over kernels of time before / time after, of what was measured where anything was; None without one."""
    low_ratio: float | None
    """95 % interval of the median; the range below six kernels. None with fewer than two."""
    high_ratio: float | None
    accepted_count: int
    rejected_count: int
    """Rejected or undone."""
    imported_count: int = 0
    """Trials that came with an import."""


class KnownSequence(Record):
    """Techniques that paid as one."""

    name: str
    """``shared-tile+register-tile``."""
    sentence: str
    rows: tuple[str, ...]
    """Ids of trials that it was found in."""
    is_dropped: bool
    """A person does not want it offered."""


class KnownLesson(Record):
    """What is kept beyond a technique's own text."""

    id: str
    technique: str
    statements: tuple[str, ...]
    rows: tuple[str, ...]
    """Ids of trials that it was learnt from."""


class WhatWasLearned(Record):
    """All of it."""

    knowledge: tuple[Knowledge, ...]
    sequences: tuple[KnownSequence, ...] = ()
    lessons: tuple[KnownLesson, ...] = ()
