"""Which step comes first, by what its finding promises and what memory knows: the same rule for every planner. Pure.

The gain of a step, a log(ratio), is the finding's estimate corrected by the evidence, each weighted by its precision, and pulled towards no
gain; what counts is the gain times the chance of being right. A rank is the share of the kernel's time that a finding would have to
promise to be worth as much, so that what memory does not know keeps its promise. Thompson sampling draws both
(`TechniqueEvidence`): the gain within the part of its uncertainty that experience speaks about. Example::

    chosen(0.6, None).rank            # 0.6: nothing but the estimate
    chosen(0.6, evidence).why         # "expected 2.9x: the finding promises 2.5x; on 6 similar kernels …"
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from assistant.model.comparison import format_ratio
from assistant.model.experience import Choice, TechniqueEvidence
from assistant.model.plan import Step
from assistant.record import Record

__all__ = ["Chosen", "chosen", "evidence_on", "with_order"]

_ESTIMATE_SPREAD = math.log(2.7) / 1.64
"""Standard deviation of a finding's estimate: nine in ten predictions were within 2.7x where a GPU re-measured them
(`measure.measured_error`)."""
_GAIN_SPREAD = math.log(1.5)
"""Standard deviation of log(ratio) before anything is known, around no gain: most techniques change a kernel by less than 1.5x. Estimates
are high where nothing held them against an outcome; without this, what is known to work would come after what is merely promised."""
_MOST_SHARE = 0.999
"""Of the time that an estimate may save: beyond it the logarithm has no meaning."""

_NO_CHOICE = Choice()


class Chosen(Record):
    """What a step is worth, and why."""

    rank: float
    """Share of the time that a finding would have to promise to be worth as much; below 0 where a loss is expected."""
    why: str


def evidence_on(known: Sequence[TechniqueEvidence], technique: str) -> TechniqueEvidence | None:
    return next((evidence for evidence in known if evidence.technique == technique), None)


def chosen(cost_ratio: float, evidence: TechniqueEvidence | None, choice: Choice = _NO_CHOICE, is_modelled: bool = True) -> Chosen:
    """``cost_ratio``: share of the kernel's time that the findings promise; ``is_modelled``: whether they say one at all."""
    estimate = -math.log(1 - min(_MOST_SHARE, max(0.0, cost_ratio)))
    promise = _promise(cost_ratio, is_modelled)
    if evidence is None:
        return Chosen(cost_ratio, f"{promise}; memory knows nothing of it on kernels like this one")
    own, before = _ESTIMATE_SPREAD**-2, _GAIN_SPREAD**-2
    total = before + own + evidence.precision
    mean = (own * estimate + evidence.precision * evidence.log_ratio) / total
    gain = mean + evidence.gain_draw * math.sqrt(evidence.precision) / total
    score = gain * evidence.chance_draw
    score *= math.exp(evidence.people if score > 0 else -evidence.people)
    score *= (before + own) / own  # as an estimate of which nothing else is known
    return Chosen(1 - math.exp(-score), _why(promise, mean, gain, evidence, choice))


def _promise(cost_ratio: float, is_modelled: bool) -> str:
    """Several findings that a step answers may promise more than all of the time together: then no number is said."""
    if not is_modelled:
        return "no gain is modelled"
    if cost_ratio >= _MOST_SHARE:
        return "its findings together promise nearly all of the time, by the performance model"
    return f"the finding promises {format_ratio(1 / (1 - max(0.0, cost_ratio)))}x by the performance model"


def with_order(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with their places in the plan said in their reasons."""
    places = (f"{place} of {len(steps)}" for place in range(1, len(steps) + 1))
    return tuple(replace(step, why=f"{place}: {step.why}" if step.why else place) for place, step in zip(places, steps, strict=True))


def _why(promise: str, mean: float, gain: float, evidence: TechniqueEvidence, choice: Choice) -> str:
    """``expected 2.90x and right with a chance of 0.89; …; Thompson sampling (seed 0) drew 3.10x and 0.93``."""
    parts = [f"expected {format_ratio(math.exp(mean))}x and right with a chance of {evidence.chance:.2f}", promise]
    parts += [evidence.summary] if evidence.summary else []
    if evidence.people:
        parts.append(f"people's decisions count as a factor of {math.exp(evidence.people):.2f}")
    if choice.rule == "thompson" and evidence.precision:
        parts.append(f"Thompson sampling (seed {choice.seed}) drew {format_ratio(math.exp(gain))}x and {evidence.chance_draw:.2f}")
    return "; ".join(parts)
