"""Tuning the numbers of an edit: settings are tried by the judge that every candidate meets, the best is what the search goes on with.

The numbers are constants of a model's code, or those in which the edits of a rule differ.

What compiles to a kernel that cannot run is left out first, the compiler having several at once. ``optuna`` chooses what is tried next
from what was seen (ask and tell). Every setting is built, verified and timed (or predicted) as a candidate of its own; on a GPU the best is
timed once more, as the best of many measurements is too good by chance. Example::

    trials = TuningTrials(job, inner, accounts, shape.tuning_trials)
    await trials.judge(node, step, rewrite)     # the trial of the best setting, its values written in as plain constants
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from assistant.cuda.edits import edits_between
from assistant.engine.evaluate import costliest
from assistant.engine.job import Job
from assistant.engine.search.context import Trials, nothing_to_do
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.trials import SearchNode, Trial
from assistant.engine.source_version import candidate_of
from assistant.errors import KernelOptError
from assistant.model import events
from assistant.model.build import Build, is_too_large
from assistant.model.plan import FileEdits, Rewrite, Step
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.plan.tuning.blocks import written_threads
from assistant.plan.tuning.pruning import why_not
from assistant.plan.tuning.space import Setting, TuningProblem, TuningSpace, space_of, written
from assistant.record import Record

__all__ = ["TuningTrials"]

_MOST_REPEATS = 64
"""Times that a setting may be suggested which was tried already, before the next one in order is taken."""
_MOST_TIMED_AGAIN = 3
"""Settings, the best first, that are timed once more (chosen): each time one falls behind the next."""
_MOST_IN_VAIN = 2
"""Settings of a rule's edit, which come the most promising first, that are tried without any being better than one before."""
_SEED = 0
"""Of the suggestions, which are to be the same each time."""


class _Clock(Protocol):
    @property
    def is_out_of_time(self) -> bool: ...


class TuningTrials:
    """`Trials` that try further settings of an edit which has numbers to be tuned."""

    def __init__(self, job: Job, inner: Trials, clock: _Clock, trial_count: int) -> None:
        self._job = job
        self._inner = inner
        self._clock = clock
        self._trial_count = trial_count

    @property
    def count(self) -> int:
        return self._inner.count

    @property
    def has_room(self) -> bool:
        return self._inner.has_room

    @property
    def is_idle(self) -> bool:
        return self._inner.is_idle

    def own_lab(self) -> AbstractAsyncContextManager[None]:
        return self._inner.own_lab()

    def begin(self, node: SearchNode, step: Step, rewrite: Rewrite) -> None:
        self._inner.begin(node, step, rewrite)

    async def close(self) -> None:
        await self._inner.close()

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial:
        """The edit as it was written; where that came to a time, or is only too large for the GPU, the best of its settings."""
        first = await self._inner.judge(node, step, rewrite, on_built)
        is_timed = first.ratio is not None or is_too_large(first.diagnostics)
        if not (rewrite.tunables or rewrite.tuning_fault) or self._trial_count == 0 or not first.text:
            return first
        written_edits = TuningProblem(rewrite.tuning_fault) if rewrite.tuning_fault else _edits_of(node, first)
        if isinstance(written_edits, TuningProblem):
            reason = f"the numbers of {step.title or step.technique} are not tuned: {written_edits.reason}"
            self._job.say(Severity.INFORMATION, reason)
            return replace(first, untuned=reason)
        if not (is_timed or rewrite.alternatives):
            return first
        return await _Tuning(self._job, self._inner, self._clock, node, step, first, written_edits).best(self._trial_count)


class _Edits(Record):
    """The settings of an edit, and the edit with each of them."""

    space: TuningSpace
    rewrite_with: Callable[[Setting], Rewrite]
    most_in_vain: int
    """Settings that are tried one after another without any being better than one before."""


