"""What a round tries, repairs, leaves out and tells, by a planner of which every edit is known."""

from __future__ import annotations

import math
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.engine.proposals.decide import DecisionRequest
from assistant.engine.request import Accept, CandidateRules
from assistant.engine.search.planning import SearchCallbacks
from assistant.model import events
from assistant.model.completion import Caps
from assistant.model.plan import MetricPrediction, Plan, Rewrite, SetbackKind, UnwrittenStep, UnwrittenStepCode
from assistant.model.proposal import DecisionKind, Proposal
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome
from assistant.ports.planner import PlanRequest
from tests.contracts.fake_clock import Clock
from tests.contracts.fake_lab import Behaviour
from tests.unit.engine.scripted import Scripted, Search, plan_of
from tests.unit.engine.searches import NAIVE, ONLY_FOR_MULTIPLES_OF_32, RIGHT
from tests.unit.engine.test_search import KERNELS, QUICK, WITH_VALUE, turned

pytestmark = pytest.mark.usefixtures("home")

WIDER = RIGHT.replace("[33]", "[34]")
UNKNOWN = NAIVE.replace("out[x * n + y]", "out[x * m + y]")
SYSTEM = RIGHT.replace("int x", 'system("touch ran");    int x')
WRITTEN = Rewrite("", "", 0, (), "", ())
"""Of which a test says the text, as its summary, and the labels."""


async def test_every_rewrite_of_a_step_is_tried_in_order_and_none_twice(tmp_path: Path) -> None:
    spaced, restored = RIGHT.replace("int x", "int  x"), NAIVE.replace("int x", "int  x")
    unwritten = UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "no loop to unroll")
    planner = Scripted([plan_of(NAIVE, tile=[WITH_VALUE, RIGHT, unwritten, spaced, WIDER], other=[restored, RIGHT, UNKNOWN])])
    on = Search(tmp_path, planner)
    assert await on.run() == [
        ("tile", "not_better"),
        ("tile", "kept"),
        ("tile", "unwritten"),
        ("tile", "duplicate"),
        ("tile", "kept"),
        ("other", "duplicate"),
        ("other", "build_failed"),
    ]
    kept = on.all(events.CandidateTried)[1].candidate
    assert on.reasons[2] == "no loop to unroll"
    assert on.reasons[3] == f"but for comments and spacing it is the same as {kept}"
    assert on.reasons[5] == "but for comments and spacing it is the same as the text that the search starts from"
    assert on.offered == [("tile",)] and on.ending == "1 proposal"
    assert [told.reason for told in planner.planned[1].tried] == on.reasons


async def test_what_a_plan_notes_is_reported_with_the_kernel(tmp_path: Path) -> None:
    class Noting(Scripted):
        async def plan(self, request: PlanRequest) -> Plan:
            return replace(await super().plan(request), notes=("a step was left out",))

    on = Search(tmp_path, Noting([plan_of(NAIVE, tile=[RIGHT])]))
    await on.run()
    assert on.said.count("turn: a step was left out") == len(on.planner.planned) > 0


@pytest.mark.parametrize("timing", [None, Clock()])
async def test_a_models_edit_with_the_counters_of_another_is_a_duplicate_unless_a_gpu_times_both(
    tmp_path: Path, timing: Clock | None
) -> None:
    padded = RIGHT.replace("tile[32][33]", "tile[32][35]")
    edits = [edit.replace("    __shared__", "    // takes 20 us\n    __shared__", 1) for edit in (RIGHT, padded)]
    before = NAIVE.replace("    int x", "    // takes 40 us\n    int x", 1)
    on = Search(tmp_path, Scripted([plan_of(before, tile=edits)], is_model=True), f"{QUICK}\n{before}\n", timing=timing)
    assert await on.run(max_rounds=1) == [("tile", "kept"), ("tile", "duplicate" if timing is None else "kept")]
    if timing is None:
        assert re.fullmatch(r"by every counter it does what \S+ does, and nothing was timed that could tell them apart", on.reasons[1])


async def test_a_models_duplicate_is_told(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[WITH_VALUE], other=[WITH_VALUE])], is_model=True), settings="repairs = 0\n")
    assert sorted(await on.run(max_rounds=1)) == [("other", "duplicate"), ("tile", "not_better")]
    assert on.reasons[0] == "but for comments and spacing it is the same as one that is being tried"
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[WITH_VALUE])], is_model=True), settings="repairs = 0\n")
    assert await on.run(max_rounds=2) == [("tile", "not_better"), ("tile", "duplicate")]
    assert on.reasons[1] == f"it is the same as {on.all(events.CandidateTried)[0].candidate}"


