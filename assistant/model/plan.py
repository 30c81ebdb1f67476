"""Planned edits: techniques, steps, candidates."""

from __future__ import annotations

from enum import StrEnum

from assistant.model.build import Diagnostic, KernelResources
from assistant.model.profile import Evidence, LaunchProfile, Problem
from assistant.model.source import TextEdit
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CaseResult, Label, VerificationFinding
from assistant.record import Record

NO_MODEL = "language-model"
"""`Decline.technique` where a model was to plan and did not."""


class Technique(Record):
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


class MetricPrediction(Record):
    """Written before anything runs; scored afterwards."""

    metric: str
    """Catalogue name of the metric the finding cites."""
    before: float
    after: float
    unit: str


class Step(Record):
    """One planned technique."""

    technique: str
    kernel: str
    line: int
    rationale: str
    """Numbers only as ``{E7}`` placeholders."""
    evidence: tuple[str, ...]
    finding: str
    """Code of the finding it answers; empty where a model's step answers none."""
    predictions: tuple[MetricPrediction, ...]
    rank: float
    """Higher is tried first: expected gain, moved by what memory recalls."""
    recalled: tuple[str, ...] = ()
    """What memory said, one sentence each, with when."""
    planner: str = "expert"
    """``expert`` or ``llm:<model>``: who planned it."""
    title: str | None = None
    """Of a technique that the catalogue does not have; None: the catalogue's."""
    labels: tuple[Label, ...] = ()
    """Risks that the plan states."""
    is_opinion: bool = False
    """Its rationale cites no evidence, and is shown as an opinion."""
    predicted_ratio: float | None = None
    """time(before)/time(after) that the plan expects, scored like the metrics; None: not said."""


class Decline(Record):
    """A technique that does not apply here, and why."""

    technique: str
    kernel: str
    line: int
    reason: str


class Plan(Record):
    """Ordered steps, and what was considered and declined."""

    steps: tuple[Step, ...]
    declines: tuple[Decline, ...]
    planner: str
    """``expert`` or ``llm:<model>``."""


class Rewrite(Record):
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
    origin: Origin | None = None
    """Which model wrote it; None: a rule of ours."""


class Origin(Record):
    """The model that wrote an edit."""

    model: str
    """As the endpoint names what served it."""
    calls: tuple[str, ...]
    """Ids of the `ModelCall` that led to it, the last one wrote the text."""


class Unwritten(Record):
    """A step that its planner could not turn into an edit, and why."""

    reason: str
    calls: tuple[str, ...] = ()
    """Ids of the model calls that were spent on it."""


class SetbackKind(StrEnum):
    """How a candidate fell short; each has a prompt of its own."""

    BUILD = "build"
    WRONG_ANSWER = "wrong_answer"
    NOT_FASTER = "not_faster"


class Setback(Record):
    """Why a candidate was not kept: what whoever wrote it needs to do better."""

    kind: SetbackKind
    reason: str
    """The candidate's own one sentence."""
    text: str
    """The source as the candidate had it."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Of the compiler, on ``text``."""
    findings: tuple[VerificationFinding, ...] = ()
    """Failing cases: shape, buffer, index, expected, actual, line. Never seeds."""
    cases: tuple[CaseResult, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Races, bounds, uninitialised reads that the candidate brought."""
    evidence: tuple[Evidence, ...] = ()
    """Of the candidate, where it ran: what it changed and what it did not."""
    ratio: float | None = None
    """time(before)/time(candidate) where it came that far."""
    profiles: tuple[LaunchProfile, ...] = ()
    """The candidate's counted launches, most costly first, where it ran."""
    resources: KernelResources | None = None


class TriedBefore(Record):
    """An earlier candidate on this kernel, as planners are told of it."""

    technique: str
    line: int
    summary: str
    outcome: TrialOutcome
    reason: str
    ratio: float | None