def _edits_of(node: SearchNode, first: Trial) -> _Edits | TuningProblem:
    rewrite = replace(first.rewrite, tunables=(), constraints=(), alternatives=())
    if first.rewrite.alternatives:
        by_setting = {Setting(one.numbers): one for one in (first.rewrite, *first.rewrite.alternatives)}

        def alternative(setting: Setting) -> Rewrite:
            other = replace(by_setting[setting], tunables=(), alternatives=())
            return replace(other, labels=rewrite.labels)  # with what was found of the first one

        return _Edits(TuningSpace(Setting(rewrite.numbers), tuple(by_setting)), alternative, _MOST_IN_VAIN)
    texts = (first.text, *(source.text for source in first.others))
    space = space_of(texts, first.rewrite.tunables, first.rewrite.constraints)
    before = {source.path: source.text for source in node.evaluation.version.sources}

    def with_constants(setting: Setting) -> Rewrite:
        own, *others = written(texts, setting)
        changed = ((source.path, edits_between(before[source.path], text)) for source, text in zip(first.others, others, strict=True))
        in_others = tuple(FileEdits(path, tuple(edits)) for path, edits in changed if edits)
        edits = tuple(edits_between(node.text, own))
        return replace(rewrite, edits=edits, in_others=in_others, summary=f"{rewrite.summary} ({setting.words})")

    return space if isinstance(space, TuningProblem) else _Edits(space, with_constants, len(space.settings))


class _Tuning:
    """Tries settings of an edit: other numbers in the same code."""

    def __init__(self, job: Job, inner: Trials, clock: _Clock, node: SearchNode, step: Step, first: Trial, edits: _Edits) -> None:
        self._job = job
        self._inner = inner
        self._clock = clock
        self._node = node
        self._step = step
        self._first = first
        self._edits = edits
        self._points: list[events.TuningPoint] = []
        self._tried: dict[Setting, Trial] = {}

    async def best(self, trial_count: int) -> Trial:
        """Try up to ``trial_count`` settings beyond the first; the trial of the best one."""
        space = self._edits.space
        self._note(space.start, self._first)
        open_settings = tuple(setting for setting in space.settings if setting != space.start)
        unfit = await self._unfit(open_settings[: 4 * trial_count])
        for setting, reason in unfit.items():
            self._points.append(events.TuningPoint(setting.values, TrialOutcome.BUILD_FAILED, reason, None))
        candidates = tuple(setting for setting in open_settings if setting not in unfit)
        suggested = _Suggestions(space.start, self._first.ratio or 0.0, candidates)
        coming = list(candidates if len(candidates) <= trial_count else ())
        for setting in suggested.up_to(trial_count):
            if self._clock.is_out_of_time or self._is_in_vain:
                break
            coming = coming[1:]
            for later in coming:  # as far as other labs are free
                self._inner.begin(self._node, self._step, self._edits.rewrite_with(later))
            trial = await self._judged(setting)
            suggested.learn(setting, trial.ratio)
        chosen = await self._confirmed()
        best = next((setting for setting, trial in self._tried.items() if trial.id == chosen.id), space.start)
        self._report(best, len(space.settings))
        return replace(chosen, rewrite=replace(chosen.rewrite, tunables=(), constraints=(), alternatives=()), settings=best.values)

    @property
    def _is_in_vain(self) -> bool:
        """Whether so many settings in a row were no better that the others are not worth their time."""
        ratios = [trial.ratio or 0.0 if trial.node is not None else 0.0 for trial in self._tried.values()]
        return len(ratios) - 1 - ratios.index(max(ratios)) >= self._edits.most_in_vain

    async def _confirmed(self) -> Trial:
        """The best that was kept; where there is a clock, one that a second timing leaves the best. The edit as it was written where none
        was kept."""
        again: dict[Setting, Trial] = {}
        while True:
            kept = {setting: trial for setting, trial in (self._tried | again).items() if trial.node is not None}
            if not kept:
                return self._first
            setting, best = max(kept.items(), key=lambda item: item[1].ratio or 0.0)
            is_sure = self._job.lab.timing is None or setting in again or best.id == self._first.id
            if is_sure or len(again) == _MOST_TIMED_AGAIN or self._clock.is_out_of_time:
                return best
            again[setting] = await self._judged(setting)

    async def _judged(self, setting: Setting) -> Trial:
        trial = await self._inner.judge(self._node, self._step, self._edits.rewrite_with(setting))
        self._note(setting, trial)
        return trial

    async def _unfit(self, settings: Iterable[Setting]) -> dict[Setting, str]:
        """Settings that the compiler shows cannot run, with the reason; compiled together."""
        if Label.HOST_CODE in self._first.rewrite.labels:
            return {}
        found = await asyncio.gather(*(self._why_unfit(setting) for setting in settings))
        return {setting: reason for setting, reason in zip(settings, found, strict=True) if reason is not None}

    async def _why_unfit(self, setting: Setting) -> str | None:
        version = self._node.evaluation.version
        made = edited_texts(self._node, self._edits.rewrite_with(setting))
        if not isinstance(made, EditedTexts):
            return None  # as below
        try:
            candidate = candidate_of(version, (Source(version.source.path, made.text), *made.others))
        except KernelOptError as error:
            return error.message
        instances = tuple(item.instance for item in self._node.evaluation.counted.kernels)
        built = await self._job.lab.build(replace(candidate.program, kernels=instances), self._job.target.architecture)
        if not isinstance(built, Build):
            return None  # its own trial says why
        main = costliest(self._first.after or self._node.evaluation.assessment.kernels)
        seen = max((launch.profile.config.block.count for launch in main.launches), default=None)
        threads = written_threads(candidate.files, main.kernel.name, seen)
        reasons = (
            why_not(resources, self._job.architecture, threads) for resources in built.resources if resources.kernel == main.instance
        )
        return next((reason for reason in reasons if reason is not None), None)

    def _note(self, setting: Setting, trial: Trial) -> None:
        self._tried[setting] = trial
        self._points.append(events.TuningPoint(setting.values, trial.outcome, trial.reason, trial.ratio))

    def _report(self, best: Setting, setting_count: int) -> None:
        method = "predicted" if self._job.lab.timing is None else "timed"
        kernel, technique = self._step.kernel, self._step.technique
        self._job.emit(events.TuningEnded(self._job.id, kernel, technique, tuple(self._points), best.values, setting_count, method))