@pytest.mark.parametrize(
    ("repairs", "written", "outcomes"),
    [
        (0, [], ["build_failed"]),
        (1, [RIGHT], ["build_failed", "kept"]),
        (2, [WITH_VALUE, RIGHT], ["build_failed", "not_better", "kept"]),
        (2, [None], ["build_failed"]),
        (2, [UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "out of ideas")], ["build_failed", "unwritten"]),
    ],
)
async def test_a_model_repairs_its_edit_as_often_as_the_settings_say(
    tmp_path: Path, repairs: int, written: list[Any], outcomes: list[str]
) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[UNKNOWN])], list(written), is_model=True)
    on = Search(tmp_path, planner, settings=f"repairs = {repairs}\n")
    assert [outcome for _, outcome in await on.run(max_rounds=1)] == outcomes
    kinds = [SetbackKind.BUILD, SetbackKind.NOT_FASTER]
    assert [setback.kind for setback in planner.setbacks] == kinds[: len(written)]
    assert [setback.text.count("turn(") for setback in planner.setbacks] == [1] * len(written)
    if repairs:
        assert planner.setbacks[0].reason.endswith("line 10 of the edited text: turn is in no table") and planner.setbacks[0].diagnostics


async def test_when_enough_was_tried_rules_go_on_with_nothing_and_a_model_is_asked_for_nothing(tmp_path: Path) -> None:
    plans = [plan_of(NAIVE, tile=[WITH_VALUE, RIGHT], other=[WIDER])]
    rules = Scripted(plans)
    on = Search(tmp_path, rules)
    assert await on.run(max_candidates=1) == [("tile", "not_better"), ("tile", "not_tried"), ("other", "not_tried")]
    assert on.reasons[1:] == ["it is not tried: limits.candidates allows 1 candidate of a kernel"] * 2
    model = Scripted(plans, [WIDER], is_model=True)
    on = Search(tmp_path, model, settings="repairs = 1\n")
    told = await on.run(max_candidates=1, max_rounds=1)
    assert (told[0], sorted(told[1:])) == (("tile", "not_better"), [("other", "not_tried"), *[("tile", "not_tried")] * 2])
    assert (model.setbacks, model.written, rules.written) == ([], ["tile"], ["other", "tile"])


@pytest.mark.parametrize(
    ("rules", "outcomes", "words"),
    [
        (CandidateRules(excluded_techniques=frozenset({"tile"})), ["constrained", "kept"], "tile is excluded"),
        (CandidateRules(refused_labels=frozenset({Label.READABILITY})), ["constrained", "kept"], "it carries the label readability"),
        (CandidateRules(block_threads=64), ["constrained", "constrained"], "it launches blocks of 1024 threads, not of 64"),
    ],
)
async def test_what_a_person_ruled_out_is_not_kept(tmp_path: Path, rules: CandidateRules, outcomes: list[str], words: str) -> None:
    labelled = replace(WRITTEN, summary=WIDER, labels=(Label.READABILITY,))
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[labelled], other=[RIGHT])]))
    assert [outcome for _, outcome in await on.run(rules=rules, max_rounds=1)] == outcomes
    assert on.reasons[0] == words


async def test_a_gain_that_is_less_than_was_asked_for_is_not_offered(tmp_path: Path) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT])])
    (open_one,) = await offers(tmp_path, planner, CandidateRules())
    ratio = open_one.speed.ratio
    assert (planner.planned[-1].least_ratio, planner.planned[-1].decided_ratio) == (1.01, 1.05)
    assert len(await offers(tmp_path, planner, CandidateRules(min_ratio=ratio))) == 1
    assert planner.planned[-1].least_ratio == planner.planned[-1].decided_ratio == ratio
    on = Search(tmp_path, planner)
    await on.run(rules=CandidateRules(min_ratio=math.nextafter(ratio, 2)), max_rounds=1)
    assert on.offered == [] and "turn: the best edit is not offered: its 1.31x is less than 1.31x" in on.said


async def offers(folder: Path, planner: Scripted, rules: CandidateRules) -> list[events.ProposalMade]:
    on = Search(folder, planner)
    await on.run(rules=rules, max_rounds=1)
    return on.all(events.ProposalMade)


