"""What goes on at the same time in a search by rules: candidates where cores suffice, and what they are held against."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.engine.request import JobRequest
from assistant.model import events
from assistant.model.plan import Rewrite, Tunable
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.verification import Label
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import FakeLab
from tests.deadlines import HANG_S
from tests.unit.engine.scripted import Scripted, Search, Written, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_rounds import WIDER, WRITTEN, timed
from tests.unit.engine.test_search import QUICK

pytestmark = pytest.mark.usefixtures("home")

START = timed(NAIVE, 90)
FASTER = (timed(RIGHT, 40), timed(WIDER, 30), timed(RIGHT.replace("[33]", "[35]"), 20))


class Meeting(Clock):
    """The first that is timed waits until so many are."""

    def __init__(self, wanted: int) -> None:
        super().__init__()
        self.most = 0
        self._under_way = 0
        self._wanted = wanted
        self._met = asyncio.Event()

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        self._under_way += 1
        self.most = max(self.most, self._under_way)
        if self.most == self._wanted:
            self._met.set()
        async with asyncio.timeout(HANG_S):
            await self._met.wait()
        self._under_way -= 1
        return await super().time(a, b, cases, options, limits)


@dataclass
class Replaying(FakeLab):
    """Also keeps how versions were replayed, in order."""

    replayed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    waiting: str | None = None
    """This version's plain replay waits until the original was checked."""
    _is_checked: asyncio.Event = field(default_factory=asyncio.Event)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        text = program.sources[0].text
        if options.mode == "check" and START in text:
            self._is_checked.set()
        if options.mode == "plain" and self.waiting is not None and self.waiting in text:
            async with asyncio.timeout(HANG_S):
                await self._is_checked.wait()
        self.replayed.append((options.mode, text))
        await asyncio.sleep(0)
        return await super().replay(program, cases, options, limits)


@dataclass
class Watched(Search):
    """A search whose labs are known."""

    labs: list[Replaying] = field(default_factory=list[Replaying])
    waiting: str | None = None

    def open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        self.labs.append(Replaying(scratch, self.kernels, self.programs, target=target, timing=self.timing, waiting=self.waiting))
        return self.labs[-1]

    def replays(self, mode: str, kernel: str) -> list[int]:
        """Places of these among all replays."""
        return [at for at, (how, text) in enumerate(self.labs[0].replayed) if how == mode and kernel in text]


def searched(folder: Path, core_count: int, written: Sequence[Written], wanted: int, monkeypatch: pytest.MonkeyPatch) -> Watched:
    monkeypatch.setattr(os, "cpu_count", lambda: core_count)
    first, second, third = written
    planner = Scripted([plan_of(START, tile=[first], wider=[second, third])])
    return Watched(folder, planner, f"{QUICK}\n{START}\n", timing=Meeting(wanted))


@pytest.mark.parametrize(("core_count", "at_once"), [(4, 1), (8, 2), (16, 3)])
async def test_candidates_of_rules_share_a_gpu_and_are_told_in_the_plans_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, core_count: int, at_once: int
) -> None:
    on = searched(tmp_path, core_count, FASTER, at_once, monkeypatch)
    assert await on.run(max_rounds=1) == [("tile", "kept"), ("wider", "kept"), ("wider", "kept")]
    assert on.offered == [("wider",)]
    assert isinstance(on.timing, Meeting) and on.timing.most == at_once


class MeetingLater(Meeting):
    """The second that is timed waits until so many are."""

    is_first = True

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        if not self.is_first:
            return await super().time(a, b, cases, options, limits)
        self.is_first = False
        return await Clock.time(self, a, b, cases, options, limits)


async def test_numbers_of_a_rule_are_tried_at_once_and_the_best_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    first, *others = (Rewrite("", "", 0, (), text, (), numbers=(("pad", pad),)) for pad, text in enumerate(FASTER))
    rule = replace(first, tunables=(Tunable("pad", (0, 1, 2)),), alternatives=tuple(others))
    on = Watched(tmp_path, Scripted([plan_of(START, tile=[rule])]), f"{QUICK}\n{START}\n", timing=MeetingLater(2))
    assert await on.run(max_rounds=1) == [("tile", "kept")]
    (tuning,) = on.all(events.TuningEnded)
    assert isinstance(on.timing, Meeting) and on.timing.most == 2
    assert [dict(point.values)["pad"] for point in tuning.points] == [0, 1, 2, 2], "the best is timed once more"
    assert (tuning.best, tuning.method, tuning.setting_count) == ((("pad", 2),), "timed", 3)
    assert "[35]" in on.all(events.ProposalMade)[0].diff


@pytest.mark.parametrize("is_allowed", [True, False])
async def test_edits_of_host_code_share_it_too_once_they_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_allowed: bool
) -> None:
    labelled: list[Rewrite] = [replace(WRITTEN, summary=text, labels=(Label.HOST_CODE,)) for text in FASTER]
    on = searched(tmp_path, 16, labelled, 3, monkeypatch)
    outcome = "kept" if is_allowed else "not_allowed"
    assert await on.run(max_rounds=1, may_edit_host_code=is_allowed) == [(name, outcome) for name in ("tile", "wider", "wider")]
    assert isinstance(on.timing, Meeting) and on.timing.most == (3 if is_allowed else 0)


async def test_the_original_runs_as_often_for_many_candidates_at_once_as_for_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: list[tuple[int, int]] = []
    for core_count, at_once in ((2, 1), (16, 3)):
        on = searched(tmp_path, core_count, FASTER, at_once, monkeypatch)
        await on.run(max_rounds=1)
        counts.append((len(on.replays("plain", START)), len(on.replays("check", START))))
    assert counts[0] == counts[1] and min(counts[0]) > 0


async def test_what_a_confirmation_holds_edits_against_is_run_while_others_are_screened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last one's screening would wait for ever if it were not."""
    on = searched(tmp_path, 4, FASTER, 1, monkeypatch)
    on.waiting = FASTER[-1]
    await on.run(max_rounds=1)
    assert on.replays("check", START)[0] < on.replays("plain", FASTER[-1])[0]


async def test_on_few_cores_it_is_run_when_all_were_screened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on = searched(tmp_path, 2, FASTER, 1, monkeypatch)
    await on.run(max_rounds=1)
    assert on.replays("check", START)[0] > on.replays("plain", FASTER[-1])[0]


async def test_what_was_begun_for_a_confirmation_that_never_comes_is_called_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on = searched(tmp_path, 4, FASTER, 1, monkeypatch)
    assert await on.run(max_rounds=1, stop_after=1) == [("tile", "kept")]
    assert on.offered == [] and asyncio.all_tasks() == {asyncio.current_task()}
