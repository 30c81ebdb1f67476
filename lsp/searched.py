"""Which kernels a search found no edit for: a file's other kernels may have got one, and say nothing of these.

Example::

    searched = SearchedKernels()
    searched.heard(job_id, event)            # of any job
    searched.without_edit(job_id)            # ('scale',), once the job has ended
"""

from __future__ import annotations

from assistant.cuda.same_names import without_file
from assistant.model.events import CandidateTried, Event, FindingsFound, ProposalMade

__all__ = ["SearchedKernels", "in_words"]

_MOST_NAMED = 3
_UNNAMED = "(anonymous namespace)::"


class SearchedKernels:
    """Of all jobs that run."""

    def __init__(self) -> None:
        self._searched: dict[str, dict[str, bool]] = {}
        """By job: short name of a kernel, whether it got a proposal."""

    def heard(self, job_id: str, event: Event) -> None:
        match event:
            case FindingsFound(kernel=kernel) | CandidateTried(kernel=kernel):
                self._searched.setdefault(job_id, {}).setdefault(_short(kernel), False)
            case ProposalMade(kernel=kernel):
                self._searched.setdefault(job_id, {})[_short(kernel)] = True
            case _:
                pass

    def without_edit(self, job_id: str) -> tuple[str, ...]:
        """In the order in which they were searched; forgets the job."""
        return tuple(name for name, has_proposal in self._searched.pop(job_id, {}).items() if not has_proposal)


def in_words(names: tuple[str, ...]) -> str:
    """``no edit found for scale``, ``no edit found for a, b, c and 2 more``."""
    left = len(names) - _MOST_NAMED
    first, last = (names[:_MOST_NAMED], f"{left} more") if left > 0 else (names[:-1], names[-1])
    return f"no edit found for {', '.join(first)} and {last}" if first else f"no edit found for {last}"


def _short(kernel: str) -> str:
    """Without what only some events write: the arguments of a template, an unnamed namespace."""
    return without_file(kernel).removeprefix("void ").replace(_UNNAMED, "").partition("(")[0].partition("<")[0]
