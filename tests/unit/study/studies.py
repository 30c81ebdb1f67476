"""Frozen nodes, answers and verdicts as a study has them, made by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

from assistant.model.completion import Spending
from assistant.model.plan import Rewrite, Step
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.study.arms import Arm
from assistant.study.frozen_node import CallCost, FrozenNode, ProgramOptions
from assistant.study.outcomes import Answer, Verdict, rewrite_key

COST = CallCost(1000, 100, 2000)
STEP = Step("tile", "k", 3, "why", (), "", (), 0.0)
OUTCOMES = {"fail": TrialOutcome.BUILD_FAILED, "compile": TrialOutcome.FAILED, "pass": TrialOutcome.NOT_BETTER, "fast": TrialOutcome.KEPT}


def node(number: int = 0, generation: int = 0) -> FrozenNode:
    return FrozenNode(
        job="J1",
        workspace=Path("/w"),
        path=Path(f"/w/k{number}.cu"),
        kernel="k",
        generation=generation,
        texts=(Source(Path(f"/w/k{number}.cu"), "code"),),
        tried=(),
        known_until_ms=1,
        code_prompt=(),
        code_cost=COST,
        plan_prompt=(),
        plan_answer="",
        plan_cost=CallCost(3000, 300, 4000),
        judge_ms=500,
        model="m",
        program=ProgramOptions(),
    )


def rewrite(summary: str) -> Rewrite:
    return Rewrite("tile", "k", 3, (), summary, (), assumptions=(summary,))


def answer(frozen: FrozenNode, arm: Arm, index: int, grade: str) -> Answer:
    return Answer(frozen.id, arm.key, index, STEP, rewrite(grade), "", ("M1",), Spending(0.01, 1000, 100, 1))


def verdicts(frozen: FrozenNode) -> list[Verdict]:
    """Of the edits that are named by their grade."""
    return [Verdict(frozen.id, rewrite_key(rewrite(grade)), outcome, "", None) for grade, outcome in OUTCOMES.items()]


def drawn(random: Random, chance: float) -> str:
    """``fast`` with that chance, else right or wrong."""
    return "fast" if random.random() < chance else random.choice(["pass", "compile"])
