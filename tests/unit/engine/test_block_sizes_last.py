"""When a round tries what only tunes: after its other steps, and where none of them made a version that the next round builds on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.request import Accept
from assistant.model import events
from assistant.model.plan import Rewrite, Technique
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.verification import Label
from assistant.plan.catalogue import Catalogue
from tests.contracts.fake_clock import Clock
from tests.unit.engine.scripted import Edits, Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, RIGHT
from tests.unit.engine.test_rounds import WIDER, WRITTEN, timed
from tests.unit.engine.test_search import QUICK, WITH_VALUE

pytestmark = pytest.mark.usefixtures("home")

CATALOGUE = Catalogue((Technique("sizes", "Try other sizes", (), (), "", only_tunes=True), Technique("tile", "Use a tile", (), (), "")))
SLOWER = WITH_VALUE


def on(folder: Path, plans: Sequence[tuple[str, Edits]], by_model: frozenset[str] = frozenset()) -> Search:
    return Search(folder, Scripted(plans, by_model=by_model), catalogue=CATALOGUE)


async def test_sizes_are_tried_on_what_the_round_kept(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT]), plan_of("[33]", sizes=[WIDER])])
    assert await search.run() == [("tile", "kept"), ("sizes", "not_tried"), ("sizes", "kept")]
    assert search.reasons[1] == "block sizes are tried last, on the version that was kept"
    _, second, *_ = search.planner.planned
    assert {technique for technique, _ in second.excluded} == {"tile"}
    assert search.planner.written == ["tile", "sizes"], "nothing is written for the first round"
    assert search.offered == [("tile", "sizes")]


async def test_sizes_come_last_and_are_tried_where_nothing_else_was_kept(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[RIGHT], tile=[SLOWER])])
    assert await search.run(max_rounds=1) == [("tile", "not_better"), ("sizes", "kept")]


async def test_sizes_alone_are_tried_at_once(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[RIGHT])])
    assert await search.run(max_rounds=1) == [("sizes", "kept")]


async def test_sizes_are_tried_where_a_person_must_decide_on_all_that_was_kept(tmp_path: Path) -> None:
    doubtful = replace(WRITTEN, summary=RIGHT, labels=(Label.PRECISION,))
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[doubtful])])
    assert await search.run(max_rounds=1) == [("tile", "kept"), ("sizes", "kept")]


async def test_sizes_wait_for_what_a_model_writes(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT])], by_model=frozenset({"tile"}))
    assert await search.run(max_rounds=1) == [("tile", "kept"), ("sizes", "not_tried")]


async def test_a_models_step_of_that_name_is_a_step_like_any_other(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT])], by_model=frozenset({"sizes"}))
    assert sorted(await search.run(max_rounds=1)) == [("sizes", "kept"), ("tile", "kept")]


async def test_sizes_are_not_begun_ahead_of_their_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    start = timed(NAIVE, 90)
    plans = [plan_of(start, sizes=[timed(WIDER, 30)], tile=[timed(RIGHT, 40)])]
    search = Search(tmp_path, Scripted(plans), f"{QUICK}\n{start}\n", timing=Clock(), catalogue=CATALOGUE)
    assert await search.run(max_rounds=1) == [("tile", "kept"), ("sizes", "not_tried")]
    assert "sizes" not in search.planner.written


async def test_sizes_that_a_person_turned_down_are_told_as_such(tmp_path: Path) -> None:
    sizes: list[str | Rewrite] = [RIGHT]
    search = on(tmp_path, [plan_of(NAIVE, sizes=sizes)])

    async def refuse(proposal: Proposal) -> DecisionRequest:
        return DecisionRequest(DecisionKind.REJECTED, reason="not here")

    await search.run(Accept.ASK, refuse)
    search.planner.plans = [plan_of(NAIVE, sizes=sizes, tile=[WIDER])]
    assert await search.run(max_rounds=1) == [("tile", "kept"), ("sizes", "constrained")]
    assert search.reasons[-1] == "a person turned it down here"


async def test_where_no_candidate_is_left_the_limit_is_the_reason(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[SLOWER])])
    assert await search.run(max_rounds=1, max_candidates=1) == [("tile", "not_better"), ("sizes", "not_tried")]
    assert search.reasons[-1] == "it is not tried: limits.candidates allows 1 candidate of a kernel"


async def test_sizes_that_nothing_can_be_tried_of_later_are_tried_at_the_end_where_they_were_planned(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT])])
    assert await search.run() == [("tile", "kept"), ("sizes", "not_tried"), ("sizes", "kept")]
    assert [NAIVE in request.parsed.source.text for request in search.planner.planned] == [True, False, True, False]
    assert [[step.technique for step in plan.steps] for plan in search.all(events.PlanMade)][2] == ["sizes"], "what was tried stays tried"
    assert "turn: goes back for block sizes, which were not planned for what was kept" in search.said
    assert search.offered == [("sizes",)]


async def test_what_is_found_at_the_end_is_built_on_with_all_that_was_kept_besides(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT]), plan_of("[34]", tile=[RIGHT.replace("[33]", "[35]")])])
    assert (await search.run())[2:] == [("sizes", "kept"), ("tile", "not_better")]
    assert ("tile", 10) not in search.planner.planned[3].excluded


async def test_a_search_does_not_go_back_for_sizes_that_were_planned_for_what_was_kept(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT]), plan_of("[33]", sizes=[SLOWER])])
    assert (await search.run())[2:] == [("sizes", "not_better")]
    assert len(search.planner.planned) == 2


async def test_a_search_does_not_go_back_for_sizes_from_what_is_twice_as_fast(tmp_path: Path) -> None:
    for takes_us, rounds in ((50, 3), (40, 2)):
        start = timed(NAIVE, 90)
        plans = [plan_of(start, sizes=[timed(WIDER, 80)], tile=[timed(RIGHT, takes_us)])]
        search = Search(tmp_path, Scripted(plans), f"{QUICK}\n{start}\n", timing=Clock(), catalogue=CATALOGUE)
        await search.run()
        assert len(search.planner.planned) == rounds


async def test_no_model_is_asked_again_to_go_back_for_sizes(tmp_path: Path) -> None:
    search = on(tmp_path, [plan_of(NAIVE, sizes=[WIDER], tile=[RIGHT])], by_model=frozenset({"tile"}))
    assert await search.run(planner="auto", may_call_models=True) == [("tile", "kept"), ("sizes", "not_tried")]
    assert sum(NAIVE in request.parsed.source.text for request in search.planner.planned) == 1
