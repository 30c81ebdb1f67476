"""What past trials and decisions say about techniques for a state, ranked: one answer for planners, people and prompts. Pure.

For each technique: an estimate of log(time before / time after) with its precision, the chance that an edit builds and is right, and how
people decided. Trials count by likeness of the kernels (``likeness.py``), one kernel and device once; kernels that are not similar make up
a prior that is worth half a kernel. Failures lower the chance. What is uncertain is drawn from, with a seed (Thompson sampling), so that
what is not settled is tried again; how an estimate of the planner's own comes in, ``plan/choosing.py`` says. Example::

    recall(query, rows, judgements)[0].summary
    # "on 6 similar kernels (memory-bound row reductions, sm_90) warp-per-row was right 6 of 6, median 3.1x [2.2, 4.0], measured"
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

from assistant.memory.experience import Judgement
from assistant.memory.experience_rows import Known, vector_of
from assistant.memory.likeness import Group, freshness, grouped
from assistant.memory.recall_words import judgement_sentences, summary_of, trial_sentences
from assistant.memory.records import path_key
from assistant.model.experience import Origin, RecallQuery, TechniqueEvidence
from assistant.model.proposal import DecisionKind
from assistant.profile import state_distance

__all__ = ["recall"]

MAX_SENTENCES = 5
"""Sentences shown of a technique, those of the weightiest groups first."""
_KERNEL_SPREAD = math.log(1.5)
"""Standard deviation of a technique's log(ratio) between kernels of like states (chosen)."""
_SHARED_ERROR = 0.25
"""Share of a prediction's variance that is left where this lab predicts, too: the model's error is mostly the same in both (chosen)."""
_CHANCE_PRIOR = 2.0
"""Trials that are assumed to have gone well: one failure of one gives 2/3."""
_PEOPLE_EFFECTS = {
    DecisionKind.ACCEPTED: 0.3,
    DecisionKind.PARTIALLY_ACCEPTED: 0.15,
    DecisionKind.EDITED_THEN_ACCEPTED: 0.3,
    DecisionKind.REJECTED: -0.7,
    DecisionKind.UNDONE: -0.35,
    DecisionKind.REOPENED: 0.0,
}
"""Change of log(rank) by one decision on this very kernel today (chosen: one rejection halves it)."""
_PEOPLE_LIMIT = 1.4
_SAME_WORKSPACE_WEIGHT = 0.5
_OTHER_WORKSPACE_WEIGHT = 0.15


def recall(query: RecallQuery, rows: Iterable[Known], judgements: Iterable[Judgement]) -> tuple[TechniqueEvidence, ...]:
    """One entry for each technique that memory knows something about for this state, best first by what was drawn.

    What only imports know comes last. A job's own trials are no memory of it: a search does not quote itself.
    """
    by_technique: dict[str, list[Known]] = {}
    for row in rows:
        by_technique.setdefault(row.technique, []).append(row)
    decided: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        for technique in judgement.techniques:
            if judgement_weight(query, judgement) > 0:
                decided.setdefault(technique, []).append(judgement)
    names = dict.fromkeys((*query.techniques, *by_technique, *decided))
    found = (_evidence(query, name, grouped(query, by_technique.get(name, ())), decided.get(name, [])) for name in names)
    known = (evidence for evidence in found if evidence is not None)
    imported = {name for name, some in by_technique.items() if all(row.origin == Origin.IMPORT for row in some)} - decided.keys()
    return tuple(sorted(known, key=lambda evidence: (evidence.technique in imported, -_worth(evidence), evidence.technique)))


def judgement_weight(query: RecallQuery, judgement: Judgement) -> float:
    """A person's word on this very kernel holds whatever its signature became."""
    if judgement.workspace == query.workspace and judgement.kernel == query.kernel:
        nearness = 1.0
    else:
        place = _SAME_WORKSPACE_WEIGHT if judgement.workspace == query.workspace else _OTHER_WORKSPACE_WEIGHT
        mine, theirs = query.state.signature, judgement.signature
        nearness = place * max(0.0, 1 - 2 * state_distance(vector_of(mine), vector_of(theirs), mine.label == theirs.label))
    return nearness * freshness(query.now_ms, judgement.decided_ms) / len(judgement.techniques)