@pytest.mark.parametrize("answer", [True, False])
async def test_a_person_is_asked_once_whether_host_code_may_be_edited(tmp_path: Path, answer: bool) -> None:
    seen: list[str] = []

    async def ask(edit: str) -> bool:
        seen.append(edit)
        assert on.all(events.StageStarted)[-1].stage == "consent", "who is asked was told so before"
        return answer

    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[SYSTEM, RIGHT], other=[SYSTEM.replace("int y", "int  y")])]))
    outcomes = [outcome for _, outcome in await on.run(asked=SearchCallbacks(host_code=ask))]
    stages = [(event.stage, event.detail) for event in on.all(events.StageStarted) if event.stage in ("consent", "candidate")]
    assert seen == ["tile of turn"]
    assert stages == [("consent", "tile of turn edits host code"), *([("candidate", "turn: tries tile")] if answer else [])]
    if not answer:
        assert outcomes == ["not_allowed", "kept", "not_allowed"]
        assert on.said[-1] == "not tried, because it edits host code, which was not allowed: tile of turn, other of turn"


async def test_the_next_kept_step_is_built_on_the_last_and_all_are_offered_together(tmp_path: Path) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT]), plan_of("ox < n", wider=[ONLY_FOR_MULTIPLES_OF_32])])
    on = Search(tmp_path, planner)
    assert await on.run(Accept.BEST_PREDICTED) == [("tile", "kept"), ("wider", "kept")]
    assert on.offered == [("tile", "wider")] and on.ending == "1 proposal, 1 accepted"
    assert ONLY_FOR_MULTIPLES_OF_32 in on.file.read_text()
    first, second = on.all(events.CandidateTried)
    made = on.all(events.ProposalMade)[0]
    assert first.ratio is not None and second.ratio is not None
    assert made.speed.ratio == pytest.approx(first.ratio * second.ratio)
    (story,) = planner.stories
    assert [step.technique for step in story.steps] == ["tile", "wider"] and story.before.parsed.source.text == on.text
    stored = on.store.find_proposal(made.id)
    assert [attempt.parent_text == on.text for attempt in reversed(on.store.attempts())] == [True, False]
    assert stored.summary == "Do it. Do it." and stored.model is None


@pytest.mark.parametrize("rounds", [0, 1])
async def test_no_more_rounds_are_searched_than_were_asked_for(tmp_path: Path, rounds: int) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT]), plan_of("[33]", wider=[WIDER])])
    on = Search(tmp_path, planner)
    await on.run(max_rounds=rounds)
    assert len(planner.planned) == rounds
    assert on.ending.startswith("1 proposal" if rounds else "no edit found: no edit was planned")


async def test_a_cap_on_rounds_ends_the_search_and_says_so(tmp_path: Path) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[RIGHT]), plan_of("[33]", wider=[WIDER])], is_model=True)
    on = Search(tmp_path, planner)
    assert await on.run(caps=Caps(round_count=1)) == [("tile", "kept")]
    assert on.ending == "1 proposal; the cap of 1 round ended the search"
    planner.plans = []
    await on.run(caps=Caps(round_count=0))
    assert on.ending == "no edit found: no edit was planned; the cap of 0 rounds ended the search"


async def test_a_repair_that_there_is_no_room_for_is_told(tmp_path: Path) -> None:
    planner = Scripted([plan_of(NAIVE, tile=[UNKNOWN])], [RIGHT], is_model=True)
    on = Search(tmp_path, planner, settings="repairs = 1\n")
    assert await on.run(max_rounds=1, max_candidates=1) == [("tile", "build_failed"), *[("tile", "not_tried")] * 2]
    assert "a repair of it is not tried: limits.candidates allows 1 candidate of a kernel" in on.reasons


async def test_what_rules_are_left_with_when_time_is_up_is_told(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))
    assert await on.run(caps=Caps(gpu_s=0.0)) == [] and on.ending.endswith("the cap of 0 s of GPU ended the search")


async def test_an_interrupted_search_with_a_model_takes_up_what_it_kept_without_asking_again(tmp_path: Path) -> None:
    planner = Scripted(
        [plan_of(NAIVE, tile=[RIGHT], other=[WITH_VALUE]), plan_of("ox < n", wider=[ONLY_FOR_MULTIPLES_OF_32])], is_model=True
    )
    on = Search(tmp_path, planner, settings="repairs = 0\n")
    assert await on.run(stop_after=3) == [("tile", "kept"), ("other", "not_better"), ("wider", "kept")]
    (job,) = {event.job for event in on.all(events.CandidateTried)}
    planner.planned, planner.written = [], []
    await on.run(is_resumed=True)
    assert [event.job for event in on.all(events.CandidateTried)] == [job] * 3  # told again, and none tried
    told = [words for words in on.said if "takes up" in words]
    assert told == [f"turn: takes up {name} at line 10, which {job} had kept" for name in ("tile", "wider")]
    assert on.offered == [("tile", "wider")] and [setback.kind for setback in planner.setbacks] == []
    made = on.store.find_proposal(on.all(events.ProposalMade)[0].id)
    assert (made.model, made.calls) == ("small", ("M1",))
    assert made.comparison.ratio == pytest.approx(1.348, abs=0.001)


