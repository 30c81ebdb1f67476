"""What is offered to a human, and what they decided."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from pathlib import Path

from assistant.model.change import FileChange
from assistant.model.comparison import Comparison
from assistant.model.figures import BeforeAfter
from assistant.model.plan import MetricPrediction
from assistant.model.profile import Evidence, Signature
from assistant.model.source import Hunk, Source
from assistant.model.verification import Label, Verification
from assistant.record import Record


class ProposalState(StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDONE = "undone"
    STALE = "stale"
    SUPERSEDED = "superseded"


DECIDABLE_STATES = frozenset({ProposalState.OPEN, ProposalState.UNDONE})
"""A person may accept or reject what is in one of them."""


class DecisionKind(StrEnum):
    ACCEPTED = "accepted"
    PARTIALLY_ACCEPTED = "partially_accepted"
    REJECTED = "rejected"
    EDITED_THEN_ACCEPTED = "edited_then_accepted"
    UNDONE = "undone"
    REOPENED = "reopened"
    """A rejection was taken back: the proposal waits for a decision again, and nothing is learnt from the rejection."""


class PredictionOutcome(Record):
    """A prediction next to what was then counted."""

    prediction: MetricPrediction
    actual: float | None
    is_hit: bool | None
    """Within 10 % of the predicted change; None when the metric could not be counted."""


ALTERNATIVE_MARK = "~"
"""``P01M7~2`` names the second alternative of the proposal ``P01M7``."""


class Alternative(Record):
    """Another version of what a proposal offers, which asks for other decisions: fields as of `Proposal`."""

    techniques: tuple[str, ...]
    summary: str
    files: tuple[FileChange, ...]
    labels: tuple[Label, ...]
    assumptions: tuple[str, ...]
    verification: Verification
    comparison: Comparison
    evidence: tuple[Evidence, ...]
    predictions: tuple[PredictionOutcome, ...]
    explanation: str
    model: str | None = None
    calls: tuple[str, ...] = ()
    figures: BeforeAfter | None = None


class Proposal(Record):
    """A confirmed candidate."""

    id: str
    """``P`` + ULID."""
    job: str
    path: Path
    """The file that holds the kernel; the edit may be in others."""
    kernel: str
    techniques: tuple[str, ...]
    """In the order they were chained."""
    summary: str
    files: tuple[FileChange, ...]
    """What it does to each file that it touches, by path; accepted, undone and moved as one."""
    labels: tuple[Label, ...]
    assumptions: tuple[str, ...]
    verification: Verification
    comparison: Comparison
    evidence: tuple[Evidence, ...]
    predictions: tuple[PredictionOutcome, ...]
    explanation: str
    """Markdown; every number filled from Evidence, with unit and method."""
    signature: Signature
    """Signature of the kernel before the edit."""
    state: ProposalState
    created_ms: int
    """Unix time."""
    model: str | None = None
    """The model that wrote it, or a part of it; None: rules of ours wrote all of it."""
    calls: tuple[str, ...] = ()
    """Ids of the model calls behind it."""
    figures: BeforeAfter | None = None
    """Figures of the whole change; None where a side launched nothing, and in records made before this was kept."""
    alternatives: tuple[Alternative, ...] = ()
    """The same edit with other decisions, each faster than those that ask for less; numbered from 1."""
    number: int = 0
    """Which of them this value has the content of; 0: none, as it was offered first."""

    @property
    def own(self) -> Alternative:
        """Its content as one version among others."""
        return Alternative(**{field.name: getattr(self, field.name) for field in fields(Alternative)})

    def with_alternatives(self, others: Sequence[Proposal]) -> Proposal:
        """This one, with what the others offer as its alternatives."""
        return replace(self, alternatives=tuple(other.own for other in others))

    def taking(self, number: int) -> Proposal | None:
        """The same proposal with the content of one of its alternatives (0: as it is stored); None where there is none of that number."""
        if number == 0:
            return self
        if not 0 < number <= len(self.alternatives):
            return None
        content = {field.name: getattr(self.alternatives[number - 1], field.name) for field in fields(Alternative)}
        return replace(self, **content, number=number)

    @property
    def shown_files(self) -> tuple[FileChange, ...]:
        """In the order in which people see them and hunks are numbered: the kernel's own file first, if it is touched."""
        return tuple(sorted(self.files, key=lambda change: change.path != self.path))

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """Hunks of all its files, file by file."""
        return tuple(hunk for change in self.files for hunk in change.hunks)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Paths of the files that it touches."""
        return tuple(change.path for change in self.files)

    @property
    def before(self) -> tuple[Source, ...]:
        """Its files as they were when it was made."""
        return tuple(change.before for change in self.files)

    @property
    def after(self) -> tuple[Source, ...]:
        """Its files with all of it made."""
        return tuple(change.after for change in self.files)

    def change_of(self, path: Path) -> FileChange | None:
        """What it does to a file; None: nothing."""
        return next((change for change in self.files if change.path == path), None)


class Decision(Record):
    """What a human did with a proposal."""

    proposal: str
    kind: DecisionKind
    hunk_ids: tuple[str, ...]
    """Hunks taken; all of them for a full accept."""
    reason_code: str | None
    reason: str | None
    decided_ms: int
    decided_by: str
    """Front end and process (``cli 1234``)."""
    text_sha256: str | None
    """Hash of the file after the decision; for an edit of several files, the hash of their hashes in the order of its files
    (``texts_sha256``)."""
    alternative: int = 0
    """`Proposal.number` of what was decided on."""


def texts_sha256(texts: Sequence[Source]) -> str:
    """What stands for all texts of a decision: the hash of the only one; of several, the hash of their hashes, a line each."""
    hashes = [source.sha256 for source in texts]
    return hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest()


def named_alternative(name: str) -> tuple[str, int | None]:
    """(id or the beginning of one, number of the alternative) of ``P01M7~2``; None where what follows the mark is no number."""
    beginning, mark, number = name.strip().partition(ALTERNATIVE_MARK)
    return beginning, int(number) if number.isascii() and number.isdigit() else None if mark else 0


class AlreadyDecided(Record):
    """Somebody else decided first."""

    decision: Decision


REASON_CODES = ("readability", "precision", "portability", "not-worth-it", "wrong", "style", "other")
"""What ``reject --reason-code`` accepts."""
