"""A search with a slow model on labs that are a table, whose trials take a known time: what goes on at once, and how busy labs are."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assistant.config import Settings
from assistant.engine.ids import new_id
from assistant.engine.request import Accept, JobRequest, OptimizeOptions
from assistant.engine.session import Session, SessionParts
from assistant.model import events
from assistant.model.completion import Caps, Completion, CompletionFailure, CompletionRequest
from assistant.model.device import LabDescription
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.plan.catalogue import Catalogue
from assistant.plan.llm.planner import LlmPlanner
from assistant.plan.llm.talk import Stamps
from assistant.ports.lab import Lab, LabFailure, Program, RunLimits
from assistant.ports.planner import Planner
from assistant.ports.provider import Accounts, OnText, Provider
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.fake_model import FakeModel
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_search import QUICK, turned

__all__ = ["AtOnce", "SlowClock", "SlowModel", "searched"]

START = NAIVE.replace("    int x", "    // takes 90 us\n    int x", 1)
TABLE = {"out[x * n + y]": Behaviour(turned, sectors=32), "if (ox < n && oy < n)": Behaviour(turned, sectors=4)}


@dataclass
class SlowModel(FakeModel):
    """Plans and writes after a time; every edit is another one and takes another time on the clock."""

    latency_s: float = 0.0
    step_count: int = 6
    under_way: int = 0
    most_under_way: int = 0
    is_trying: Callable[[], bool] = field(default=lambda: False)
    overlap_count: int = 0
    """Answers that came while a candidate was being tried."""
    _number: Any = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.script = self._said

    async def complete(self, request: CompletionRequest, on_text: OnText) -> Completion | CompletionFailure:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.latency_s)
            self.overlap_count += self.is_trying()
            return await super().complete(request, on_text)
        finally:
            self.under_way -= 1

    def _said(self, request: CompletionRequest) -> str:
        number = next(self._number)
        if request.prompt.startswith("plan"):
            designs = [f"Design {number}.{index}." for index in range(self.step_count)]
            return json.dumps({"steps": [{"technique": "tile", "line": 10, "rationale": "", "design": text} for text in designs]})
        if request.prompt.startswith("explain"):
            return json.dumps(dict.fromkeys(("limit", "change", "reason", "assumptions", "left"), "It helps."))
        kernel = RIGHT.replace("[33]", f"[{32 + number}]").replace(
            "    __shared__", f"    // takes {60 + number % 29} us\n    __shared__", 1
        )
        return f'{{"summary": "Go through a tile."}}\n\n```cuda part=kernel\n{kernel}\n```\n'


class SlowClock(Clock):
    """Every timing takes a time of its own."""

    def __init__(self, takes_s: float) -> None:
        super().__init__()
        self.takes_s = takes_s
        self.under_way = 0

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        self.under_way += 1
        await asyncio.sleep(self.takes_s)
        self.under_way -= 1
        return await super().time(a, b, cases, options, limits)


@dataclass
class _Labs(FakeLab):
    """A table that counts as a GPU, so that the time is charged in which it is held."""

    def describe(self) -> LabDescription:
        return replace(super().describe(), name="gpu:0")


@dataclass
class _Models:
    model: FakeModel

    def provider(self, settings: Settings, workspace: Path, on_waiting: Callable[[Path, Path], None]) -> Provider:
        return self.model

    def planner(self, is_alone: bool, provider: Provider, accounts: Accounts, settings: Settings, job: str) -> Planner:
        return LlmPlanner(provider, accounts, Catalogue(()), settings, Stamps(job, new_id, lambda: time.time_ns() // 1_000_000))


@dataclass
class AtOnce:
    """One search: who answered, what was tried, what it took."""

    model: SlowModel
    heard: list[events.Event]
    wall_s: float
    gpu_s: float

    @property
    def judged(self) -> list[events.CandidateTried]:
        unjudged = ("duplicate", "unwritten", "not_tried")
        return [event for event in self.heard if isinstance(event, events.CandidateTried) and event.outcome.value not in unjudged]


async def searched(folder: Path, model: SlowModel, trial_s: float, lab_count: int = 1, candidates: int = 24, settings: str = "") -> AtOnce:
    """A whole search in ``folder``, whose user's settings are ``settings`` (KERNELOPT_HOME is ``folder/home``)."""
    (folder / "home").mkdir(exist_ok=True)
    (folder / "home" / "config.toml").write_text(f'[provider]\nkind = "openai"\nmodel = "small"\n{settings}')
    (folder / "turn.cu").write_text(f"{QUICK}\n{START}\n")
    clocks = [SlowClock(trial_s) for _ in range(lab_count)]
    model.is_trying = lambda: any(clock.under_way for clock in clocks)

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        labs = [_Labs(scratch / str(number), TABLE, target=target, timing=clock) for number, clock in enumerate(clocks)]
        labs[0].parallel_labs = tuple(labs[1:])
        return labs[0]

    store = FakeStore()
    parts = SessionParts(
        open_store=lambda _: store,
        open_lab=open_lab,
        planner=_Models(model).planner(True, model, None, Settings(), ""),  # type: ignore[arg-type]  # never asked: a model plans
        catalogue=Catalogue(()),
        who="a test",
        load_models=lambda: _Models(model),
    )
    options = OptimizeOptions(
        planner="llm", may_call_models=True, may_edit_host_code=False, max_candidates=candidates, caps=Caps(gpu_s=1e6), max_rounds=20
    )
    request = JobRequest(folder / "turn.cu", folder)
    started = time.monotonic()
    heard = [event async for event in Session(parts).optimize(request, options, Accept.NONE, None)]
    wall_s = time.monotonic() - started
    spent = [event.spent.gpu_s for event in heard if isinstance(event, events.BudgetSpent)]
    return AtOnce(model, heard, wall_s, max(spent))