async def test_an_edit_that_waits_for_a_decision_is_not_offered_again_by_a_search_that_goes_on(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])], is_model=True))
    await on.run(caps=Caps(round_count=1))
    (made,) = on.all(events.ProposalMade)
    await on.run(caps=Caps(round_count=2), is_resumed=True)
    assert f"turn: the best edit is still {made.id} (PASS, PREDICTED 1.31x), which stays open" in on.said
    assert len(on.store.proposals()) == 1


async def test_the_very_edit_that_is_open_for_another_kernel_is_not_offered_twice(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))
    await on.run()
    (made,) = on.all(events.ProposalMade)
    other = replace(on.store.find_proposal(made.id), id="P00000000000000000000000099", kernel="other(float *)")
    on.store.add_proposal(tmp_path, other)
    await on.run()
    assert f"turn: the best edit is that of {other.id}, offered for other(float *): both use what it changes" in on.said
    assert on.ending.endswith(f"the best one waits as {other.id} for a decision") and len(on.store.proposals()) == 2


async def test_the_very_edit_that_was_rejected_is_not_offered_under_another_name(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))

    async def refuse(proposal: Proposal) -> DecisionRequest:
        return DecisionRequest(DecisionKind.REJECTED, reason="not here")

    assert await on.run(Accept.ASK, refuse) == [("tile", "kept"), ("tile", "constrained")]
    assert on.reasons[-1] == "a person turned it down here"
    assert "turn: looks for the next best edit, without what was rejected" in on.said
    (first,) = on.all(events.ProposalMade)
    on.planner.plans = [plan_of(NAIVE, other=[RIGHT])]
    assert await on.run() == [("other", "kept")]
    (again, found) = [words for words in on.said if first.id in words]
    assert again.startswith(f"turn: tile at line 10 is not offered again: {first.id}, rejected on ") and again.endswith(": not here")
    assert found.startswith(f"turn: the edit that was found is {first.id}, rejected on ") and on.offered == []


async def test_what_a_step_predicted_is_scored_and_kept(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))
    sectors = MetricPrediction("global_sectors", 8192, 1536, "sectors")
    on.planner.step = replace(on.planner.step, predictions=(sectors,), predicted_ratio=1.5)
    await on.run()
    (attempt,) = on.store.attempts()
    ratio = pytest.approx(1.3114, abs=1e-4)
    scores = [(outcome.prediction.metric, outcome.actual, outcome.is_hit) for outcome in attempt.predictions]
    made = on.store.find_proposal(on.all(events.ProposalMade)[0].id)
    assert [outcome.actual for outcome in made.predictions] == [outcome.actual for outcome in attempt.predictions]
    assert scores[-1] == ("time_ratio", ratio, False) and scores[0][0] == "global_sectors"
    assert attempt.outcome is TrialOutcome.KEPT and attempt.verification == "PASS"


async def test_of_what_was_kept_before_the_best_is_offered(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT, WIDER])], is_model=True))
    await on.run(stop_after=2)
    on.planner.plans = []
    await on.run(is_resumed=True)
    assert WIDER in on.store.find_proposal(on.all(events.ProposalMade)[0].id).files[0].after_text


def timed(kernel: str, takes_us: int) -> str:
    return kernel.replace("    int x", f"    // takes {takes_us} us\n    int x", 1)


@pytest.mark.parametrize(
    ("clock", "core_count", "written"),
    [
        (None, 1, ["wider", "tile", "wider"]),
        (Clock(), 4, ["wider", "tile", "wider"]),
        (Clock(), 2, ["tile", "wider"]),
    ],
)
async def test_what_rules_write_behind_a_candidate_is_compiled_with_it_unless_that_would_disturb_a_clock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock | None, core_count: int, written: list[str]
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: core_count)
    start, right, wider = timed(NAIVE, 40), timed(RIGHT, 30), timed(WIDER, 20)
    planner = Scripted(
        [plan_of(start, tile=[right], model=[UnwrittenStep(UnwrittenStepCode.GIVEN_UP, "no")], wider=[wider])],
        by_model=frozenset({"model"}),
    )
    on = Search(tmp_path, planner, f"{QUICK}\n{start}\n", timing=clock)
    assert await on.run(max_rounds=1) == [("model", "unwritten"), ("tile", "kept"), ("wider", "kept")]
    assert [name for name in planner.written if name != "model"] == written


