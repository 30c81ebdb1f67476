"""On a GPU's lab with several workers an edit is run with every check on while it runs without: same runs, same verdict, and no waiting
for checks of what does not come to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.engine.request import JobRequest
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import FakeLab
from tests.normal_events import normal_lines
from tests.unit.engine.commands import PROGRAMS, Commands
from tests.unit.engine.test_commands import TIMED, edited

pytestmark = pytest.mark.usefixtures("home")
FASTER = edited("2.0f * x[i]", "x[i] + x[i]", TIMED).replace("40 us", "20 us")
PATIENCE_S = 30.0
"""For what would never come if checks were run behind plain runs."""


@dataclass
class Checks:
    """Of the edit: what was replayed."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    waits_for_them: bool = False
    """A plain replay ends once checks have begun."""
    hangs: bool = False
    """No plain run comes to its end, and checks neither."""
    called_off: int = 0
    ended: int = 0


@dataclass
class Checking(FakeLab):
    checks: Checks = field(default_factory=Checks)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        answer = await super().replay(program, cases, options, limits)
        is_edit = "x[i] + x[i]" in program.sources[0].text and options.kept != "any"
        if not is_edit or isinstance(answer, LabFailure):
            return answer
        return await (self._checked if options.mode == "check" else self._plain)(answer, len(cases))

    async def _plain(self, answer: ReplayRun, count: int) -> ReplayRun:
        if self.checks.waits_for_them:
            await self.checks.begun.wait()
        late = tuple(replace(run, ok=False, error="timed out", after=()) for run in answer.cases)
        return replace(answer, cases=late) if self.checks.hangs else answer

    async def _checked(self, answer: ReplayRun, count: int) -> ReplayRun:
        self.checks.begun.set()
        if self.checks.hangs and count > 1:
            try:
                await asyncio.Event().wait()
            finally:
                self.checks.called_off += 1
        self.checks.ended += 1
        return answer


@dataclass
class OnGpu(Commands):
    at_once: int = 2
    checks: Checks = field(default_factory=Checks)

    def _open_lab(self, request: JobRequest, scratch: Path, target: str) -> Lab:
        clock = Clock()
        return Checking(scratch, self.kernels, PROGRAMS, target=target, timing=clock, at_once=self.at_once, checks=self.checks)


async def lines_of(on: OnGpu) -> list[str]:
    async with asyncio.timeout(PATIENCE_S):
        await on.compare(TIMED, FASTER)
    return list(normal_lines(on.objects(), {str(on.folder): "<work>"}))


async def test_checks_begin_before_plain_runs_have_ended(tmp_path: Path) -> None:
    on = OnGpu(tmp_path, checks=Checks(waits_for_them=True))
    found = await lines_of(on)
    on.at_once, on.checks.waits_for_them = 1, False
    assert found == await lines_of(on) and on.ending.exit_code == 0


async def test_checks_of_what_does_not_come_to_its_end_are_called_off(tmp_path: Path) -> None:
    on = OnGpu(tmp_path, checks=Checks(waits_for_them=True, hangs=True))
    found = await lines_of(on)
    assert on.checks.called_off >= 1, "of all cases"
    assert on.checks.ended >= 1, "the first of them is explained"
    on.at_once, on.checks = 1, Checks(hangs=True)
    assert found == await lines_of(on) and on.ending.exit_code == 1
    assert on.checks.called_off == 0
