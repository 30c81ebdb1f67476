"""Judges candidates by their predicted speed alone: each is built, run once and counted, and taken to be right. For studies of searches.

What it keeps is offered to no one. Edits of rules keep a kernel's meaning by construction; whether one really does, only `CandidateJudge`
finds out. Example::

    RoundsAlone(job, options, store, planner, catalogue, {}, has_lab=True, judge=PredictingJudge)
"""

from __future__ import annotations

from assistant.engine.evaluate import Evaluation
from assistant.engine.judge import Speed, affected_pairs, predict_speed, speed_of_program
from assistant.engine.search.baselines import Look
from assistant.engine.search.candidate_judge import CandidateJudge
from assistant.engine.search.trials import SearchNode
from assistant.model.plan import Rewrite
from assistant.model.verification import CannotJudge, Outcome, Verification
from assistant.ports.lab import LabFailure
from assistant.verify.judge import DECISION_LABELS

__all__ = ["PredictingJudge"]


class PredictingJudge(CandidateJudge):
    """`CandidateJudge` without a verdict on what candidates answer."""

    async def verify(
        self, node: SearchNode, evaluation: Evaluation, rewrite: Rewrite, look: Look
    ) -> Verification | CannotJudge | LabFailure:
        """What the rules themselves say that a person has to decide on."""
        labels = tuple(dict.fromkeys((*rewrite.labels, *(label for kept in node.kept for label in kept.rewrite.labels))))
        is_decided = any(label in DECISION_LABELS for label in labels)
        outcome = Outcome.NEEDS_DECISION if is_decided else Outcome.PASS
        return Verification(outcome, (), labels, (), "none", (), ("nothing was compared: only the speed was asked for",))

    async def speed(self, node: SearchNode, evaluation: Evaluation, look: Look) -> Speed:
        speed = await speed_of_program(self._job, node.evaluation, evaluation)
        return Speed(predict_speed(affected_pairs(node.evaluation, evaluation, self._name))) if speed is None else speed
