"""Tuning the numbers of an edit: settings are tried by the judge that every candidate meets, the best is what the search goes on with.

The numbers are constants of a model's code, or those in which the edits of a rule differ.

What compiles to a kernel that cannot run is left out first, the compiler having several at once. ``optuna`` chooses what is tried next
from what was seen (ask and tell). Every setting is built, verified and timed (or predicted) as a candidate of its own; on a GPU the best is
verified and timed once more, on other values, as the best of many measurements is too good by chance. What an interrupted search had judged
is taken from its log: only the setting that is chosen is judged once more, as the search goes on from what its run shows. Example::

    trials = TuningTrials(job, inner, accounts, shape.tuning_trials, TriedSettings(earlier.log))
    await trials.judge(node, step, rewrite)     # the trial of the best setting, its values written in as plain constants
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from assistant.cuda.edits import edits_between
from assistant.engine.evaluate import costliest
from assistant.engine.job import Job
from assistant.engine.search.context import Trials, nothing_to_do
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.host_code import further_files
from assistant.engine.search.suggestions import Suggestions
from assistant.engine.search.trials import SearchNode, Trial
from assistant.engine.search.tried_settings import TriedSettings, key_sha256
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

_MOST_TIMED_AGAIN = 3
"""Settings, the best first, that are timed once more (chosen): each time one falls behind the next."""
_MOST_IN_VAIN = 2
"""Settings of a rule's edit, which come the most promising first, that are tried without any being better than one before."""


class _Clock(Protocol):
    @property
    def is_out_of_time(self) -> bool: ...


class TuningTrials:
    """`Trials` that try further settings of an edit which has numbers to be tuned."""

    def __init__(self, job: Job, inner: Trials, clock: _Clock, trial_count: int, tried: TriedSettings | None = None) -> None:
        """``tried``: by the search that this one goes on with."""
        self._job = job
        self._tried = tried or TriedSettings()
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

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial:
        return await self._inner.judge_again(node, trial)

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial:
        """The edit as it was written; where that came to a time, or is only too large for the GPU, the best of its settings."""
        has_numbers = bool(rewrite.tunables or rewrite.tuning_fault) and self._trial_count > 0
        judged = _JudgedSettings(self._job, self._inner, self._tried, node, step)
        known = judged.known(rewrite) if has_numbers else None
        if known is not None:
            on_built()
        first = known or await self._inner.judge(node, step, rewrite, on_built)
        if not has_numbers or not first.text:
            return first
        is_timed = known is not None or first.ratio is not None or is_too_large(first.diagnostics)
        written_edits = TuningProblem(rewrite.tuning_fault) if rewrite.tuning_fault else _edits_of(node, first)
        if isinstance(written_edits, TuningProblem):
            reason = f"the numbers of {step.title or step.technique} are not tuned: {written_edits.reason}"
            self._job.say(Severity.INFORMATION, reason)
            return replace(first, untuned=reason)
        if not (is_timed or rewrite.alternatives):
            return first
        return await _Tuning(self._job, judged, self._clock, first, written_edits).best(self._trial_count)


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
    version = node.evaluation.version
    own = Source(version.source.path, first.text)
    files = (*first.others, *further_files(version, first.rewrite, (own, *first.others)))
    texts = (first.text, *(source.text for source in files))
    space = space_of(texts, first.rewrite.tunables, first.rewrite.constraints)
    before = {source.path: source.text for source in version.sources}

    def with_constants(setting: Setting) -> Rewrite:
        own, *others = written(texts, setting)
        changed = ((source.path, edits_between(before[source.path], text)) for source, text in zip(files, others, strict=True))
        in_others = tuple(FileEdits(path, tuple(edits)) for path, edits in changed if edits)
        edits = tuple(edits_between(node.text, own))
        return replace(rewrite, edits=edits, in_others=in_others, summary=f"{rewrite.summary} ({setting.words})")

    if isinstance(space, TuningProblem):
        return space
    return _Edits(space, with_constants, len(space.settings))


