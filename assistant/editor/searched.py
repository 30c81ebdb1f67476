"""What is known of the last search on each kernel of a source, where it found no edit: said until the kernel's text changes.

Example::

    searched = Searched()
    searched.heard("J1", parsed, text, event)      # True once the job has ended: something else is shown
    searched.in_vain["k(float *)"].why             # '1 edit tried, not faster'
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.match import kernel_meant
from assistant.engine.search import nothing_in_words
from assistant.model.events import CandidateTried, Event, FindingsFound, JobEnded, PlanMade, ProposalMade
from assistant.model.plan import Decline
from assistant.model.profile import Finding
from assistant.model.source import ParsedSource
from assistant.model.trial import TrialOutcome
from assistant.record import Record

__all__ = ["InVain", "Searched"]

_PREFIX = "nothing to propose: "


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
        self.tried: list[CandidateTried] = []
        self.declines: list[Decline] = []
        self.findings: list[Finding] = []

    @property
    def why(self) -> str:
        unjudged = tuple(each.reason for each in self.tried if each.outcome is TrialOutcome.CANNOT_JUDGE)
        return nothing_in_words(tuple(each.outcome for each in self.tried), self.declines, self.findings, unjudged=unjudged)


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

    def heard(self, job: str, parsed: ParsedSource, text: str, event: Event) -> bool:
        """Take what a search says; True when something else is known."""
        match event:
            case FindingsFound(kernel=name) | CandidateTried(kernel=name) | ProposalMade(kernel=name):
                kernel, found = kernel_meant(parsed, name), self._found.setdefault(job, {})
                if kernel is not None:
                    _note(found.setdefault(kernel.key, _OfKernel()), event)
                return False
            case PlanMade(declines=declines):
                for decline in declines:
                    kernel = kernel_meant(parsed, decline.kernel)
                    if kernel is not None and (known := self._found.get(job, {}).get(kernel.key)) is not None:
                        known.declines.append(decline)
                return False
            case JobEnded(exit_code=code, reason=reason):
                found = self._found.pop(job, {})
                whole = reason.removeprefix(_PREFIX) if reason.startswith(_PREFIX) and len(found) == 1 else ""
                for key, known in found.items():
                    self._in_vain.pop(key, None)
                    if not code and not known.is_found:
                        self._in_vain[key] = InVain(text, whole or known.why)
                return bool(found)
            case _:
                return False


def _note(known: _OfKernel, event: FindingsFound | CandidateTried | ProposalMade) -> None:
    match event:
        case FindingsFound(findings=findings):
            known.findings.extend(findings)
        case CandidateTried():
            known.tried.append(event)
        case ProposalMade():
            known.is_found = True