def _evidence(query: RecallQuery, technique: str, groups: tuple[Group, ...], judgements: list[Judgement]) -> TechniqueEvidence | None:
    if not judgements and not any(group.judged_count for group in groups):
        return None
    precision, log_ratio = _gain(query, groups)
    good, bad = _verdicts(groups)
    chance = (good + _CHANCE_PRIOR) / (good + bad + _CHANCE_PRIOR)
    gain_draw, chance_draw = _draws(query, technique, good, bad, chance)
    said = judgement_sentences(query, judgements, judgement_weight)
    summary = summary_of(query, technique, groups)
    sentences = (*said, summary, *trial_sentences(query, groups))
    nearest = _nearest(query, groups)
    return TechniqueEvidence(
        technique=technique,
        summary=summary,
        sentences=tuple(dict.fromkeys(text for text in sentences if text))[:MAX_SENTENCES],
        precision=precision,
        log_ratio=log_ratio,
        chance=chance,
        people=_people(query, judgements),
        gain_draw=gain_draw,
        chance_draw=chance_draw,
        nearest="" if nearest is None else nearest.id,
        diff_of="" if nearest is None else nearest.kernel.partition("(")[0],
    )


def _gain(query: RecallQuery, groups: tuple[Group, ...]) -> tuple[float, float]:
    """(precision, mean) of log(ratio): each kernel is one observation with its own variance and that between kernels."""
    precision_sum = weighted_sum = 0.0
    for group in groups:
        if group.log_ratio is None:
            continue
        is_alike = not group.is_measured and not query.state.device.is_measured
        variance = group.variance * (_SHARED_ERROR if is_alike else 1.0)
        precision = group.weight / (variance + _KERNEL_SPREAD**2)
        precision_sum += precision
        weighted_sum += precision * group.log_ratio
    return precision_sum, weighted_sum / precision_sum if precision_sum else 0.0


def _verdicts(groups: tuple[Group, ...]) -> tuple[float, float]:
    """Weights of what was right and of what was not; a kernel is shared among its trials."""
    good = bad = 0.0
    for group in groups:
        if group.judged_count:
            share = group.right_count / group.judged_count
            good, bad = good + group.trust * share, bad + group.trust * (1 - share)
    return good, bad


def _draws(query: RecallQuery, technique: str, good: float, bad: float, chance: float) -> tuple[float, float]:
    """(standard normal for the gain, chance): the same for the same seed, kernel, version and technique."""
    choice = query.choice
    if choice.rule != "thompson":
        return 0.0, chance
    drawn = random.Random(f"{choice.seed}/{choice.key}/{technique}")  # noqa: S311  (a repeatable draw, no secret)
    gain = drawn.gauss(0.0, 1.0)
    return gain, drawn.betavariate(good + _CHANCE_PRIOR, bad) if bad > 0 else chance


def _people(query: RecallQuery, judgements: list[Judgement]) -> float:
    total = sum(_PEOPLE_EFFECTS[j.kind] * judgement_weight(query, j) for j in judgements)
    return min(_PEOPLE_LIMIT, max(-_PEOPLE_LIMIT, total))


def _nearest(query: RecallQuery, groups: tuple[Group, ...]) -> Known | None:
    """The trial of this workspace on the nearest kernel whose edit was right and gained something."""
    own = path_key(query.workspace)
    for group in sorted(groups, key=lambda group: -group.nearness):
        for row in group.rows:
            if row.is_right and (row.log_ratio or 0.0) > 0 and group.nearness > 0 and row.workspace == own:
                return row
    return None


def _worth(evidence: TechniqueEvidence) -> float:
    """What is expected of it where nothing but memory is known, for the order that people and prompts see."""
    spread = evidence.gain_draw / math.sqrt(evidence.precision) if evidence.precision else 0.0
    return (evidence.log_ratio + spread) * evidence.chance_draw + evidence.people
