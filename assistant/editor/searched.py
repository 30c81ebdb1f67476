"""What is known of the last search on each kernel of a source: how far it is, and, where it found no edit, why, until the text changes.

Example::

    searched = Searched()
    searched.heard("J1", parsed, text, event)      # True: something else is shown
    searched.running["k(float *)"].best_ratio      # 1.57
    searched.in_vain["k(float *)"].why             # '1 edit tried, not faster'
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.match import kernel_meant
from assistant.editor.view import SearchView
from assistant.engine.search import NO_EDIT_FOUND, nothing_in_words
from assistant.model.events import CandidateTried, Event, FindingsFound, JobEnded, PlanMade, ProposalMade, StageStarted
from assistant.model.plan import Decline
from assistant.model.profile import Finding
from assistant.model.source import ParsedSource
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["InVain", "Searched"]


class InVain(Record):
    """A search that found nothing."""

    text: str
    """The source as it was searched."""
    why: str
    """What was tried on the kernel, and what came of it."""


class _OfKernel:
    """What a job said of one kernel so far."""

    def __init__(self) -> None:
        self.is_found = False
        self.is_confirming = False
        self.planned_count = 0
        self.tried: list[CandidateTried] = []
        self.declines: list[Decline] = []
        self.findings: list[Finding] = []

    @property
    def so_far(self) -> SearchView:
        ratios = [each.ratio_to_original for each in self.tried if each.outcome is TrialOutcome.KEPT and each.ratio_to_original is not None]
        return SearchView(self.planned_count, len(self.tried), max(ratios, default=None), self.is_confirming)

    @property
    def why(self) -> str:
        unjudged = tuple(each.reason for each in self.tried if each.outcome is TrialOutcome.CANNOT_JUDGE)
        return nothing_in_words(tuple(each.outcome for each in self.tried), self.declines, self.findings, reasons=unjudged)


class Searched:
    """The searches on a source."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, _OfKernel]] = {}
        """By job, and key of a kernel that was searched on."""
        self._in_vain: dict[str, InVain] = {}

    @property
    def in_vain(self) -> Mapping[str, InVain]:
        """By key of a kernel."""
        return self._in_vain

    @property
    def running(self) -> Mapping[str, SearchView]:
        """By key of a kernel that is searched on and has no proposal yet."""
        return {key: known.so_far for found in self._found.values() for key, known in found.items() if not known.is_found}

    def heard(self, job: str, parsed: ParsedSource, text: str, event: Event) -> bool:
        """Take what a search says; True when something else is known."""
        match event:
            case FindingsFound(kernel=name) | CandidateTried(kernel=name) | ProposalMade(kernel=name):
                kernel, found = kernel_meant(parsed, name), self._found.setdefault(job, {})
                if kernel is not None:
                    _note(found.setdefault(kernel.key, _OfKernel()), event)
                return kernel is not None
            case PlanMade(steps=steps, declines=declines):
                known = [self._known(job, parsed, step.kernel) for step in steps]
                for of_kernel in filter(None, known):
                    of_kernel.planned_count += 1
                for decline in declines:
                    if (declined := self._known(job, parsed, decline.kernel)) is not None:
                        declined.declines.append(decline)
                return any(known)
            case StageStarted(stage="confirm", detail=detail):
                confirmed = self._known(job, parsed, detail.rpartition(": ")[0])
                if confirmed is not None:
                    confirmed.is_confirming = True
                return confirmed is not None
            case JobEnded(exit_code=code, reason=reason):
                found = self._found.pop(job, {})
                whole = reason.removeprefix(NO_EDIT_FOUND) if reason.startswith(NO_EDIT_FOUND) and len(found) == 1 else ""
                for key, known in found.items():
                    self._in_vain.pop(key, None)
                    if not code and not known.is_found:
                        self._in_vain[key] = InVain(text, whole or known.why)
                return bool(found)
            case _:
                return False

    def broken_off(self, job: str) -> bool:
        """Forget a search that ended without an answer; True when something else is known."""
        return bool(self._found.pop(job, {}))

    def _known(self, job: str, parsed: ParsedSource, name: str) -> _OfKernel | None:
        kernel = kernel_meant(parsed, name)
        return None if kernel is None else self._found.get(job, {}).get(kernel.key)


def _note(known: _OfKernel, event: FindingsFound | CandidateTried | ProposalMade) -> None:
    match event:
        case FindingsFound(findings=findings):
            known.findings.extend(findings)
        case CandidateTried():
            known.is_confirming = False
            known.tried.append(event)
        case ProposalMade():
            known.is_found = True
