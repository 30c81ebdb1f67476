"""The candidates of one round on one version: checked against what is known and allowed, judged, reported, remembered.

Who writes them, and when, is not its business. Example::

    trials = RoundTrials(context, services, node)
    trial = await trials.tried(step, trials.labelled(rewrite))      # None where something speaks against even trying it
    trials.children()                                               # the versions that were kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from assistant.engine.ids import new_id
from assistant.engine.proposals import SettledStep, broken, forbidden, is_settled, moved, settled_step
from assistant.engine.report import technique_in_words
from assistant.engine.search.attempts import attempt_record
from assistant.engine.search.context import SearchContext, SearchServices, nothing_to_do
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.host_code import labelled
from assistant.engine.search.setbacks import summary_of_trial
from assistant.engine.search.shape import is_by_model
from assistant.engine.search.trials import SearchNode, Trial
from assistant.model import events
from assistant.model.attempt import Attempt
from assistant.model.plan import AttemptSummary, Rewrite, Step
from assistant.model.profile import Severity
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label
from assistant.profile.quantity import counted_noun

__all__ = ["RoundTrials", "candidate_tried", "constrained"]


@dataclass
class RoundTrials:
    """What one round has tried so far."""

    context: SearchContext
    services: SearchServices
    node: SearchNode
    withheld: list[str] = field(default_factory=list[str])
    """Edits of host code that were not allowed."""
    is_over: bool = False
    """A candidate came that may not be tried any more."""
    _kept: list[SearchNode] = field(default_factory=list[SearchNode])
    _open_steps: dict[Step, bool] = field(default_factory=dict[Step, bool])
    """Whether a later round may try the step again: some variant of it may still gain."""

    async def tried(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None] = nothing_to_do) -> Trial | Attempt | None:
        """The rewrite, judged; an attempt of the search that this one goes on with; None where something speaks against trying it."""
        reason = forbidden(self.context.options.rules, step.technique, rewrite.labels)
        if reason is not None:
            self.report_unjudged(step, rewrite.summary, TrialOutcome.CONSTRAINED, reason)
            return None
        after = edited_texts(self.node, rewrite)
        if isinstance(after, EditedTexts):
            dropped = self.context.earlier.dropped(self.node.key, after.key)
            if dropped is not None:
                self._note(step, dropped.outcome, dropped.ratio)
                return dropped
            if self._is_known(step, rewrite, after.key):
                return None
        if self.services.history.is_full:
            self.is_over = True
            self.report_untried(step, rewrite.summary)
            return None
        if Label.HOST_CODE in rewrite.labels:
            await self._ask_once(step)
            if not await self.services.host_code.asked(self._edit_name(step)):
                self.withheld.append(self._edit_name(step))
                reason = "it edits host code, which was not allowed: --allow-host-code does"
                self.report_unjudged(step, rewrite.summary, TrialOutcome.NOT_ALLOWED, reason)
                return None
        if not isinstance(after, EditedTexts):
            return await self._judged(step, rewrite, on_built)
        self.services.history.begun(after.key)
        trial = await self._judged(step, rewrite, on_built)
        self.services.history.ended(self.node.key, after.key, trial)
        return trial

    async def judged_again(self, step: Step, rewrite: Rewrite) -> Trial:
        """A candidate of the search that this one goes on with once more, as more than memory keeps is to be known of it."""
        return constrained(self.context, await self.services.trials.judge(self.node, step, rewrite))

    def may_be_tried(self, step: Step, rewrite: Rewrite) -> bool:
        """Whether nothing is known that would keep it from being judged; what a person must allow first is left to be asked for."""
        context, history, node = self.context, self.services.history, self.node
        after = edited_texts(node, rewrite)
        if (
            not isinstance(after, EditedTexts)
            or (Label.HOST_CODE in rewrite.labels and not self.services.host_code.is_given)
            or forbidden(context.options.rules, step.technique, rewrite.labels)
        ):
            return False
        is_known = context.earlier.dropped(node.key, after.key) or history.known(node.key, after.key) or history.same_code(after.key)
        return not (is_known or history.is_full)

    def labelled(self, rewrite: Rewrite) -> Rewrite:
        return labelled(self.node.evaluation.version, rewrite, self.services.host_code)

    def is_refused(self, step: Step) -> bool:
        """Whether a person turned the step down; reports it if so."""
        is_refused = self.is_turned_down(step)
        if is_refused:
            self.report_unjudged(step, step.title or step.technique, TrialOutcome.CONSTRAINED, "a person turned it down here")
        return is_refused

    def is_turned_down(self, step: Step) -> bool:
        return self.node.key == self.context.start.key and (step.technique, step.line) in self.context.refused

    def report_unjudged(self, step: Step, summary: str, outcome: TrialOutcome, reason: str) -> None:
        self.services.history.add_unjudged(AttemptSummary(step.technique, step.line, summary, outcome, reason, None))
        job = self.context.job
        job.emit(events.CandidateTried(job.id, new_id("C"), step.technique, self.context.kernel, outcome, reason, None, step.why))

    def report_untried(self, step: Step, summary: str, what: str = "it") -> None:
        """That a limit leaves no room for a step, a rewrite or a repair."""
        accounts = self.services.accounts
        most = counted_noun(self.context.options.max_candidates, "candidate")
        limit = accounts.why_out_of_time or f"limits.candidates allows {most} of a kernel"
        self.report_unjudged(step, summary, TrialOutcome.NOT_TRIED, f"{what} is not tried: {limit}")

    @property
    def is_followed(self) -> bool:
        """Whether the search may build on a version that was kept."""
        return any(node.may_be_built_on for node in self._kept)

    def children(self) -> tuple[SearchNode, ...]:
        """The versions that were kept, with what need not be tried on them again."""
        before = self.node.text
        return tuple(
            replace(node, settled=moved((*self.node.settled, *self._settled(node.kept[-1].step)), before, node.text)) for node in self._kept
        )

    def settled_node(self) -> SearchNode:
        """The version itself, with what need not be tried on it again."""
        return replace(self.node, settled=(*self.node.settled, *self._settled(None)))

    def _is_known(self, step: Step, rewrite: Rewrite, after: str) -> bool:
        """Whether it need not be tried: an earlier candidate was the same."""
        history = self.services.history
        if history.is_to_be_tuned(after, rewrite):
            return False
        known = history.known(self.node.key, after)
        if known is not None:
            self._note_outcome(step, known)
            if rewrite.origin is not None:
                self.report_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"it is the same as {known.id}")
            return True
        same = history.same_code(after)
        if same is not None:
            self.report_unjudged(step, rewrite.summary, TrialOutcome.DUPLICATE, f"but for comments and spacing it is the same as {same}")
        return same is not None

    async def _judged(self, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        context, before = self.context, self.node.key
        judged = await self.services.trials.judge(self.node, step, rewrite, on_built)
        trial = constrained(context, judged)
        if context.earlier.is_kept(before, judged.key):
            text = f"{context.kernel}: takes up {step.technique} at line {step.line}, which {context.earlier.job} had kept"
            context.job.say(Severity.INFORMATION, text)
            self.services.history.add_again(before, trial)
        else:
            self._remember(judged)
            context.job.emit(candidate_tried(context, self.node, trial))
            self.services.history.add(before, trial, summary_of_trial(trial, self.node.evaluation.version))
            await context.job.delivered()  # a person who watches may stop the search before anything more is spent
        self._note_outcome(step, trial)
        return trial

    def _note_outcome(self, step: Step, trial: Trial) -> None:
        """Note how a variant of ``step`` fared."""
        self._note(step, trial.outcome, trial.ratio)
        if trial.node is not None and trial.ratio is not None:
            self._kept.append(replace(trial.node, ratio=self.node.ratio * trial.ratio))

    def _note(self, step: Step, outcome: TrialOutcome, ratio: float | None) -> None:
        is_open = not is_settled(outcome, ratio, is_by_model(step))
        self._open_steps[step] = self._open_steps.get(step, False) or is_open

    def _settled(self, chosen: Step | None) -> tuple[SettledStep, ...]:
        return tuple(settled_step(step) for step, is_open in self._open_steps.items() if step == chosen or not is_open)

    async def _ask_once(self, step: Step) -> None:
        """Have a person asked whether host code may be edited, where none was; events make front ends wait meanwhile."""
        if not self.services.host_code.is_open:
            return
        edit = self._edit_name(step)
        job = self.context.job
        job.emit(events.StageStarted(job.id, "consent", f"{edit} edits host code"))
        await job.delivered()
        if await self.services.host_code.asked(edit):
            job.emit(events.StageStarted(job.id, "candidate", f"{self.context.kernel}: tries {technique_in_words(step.technique)}"))

    def _edit_name(self, step: Step) -> str:
        return f"{technique_in_words(step.technique)} of {self.context.kernel}"

    def _remember(self, trial: Trial) -> None:
        context = self.context
        now_ms = self.services.accounts.now_ms()
        record = attempt_record(context.job, context.workspace, self.node, context.searched(self.node), trial, now_ms)
        self.services.store.add_attempt(record)


def candidate_tried(context: SearchContext, node: SearchNode, trial: Trial) -> events.CandidateTried:
    """The event of a candidate that was judged as an edit of ``node``."""
    job, step, ratio = context.job.id, trial.step, trial.ratio
    whole = None if ratio is None else node.ratio * ratio
    return events.CandidateTried(
        job, trial.id, step.technique, context.kernel, trial.outcome, trial.reason, ratio, step.why, whole, trial.method
    )


def constrained(context: SearchContext, trial: Trial) -> Trial:
    """The trial without the version it makes, where that does not keep to a person's rules; memory keeps how it fared all the same."""
    if trial.node is None or trial.verification is None:
        return trial
    reasons = broken(context.options.rules, context.assessed(context.start), trial.after, trial.verification.labels)
    return trial.ended(TrialOutcome.CONSTRAINED, "; ".join(reasons)) if reasons else trial
