"""Searches of which a test says every edit: what is planned, written and repaired, and what a person answers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from assistant.engine.proposals.decisions import Ask
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.search.planning import NO_CALLBACKS, SearchCallbacks
from assistant.engine.session import Session, SessionParts
from assistant.model import events
from assistant.model.plan import Origin, Plan, Rewrite, Setback, Step, UnwrittenStep
from assistant.model.source import TextEdit
from assistant.model.workload import LiveWorkload
from assistant.plan.catalogue import Catalogue
from assistant.ports.agent import Agent
from assistant.ports.lab import Counters, Lab, Timing
from assistant.ports.planner import PlanRequest, Story
from assistant.workload.recordings import NewCase
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.fakes import FakeModels
from tests.unit.engine.searches import NAIVE
from tests.unit.engine.test_search import KERNELS, QUICK

__all__ = ["Scripted", "Search", "plan_of"]

_Event = TypeVar("_Event", bound=events.Event)
Written = str | Rewrite | UnwrittenStep
Edits = Mapping[str, Sequence[Written]]
"""By technique: the kernel's texts that are written for it, in order."""


def plan_of(text: str, **steps: Sequence[Written]) -> tuple[str, Edits]:
    """On texts that hold this one, these techniques."""
    return text, {name.replace("_", "-"): written for name, written in steps.items()}


@dataclass
class Scripted:
    """Implements ``Planner``."""

    plans: Sequence[tuple[str, Edits]]
    """The first whose text is in the source counts; without one nothing is planned."""
    repairs: list[Written | None] = field(default_factory=list["Written | None"])
    is_model: bool = False
    by_model: frozenset[str] = frozenset()
    """Techniques that a model planned, where others are of rules."""
    cited: int | None = None
    """Which of the findings that it is shown every step answers, with its evidence."""
    step: Step = field(default_factory=lambda: Step("", "", 0, "because", (), "KO101", (), 1.0))
    """What every step says besides its technique and its place."""
    name: str = "scripted"
    planned: list[PlanRequest] = field(default_factory=list[PlanRequest])
    written: list[str] = field(default_factory=list[str])
    """Techniques that a first rewrite was asked for."""
    setbacks: list[Setback] = field(default_factory=list[Setback])
    stories: list[Story] = field(default_factory=list[Story])

    async def plan(self, request: PlanRequest) -> Plan:
        self.planned.append(request)
        return Plan(tuple(self._step(request, name) for name in self._edits(request)), (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite | UnwrittenStep]:
        self.written.append(step.technique)
        for written in self._edits(request)[step.technique]:
            yield self._rewrite(request, step, written)

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> Rewrite | UnwrittenStep | None:
        self.setbacks.append(setback)
        written = self.repairs.pop(0)
        return None if written is None else self._rewrite(request, step, written)

    async def explained(self, story: Story) -> str | None:
        self.stories.append(story)
        return None

    def _step(self, request: PlanRequest, name: str) -> Step:
        planner = "llm:small" if self.is_model or name in self.by_model else "expert"
        step = replace(self.step, technique=name, kernel=request.kernel.key, line=request.kernel.line, planner=planner)
        return step if self.cited is None else replace(step, evidence=request.findings[self.cited].evidence)

    def _edits(self, request: PlanRequest) -> Edits:
        return next((edits for text, edits in self.plans if text in request.parsed.source.text), {})

    def _rewrite(self, request: PlanRequest, step: Step, written: Written) -> Rewrite | UnwrittenStep:
        origin = Origin("small", ("M1",)) if self.is_model else None
        if isinstance(written, UnwrittenStep):
            return written
        if isinstance(written, Rewrite):
            edits = written.edits or (TextEdit(request.kernel.span, written.summary),)
            others = tuple(self._rewrite(request, step, each) for each in written.alternatives)
            made = replace(written, technique=step.technique, kernel=step.kernel, line=step.line, edits=edits, summary="Do it.")
            return replace(made, origin=origin, alternatives=tuple(each for each in others if isinstance(each, Rewrite)))
        return Rewrite(step.technique, step.kernel, step.line, (TextEdit(request.kernel.span, written),), "Do it.", (), origin=origin)


@dataclass
class Search:
    """Searches on one file, one after another on one memory."""

    folder: Path
    planner: Scripted
    text: str = f"{QUICK}\n{NAIVE}\n"
    settings: str = ""
    """Of ``[search]``."""
    kernels: Mapping[str, Behaviour] = field(default_factory=lambda: KERNELS)
    programs: Mapping[str, NewCase] = field(default_factory=dict[str, NewCase])
    live: LiveWorkload | None = None
    timing: Timing | None = None
    counters: Counters | None = None
    agent: Agent | None = None
    lab_type: type[FakeLab] = FakeLab
    catalogue: Catalogue = field(default_factory=lambda: Catalogue(()))
    store: FakeStore = field(default_factory=FakeStore)
    heard: list[events.Event] = field(default_factory=list[events.Event])

    def __post_init__(self) -> None:
        (self.folder / "home").mkdir(exist_ok=True)
        given = f'[provider]\nkind = "openai"\nmodel = "small"\n[search]\nbeam = 1\n{self.settings}'
        (self.folder / "home" / "config.toml").write_text(given)
        self.file.write_text(self.text)

    @property
    def file(self) -> Path:
        return self.folder / "turn.cu"

    async def run(
        self,
        accept: Accept = Accept.NONE,
        ask: Ask | None = None,
        asked: SearchCallbacks = NO_CALLBACKS,
        stop_after: int = 0,
        stopped_by: type[events.Event] = events.CandidateTried,
        **options: Any,
    ) -> list[tuple[str, str]]:
        """(technique, outcome) of each candidate. ``stop_after``: the front end leaves after so many events of the kind ``stopped_by``."""
        is_model = self.planner.is_model or self.agent is not None
        name = "agent" if self.agent is not None else "llm" if is_model else "expert"
        parts = SessionParts(
            open_store=lambda _: self.store,
            open_lab=self.open_lab,
            planner=self.planner,
            catalogue=self.catalogue,
            who="a test",
            load_models=lambda: FakeModels(planned_by=self.planner, worked_by=self.agent),
        )
        given = {"planner": name, "may_call_models": is_model, "may_edit_host_code": False, **options}
        told = Session(parts).optimize(JobRequest(self.file, self.folder, live=self.live), OptimizeOptions(**given), accept, ask, asked)
        self.heard = []
        async for event in told:
            self.heard.append(event)
            if stop_after and len(self.all(stopped_by)) == stop_after:
                await told.aclose()  # type: ignore[attr-defined]  # an async generator
                break
        return self.tried

    def open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        return self.lab_type(scratch, self.kernels, self.programs, target=target, timing=self.timing, counters=self.counters)

    def all(self, kind: type[_Event]) -> list[_Event]:
        return [event for event in self.heard if isinstance(event, kind)]

    @property
    def tried(self) -> list[tuple[str, str]]:
        return [(event.technique, event.outcome.value) for event in self.all(events.CandidateTried)]

    @property
    def reasons(self) -> list[str]:
        return [event.reason for event in self.all(events.CandidateTried)]

    @property
    def offered(self) -> list[tuple[str, ...]]:
        return [event.techniques for event in self.all(events.ProposalMade)]

    @property
    def said(self) -> list[str]:
        return [event.message for event in self.all(events.Message)]

    @property
    def ending(self) -> str:
        return self.all(events.JobEnded)[0].reason
