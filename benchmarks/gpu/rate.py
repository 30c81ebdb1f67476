"""How many candidates a minute one GPU tries, and where a candidate's time goes: searches whose planner has a list of right edits.

Example::

    measure_rate(kept, folder, end_s)
    print(rate_table(kept.rows))
"""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from collections.abc import AsyncIterator, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.config import user_paths
from assistant.engine import Accept, JobRequest, OptimizeOptions, Session, SessionParts
from assistant.lab.cpu import CpuLab
from assistant.lab.gpu import GpuLab
from assistant.lab.gpu_client import GpuClient
from assistant.lab.gpus import NoGpu, usable_gpus
from assistant.memory.store import open_store
from assistant.model import events
from assistant.model.build import BuildResult
from assistant.model.plan import Plan, Rewrite, Setback, Step
from assistant.model.source import TextEdit
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits, Timing
from assistant.ports.planner import PlanRequest, Story
from benchmarks.gpu.bench import Kept
from benchmarks.gpu.edits import LISTED, Listed
from benchmarks.table import heading, row

__all__ = ["measure_rate", "rate_table"]

_LEAST_LEFT_S = 60.0
_ASKED_S = 3.0


@dataclass
class Spans:
    """Seconds spent in a lab, by what was asked of it, since they were last taken; questions may run side by side."""

    seconds: dict[str, float] = field(default_factory=dict[str, float])

    @contextmanager
    def of(self, what: str) -> Generator[None]:
        start_s = time.monotonic()
        try:
            yield
        finally:
            self.seconds[what] = self.seconds.get(what, 0.0) + time.monotonic() - start_s

    def taken(self) -> dict[str, float]:
        found, self.seconds = self.seconds, {}
        return found


class _TimedClock:
    def __init__(self, clock: Timing, spans: Spans) -> None:
        self._clock, self._spans = clock, spans

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        with self._spans.of("time"):
            return await self._clock.time(a, b, cases, options, limits)


class _TimedLab(GpuLab):
    """A lab that notes what it was busy with."""

    spans: Spans

    @property
    def timing(self) -> Any:
        return _TimedClock(super().timing, self.spans)

    async def build(self, program: Program, architecture: str) -> BuildResult:
        with self.spans.of("nvcc"):
            return await super().build(program, architecture)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        with self.spans.of(f"replay, {options.mode}"):
            return await super().replay(program, cases, options, limits)


class _List:
    """Plans each of a kernel's listed edits once, on the text as it was first."""

    name = "a list"

    def __init__(self, listed: Listed) -> None:
        self._listed = listed

    async def plan(self, request: PlanRequest) -> Plan:
        if self._listed.kernel not in request.parsed.source.text:
            return Plan((), (), self.name)
        named = ((f"edit-{number}", request.kernel) for number in range(len(self._listed.edits)))
        steps = tuple(Step(name, kernel.key, kernel.line, "listed", (), "KO101", (), 1.0) for name, kernel in named)
        return Plan(steps, (), self.name)

    async def rewrites(self, request: PlanRequest, step: Step) -> AsyncIterator[Rewrite]:
        text = self._listed.edits[int(step.technique.removeprefix("edit-"))]
        yield Rewrite(step.technique, step.kernel, step.line, (TextEdit(request.kernel.span, text),), "Listed.", ())

    async def improved(self, request: PlanRequest, step: Step, rewrite: Rewrite, setback: Setback) -> None:
        return None

    async def explained(self, story: Story) -> str:
        return f"{len(story.steps)} step"


def measure_rate(kept: Kept, folder: Path, end_s: float) -> None:
    """A row a candidate: seconds since the one before it, and where they went."""
    for listed in LISTED:
        if end_s - time.monotonic() > _LEAST_LEFT_S and not kept.count(program=listed.name):
            place = folder / "rate" / listed.name
            place.mkdir(parents=True, exist_ok=True)
            for found in asyncio.run(_searched(listed, place.resolve())):
                kept.add({"program": listed.name, **found})
            kept.write()


async def _searched(listed: Listed, place: Path) -> list[dict[str, Any]]:
    path = place / f"{listed.name}.cu"
    path.write_text(listed.source)
    os.environ["KERNELOPT_HOME"] = str(place.parent / "home")
    spans = Spans()

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        found = usable_gpus(os.environ)
        if isinstance(found, NoGpu):
            raise SystemExit(f"{found.reason}: {found.remedy}")
        lab = _TimedLab(CpuLab(scratch, user_paths().cache, target), GpuClient(found[0], scratch), scratch, target)
        lab.spans = spans
        return lab

    parts = SessionParts(open_store=open_store, open_lab=open_lab, planner=_List(listed), catalogue=Catalogue(()), who="benchmark")
    options = OptimizeOptions(planner="expert", may_call_models=False, may_edit_host_code=False)
    rows: list[dict[str, Any]] = []
    before_s = time.monotonic()
    async for event in Session(parts).optimize(JobRequest(path, place, device="gpu:0"), options, Accept.NONE, None):
        if not isinstance(event, events.CandidateTried | events.PlanMade):
            continue
        now_s, spent = time.monotonic(), spans.taken()
        if isinstance(event, events.CandidateTried):
            what = {"number": len(rows) + 1, "outcome": event.outcome, "ratio": event.ratio, "reason": event.reason}
            rows.append({**what, "seconds": now_s - before_s, "spans": spent})
        before_s = now_s
    return rows


def rate_table(rows: Sequence[dict[str, Any]]) -> str:
    """By kernel, the first candidate told apart, as it runs the original, too; then what was asked of the lab, which overlaps."""
    programs = list(dict.fromkeys(item["program"] for item in rows))
    later = [item for item in rows if item["number"] > 1]
    stages = sorted({stage for item in later for stage in item["spans"]})
    header = ("kernel", "timed", "first, s", "further", "p50, s", "p95, s", "longest, s", "within 3 s", "a minute")
    lines = [_line(name, [item for item in rows if item["program"] == name]) for name in programs]
    lines.append(_line("all", rows))
    spent = [row(stage, _seconds([item["spans"].get(stage, 0.0) for item in later])) for stage in stages]
    return "\n".join((heading(*header), *lines, "", heading("asked of the lab", "s, median"), *spent))


def _line(name: str, found: Sequence[dict[str, Any]]) -> str:
    firsts = [item["seconds"] for item in found if item["number"] == 1]
    seconds = [item["seconds"] for item in found if item["number"] > 1]
    timed = str(sum(item["ratio"] is not None for item in found))
    if len(seconds) < 2:
        return row(name, timed, _seconds(firsts), str(len(seconds)), *("–",) * 5)
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    shown = (f"{value:.2f}" for value in (cuts[49], cuts[94], max(seconds)))
    within = f"{sum(value <= _ASKED_S for value in seconds)} of {len(seconds)}"
    return row(name, timed, _seconds(firsts), str(len(seconds)), *shown, within, f"{60 * len(seconds) / sum(seconds):.0f}")


def _seconds(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f}" if values else "–"
