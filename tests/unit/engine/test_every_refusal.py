"""What a command answers where the lab refuses one call: the first call of each kind, in turn; and the last one, at length.

After a change that is meant: ``KERNELOPT_THOROUGH=1 pytest tests/unit/engine/test_every_refusal.py --snapshot-update``, and read the
difference.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from assistant.engine.request import Accept, OptimizeOptions
from assistant.model import events
from assistant.model.timing import PairTiming, TimingOptions
from assistant.model.workload import Case
from assistant.ports.lab import LabFailure, Program, ProgramRun, RunLimits
from tests.contracts.fake_clock import Clock
from tests.unit.engine.asking import FEW, Asking, Lines
from tests.unit.engine.commands import KERNELS
from tests.unit.engine.searches import ONLY_FOR_MULTIPLES_OF_32, TwoEdits
from tests.unit.engine.test_asked import RUNS as ASKED
from tests.unit.engine.test_commands import CHEAPER, DECLARED, FUSED, TWO, A
from tests.unit.engine.test_search import KERNELS as TURNS

_PROPOSAL = re.compile(r"\bP[0-9A-HJKMNP-TV-Z]{26}\b")
Run = Callable[[Asking], Awaitable[object]]


async def searches(on: Asking) -> None:
    await on.hear(on.session.optimize(on.request(DECLARED), OptimizeOptions(may_edit_host_code=False), Accept.BEST_PREDICTED, None))


class RefusingClock(Clock):
    """A clock whose answers are refused like those of the lab it belongs to."""

    def __init__(self, on: Asking) -> None:
        super().__init__()
        self._on = on
        self.usual_us = 40.0

    async def time(
        self, a: Program, b: Program, cases: Sequence[tuple[Case, Case]], options: TimingOptions, limits: RunLimits
    ) -> PairTiming | LabFailure:
        return self._on.refuse("time", "", b, 0) or await super().time(a, b, cases, options, limits)

    async def timeline(self, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        return self._on.refuse("timeline", "", program, 0) or await super().timeline(program, limits)


def timed(run: Run) -> Run:
    """The same where there is a GPU's clock."""

    async def with_a_clock(on: Asking) -> None:
        on.timing = RefusingClock(on)
        await run(on)

    return with_a_clock


RUNS: dict[str, Run] = {
    "compare_fused": lambda on: on.compare(TWO, FUSED, cases=FEW),
    "check": lambda on: on.hear(on.session.check(on.request(A))),
    "profile": lambda on: on.hear(on.session.profile(on.request(A))),
    "search": searches,
    "compare_timed": timed(lambda on: on.compare(A, CHEAPER, cases=FEW)),
    "compare_fused_timed": timed(lambda on: on.compare(TWO, FUSED, cases=FEW)),
    "profile_timed": timed(lambda on: on.hear(on.session.profile(on.request(A)))),
    "search_timed": timed(searches),
    **{name: ASKED[name] for name in ("moved", "large_in_part", "declared", "notebook", "submit", "judge")},
}
"""Some are those of ``test_asked``: other values, larger sizes, several kernels, arrays of a notebook, a candidate from outside."""


async def refused(run: Run, folder: Path, place: int | None) -> tuple[list[str], str]:
    """All calls, and what the command answers where the lab refuses that one."""
    calls: list[str] = []

    def refuse(method: str, mode: str, program: Program, _: int) -> LabFailure | None:
        calls.append(f"{method} {mode} {program.sources[0].path.name}{' as a candidate' if program.is_candidate else ''}")
        return LabFailure("internal", "the lab lost its worker", "ask again") if len(calls) - 1 == place else None

    on = Asking(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), refuse=refuse)
    on.kernels = {**KERNELS, **TURNS}
    await run(on)
    tried = [f"{event.technique} {event.outcome.value}: {event.reason}" for event in on.all(events.CandidateTried)]
    verdicts = [f"{event.kernel} {event.verification.outcome.value}" for event in on.all(events.ComparisonMade)]
    said = [f"{event.severity.value}: {event.message}; {event.remedy}" for event in on.all(events.Message)]
    lines = (f"exit code {on.ending.exit_code}: {on.ending.reason}", *tried, *verdicts, *said)
    return calls, "".join(f"    {line}\n" for line in lines)


ASKED_ONCE = {"check", "profile", "profile_timed"}
"""They make no call twice."""
_AT_LENGTH = {"moved", "declared", "large_in_part", "compare_timed", "compare_fused_timed", "search_timed"}
"""Searches and comparisons, whose calls are refused in the others too."""
TURNS_OF = (
    *(pytest.param(name, False, id=f"{name}-first", marks=(pytest.mark.thorough,) if name in _AT_LENGTH else ()) for name in RUNS),
    *(pytest.param(name, True, id=f"{name}-last", marks=pytest.mark.thorough) for name in RUNS if name not in ASKED_ONCE),
)


@pytest.mark.parametrize(("name", "is_last"), TURNS_OF)
async def test_whatever_the_lab_refuses_is_told(name: str, is_last: bool, tmp_path: Path, snapshot: SnapshotAssertion, home: None) -> None:
    calls, _ = await refused(RUNS[name], tmp_path, None)
    first = {call: calls.index(call) for call in calls}
    last = {call: place for place, call in enumerate(calls)}
    told: list[str] = []
    for place, call in enumerate(calls):
        if place == (last if is_last else first)[call] and not (is_last and place == first[call]):
            _, answer = await refused(RUNS[name], tmp_path, place)
            told.append(f"{call}\n{answer.replace(str(tmp_path), '<work>')}")
    assert _PROPOSAL.sub("<proposal>", "".join(told)) == snapshot(extension_class=Lines)
