"""What memory keeps of every candidate, and of jobs."""

from __future__ import annotations

from pathlib import Path

from assistant.model.change import program_key
from assistant.model.comparison import Comparison
from assistant.model.experience import KernelTraits, SideEffect, TechniqueUse
from assistant.model.profile import Signature
from assistant.model.proposal import PredictionOutcome
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome
from assistant.record import Record


class Attempt(Record):
    """One candidate: what was tried, on what, and how it ended. Failures are first-class."""

    id: str
    """``C`` + ULID, the candidate's id."""
    job: str
    workspace: Path
    path: Path
    kernel: str
    """``Kernel.key`` in the parent."""
    technique: str
    finding: str
    """Code of the finding it answered."""
    line: int
    planner: str
    parent_text: str
    text: str
    outcome: TrialOutcome
    reason: str
    """One sentence: why it was kept or dropped."""
    verification: Outcome | None
    """None when it did not get that far."""
    comparison: Comparison | None
    predictions: tuple[PredictionOutcome, ...]
    before: Signature
    after: Signature | None
    lab: str
    """``cpu`` or ``gpu:0``."""
    device: str
    target: str
    created_ms: int
    model: str | None = None
    """The model that wrote it; None: a rule of ours."""
    calls: tuple[str, ...] = ()
    """Ids of the model calls that led to it; the calls hold prompt, model, temperature, seed and tokens."""
    summary: str = ""
    """What the edit does, in its writer's words; empty in older records."""
    labels: tuple[Label, ...] = ()
    """That its writer gave it."""
    assumptions: tuple[str, ...] = ()
    also: tuple[OtherFile, ...] = ()
    """Every other file that it or the version it was made of changed, by path."""
    traits: KernelTraits | None = None
    """Of the kernel before the edit; None in older records, where the text says them."""
    architecture: str = ""
    """``sm_90``; empty in older records."""
    use: TechniqueUse | None = None
    """The technique with its numbers and what came before it; None in older records."""
    side_effects: tuple[SideEffect, ...] = ()
    why: str = ""
    """Why it was tried when it was; empty in older records."""

    @property
    def ratio(self) -> float | None:
        """Of its comparison; None where its speed was not compared."""
        return None if self.comparison is None else self.comparison.ratio

    @property
    def parent_key(self) -> str:
        """``program_key`` of the version that was edited."""
        return program_key(self.parent_text, [Source(file.path, file.before_text) for file in self.also if file.is_changed_before])

    @property
    def key(self) -> str:
        """``program_key`` of the candidate."""
        return program_key(self.text, [Source(file.path, file.after_text) for file in self.also])


class OtherFile(Record):
    """A file of the program, other than the one that was planned for, in a candidate. Older records have no texts: both are empty there."""

    path: Path
    before_text: str
    """In the version that was edited."""
    after_text: str
    is_changed_before: bool
    """Whether that version had changed it already."""


class JobRow(Record):
    """A job as other processes see it."""

    id: str
    command: str
    path: Path
    workspace: Path
    owner: str
    """``host pid front-end``."""
    started_ms: int
    heartbeat_ms: int
    ended_ms: int | None
    exit_code: int | None
    is_cancel_requested: bool
    asked: str | None = None
    """JSON text of what a search was asked with (``engine/run_options.py``); None for other jobs, and in older records."""
