"""Planned edits: techniques, steps, candidates."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.model.source import TextEdit
from assistant.model.verification import Label


@dataclass(frozen=True)
class Technique:
    """A named optimization from the catalogue (``prompts/techniques/<id>.md``)."""

    id: str
    """``shared-memory-padding``"""
    title: str
    findings: tuple[str, ...]
    """Codes of the findings that call for it."""
    labels: tuple[Label, ...]
    """Labels it always carries."""
    text: str
    """The Markdown body: applies when, why, how, risks."""


@dataclass(frozen=True)
class MetricPrediction:
    """Written before anything runs; scored afterwards."""

    metric: str
    """Catalogue name of the metric the finding cites."""
    before: float
    after: float
    unit: str


@dataclass(frozen=True)
class Step:
    """One planned technique."""

    technique: str
    kernel: str
    line: int
    rationale: str
    """Numbers only as ``{E7}`` placeholders."""
    evidence: tuple[str, ...]
    finding: str
    """Code of the finding it answers."""
    predictions: tuple[MetricPrediction, ...]
    rank: float
    """Higher is tried first: expected gain, moved by what memory recalls."""
    recalled: tuple[str, ...] = ()
    """What memory said, one sentence each, with when."""


@dataclass(frozen=True)
class Decline:
    """A technique that does not apply here, and why."""

    technique: str
    kernel: str
    line: int
    reason: str


@dataclass(frozen=True)
class Plan:
    """Ordered steps, and what was considered and declined."""

    steps: tuple[Step, ...]
    declines: tuple[Decline, ...]
    planner: str
    """``expert`` or ``llm:<model>``."""


@dataclass(frozen=True)
class Rewrite:
    """Edits that carry out one technique on one kernel (and its launch sites or workload block)."""

    technique: str
    kernel: str
    """``Kernel.key`` before the edit."""
    line: int
    """Line of the main change in the old text."""
    edits: tuple[TextEdit, ...]
    summary: str
    """One sentence in the imperative: what the edit does."""
    labels: tuple[Label, ...]
    predictions: tuple[MetricPrediction, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What must hold, and how it is guarded or who guarantees it."""


@dataclass(frozen=True)
class Origin:
    """Who made a candidate."""

    planner: str
    technique: str
    model: str | None = None
    prompt_sha256: str | None = None
    token_count: int | None = None


@dataclass(frozen=True)
class Candidate:
    """A new text of the source, made from a parent text."""

    id: str
    """``C`` + ULID."""
    parent_sha256: str
    text: str
    rewrite: Rewrite
    origin: Origin
