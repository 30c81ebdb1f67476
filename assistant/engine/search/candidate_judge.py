"""Tries one candidate: an edit is made, run, verified against the user's text and put through the gate.

Knows nothing of rounds or of what is offered. Example::

    trial = await judge.judge(node, step, rewrite, on_built)
    trial.node   # the version it makes, where it was kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.engine.evaluate import CONFIRM_REPEATS, CountedRun, Effort, Evaluation, costliest, evaluate, evaluate_failed, steered
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge import (
    Baseline,
    Speed,
    SpeedQuestion,
    affected_pairs,
    changed_kernels,
    divided_results,
    foreign_reading,
    judged_as_a_whole,
    may_be_moved,
    moved_work,
    prepare,
    screened_program,
    speed_of,
    speed_of_program,
    verify,
    why_not_asked,
    with_findings,
)
from assistant.engine.proposals import (
    OF_EDITED,
    Citation,
    Improvement,
    KeptStep,
    NoImprovement,
    ScoredVersion,
    gate,
    score_predictions,
    score_ratio,
)
from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.search.baselines import Baselines, Look
from assistant.engine.search.deferred import decisions_of, is_deferred
from assistant.engine.search.edited import EditedTexts, edited_texts
from assistant.engine.search.same_work import SeenWork, counters_of, machine_code_of
from assistant.engine.search.shape import is_by_model
from assistant.engine.search.successors import kernel_in
from assistant.engine.search.trials import SearchNode, Trial, end_without_speed, why_not_judged
from assistant.engine.source_version import SourceVersion, candidate_of
from assistant.errors import KernelOptError
from assistant.model.comparison import Comparison
from assistant.model.plan import MetricPrediction, Rewrite, Step, Technique
from assistant.model.proposal import PredictionOutcome
from assistant.model.source import Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CannotJudge, Label, Outcome, Verification
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import Lab, LabFailure
from assistant.verify.evidence import DetectedLabel

__all__ = ["CandidateJudge", "baselines_of"]

_SCREEN_REPEATS = 2


def baselines_of(job: Job, start: Evaluation, second_run: CountedRun | None, is_ahead: bool = False) -> Baselines:
    """What candidates are held against that start from ``start``. ``is_ahead``: prepared before they ask."""
    seeds = job.seeds

    async def make(kernels: frozenset[str], look: Look) -> Baseline | LabFailure:
        is_confirming = look is Look.CONFIRMING
        screened = seeds[0] if look is Look.SCREENING else seeds[0] ^ 1
        effort = Effort(
            seeds=seeds[len(seeds) // 2 :] if is_confirming else (screened,),
            repeats=CONFIRM_REPEATS if is_confirming else _SCREEN_REPEATS,
            mode="check" if is_confirming else "plain",
            with_boundary=is_confirming,
            is_confirming=is_confirming,
        )
        return await prepare(job, start, kernels, effort, second_run)

    return Baselines(make, is_ahead)


class CandidateJudge:
    """Tries edits of a kernel (by qualified name) against the version that the search on it starts from."""

    def __init__(
        self,
        job: Job,
        catalogue: Catalogue,
        name: str,
        start: SearchNode,
        second_run: CountedRun | None,
        deferred: frozenset[Label] = frozenset(),
        seen: SeenWork | None = None,
        baselines: Baselines | None = None,
    ) -> None:
        """``deferred``: what a person decides on at the end of the search; ``seen``, ``baselines``: shared by the judges of a search."""
        self._job = job
        self._catalogue = catalogue
        self._name = name
        self._start = start
        self._deferred = deferred
        self._seen = seen or SeenWork()
        self._baselines = baselines or baselines_of(job, start.evaluation, second_run)

    @property
    def lab(self) -> Lab:
        """Where it tries them."""
        return self._job.lab

    async def judge(self, node: SearchNode, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        """Screen one edit of ``node``; ``on_built`` is called once the CUDA compiler has nothing left to do for it."""
        has_host_code = node.has_host_code or Label.HOST_CODE in rewrite.labels
        trial = Trial(new_id("C"), step, rewrite, has_host_code=has_host_code)
        made = edited_texts(node, rewrite)
        if not isinstance(made, EditedTexts):
            return trial.ended(TrialOutcome.BUILD_FAILED, f"the edits do not fit the text: {made}")
        trial = replace(trial, text=made.text, others=made.others)
        try:
            version = candidate_of(node.evaluation.version, (Source(node.evaluation.version.source.path, made.text), *made.others))
        except KernelOptError as error:
            return trial.ended(TrialOutcome.BUILD_FAILED, error.message)
        foreign = await foreign_reading(self._job, self._start.evaluation.version, version)
        if foreign is not None:
            return trial.ended(TrialOutcome.BUILD_FAILED, foreign.message)
        self._baselines.begin(changed_kernels(self._start.evaluation.version, version), Look.SCREENING)
        async with BuiltAhead(self._job, node.evaluation) as build:
            build.begin((rewrite,), with_host_code=True)  # it is run now, so it may be built
            evaluation = await evaluate(self._job, version, node.evaluation.next_evidence)
        on_built()
        if isinstance(evaluation, LabFailure):
            trial = replace(trial, diagnostics=evaluation.diagnostics, printed=evaluation.printed)
            if evaluation.kind == _ENDED_BADLY and rewrite.origin is not None:
                trial = await self._diagnosed(node, version, trial)
            return trial.ended(_outcome_of(evaluation), _first_error(evaluation))
        same = None if rewrite.origin is None or has_host_code else self._seen.first(machine_code_of(evaluation), trial.id, trial.key)
        if same is not None:
            return trial.ended(TrialOutcome.DUPLICATE, f"it compiles to the machine code of {same}")
        return await self._held_against(node, trial, evaluation, Look.SCREENING)

    async def judge_again(self, node: SearchNode, trial: Trial) -> Trial:
        """A trial of an edit of ``node`` that was kept: the version that it made on other values, without building or running it again."""
        assert trial.node is not None, "it was kept"
        again = Trial(new_id("C"), trial.step, trial.rewrite, trial.text, trial.others, has_host_code=trial.has_host_code)
        return await self._held_against(node, again, trial.node.evaluation, Look.AGAIN)

    async def _held_against(self, node: SearchNode, trial: Trial, evaluation: Evaluation, look: Look) -> Trial:
        """The trial's verdict and speed, and what follows from them."""
        verification = await self.verify(node, evaluation, trial.rewrite, look)
        predictions = self._scored(node, trial.step, trial.step.predictions, evaluation)
        trial = replace(trial, after=evaluation.kernel(self._name_in(node)), predictions=predictions)
        if not isinstance(verification, Verification):
            return trial.ended(TrialOutcome.CANNOT_JUDGE, why_not_judged(verification))
        speed = await self.speed(node, evaluation, look)
        if speed.defect is not None:
            return trial.ended(TrialOutcome.INTERNAL_ERROR, speed.defect)
        verification = with_findings(verification, speed)
        trial = replace(trial, verification=verification)
        if speed.comparison is None:
            return trial.ended(*end_without_speed(evaluation, verification, speed.notes))
        return self._gated(node, trial, evaluation, verification, speed.comparison)

    async def steered(self, node: SearchNode) -> SearchNode:
        """With the GPU's own view of a version that is planned from, where the start has it; without where it cannot be had this time."""
        if self._start.evaluation.measured is None or node.evaluation.measured is not None:
            return node
        evaluation = await steered(self._job, node.evaluation)
        return node if isinstance(evaluation, LabFailure) else replace(node, evaluation=evaluation)

    async def _diagnosed(self, node: SearchNode, version: SourceVersion, trial: Trial) -> Trial:
        """What its kernels do wrong in a program that says itself that something is: for the writer who is to repair it."""
        evaluation = await evaluate_failed(self._job, version, node.evaluation.next_evidence)
        if isinstance(evaluation, LabFailure):
            return trial
        verification = await self.verify(node, evaluation, trial.rewrite, Look.SCREENING)
        if not isinstance(verification, Verification):
            return trial
        return replace(trial, verification=verification, after=evaluation.kernel(self._name_in(node)))

    def _name_in(self, node: SearchNode) -> str:
        """The kernel that edits of ``node`` are of."""
        return kernel_in(self._name, self._start.evaluation, node.evaluation)

    def _gated(self, node: SearchNode, trial: Trial, evaluation: Evaluation, verification: Verification, comparison: Comparison) -> Trial:
        name = self._name_in(node)
        before, after = node.evaluation.kernel(name), evaluation.kernel(name)
        scored = (*trial.predictions, *score_ratio(trial.step.predicted_ratio, comparison.ratio))
        trial = replace(trial, comparison=comparison, ratio=comparison.ratio, predictions=scored)
        match gate(Citation(trial.step.finding, not is_by_model(trial.step)), before, after, verification, comparison):
            case NoImprovement(outcome=outcome, reason=reason):
                return trial.ended(outcome, reason)
            case Improvement(reason=reason):
                needs_decision = verification.outcome is Outcome.NEEDS_DECISION
                deferred = is_deferred(verification, self._deferred)
                if needs_decision and node.kept and not deferred:
                    reason = f"{reason}; it needs a human decision, so it is not added to a pure edit"
                    return trial.ended(TrialOutcome.NOT_BUNDLED, reason)
                same = self._same_counters(node, trial, evaluation)
                if same is not None:
                    reason = f"by every counter it does what {same} does, and nothing was timed that could tell them apart"
                    return trial.ended(TrialOutcome.DUPLICATE, reason)
                self._baselines.begin(changed_kernels(self._start.evaluation.version, evaluation.version), Look.CONFIRMING)
                kept = self._kept_step(node, trial, evaluation)
                ratio = node.ratio * comparison.ratio
                attempts = (*node.attempts, trial.id)
                asked = decisions_of(verification)
                made = SearchNode(evaluation, (*node.kept, kept), needs_decision, deferred, asked, attempts, ratio, others=trial.others)
                return trial.ended(TrialOutcome.KEPT, reason, made)

    def _same_counters(self, node: SearchNode, trial: Trial, evaluation: Evaluation) -> str | None:
        """The candidate of the same version that a model wrote before and that costs the same; None where a GPU times both."""
        if trial.rewrite.origin is None or self._job.lab.timing is not None:
            return None
        counters = counters_of(evaluation, self._name_in(node))
        return self._seen.first(None if counters is None else f"{node.key}\0{counters}", trial.id, trial.key)

    def _kept_step(self, node: SearchNode, trial: Trial, evaluation: Evaluation) -> KeptStep:
        step, rewrite = trial.step, trial.rewrite
        counters = self._scored(node, step, rewrite.predictions or step.predictions, evaluation)
        outcomes = (*counters, *score_ratio(step.predicted_ratio, trial.ratio))
        main = costliest(node.evaluation.planned(self._name_in(node)))
        same_code = [finding for finding in main.findings if finding.code == step.finding]
        finding = next((f for f in same_code if f.evidence == step.evidence), same_code[0] if same_code else None)
        return KeptStep(
            technique=_technique(self._catalogue, step),
            step=step,
            rewrite=rewrite,
            finding=finding,
            evidence=tuple(e for e in main.evidence if e.id in step.evidence),
            outcomes=outcomes,
        )

    def _scored(
        self, node: SearchNode, step: Step, predictions: tuple[MetricPrediction, ...], evaluation: Evaluation
    ) -> tuple[PredictionOutcome, ...]:
        name = self._name_in(node)
        before = ScoredVersion(node.text, node.evaluation.kernel(name))
        after = ScoredVersion(evaluation.version.source.text, evaluation.kernel(name))
        return score_predictions(predictions, step.line, before, after)

    async def verify(
        self, node: SearchNode, evaluation: Evaluation, rewrite: Rewrite, look: Look
    ) -> Verification | CannotJudge | LabFailure:
        """Against the text the user has: a chain is judged as a whole, never step by step."""
        baseline = await self._baseline(evaluation, look)
        if isinstance(baseline, LabFailure):
            return baseline
        declared = tuple(_stated(rewrite.technique, rewrite, label) for label in rewrite.labels)
        labels = (*declared, *(_step_label(kept, label) for kept in node.kept for label in kept.rewrite.labels))
        verdict = await verify(self._job, baseline, evaluation, labels)
        if not isinstance(verdict, Verification) or not may_be_moved(verdict):
            return verdict
        return await self._as_a_whole(baseline, evaluation, labels, verdict)

    async def _as_a_whole(
        self, baseline: Baseline, after: Evaluation, labels: tuple[DetectedLabel, ...], verdict: Verification
    ) -> Verification | CannotJudge | LabFailure:
        """Where kernels that are wrong one by one may be right together: in the light of the whole program, as `compare` has it."""
        before = self._start.evaluation
        divided, reason = divided_results(before, after, verdict), moved_work(before, after)
        if not divided and reason is None:
            return verdict
        launched = frozenset(kernel.key for kernel in before.launched_kernels)
        program = replace(baseline, cases=(), dropped_cases=(), sizes=None, caveats=(), kernels=launched)
        whole = await verify(self._job, program, after, labels, is_as_a_whole=True)
        if isinstance(whole, LabFailure):
            return whole
        return judged_as_a_whole(verdict, whole, divided, reason or "")

    async def speed(self, node: SearchNode, evaluation: Evaluation, look: Look) -> Speed:
        """Speed of ``evaluation`` against ``node``: when screening, the version that was edited; when confirming, the user's text.

        As ``compare`` has it: over what the programs do where launches, copies or fills differ or a person asks for a part, else over all
        kernels that the edit concerns, so that work which it moves into another one counts.
        """
        speed = await self._speed(node, evaluation, look)
        not_asked = why_not_asked(self._job, node.evaluation, evaluation) if look is Look.CONFIRMING else None
        return speed if not_asked is None else replace(speed, notes=(*speed.notes, not_asked))

    async def _speed(self, node: SearchNode, evaluation: Evaluation, look: Look) -> Speed:
        is_confirming = look is Look.CONFIRMING
        of_program = speed_of_program if is_confirming or self._job.lab.timing is None else screened_program
        speed = await of_program(self._job, node.evaluation, evaluation)
        if speed is not None:
            return speed
        baseline = await self._baseline(evaluation, look)
        if isinstance(baseline, LabFailure):
            return Speed(None, defect=baseline.message)
        pairs = affected_pairs(node.evaluation, evaluation, self._name_in(node))
        return await speed_of(self._job, SpeedQuestion(baseline, node.evaluation, evaluation, pairs), is_confirming)

    async def _baseline(self, evaluation: Evaluation, look: Look) -> Baseline | LabFailure:
        return await self._baselines.of(changed_kernels(self._start.evaluation.version, evaluation.version), look)


