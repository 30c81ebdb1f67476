"""What a person turned down is not offered again while the code it was for stays as it is; the next best edit is.

A rejection holds for the technique at its place, whatever else the search would build on it. Of a chain it is taken to mean the first
step, which was chosen because it gains most: the others may be offered without it, and turned down in their turn. It ends when the
kernel, a device function that it calls or the edited line changes. It is about one file; of notebooks, about each cell with that code, as
cells are copied and their names say little. Example::

    for refusal in refusals(store, workspace, parsed, "transpose"):
        refusal.place   # SettledStep("staged-store", {11})
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from assistant.cuda.embedded.names import is_in_notebook
from assistant.cuda.parse import parse
from assistant.engine.proposals.steps import SettledStep, moved
from assistant.model.attempt import Attempt
from assistant.model.change import FileChange, program_key
from assistant.model.proposal import DecisionKind, Proposal, ProposalState
from assistant.model.source import Kernel, ParsedSource
from assistant.model.trial import TrialOutcome
from assistant.ports.store import EditStore, ProposalStore
from assistant.record import Record

__all__ = ["FoundEdit", "Rejection", "StandingRejection", "edits_of", "refusals", "rejected_before", "twins"]

_STATES = frozenset({ProposalState.REJECTED})
_ATTEMPTS_READ = 10_000
"""More than any file collects between two rejections that still hold."""


class FoundEdit(Record):
    """What a search would offer."""

    path: Path
    kernel: str
    """``Kernel.key`` before the edit."""
    files: tuple[FileChange, ...]


class Rejection(Record):
    """One that still holds."""

    proposal: str
    """Its id."""
    words: str
    """Which proposal, when and why."""

    def taken_back(self, path: Path) -> str:
        """The line that offers its edit again, typed where the text at ``path`` is: in a terminal, or in a notebook."""
        return f"{'%' if is_in_notebook(path) else ''}kernelopt undo {self.proposal}"


class StandingRejection(Record):
    """A rejection that still holds of a place."""

    place: SettledStep
    """In the present text."""
    decision: Rejection


def refusals(store: EditStore, workspace: Path, parsed: ParsedSource, kernel_name: str) -> tuple[StandingRejection, ...]:
    """Rejections of edits of the kernel with this qualified name, newest first, as far as they hold for the present text."""
    keys = {kernel.key for kernel in parsed.kernels if kernel.qualified_name == kernel_name}
    known_ones = (known for known in store.proposals(workspace, _STATES) if known.kernel in keys)
    rejected = [known for known in known_ones if _is_same_place(known.path, parsed.source.path)]
    attempts = {path: store.attempts(workspace, path, _ATTEMPTS_READ) for path in {known.path for known in rejected}}
    found = (_refusal(store, known, attempts[known.path], parsed, kernel_name) for known in rejected)
    return tuple(refusal for refusal in found if refusal is not None)


def rejected_before(store: ProposalStore, workspace: Path, edit: FoundEdit) -> Rejection | None:
    """When and why this very edit was rejected; None where it never was. A changed file is another text."""
    same = (known for known in store.proposals(workspace, _STATES) if any(_is_same(edit, other) for other in edits_of(known)))
    return next((_decision(store, known) for known in same), None)


def twins(proposal: Proposal, others: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """Those of ``others`` that make the same edit of the same text, in other cells."""
    mine = FoundEdit(proposal.path, proposal.kernel, proposal.files)
    return tuple(other for other in others if other.id != proposal.id and _is_same(mine, FoundEdit(other.path, other.kernel, other.files)))


def _is_same(edit: FoundEdit, other: FoundEdit) -> bool:
    """The same change of the same texts, whatever cells are called."""
    texts = [[(change.before_text, change.after_text) for change in one.files] for one in (edit, other)]
    return edit.kernel == other.kernel and texts[0] == texts[1] and _is_same_place(edit.path, other.path)


def _is_same_place(path: Path, other: Path) -> bool:
    return path == other or (is_in_notebook(path) and is_in_notebook(other))


def _refusal(
    store: ProposalStore, proposal: Proposal, attempts: tuple[Attempt, ...], parsed: ParsedSource, kernel_name: str
) -> StandingRejection | None:
    change = proposal.change_of(proposal.path)
    if change is None:
        return None
    before = parse(change.before)
    old = _named(before, proposal.kernel)
    new = _named(parsed, proposal.kernel)
    if old is None or new is None or new.qualified_name != kernel_name or _code(before, old) != _code(parsed, new):
        return None
    others = [other.after for other in proposal.files if other is not change]
    step = _first_step(change.before_text, program_key(change.after_text, others), attempts)
    place = None if step is None else _unmoved(step, change.before_text, parsed.source.text)
    return None if place is None else StandingRejection(place, _decision(store, proposal))


def _named(parsed: ParsedSource, key: str) -> Kernel | None:
    return next((kernel for kernel in parsed.kernels if kernel.key == key), None)


def _code(parsed: ParsedSource, kernel: Kernel) -> tuple[str, ...]:
    """The kernel's own text and that of the device functions it calls."""
    return tuple(parsed.source.text[span.start : span.end] for span in parsed.code_spans_of(kernel))


def _first_step(begin: str, end: str, attempts: tuple[Attempt, ...]) -> SettledStep | None:
    """Where the chain from one version to another (``program_key``) began, in its text; None where memory has lost the attempts."""
    kept = {attempt.key: attempt for attempt in attempts if attempt.outcome is TrialOutcome.KEPT}
    key = end
    while key in kept:
        attempt = kept.pop(key)
        if attempt.parent_key == begin:
            return SettledStep(attempt.technique, frozenset({attempt.line}))
        key = attempt.parent_key
    return None


def _unmoved(step: SettledStep, before: str, now: str) -> SettledStep | None:
    """The step in the present text; None where its line changed (a launch site, say, is outside the kernel)."""
    (there,) = moved((step,), before, now)
    old_lines, new_lines = before.splitlines(), now.splitlines()
    is_same = {old_lines[line - 1] for line in step.lines} == {new_lines[line - 1] for line in there.lines}
    return there if is_same else None


def _decision(store: ProposalStore, proposal: Proposal) -> Rejection:
    decision = next(d for d in reversed(store.decisions(proposal.id)) if d.kind is DecisionKind.REJECTED)
    day = datetime.fromtimestamp(decision.decided_ms / 1e3, tz=UTC).astimezone().strftime("%Y-%m-%d")
    why = decision.reason or decision.reason_code or "no reason given"
    return Rejection(proposal.id, f"{proposal.id}, rejected on {day}: {why}")


def edits_of(proposal: Proposal) -> tuple[FoundEdit, ...]:
    """What the proposal offers, its alternatives included."""
    return tuple(
        FoundEdit(proposal.path, proposal.kernel, files) for files in (proposal.files, *(one.files for one in proposal.alternatives))
    )
