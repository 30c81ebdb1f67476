"""Rounds of a search for studies of searches: what was judged once is known by its texts, and nothing is offered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assistant.engine.channel import UNHEARD
from assistant.engine.evaluate import Evaluation, KernelAssessment, evaluate
from assistant.engine.job import DONE, Ending, Job
from assistant.engine.request import OptimizeOptions
from assistant.engine.search import RoundsAlone, starts_of
from assistant.engine.search.rounds_alone import OutcomeKey, UnknownOutcomeError
from assistant.engine.search.trials import SearchNode, Trial
from assistant.engine.source_version import SourceVersion
from assistant.plan.catalogue import Catalogue
from tests.contracts.fake_store import FakeStore
from tests.unit.engine.commands import KERNELS, Commands
from tests.unit.engine.scripted import Scripted, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_commands import DECLARED, PAIR, edited
from tests.unit.engine.test_rounds import WIDER
from tests.unit.engine.test_search import KERNELS as TURNS

pytestmark = pytest.mark.usefixtures("home")
HOST_TOO = RIGHT.replace("__global__", "static int first = 1;\n__global__", 1)
Outcomes = dict[OutcomeKey, Trial]


async def evaluated(job: Job, version: SourceVersion) -> Evaluation:
    found = await evaluate(job, version)
    assert isinstance(found, Evaluation)
    return found


@dataclass
class Study:
    """Searches in one job, each with a memory of its own and what is known of the candidates of those before."""

    job: Job
    start: SearchNode
    outcomes: Outcomes = field(default_factory=dict[OutcomeKey, Trial])
    stores: list[FakeStore] = field(default_factory=list[FakeStore])

    async def search(self, planner: Scripted, has_lab: bool = True, candidates: int = 9) -> list[tuple[str, str]]:
        """What memory was told, in order."""
        self.stores.append(FakeStore())
        options = OptimizeOptions(max_candidates=candidates)
        alone = RoundsAlone(self.job, options, self.stores[-1], planner, Catalogue(()), self.outcomes, has_lab)
        await alone.run("turn", self.start)
        return self.told

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(attempt.technique, attempt.outcome.value) for attempt in reversed(self.stores[-1].attempts())]


async def studied(folder: Path, work: Callable[[Study], Awaitable[None]]) -> None:
    on = Commands(folder, kernels={**KERNELS, **TURNS})

    async def body(job: Job, version: SourceVersion) -> Ending:
        ((kernel, start),) = starts_of(await evaluated(job, version)).items()
        assert kernel == "turn"
        await work(Study(job, start))
        return Ending(DONE, "done")

    assert await on.session.run("optimize", on.request(DECLARED), body, UNHEARD) == Ending(DONE, "done")


async def test_what_was_judged_is_known_the_next_time_and_host_code_may_be_edited(tmp_path: Path) -> None:
    def planner() -> Scripted:
        return Scripted([plan_of(NAIVE, tile=[WIDER, NAIVE.replace("int x", "int  x")], host=[HOST_TOO]), plan_of(WIDER, back=[NAIVE])])

    async def work(on: Study) -> None:
        first = await on.search(planner())
        assert first[0] == ("tile", "kept") and ("host", "kept") in first, "host code may be edited"
        assert all(kernel == "turn" for kernel, *_ in on.outcomes)
        assert ("turn", on.start.key, on.outcomes[next(iter(on.outcomes))].key, ()) in on.outcomes
        known = dict(on.outcomes)
        assert (await on.search(planner()), on.outcomes) == (first, known), "nothing is judged twice"
        assert on.stores[0].proposals() == on.stores[1].proposals() == (), "nothing is offered"

    await studied(tmp_path, work)


async def test_without_a_lab_what_is_not_known_ends_it(tmp_path: Path) -> None:
    async def work(on: Study) -> None:
        assert await on.search(Scripted([plan_of(NAIVE, tile=[RIGHT])])) == [("tile", "kept")]
        with pytest.raises(UnknownOutcomeError, match="nothing is known of other at line") as raised:
            await on.search(Scripted([plan_of(NAIVE, tile=[RIGHT], other=[WIDER])]), has_lab=False)
        assert raised.value.remedy == "judge it with a lab" and on.told == [("tile", "kept")]

    await studied(tmp_path, work)


async def test_what_is_known_is_told_of_the_step_that_asks_with_the_ratio_of_its_own_chain(tmp_path: Path) -> None:
    async def work(on: Study) -> None:
        await on.search(Scripted([plan_of(NAIVE, tile=[WIDER])]), candidates=1)
        ((key, trial),) = on.outcomes.items()
        assert trial.node is not None and trial.ratio is not None and trial.ratio > 1
        on.outcomes[key] = replace(trial, node=replace(trial.node, ratio=99.0, attempts=("C0", "C1")))
        planner = Scripted([plan_of(NAIVE, renamed=[WIDER, NAIVE.replace("int x", "int  x")]), plan_of(WIDER, more=[RIGHT])])
        assert (await on.search(planner))[0] == ("renamed", "kept")
        (request, *_) = (asked for asked in planner.planned if WIDER in asked.parsed.source.text)
        assert request.tried[0].technique == "renamed" and request.may_edit_host
        assert request.tried[1].reason == "but for comments and spacing it is the same as the text that the search starts from"

    await studied(tmp_path, work)


async def test_searches_begin_with_the_costliest_kernel_and_leave_those_of_macros(tmp_path: Path) -> None:
    on = Commands(tmp_path)

    async def body(job: Job, version: SourceVersion) -> Ending:
        evaluation = await evaluated(job, version)
        items = sorted(evaluation.assessment.kernels, key=lambda item: item.predicted_time_s)
        of_macro = replace(items[0], kernel=replace(items[0].kernel, macro="MAKE"))

        def names(*kernels: KernelAssessment) -> list[str]:
            return list(starts_of(replace(evaluation, assessment=replace(evaluation.assessment, kernels=kernels))))

        cheaper, dearer = (item.kernel.qualified_name for item in items)
        assert names(*items) == names(*reversed(items)) == [dearer, cheaper]
        assert names(of_macro, items[1]) == [dearer]
        assert names(*items, *[items[0]] * 99) == [cheaper, dearer], "all launches of a kernel count"
        return Ending(DONE, "done")

    assert await on.session.run("optimize", on.request(edited("2.0f * x[i];", "x[i] + x[i];", PAIR)), body, UNHEARD) == Ending(DONE, "done")