class _JudgedSettings(Record):
    """Judges a step's edits of a version, of which an interrupted search may have judged some."""

    job: Job
    inner: Trials
    tried: TriedSettings
    node: SearchNode
    step: Step

    def known(self, rewrite: Rewrite) -> Trial | None:
        """The trial of the interrupted search, as far as its log says: without the version that it makes."""
        made = edited_texts(self.node, rewrite)
        if not isinstance(made, EditedTexts):
            return None
        event = self.tried.next(self.step.kernel, self.node.key, made.key, self.method)
        if event is None:
            return None
        has_host_code = self.node.has_host_code or Label.HOST_CODE in rewrite.labels
        trial = Trial(event.candidate, self.step, rewrite, made.text, made.others, has_host_code=has_host_code)
        return replace(trial, outcome=event.point.outcome, reason=event.point.reason, ratio=event.point.ratio)

    @property
    def method(self) -> str:
        return "predicted" if self.job.lab.timing is None else "timed"

    def begin(self, rewrite: Rewrite) -> None:
        """Ahead, as far as other labs are free."""
        made = edited_texts(self.node, rewrite)
        if not (isinstance(made, EditedTexts) and self.tried.has_next(self.step.kernel, self.node.key, made.key, self.method)):
            self.inner.begin(self.node, self.step, rewrite)

    async def judge(self, rewrite: Rewrite) -> Trial:
        return await self.inner.judge(self.node, self.step, rewrite)

    async def judge_again(self, rewrite: Rewrite, trial: Trial) -> Trial:
        """On other values; of an interrupted search the same once more, as its log says little of it."""
        return await self.judge(rewrite) if trial.node is None else await self.inner.judge_again(self.node, trial)

    def keep(self, trial: Trial, point: events.TuningPoint) -> None:
        """Write down how a setting fared, before anything else is tried; not again what the interrupted search has written down."""
        if self.tried.was_reported(trial.id):
            return
        before, after = key_sha256(self.node.key), key_sha256(trial.key)
        kernel, technique = self.step.kernel, self.step.technique
        self.job.emit(events.SettingTried(self.job.id, kernel, technique, point, trial.id, before, after, self.method))


class _Tuning:
    """Tries settings of an edit: other numbers in the same code."""

    def __init__(self, job: Job, settings: _JudgedSettings, clock: _Clock, first: Trial, edits: _Edits) -> None:
        self._job = job
        self._settings = settings
        self._node = settings.node
        self._step = settings.step
        self._clock = clock
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
        suggested = Suggestions(space.start, self._first.ratio or 0.0, candidates)
        coming = list(candidates if len(candidates) <= trial_count else ())
        for setting in suggested.up_to(trial_count):
            if self._clock.is_out_of_time or self._is_in_vain:
                break
            coming = coming[1:]
            for later in coming:  # as far as other labs are free
                self._settings.begin(self._edits.rewrite_with(later))
            trial = await self._judged(setting)
            suggested.learn(setting, trial.ratio)
        best, chosen = await self._confirmed()
        self._report(best, len(space.settings))
        return replace(chosen, rewrite=replace(chosen.rewrite, tunables=(), constraints=(), alternatives=()), settings=best.values)

    @property
    def _is_in_vain(self) -> bool:
        """Whether so many settings in a row were no better that the others are not worth their time."""
        ratios = [trial.ratio or 0.0 if _is_kept(trial) else 0.0 for trial in self._tried.values()]
        return len(ratios) - 1 - ratios.index(max(ratios)) >= self._edits.most_in_vain

    async def _confirmed(self) -> tuple[Setting, Trial]:
        """The best that was kept; where there is a clock, one that a second timing leaves the best. The edit as it was written where none
        was kept."""
        again: dict[Setting, Trial] = {}
        while True:
            kept = {setting: trial for setting, trial in (self._tried | again).items() if _is_kept(trial)}
            if not kept:
                return self._edits.space.start, await self._whole(self._edits.space.start, self._first)
            setting, best = max(kept.items(), key=lambda item: item[1].ratio or 0.0)
            is_sure = self._job.lab.timing is None or setting in again or best.id == self._first.id
            if not (is_sure or len(again) == _MOST_TIMED_AGAIN or self._clock.is_out_of_time):
                again[setting] = await self._judged(setting, best)
            elif best.node is not None:
                return setting, best
            else:
                again[setting] = await self._whole(setting, best)

    async def _judged(self, setting: Setting, before: Trial | None = None) -> Trial:
        """``before``: its trial that was kept, which has to hold on other values."""
        rewrite, settings = self._edits.rewrite_with(setting), self._settings
        trial = settings.known(rewrite)
        if trial is None:
            trial = await settings.judge(rewrite) if before is None else await settings.judge_again(rewrite, before)
        self._note(setting, trial)
        return trial

    async def _whole(self, setting: Setting, trial: Trial) -> Trial:
        """The trial; of an interrupted search the same once more, as its log says little of it."""
        if not self._settings.tried.was_reported(trial.id):
            return trial
        is_first = setting == self._edits.space.start
        return await self._settings.judge(self._first.rewrite if is_first else self._edits.rewrite_with(setting))

    async def _unfit(self, settings: Iterable[Setting]) -> dict[Setting, str]:
        """Settings that the compiler shows cannot run, with the reason; compiled together."""
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
        instances = tuple(item.instance for item in (self._first.node or self._node).evaluation.counted.kernels)
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
        point = events.TuningPoint(setting.values, trial.outcome, trial.reason, trial.ratio)
        self._points.append(point)
        self._settings.keep(trial, point)

    def _report(self, best: Setting, setting_count: int) -> None:
        kernel, technique = self._step.kernel, self._step.technique
        method = next((trial.method for trial in self._tried.values() if trial.method), self._settings.method)
        self._job.emit(events.TuningEnded(self._job.id, kernel, technique, tuple(self._points), best.values, setting_count, method))


def _is_kept(trial: Trial) -> bool:
    """Also of an interrupted search, whose trials are known without the versions that they made."""
    return trial.outcome is TrialOutcome.KEPT
