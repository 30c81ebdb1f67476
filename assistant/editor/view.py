"""What a front end shows of one source: plain values, every place is one in the current text.

Front ends turn a `View` into their own form (diagnostics, lenses, rows of a table) and add nothing to it.
"""

from __future__ import annotations

from assistant.engine import FilePrograms
from assistant.model import event_parts, events
from assistant.model.profile import Evidence, LineStall, Severity
from assistant.model.proposal import Proposal
from assistant.record import Record

__all__ = [
    "CodeView",
    "Failure",
    "KernelView",
    "LaunchView",
    "LineView",
    "LiveLine",
    "Note",
    "PairView",
    "RelatedPlace",
    "SearchView",
    "StallView",
    "View",
]


class RelatedPlace(Record):
    """Another place that a note is about."""

    file: str
    line: int
    message: str


class Note(Record):
    """One message at one place."""

    stage: str
    """Its origin: ``static`` (while typing), ``compile``, ``check``, ``profile`` or ``proposal``."""
    line: int
    """1-based; 1 where no place is known."""
    column: int
    """1-based, in characters; 0: the whole line."""
    severity: Severity
    message: str
    source: str
    """``kernelopt``, or the compiler's name."""
    code: str | None = None
    """``KOnnn``, or the compiler's own number."""
    related: tuple[RelatedPlace, ...] = ()
    cost_ratio: float | None = None
    """Share 0..1 of the kernel's predicted time that goes away if this is fixed; None when not modelled."""
    proposal: str | None = None
    """The open proposal that fixes it."""
    evidence: tuple[Evidence, ...] = ()
    defect: str = ""
    """Of a defect that a run exposed: what kind it is, and where, ``out of bounds, block (3, 0, 0), thread (232, 0, 0)``."""
    kernel: str = ""
    """Key of the kernel whose launch a profile's note is about; empty for all others."""


class LaunchView(Record):
    """One launch shape of a kernel and what was counted of it."""

    summary: events.ProfileSummary
    profile: events.Profile | None
    """The first counted launch of that shape; None beyond those that were shown."""

    @property
    def cost_s(self) -> float:
        """Predicted seconds of all its launches; 0 where nothing was predicted."""
        return (self.summary.predicted_time_s or 0.0) * self.summary.launch_count


class LineView(Record):
    """Counters of a line and kind of access, in its kernel's costliest launch."""

    line: int
    kernel: str
    counters: event_parts.ProfileLine
    device: event_parts.Device
    method: str


class StallView(Record):
    """What warps wait for on one line, for one reason, in its kernel's costliest launch."""

    line: int
    kernel: str
    counters: LineStall
    device: event_parts.Device
    method: str


class LiveLine(Record):
    """What is predicted of a line that was edited since the text was saved, by the text alone."""

    line: int
    kernel: str
    """Its key."""
    text: str


class CodeView(Record):
    """Machine instructions that a kernel instance has for a line."""

    line: int
    instance: str
    architecture: str
    instructions: tuple[str, ...]


class SearchView(Record):
    """A search for edits that goes on."""

    planned_count: int
    """Edits that were planned so far; 0 before the first plan."""
    tried_count: int
    best_ratio: float | None
    """time(text as it was searched) / time(with the best edits that were kept so far), as they were screened; None before one."""
    is_confirming: bool = False
    """The best edit is judged once more, on fresh values."""


class KernelView(Record):
    """One kernel."""

    key: str
    name: str
    line: int
    last_line: int
    resources: tuple[event_parts.ResourcesFound, ...]
    """One per compiled instance; empty before a compile, or without a compiler."""
    check: events.CheckEnded | None
    """What ``check`` found; None before it ran on this text."""
    launches: tuple[LaunchView, ...]
    """Costliest first; empty before a profile."""
    evidence: tuple[Evidence, ...]
    """Evidence of the costliest launch."""
    proposal: Proposal | None
    """The open one."""
    is_stale: bool
    """The kernel was edited after something shown here was counted."""
    in_vain: str | None = None
    """Why the last search on it, as it stands, found no edit; empty: it does not say; None: it found one, or there was none."""
    search: SearchView | None = None
    """The search that goes on with it; None: none does."""
    launch_facts: tuple[str, ...] = ()
    """What all its launches had in common, in sentences; empty before any was seen."""
    is_offer_outdated: bool = False
    """The kernel was edited after its proposal was judged."""
    in_edit_of: str = ""
    """Key of the kernel whose open proposal launches something else in this one's place, as where it makes one kernel of both; empty: none
    does, or this one has a proposal of its own."""


class PairView(Record):
    """An open pair session."""

    session: str
    kernel: str
    """Qualified name."""
    headline: str
    """Its last answer."""


class Failure(Record):
    """Why a job on the current text has no whole answer, of no line: its program crashed, say."""

    message: str
    remedy: str
    """What to try; empty where nothing is known."""


class View(Record):
    """One source as it stands."""

    notes: tuple[Note, ...]
    kernels: tuple[KernelView, ...]
    lines: tuple[LineView, ...]
    proposals: tuple[Proposal, ...]
    """Open ones of this source."""
    code: tuple[CodeView, ...] = ()
    """Machine code by line; empty before a profile, or without a compiler."""
    stalls: tuple[StallView, ...] = ()
    """Empty where nothing samples warps."""
    pairs: tuple[PairView, ...] = ()
    """Open pair sessions of this source."""
    programs: FilePrograms | None = None
    """Those that it is part of; None: not known yet, or none is looked for."""
    live: tuple[LiveLine, ...] = ()
    """Of lines that were edited since the text was saved."""
    waits_for_consent: bool = False
    """A person is asked whether its program may run."""
    failures: tuple[Failure, ...] = ()
    """What several jobs say is there once."""


EMPTY_VIEW = View((), (), (), ())
