"""Planners: what they are shown of a kernel, and the steps, edits and explanations that they are asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from assistant.model.build import Build, Diagnostic, KernelResources
from assistant.model.comparison import Comparison
from assistant.model.device import Architecture, Target
from assistant.model.experience import Choice, State, TechniqueEvidence
from assistant.model.plan import AttemptSummary, Plan, Rewrite, Setback, Step, UnwrittenStep
from assistant.model.profile import Evidence, Finding, LaunchProfile
from assistant.model.recorded_facts import PointerReach, RecordedFacts
from assistant.model.source import Kernel, ParsedSource, Source
from assistant.model.verification import Label, Verification
from assistant.record import Record

__all__ = ["PlanRequest", "Planner", "Story"]


class PlanRequest(Record):
    """All that a planner may look at: one kernel, judged as it stands."""

    parsed: ParsedSource
    kernel: Kernel
    profiles: tuple[LaunchProfile, ...]
    """The kernel's counted launches, most costly first."""
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    resources: KernelResources | None
    target: Target
    architecture: Architecture
    build: Build | None = None
    """How the text is compiled; None: no CUDA compiler took it."""
    recalled: tuple[TechniqueEvidence, ...] = ()
    """What memory knows of techniques for this state, best first."""
    choice: Choice = Choice()
    """How steps are ordered by it."""
    state: State | None = None
    """The kernel as memory compares it; None where the version was not profiled."""
    policy: str = "off"
    """Which trained policy orders the steps that memory knows nothing of: ``off``, ``shipped``, or its file."""
    excluded: frozenset[tuple[str, int]] = frozenset()
    """(technique, line) pairs already tried on this text."""
    excluded_designs: frozenset[tuple[str, int, str]] = frozenset()
    """The same with the designs that they were tried in (`Step.design`), where a model planned them."""
    tried: tuple[AttemptSummary, ...] = ()
    """What was tried on this kernel in this job, and what came of it; oldest first."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Compiler warnings on the text as it stands."""
    wishes: tuple[str, ...] = ()
    """What a person asked of every candidate, in words."""
    hint: str | None = None
    """What a person asks for now, in words."""
    least_ratio: float | None = None
    """Least time(before)/time(after) of an edit that is kept; None: not known."""
    decided_ratio: float | None = None
    """The same for an edit that a person must decide on."""
    others: tuple[Source, ...] = ()
    """The program's other files."""
    headers: tuple[Source, ...] = ()
    """Headers of the project that the program includes and that hold no kernels: types, constants. Rules read them and leave them as they
    are; a model may change what stands in those that are among ``program``."""
    program: tuple[ParsedSource, ...] = ()
    """Those of them that an edit of the kernel may change with it; none where other files use its name for kernels of their own."""
    outer_definitions: str = ""
    """Macros and integer constants that other files define before the kernel, as text; a macro that may mean several things stands there
    several times."""
    may_edit_host: bool = False
    """Whether an edit of host code may be tried: it is allowed, or a person is asked first."""
    may_call_libraries: bool = False
    """Whether calls of ready-made libraries (cuBLAS) may be decided on."""
    cutlass: str | None = None
    """The release of CUTLASS that the program's compilers find; None: none."""
    is_emulated: bool = False
    """Edits are tried without a GPU, by an emulator that cannot run everything."""
    is_run_in_part: bool = False
    """The program takes too long to be run whole: what it prints is not known, and launches are judged one by one, at smaller sizes."""
    deferred: tuple[Label, ...] = ()
    """Decisions that are put off to the end of the search, which goes on from edits that ask for them."""
    island: int = 0
    """Which of the searches that go on next to each other asks, from 0; each looks for other designs."""
    recorded: RecordedFacts | None = None
    """What every launch of the kernel had in common; None where none was seen. An edit that needs it says so as an assumption."""
    reaches: tuple[PointerReach, ...] = ()
    """How far its pointers reach in its launches, where that is known."""
    elsewhere: tuple[Source, ...] = ()
    """Files of other programs that include one of these: no edit reaches their launches."""


class Story(Record):
    """A confirmed candidate as its explanation is written from it."""

    before: PlanRequest
    """The kernel as the user has it, judged."""
    diff: str
    steps: tuple[Step, ...]
    """In the order they were chained."""
    rewrites: tuple[Rewrite, ...]
    """One for each step."""
    after: tuple[Evidence, ...]
    left: tuple[Finding, ...]
    """What still stands after the edit."""
    verification: Verification
    comparison: Comparison
    others: tuple[str, ...] = ()
    """Kept edits that gain more by their screen and are not offered now, in words."""


class Planner(Protocol):
    """Turns findings into a plan, each step of it into rewrites, and setbacks into better ones.

    Candidates of every planner are judged alike: none of them builds, runs or measures anything.
    """

    @property
    def name(self) -> str: ...

    async def plan(self, request: PlanRequest) -> Plan:
        """Ordered steps with predictions, and what was declined with the reason."""
        ...

    def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | UnwrittenStep]:
        """The edits that carry out ``step``, best first, each made when it is asked for: it may cost a call."""
        ...

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep | None:
        """Another edit of the request's text in the place of ``rewrite``, which met ``setback``; None: it does not learn from setbacks."""
        ...

    async def explained(self, story: Story) -> str | None:
        """Markdown for people, numbers filled from Evidence; None: nothing to add to what is shown anyway."""
        ...