@pytest.mark.parametrize("cited", [None, 0])
async def test_an_edit_is_explained_by_its_finding_and_the_evidence_that_it_cites(tmp_path: Path, cited: int | None) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])], cited=cited))
    await on.run(max_rounds=1)
    finding = on.planner.planned[0].findings[0]
    (made,) = on.all(events.ProposalMade)
    assert finding.code == "KO101" and f"Why: KO101: {finding.message}" in made.explanation
    assert [fact.id for fact in made.evidence] == ([] if cited is None else list(finding.evidence))


async def test_a_kernel_near_its_limit_is_judged_by_the_shape_that_takes_most_time(tmp_path: Path) -> None:
    told: list[str] = []
    for shapes in ("{ n = 160 }", "{ n = 64 }", "{ n = 64 }, { n = 160, weight = 9 }", "{ n = 160 }, { n = 64, weight = 900 }"):
        text = f"{QUICK}\n{NAIVE}\n".replace("{ n = 64 }", shapes)
        on = Search(tmp_path, Scripted([], is_model=True), text, settings="near_limit_ratio = 0.0001\n")
        await on.run()
        told.append(next(words for words in on.said if "is reached, so the search ends here" in words))
    assert told[0] == told[2] != told[1] == told[3]
    assert on.planner.planned == [] and on.ending.startswith("no edit found")


async def test_of_an_interrupted_step_the_variants_that_are_left_are_tried(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[WITH_VALUE, RIGHT])]))
    assert await on.run(stop_after=1) == [("tile", "not_better")]
    assert await on.run(is_resumed=True) == [("tile", "not_better"), ("tile", "kept")]
    assert len({event.job for event in on.all(events.CandidateTried)}) == 2
    assert on.planner.planned[1].excluded == frozenset() and [told.outcome for told in on.planner.planned[1].tried] == ["not_better"]


async def test_an_edit_that_leaves_no_kernel_is_not_built(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=["// nothing"])]))
    assert await on.run() == [("tile", "build_failed")]
    assert on.reasons[0].endswith("turn.cu holds no __global__ function")


async def test_what_needs_a_decision_is_not_added_to_an_edit_that_needs_none(tmp_path: Path) -> None:
    doubtful = replace(WRITTEN, summary=WIDER, labels=(Label.PRECISION,))
    kernels = {"[33]": Behaviour(turned, sectors=16), "[34]": Behaviour(turned, sectors=4), **KERNELS}
    on = Search(tmp_path, Scripted([plan_of("[33]", wider=[doubtful]), plan_of(NAIVE, tile=[RIGHT])]), kernels=kernels)
    assert await on.run() == [("tile", "kept"), ("wider", "not_bundled")]
    assert on.reasons[1].endswith("; it needs a human decision, so it is not added to a pure edit")
    assert on.offered == [("tile",)]


async def test_the_alignment_that_a_rule_asks_for_first_is_decided_at_the_end(tmp_path: Path) -> None:
    wide = replace(WRITTEN, summary=WIDER, labels=(Label.ALIGNMENT,))
    kernels = {"[33]": Behaviour(turned, sectors=16), "[34]": Behaviour(turned, sectors=4), **KERNELS}
    on = Search(tmp_path, Scripted([plan_of("[33]", wider=[wide]), plan_of(NAIVE, tile=[RIGHT])]), kernels=kernels)
    assert await on.run() == [("tile", "kept"), ("wider", "kept")]
    (made,) = on.all(events.ProposalMade)
    assert on.offered == [("tile",)] and [one.verification.outcome for one in made.alternatives] == [Outcome.NEEDS_DECISION]


async def test_proposals_carry_whole_milliseconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time_ns", lambda: 1_700_000_000_123_999_999)
    on = Search(tmp_path, Scripted([plan_of(NAIVE, tile=[RIGHT])]))
    await on.run(max_rounds=1)
    created_ms = on.store.find_proposal(on.all(events.ProposalMade)[0].id).created_ms
    assert (created_ms, type(created_ms)) == (1_700_000_000_123, int)


async def test_that_a_kernel_is_near_its_limit_is_said_once_however_many_islands_see_it(tmp_path: Path) -> None:
    on = Search(tmp_path, Scripted([], is_model=True), settings="near_limit_ratio = 0.0001\n")
    given = tmp_path / "home" / "config.toml"
    given.write_text(given.read_text().replace("beam = 1", "beam = 3"))
    await on.run()
    assert sum("is reached, so the search ends here" in words for words in on.said) == 1
