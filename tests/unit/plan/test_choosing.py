"""Which step comes first, and why."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from assistant.model.experience import Choice, TechniqueEvidence
from assistant.model.plan import Step
from assistant.plan.choosing import chosen, with_order
from assistant.plan.llm.recalled import RECALLED_TOKENS, recalled_lines
from assistant.plan.tokens import estimated_tokens


def evidence(**changes: Any) -> TechniqueEvidence:
    values = {"precision": 20.0, "log_ratio": math.log(3), "chance": 0.9, "chance_draw": 0.9} | changes
    return TechniqueEvidence("warp-per-row", "on 6 similar kernels", ("on 6 similar kernels",), **values)


def test_without_evidence_a_step_is_worth_what_its_finding_promises() -> None:
    found = chosen(0.6, None)
    assert found.rank == 0.6
    assert found.why == "the finding promises 2.50x by the performance model; memory knows nothing of it on kernels like this one"
    assert chosen(0.01, None, is_modelled=False).why.startswith("no gain is modelled; ")


def test_evidence_corrects_the_promise_by_its_precision() -> None:
    little, much = (chosen(0.1, evidence(precision=precision)).rank for precision in (0.5, 500.0))
    assert 0.1 < little < much < chosen(0.1, evidence(precision=500.0, chance_draw=1.0)).rank


def test_what_is_known_to_work_comes_before_what_is_merely_promised() -> None:
    known = chosen(0.86, evidence(precision=4.0, log_ratio=math.log(2.8), chance_draw=1.0))
    assert known.rank > chosen(0.86, None).rank, "both are promised 7x; one of them was seen to gain 2.8x"
    disproved = chosen(0.86, evidence(precision=4.0, log_ratio=0.0, chance_draw=1.0))
    assert disproved.rank < chosen(0.86, None).rank


def test_what_is_expected_to_lose_or_seldom_right_ranks_last() -> None:
    assert chosen(0.1, evidence(log_ratio=-1.0)).rank < 0
    assert 0 < chosen(0.1, evidence(chance_draw=0.03)).rank < 0.1


def test_people_move_gains_and_losses_the_way_they_meant() -> None:
    for log_ratio in (1.0, -1.0):
        rejected, plain, accepted = (chosen(0.1, evidence(log_ratio=log_ratio, people=people)).rank for people in (-0.7, 0.0, 0.3))
        assert rejected < plain < accepted


def test_a_draw_is_as_wide_as_what_experience_speaks_about_and_is_said() -> None:
    def width(precision: float) -> float:
        return chosen(0.1, evidence(precision=precision, gain_draw=1.0)).rank - chosen(0.1, evidence(precision=precision)).rank

    assert width(1e-9) < 1e-4, "what memory hardly knows keeps its estimate"
    assert width(1e9) < 1e-4, "what it knows well is not drawn"
    assert width(3.0) > 0.05
    why = chosen(0.1, evidence(), Choice("thompson", 7)).why
    assert why.startswith("expected 2.17x and right with a chance of 0.90; the finding promises 1.11x by the performance model; on 6 ")
    assert why.endswith("Thompson sampling (seed 7) drew 2.17x and 0.90")
    assert "Thompson" not in chosen(0.1, evidence(), Choice("greedy")).why


def test_the_place_in_the_plan_is_said() -> None:
    step = Step("tile", "k()", 3, "because", (), "KO101", (), 1.0, why="it gains")
    assert [each.why for each in with_order((step, replace(step, technique="pad")))] == ["1 of 2: it gains", "2 of 2: it gains"]


def test_a_prompt_has_a_bounded_part_of_what_memory_knows_best_first() -> None:
    diff = "\n".join(f"+    line {number};" for number in range(40))
    known = [replace(evidence(), technique=f"t{number}", sentences=("x " * 9,), diff=diff, diff_of="softmax") for number in range(200)]
    lines = recalled_lines(known)
    assert estimated_tokens("\n".join(lines)) <= RECALLED_TOKENS
    assert lines[0].startswith("t0: ") and "t0: its edit of softmax in this workspace, which was right:" in lines
    with_edit = {line.partition(":")[0] for line in lines if "its edit of" in line}
    assert {line.partition(":")[0] for line in lines if line.startswith("t")} > with_edit, "where an edit does not fit, its sentence may"
