"""Trials of one kernel's search: an edit is made, run, verified against the user's text and put through the gate.

Knows nothing of rounds or of what is offered. Example::

    trial = await bench.judge(link, step, rewrite)
    trial.link   # the version it makes, where it was kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from assistant.cuda.edits import apply_edits
from assistant.engine.evaluate.assess import KernelAssessment
from assistant.engine.evaluate.cases import CONFIRM_REPEATS, Effort
from assistant.engine.evaluate.counting import Counted
from assistant.engine.evaluate.hardware import steered
from assistant.engine.evaluate.workbench import Looked, look, look_at_failed
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge.affected import affected_pairs
from assistant.engine.judge.judging import Baseline, changed_kernels, prepare, verify
from assistant.engine.judge.one_program import foreign_reading
from assistant.engine.judge.speed import Speed, Versions, speed_of, with_findings
from assistant.engine.proposals.explain import KeptStep
from assistant.engine.proposals.gate import Kept, Refused, gate
from assistant.engine.proposals.records import Tried, Version, costliest
from assistant.engine.proposals.scoring import Scored, score_predictions, score_ratio
from assistant.engine.search.ahead import BuiltAhead
from assistant.engine.subject import Subject, candidate_of
from assistant.errors import KernelOptError
from assistant.model.comparison import Comparison
from assistant.model.plan import MetricPrediction, Rewrite, Step, Technique
from assistant.model.proposal import PredictionOutcome
from assistant.model.trial import TrialOutcome
from assistant.model.verification import CannotJudge, Label, Outcome, Verification
from assistant.plan.catalogue import Catalogue
from assistant.ports.lab import LabFailure
from assistant.record import Record
from assistant.verify.evidence import DetectedLabel

__all__ = ["Bench", "Link", "Trial", "why"]

_SCREEN_REPEATS = 2


class Link(Record):
    """One version on the way: the text so far and how it got there."""

    looked: Looked
    kept: tuple[KeptStep, ...] = ()
    needs_decision: bool = False
    attempts: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.looked.subject.source.text


class Trial(Record):
    """One candidate, and the version it makes if it was kept."""

    tried: Tried
    link: Link | None = None


class Bench:
    """Tries edits of one kernel (by qualified name) against the version that the search on it starts from."""

    def __init__(self, job: Job, catalogue: Catalogue, name: str, start: Link, second_run: Counted | None) -> None:
        self._job = job
        self._catalogue = catalogue
        self._name = name
        self._start = start
        self._second_run = second_run
        self._baselines: dict[tuple[frozenset[str], bool], Baseline] = {}

    def kernel(self, link: Link) -> tuple[KernelAssessment, ...]:
        return link.looked.kernel(self._name)

    def planned(self, link: Link) -> tuple[KernelAssessment, ...]:
        """What edits of it are planned by: the GPU's own counters where they were read."""
        return link.looked.planned(self._name)

    def version(self, link: Link) -> Version:
        return Version(link.looked.subject.source, self.kernel(link))

    async def judge(self, link: Link, step: Step, rewrite: Rewrite, on_built: Callable[[], None]) -> Trial:
        """Screen one edit of ``link``; ``on_built`` is called once the CUDA compiler has nothing left to do for it."""
        tried = Tried(new_id("C"), step, rewrite)
        text = apply_edits(link.text, rewrite.edits)
        if not isinstance(text, str):
            return Trial(tried.ended(TrialOutcome.BUILD_FAILED, f"the edits do not fit the text: {text}"))
        tried = replace(tried, text=text)
        try:
            subject = candidate_of(link.looked.subject, text)
        except KernelOptError as error:
            return Trial(tried.ended(TrialOutcome.BUILD_FAILED, error.message))
        foreign = await foreign_reading(self._job, self._start.looked.subject, subject)
        if foreign is not None:
            return Trial(tried.ended(TrialOutcome.BUILD_FAILED, foreign.message))
        async with BuiltAhead(self._job, link.looked) as beside:
            beside.begin((rewrite,))
            looked = await look(self._job, subject, link.looked.next_evidence)
        on_built()
        if isinstance(looked, LabFailure):
            tried = replace(tried, diagnostics=looked.diagnostics, printed=looked.printed)
            if looked.kind == _ENDED_BADLY and rewrite.origin is not None:
                tried = await self._diagnosed(link, subject, tried)
            return Trial(tried.ended(_outcome_of(looked), _first_diagnostic(looked)))
        verification = await self.verify(link, looked, rewrite, is_confirming=False)
        tried = replace(tried, after=looked.kernel(self._name), predictions=self._scored(link, step, step.predictions, looked))
        if not isinstance(verification, Verification):
            return Trial(tried.ended(TrialOutcome.CANNOT_JUDGE, why(verification)))
        speed = await self.speed(link, looked, is_confirming=False)
        if speed.defect is not None:
            return Trial(tried.ended(TrialOutcome.INTERNAL_ERROR, speed.defect))
        verification = with_findings(verification, speed)
        return self._gated(link, replace(tried, verification=verification), looked, verification, speed.comparison)

    async def steered(self, link: Link) -> Link:
        """With the GPU's own view of a version that is planned from, where the start has it; without where it cannot be had this time."""
        if self._start.looked.measured is None or link.looked.measured is not None:
            return link
        looked = await steered(self._job, link.looked)
        return link if isinstance(looked, LabFailure) else replace(link, looked=looked)

    async def _diagnosed(self, link: Link, subject: Subject, tried: Tried) -> Tried:
        """What its kernels do wrong in a program that says itself that something is: for whoever is to mend it."""
        looked = await look_at_failed(self._job, subject, link.looked.next_evidence)
        if isinstance(looked, LabFailure):
            return tried
        verification = await self.verify(link, looked, tried.rewrite, is_confirming=False)
        if not isinstance(verification, Verification):
            return tried
        return replace(tried, verification=verification, after=looked.kernel(self._name))

    def _gated(self, link: Link, tried: Tried, looked: Looked, verification: Verification, comparison: Comparison | None) -> Trial:
        before, after = self.kernel(link), looked.kernel(self._name)
        if comparison is None:
            return Trial(tried.ended(TrialOutcome.FAILED, "the edited program does not launch the kernel any more"))
        scored = (*tried.predictions, *score_ratio(tried.step.predicted_ratio, comparison.ratio))
        tried = replace(tried, comparison=comparison, ratio=comparison.ratio, predictions=scored)
        match gate(tried.step.finding, before, after, verification, comparison):
            case Refused(outcome=outcome, reason=reason):
                return Trial(tried.ended(outcome, reason))
            case Kept(reason=reason):
                needs_decision = verification.outcome is Outcome.NEEDS_DECISION
                if needs_decision and link.kept:
                    reason = f"{reason}; it needs a human decision, so it is not added to a pure edit"
                    return Trial(tried.ended(TrialOutcome.NOT_BUNDLED, reason))
                kept = self._kept_step(link, tried, looked)
                new_link = Link(looked, (*link.kept, kept), needs_decision, (*link.attempts, tried.id))
                return Trial(tried.ended(TrialOutcome.KEPT, reason), new_link)

    def _kept_step(self, link: Link, tried: Tried, looked: Looked) -> KeptStep:
        step, rewrite = tried.step, tried.rewrite
        counters = self._scored(link, step, rewrite.predictions or step.predictions, looked)
        outcomes = (*counters, *score_ratio(step.predicted_ratio, tried.ratio))
        main = costliest(self.planned(link))
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

    def _scored(self, link: Link, step: Step, predictions: tuple[MetricPrediction, ...], looked: Looked) -> tuple[PredictionOutcome, ...]:
        before = Scored(link.text, self.kernel(link))
        after = Scored(looked.subject.source.text, looked.kernel(self._name))
        return score_predictions(predictions, step.line, before, after)

    async def verify(self, link: Link, looked: Looked, rewrite: Rewrite, is_confirming: bool) -> Verification | CannotJudge | LabFailure:
        """Against the text the user has: a chain is judged as a whole, never link by link."""
        kernels = changed_kernels(self._start.looked.subject, looked.subject)
        key = (kernels, is_confirming)
        if key not in self._baselines:
            baseline = await self._prepare(kernels, is_confirming)
            if isinstance(baseline, LabFailure):
                return baseline
            self._baselines[key] = baseline
        declared = tuple(DetectedLabel(label, f"{rewrite.technique}: {rewrite.summary}") for label in rewrite.labels)
        labels = (*declared, *(_step_label(kept, label) for kept in link.kept for label in kept.rewrite.labels))
        return await verify(self._job, self._baselines[key], looked.subject, looked.counted, looked.version, labels)

    async def speed(self, link: Link, looked: Looked, is_confirming: bool) -> Speed:
        """Of ``looked`` against ``link``: when screening, the version that was edited; when confirming, the user's text.

        Over all kernels that the edit concerns, so that work which it moves into another one counts.
        """
        baseline = self._baselines[changed_kernels(self._start.looked.subject, looked.subject), is_confirming]
        pairs = affected_pairs(link.looked, looked, self._name)
        return await speed_of(self._job, Versions(baseline, link.looked, looked, pairs), is_confirming)

    async def _prepare(self, kernels: frozenset[str], is_confirming: bool) -> Baseline | LabFailure:
        seeds = self._job.seeds
        effort = Effort(
            seeds=seeds[len(seeds) // 2 :] if is_confirming else seeds[:1],
            repeats=CONFIRM_REPEATS if is_confirming else _SCREEN_REPEATS,
            mode="check" if is_confirming else "plain",
            with_injected=is_confirming,
            with_boundary=is_confirming,
            is_confirming=is_confirming,
        )
        start = self._start.looked
        return await prepare(self._job, start.subject, start.counted, start.version, kernels, effort, self._second_run)


def _technique(catalogue: Catalogue, step: Step) -> Technique:
    """The catalogue's, or one of a model's own making."""
    return catalogue.get(step.technique) or Technique(step.technique, step.title or step.technique, (), (), "")


def _step_label(kept: KeptStep, label: Label) -> DetectedLabel:
    return DetectedLabel(label, f"{kept.step.technique}: {kept.rewrite.summary}")


_ENDED_BADLY = "bad_status"
"""Kind of the failure of a program that checks its own results."""
_FAULTS = {
    "not_built": TrialOutcome.BUILD_FAILED,
    **dict.fromkeys(("bad_status", "crashed", "timed_out", "out_of_memory"), TrialOutcome.FAILED),
}
"""Failures that speak against a candidate, by kind; any other one (a full disk) is the lab's own."""


def _outcome_of(failure: LabFailure) -> TrialOutcome:
    return _FAULTS.get(failure.kind, TrialOutcome.CANNOT_JUDGE)


def _first_diagnostic(failure: LabFailure) -> str:
    first = next(iter(failure.diagnostics), None)
    return failure.message if first is None else f"{failure.message}: line {first.line}: {first.message.splitlines()[0]}"


def why(answer: CannotJudge | LabFailure) -> str:
    return answer.reason if isinstance(answer, CannotJudge) else answer.message
