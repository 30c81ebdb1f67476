"""A person and kernelopt working on one kernel, turn by turn: what was tried, what it was worth, what was said."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from assistant.model.comparison import Comparison
from assistant.model.source import Source
from assistant.model.verification import Outcome
from assistant.record import Record


class TurnKind(StrEnum):
    START = "start"
    EDIT = "edit"
    """A saved text of the kernel, judged."""
    SUGGEST = "suggest"
    CONSTRAIN = "constrain"
    WHY = "why"
    BACK = "back"
    DECISION = "decision"
    """What a person did with a proposal that the session made."""
    STOP = "stop"


class PairSession(Record):
    """One per workspace, file and kernel at a time."""

    id: str
    """``S`` + ULID."""
    workspace: Path
    path: Path
    kernel: str
    """Qualified name: an edit may change the parameters, and so the key."""
    goal: str | None
    """In the person's words."""
    baseline_text: str
    """Text of the whole file: what every version is judged against."""
    created_ms: int
    by: str
    """Front end and process that began it (``lsp 1234``)."""
    others: tuple[Source, ...] = ()
    """The other files of the kernel's program, as they were then."""


class MetricChange(Record):
    """One counter of the kernel, over all its launches, in the baseline and in the version."""

    metric: str
    before: float
    after: float
    unit: str
    method: str
    """Who counted it: ``emulator``, ``ptxas``, ``occupancy`` …"""
    is_better: bool


class Turn(Record):
    """One exchange; appended, never changed."""

    session: str
    number: int
    """1 for ``start``, then one after the other."""
    kind: TurnKind
    said: str
    """What the person said (hint, constraint, reason); empty where they only saved."""
    answer: str
    """One line."""
    made_ms: int
    by: str
    """Front end and process (``cli 1234``)."""
    text: str | None = None
    """The file after the turn; None where the turn has none of its own."""
    others: tuple[Source, ...] = ()
    """Those of the session's other files that had another text then than when it began."""
    outcome: Outcome | None = None
    """Outcome of the verification against the baseline; None where nothing was judged."""
    against_baseline: Comparison | None = None
    against_best: Comparison | None = None
    """Against the best version before this one; None where that is the baseline."""
    moved: tuple[MetricChange, ...] = ()
    """Counters that differ from the baseline's: those that speak for the verdict first, most changed first."""
    breaks: tuple[str, ...] = ()
    """Constraints of the session that the text does not keep to, in words."""
    proposal: str | None = None
    """Id of the proposal that was made, decided on, or whose text this is."""
    detail: str = ""
    """Markdown: what ``why`` shows."""