class _Suggestions:
    """What to try next, by what was seen: all settings where they are few, else optuna's choice among them."""

    def __init__(self, start: Setting, ratio: float, settings: tuple[Setting, ...]) -> None:
        import optuna  # half a second, which only a search that tunes should take

        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._open = dict.fromkeys(settings)
        names = [name for name, _ in start.values]
        choices = {name: sorted({value for s in (start, *settings) for key, value in s.values if key == name}) for name in names}
        self._distributions = {name: optuna.distributions.CategoricalDistribution(values) for name, values in choices.items()}
        self._study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=_SEED))
        self._asked: dict[Setting, optuna.trial.Trial] = {}
        self._values: dict[Setting, float] = {}
        self._add(start, ratio)

    def up_to(self, count: int) -> Iterator[Setting]:
        """Settings that were not tried, at most ``count``."""
        for _ in range(min(count, len(self._open))):
            setting = next(iter(self._open)) if len(self._open) <= count else self._chosen()
            del self._open[setting]
            yield setting

    def learn(self, setting: Setting, ratio: float | None) -> None:
        """What came of a setting; 0 where it did not come to a time."""
        value = 0.0 if ratio is None else ratio
        asked = self._asked.pop(setting, None)
        if asked is None:
            self._add(setting, value)
        else:
            self._values[setting] = value
            self._study.tell(asked, value)

    def _chosen(self) -> Setting:
        for _ in range(_MOST_REPEATS):
            trial = self._study.ask(dict(self._distributions))
            setting = Setting(tuple((name, int(trial.params[name])) for name in self._distributions))
            if setting in self._open:
                self._asked[setting] = trial
                return setting
            self._study.tell(trial, self._values.get(setting, 0.0))  # tried before, or it cannot run
        return next(iter(self._open))

    def _add(self, setting: Setting, value: float) -> None:
        import optuna

        self._values[setting] = value
        made = optuna.trial.create_trial(params=dict(setting.values), distributions=dict(self._distributions), value=value)
        self._study.add_trial(made)
