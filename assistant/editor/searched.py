"""What is known of the last search on each kernel of a source, where it found no edit: said until the kernel's text changes.

Example::

    searched = Searched()
    searched.heard("J1", parsed, text, event)      # True once the job has ended: something else is shown
    searched.in_vain["k(float *)"].why             # '1 edit tried, not faster'
"""

from __future__ import annotations

from collections.abc import Mapping

from assistant.cuda.match import kernel_meant
from assistant.model.events import CandidateTried, Event, FindingsFound, JobEnded, ProposalMade
from assistant.model.source import ParsedSource
from assistant.record import Record

__all__ = ["InVain", "Searched"]

_PREFIX = "nothing to propose: "


class InVain(Record):
    """A search that found nothing."""

    text: str
    """The source as it was searched."""
    why: str
    """Of the whole search; empty where it found an edit of another kernel."""


class Searched:
    """The searches on a source."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, bool]] = {}
        """By job: key of a kernel that was searched on, whether it got a proposal."""
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
                    found[kernel.key] = found.get(kernel.key, False) or isinstance(event, ProposalMade)
                return False
            case JobEnded(exit_code=code, reason=reason):
                found = self._found.pop(job, {})
                why = reason.removeprefix(_PREFIX) if reason.startswith(_PREFIX) else ""
                for key, is_found in found.items():
                    self._in_vain.pop(key, None)
                    if not code and not is_found:
                        self._in_vain[key] = InVain(text, why)
                return bool(found)
            case _:
                return False