def _technique(catalogue: Catalogue, step: Step) -> Technique:
    """The catalogue's, or one of a model's own making."""
    return catalogue.get(step.technique) or Technique(step.technique, step.title or step.technique, (), (), "")


def _step_label(kept: KeptStep, label: Label) -> DetectedLabel:
    return _stated(kept.step.technique, kept.rewrite, label)


def _stated(technique: str, rewrite: Rewrite, label: Label) -> DetectedLabel:
    """What the edit's author says of it: what it assumes, or else what it does."""
    assumed = rewrite.assumptions[0] if label is Label.ASSUMPTION and rewrite.assumptions else None
    return DetectedLabel(label, f"{technique}: {rewrite.summary}" if assumed is None else f"{technique} assumes that {assumed}")


_ENDED_BADLY = "bad_status"
"""Kind of the failure of a program that checks its own results."""
_FAULTS = {
    "not_built": TrialOutcome.BUILD_FAILED,
    **dict.fromkeys(("bad_status", "crashed", "timed_out", "out_of_memory"), TrialOutcome.FAILED),
}
"""Failures that speak against a candidate, by kind; any other one (a full disk) is the lab's own."""


def _outcome_of(failure: LabFailure) -> TrialOutcome:
    return _FAULTS.get(failure.kind, TrialOutcome.CANNOT_JUDGE)


def _first_error(failure: LabFailure) -> str:
    first = failure.first_error
    if first is None:
        return failure.message
    place = f"line {first.line} {OF_EDITED}: " if first.line else ""
    return f"{failure.message}: {place}{first.message.splitlines()[0]}"
