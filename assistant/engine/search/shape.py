"""How wide and how deep a search looks. The expert's rules cost nothing and are tried all; a model's calls cost money and time."""

from __future__ import annotations

from dataclasses import replace

from assistant.config import Settings
from assistant.model.plan import Step
from assistant.record import Record

__all__ = ["EXPERT", "SearchShape", "is_by_model", "shape_for_agents", "shape_for_models", "shape_for_rules"]

_CORES_TO_TIME_BESIDE = 4
_CONTENTS_PER_TRIAL = 16
"""Times what a program's buffers hold that one trial may keep in memory, as cases and as what was left on them (chosen: a whole search on
a matrix of 64 MB, one candidate after another, took 2.0 GB)."""
EXPERT = "expert"
"""`Step.planner` of the rules, which cost nothing."""


def is_by_model(step: Step) -> bool:
    """Whether writing it costs a call."""
    return step.planner != EXPERT


class SearchShape(Record):
    """How wide and deep a search goes."""

    width: int = 1
    """SpeedQuestion that it carries on with."""
    repairs: int = 0
    """Times a rewrite that failed may be repaired."""
    patience_rounds: int = 1
    """Rounds without a gain after which it ends."""
    near_limit_ratio: float | None = None
    """Share of the speed of light from which a kernel is left as it is; None: never."""
    parallel_builds: int = 2
    """Candidates in the compiler's hands at once: the one that is tried, and what comes behind it."""
    tuning_trials: int = 16
    """Settings of an edit's numbers that are tried."""
    agent_turns: int = 24
    """Of a model that works with tools."""
    trials_per_gpu: int = 1
    """Candidates that are tried on one GPU at a time, where the cores suffice."""
    asks_models: bool = False
    """A rewrite may cost a call, and is not asked for where it could not be tried."""
    allowed: tuple[str, ...] = ()
    """Decisions that are put off to the end of the search (``search.allow``)."""

    def most_ahead(self, is_timed: bool, core_count: int) -> int:
        """Candidates compiled while another one is judged; none where a compile may take the core that queues what is timed."""
        return 0 if is_timed and core_count < _CORES_TO_TIME_BESIDE else self.parallel_builds - 1

    def prepares_ahead(self, core_count: int) -> bool:
        """Whether what candidates will be held against is run before the first of them asks for it."""
        return core_count >= _CORES_TO_TIME_BESIDE

    def at_once(self, core_count: int, memory_bytes: int, contents_bytes: int) -> int:
        """Candidates that are tried on one GPU at a time; ``contents_bytes``: what the buffers of the program's launches hold together."""
        fitting = memory_bytes // max(1, _CONTENTS_PER_TRIAL * contents_bytes)
        return max(1, min(self.trials_per_gpu, core_count // _CORES_TO_TIME_BESIDE, fitting))


def shape_for_rules(settings: Settings) -> SearchShape:
    """As the settings say where they concern rules, too."""
    search = settings.search
    return SearchShape(
        parallel_builds=search.parallel_builds,
        tuning_trials=search.tuning_trials,
        trials_per_gpu=search.trials_per_gpu,
        allowed=search.allow,
    )


def shape_for_models(settings: Settings) -> SearchShape:
    """As the settings say."""
    search = settings.search
    return SearchShape(
        width=search.beam,
        repairs=search.repairs,
        patience_rounds=search.patience_rounds,
        near_limit_ratio=search.near_limit_ratio,
        parallel_builds=search.parallel_builds,
        tuning_trials=search.tuning_trials,
        agent_turns=search.agent_turns,
        trials_per_gpu=search.trials_per_gpu,
        asks_models=True,
        allowed=search.allow,
    )


def shape_for_agents(settings: Settings) -> SearchShape:
    """As the settings say; an agent searches a kernel in one conversation."""
    return replace(shape_for_models(settings), width=1)
