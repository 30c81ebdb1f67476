"""What a search decides: what is tried, offered, offered next, and when it ends. Kernels are functions, found by their text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.request import JobRequest
from assistant.model import events
from assistant.model.build import BuildResult
from assistant.model.workload import Case
from assistant.ports.lab import Lab, LabFailure, Program, ReplayOptions, ReplayRun, RunLimits
from tests.contracts.fake_lab import Behaviour, FakeLab
from tests.contracts.fake_store import FakeStore
from tests.deadlines import HANG_S
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT, WORKLOAD, RejectFirst, TwoEdits, search

WITH_VALUE = NAIVE.replace(
    "if (x < n && y < n) out[x * n + y] = in[y * n + x];",
    "if (x < n && y < n) {\n        float v = in[y * n + x];\n        out[x * n + y] = v;\n    }",
)
QUICK = WORKLOAD.replace("n = 160", "n = 64").replace("sizes  = { n = { min = 1 } }", "boundary = false")
"""One size, a multiple of 32."""
CONFIG = '[provider]\nkind = "openai"\nmodel = "small"\n[search]\nbeam = 1\n'


def turned(out: Any, values: Any, n: int) -> None:
    out[: n * n] = values[: n * n].reshape(n, n).T.ravel()


def turned_in_whole_tiles(out: Any, values: Any, n: int) -> None:
    if n % 32:
        raise IndexError("a tile reaches beyond the matrix")
    turned(out, values, n)


KERNELS = {
    "out[x * n + y]": Behaviour(turned, sectors=32),
    "[32][34]": Behaviour(turned, sectors=5),
    "if (ox < n && oy < n)": Behaviour(turned, sectors=6),
    "tile[32][33]": Behaviour(turned_in_whole_tiles, sectors=4),
}


@dataclass
class Searched:
    """One search, what it said, and the labs that it used."""

    heard: list[events.Event] = field(default_factory=list[events.Event])
    labs: list[FakeLab] = field(default_factory=list[FakeLab])

    def all(self, kind: type[events.Event]) -> list[Any]:
        return [event for event in self.heard if isinstance(event, kind)]

    @property
    def outcomes(self) -> dict[str, str]:
        return {event.technique: event.outcome for event in self.all(events.CandidateTried)}

    @property
    def offered(self) -> list[tuple[str, ...]]:
        return [event.techniques for event in self.all(events.ProposalMade)]

    def said(self, words: str) -> bool:
        return any(words in event.message for event in self.all(events.Message))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text(CONFIG)
    write(tmp_path, QUICK)
    return tmp_path


def write(folder: Path, workload: str) -> None:
    (folder / "turn.cu").write_text(f"{workload}\n{NAIVE}\n")


async def searched(
    folder: Path,
    planner: TwoEdits,
    is_model: bool = True,
    person: RejectFirst | None = None,
    other_labs: int = 0,
    lab: type[FakeLab] = FakeLab,
) -> Searched:
    came_to, store = Searched(), FakeStore()

    def open_lab(request: JobRequest, scratch: Path, target: str) -> Lab:
        came_to.labs += [lab(scratch / str(number), KERNELS, target=target) for number in range(1 + other_labs)]
        came_to.labs[0].parallel_labs = tuple(came_to.labs[1:])
        return came_to.labs[0]

    came_to.heard = await search(folder, planner, is_model, open_lab, lambda _: store, person)
    return came_to


@pytest.mark.parametrize("other_labs", [0, 1])
async def test_what_fails_its_confirmation_gives_way_to_the_next_best(folder: Path, other_labs: int) -> None:
    write(folder, WORKLOAD.replace("n = 160", "n = 64"))
    came_to = await searched(folder, TwoEdits(ONLY_FOR_MULTIPLES_OF_32), is_model=False, other_labs=other_labs)
    assert all(lab.asked for lab in came_to.labs)
    assert came_to.outcomes == {"rash-edit": "kept", "careful-edit": "kept"}
    ratios = {event.technique: event.ratio for event in came_to.all(events.CandidateTried)}
    assert ratios["rash-edit"] > ratios["careful-edit"]
    assert came_to.offered == [("careful-edit",)]
    assert came_to.said("failed its confirmation")


async def test_after_a_rejection_a_models_next_best_edit_is_offered_without_asking_it_again(folder: Path) -> None:
    planner = TwoEdits(RIGHT.replace("[33]", "[34]"))
    came_to = await searched(folder, planner, person=RejectFirst())
    assert came_to.offered == [("rash-edit",), ("careful-edit",)]
    assert planner.plan_count == 2  # on the text as it was, and on the version that was kept


async def test_a_model_whose_edits_gain_nothing_is_asked_as_often_as_patience_says(folder: Path) -> None:
    planner = TwoEdits(WITH_VALUE, WITH_VALUE.replace("float v", "const float v"))
    came_to = await searched(folder, planner)
    assert came_to.outcomes == {"rash-edit": "not_better", "careful-edit": "not_better"}
    assert planner.plan_count == 2


class Uncounted(FakeLab):
    """Comes to the end of no block in its time."""

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        found = await super().replay(program, cases, options, limits)
        if isinstance(found, LabFailure):
            return found
        runs = (replace(run, profiles=tuple(replace(one, blocks_counted=0) for one in run.profiles)) for run in found.cases)
        return replace(found, cases=tuple(runs))


async def test_a_search_that_ends_without_counters_says_of_which_kernel(folder: Path) -> None:
    came_to = await searched(folder, TwoEdits(WITH_VALUE, WITH_VALUE), is_model=False, lab=Uncounted)
    assert came_to.offered == [] and came_to.said("none of its launches was counted")
    (end,) = came_to.all(events.JobEnded)
    assert end.reason.startswith("no edit found") and "nothing could be counted of turn(" in end.reason


async def test_an_edit_that_does_not_compile_is_not_offered(folder: Path) -> None:
    came_to = await searched(folder, TwoEdits(NAIVE.replace("out[x * n + y]", "out[x * m + y]")))
    assert came_to.outcomes == {"rash-edit": "build_failed", "careful-edit": "kept"}
    assert came_to.offered == [("careful-edit",)]


@pytest.mark.parametrize(
    "rash",
    [
        f'struct A {{ inline static int q = system("touch ran"); }};\n{RIGHT.replace("int x", "int z = A::q;    int x")}',
        RIGHT[:-1] + '#define return (void)system("touch ran"); return\n}',
        RIGHT.replace("int x", 'system("touch ran");    int x'),
    ],
)
async def test_an_edit_that_hides_host_code_is_neither_built_nor_run_whatever_it_declares(folder: Path, rash: str) -> None:
    came_to = await searched(folder, TwoEdits(rash))
    assert came_to.outcomes == {"rash-edit": "not_allowed", "careful-edit": "kept"}
    assert not any("touch ran" in text for lab in came_to.labs for _, text in lab.asked)


async def test_a_kernel_near_the_speed_of_light_is_left_as_it_is(folder: Path) -> None:
    (folder / "home" / "config.toml").write_text(f"{CONFIG}near_limit_ratio = 0.001\n")
    write(folder, WORKLOAD)
    planner = TwoEdits(ONLY_FOR_MULTIPLES_OF_32)
    came_to = await searched(folder, planner)
    assert planner.plan_count == 0
    assert came_to.said("is reached, so the search ends here")


class JudgesWhenTheNextIsBuilt(FakeLab):
    """Its judging of the rash edit waits for the build of the careful one."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, KERNELS)
        self._is_built = asyncio.Event()

    async def build(self, program: Program, architecture: str) -> BuildResult:
        if RIGHT in program.sources[0].text:
            self._is_built.set()
        return await super().build(program, architecture)

    async def replay(self, program: Program, cases: Sequence[Case], options: ReplayOptions, limits: RunLimits) -> ReplayRun | LabFailure:
        if options.mode == "plain" and ONLY_FOR_MULTIPLES_OF_32 in program.sources[0].text:
            async with asyncio.timeout(HANG_S):
                await self._is_built.wait()
        return await super().replay(program, cases, options, limits)


async def test_the_next_edit_is_compiled_while_one_is_judged(folder: Path) -> None:
    planner, store = TwoEdits(ONLY_FOR_MULTIPLES_OF_32), FakeStore()
    heard = await search(folder, planner, False, lambda request, scratch, target: JudgesWhenTheNextIsBuilt(scratch), lambda _: store)
    assert [event.outcome for event in heard if isinstance(event, events.CandidateTried)] == ["kept", "kept"]
