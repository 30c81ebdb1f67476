"""What a pair session learns from the judgement of a saved edit.

Example::

    answer = judged(await compare(job, baseline, edited, is_strict=False), "transpose", job)
    answer.outcome      # Outcome.PASS
"""

from __future__ import annotations

from collections.abc import Iterable

from assistant.build.architectures import architecture
from assistant.engine.channel import Listener
from assistant.engine.evaluate import KernelAssessment, costliest, facts_of_launches, metric_value, watched, watched_codes
from assistant.engine.job import Job
from assistant.engine.judge import ComparisonResult, Verdict
from assistant.engine.proposals import Constraint, broken
from assistant.model import events
from assistant.model.build import DiagnosticSeverity
from assistant.model.comparison import Comparison
from assistant.model.device import Target
from assistant.model.pair import MetricChange
from assistant.model.plan import Step
from assistant.model.profile import Finding, Method
from assistant.model.recorded_facts import RecordedFacts
from assistant.model.source import ParsedSource, Source
from assistant.model.trial import TrialOutcome
from assistant.model.verification import Label, Outcome
from assistant.ports.planner import Planner, PlanRequest
from assistant.record import Record

__all__ = ["Reasons", "VersionJudgement", "cannot_be_judged", "judged"]

_METHODS = {"spill_bytes": Method.PTXAS, "occupancy": Method.OCCUPANCY, "occupied_lane_ratio": Method.OCCUPANCY}
"""Methods of metrics that are not the profile's own."""


class VersionJudgement(Record):
    """One version against the baseline."""

    verdict: Verdict | None
    """None where the workload or the machine cannot judge."""
    trouble: str | None
    """Why not, or the first error of a text that does not compile, in words."""
    before: tuple[KernelAssessment, ...] = ()
    after: tuple[KernelAssessment, ...] = ()
    """Empty where the version does not build or run."""
    parsed: ParsedSource | None = None
    """The version's text; None where it does not build or run."""
    target: Target | None = None
    """That it was judged for; None where it was not judged at all."""
    others: tuple[Source, ...] = ()
    """The program's other files."""
    recorded: RecordedFacts | None = None
    """What the version's launches of the kernel had in common; None where none was seen."""
    saved_since: tuple[str, ...] = ()
    """Names of the program's other files that were saved after the session began: the baseline is run with them as they are now."""

    @property
    def outcome(self) -> Outcome | None:
        return None if self.verdict is None else self.verdict.verification.outcome

    @property
    def speed(self) -> Comparison | None:
        return None if self.verdict is None else self.verdict.speed

    @property
    def labels(self) -> tuple[Label, ...]:
        return () if self.verdict is None else self.verdict.verification.labels

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is left to fix, most costly first."""
        found = [finding for item in self.after for finding in item.findings]
        return tuple(sorted(found, key=lambda finding: -(finding.estimated_cost_ratio or 0.0)))

    async def steps(self, planner: Planner) -> tuple[Step, ...]:
        """What a planner that runs nothing would try on the version, best first."""
        chosen = self.target
        if self.parsed is None or self.verdict is None or chosen is None or not self.after:
            return ()
        main, limits = costliest(self.after), architecture(chosen.architecture)
        assert limits is not None, f"{chosen.architecture} is in no table of limits"
        request = PlanRequest(
            parsed=self.parsed,
            kernel=main.kernel,
            profiles=tuple(launch.profile for launch in main.launches),
            findings=main.findings,
            evidence=main.evidence,
            resources=main.resources,
            target=chosen,
            architecture=limits,
            others=self.others,
            recorded=self.recorded,
        )
        return (await planner.plan(request)).steps

    def moved(self) -> tuple[MetricChange, ...]:
        """Counters that differ: those that speak for the verdict first, most changed first; of two that say the same the first."""
        if not self.before or not self.after:
            return ()
        found: dict[tuple[object, ...], MetricChange] = {}
        for code in watched_codes():
            change = _change(code, self.before, self.after)
            if change is not None:
                found.setdefault((change.before, change.after, change.unit, change.method), change)
        is_faster = self.speed is None or self.speed.ratio >= 1.0
        return tuple(sorted(found.values(), key=lambda change: (change.is_better is not is_faster, -_extent(change))))

    def breaks(self, constraints: Iterable[Constraint]) -> tuple[str, ...]:
        """Constraints that the version does not keep to, each with the reason."""
        return tuple(
            f"{constraint.words}: {reason}"
            for constraint in constraints
            if constraint.rules is not None and self.after
            for reason in broken(constraint.rules, self.before, self.after, self.labels)
        )


def judged(compared: ComparisonResult, kernel: str, job: Job) -> VersionJudgement:
    """What a comparison with the baseline says of a kernel, by its qualified name."""
    before, after = compared.before, compared.after
    launched = () if after is None else after.kernel(kernel)
    return VersionJudgement(
        verdict=compared.whole,
        trouble=_trouble(compared),
        before=() if before is None else before.kernel(kernel),
        after=launched,
        parsed=None if after is None else after.version.parsed,
        target=job.target,
        others=() if after is None else after.version.sources[1:],
        recorded=None if after is None or not launched else facts_of_launches(after.version, after.counted, costliest(launched).kernel),
    )


def _trouble(compared: ComparisonResult) -> str | None:
    failure = compared.failure
    errors = () if failure is None else [d for d in failure.diagnostics if d.severity is not DiagnosticSeverity.WARNING]
    if errors:
        return f"does not compile: {errors[0].words}"
    if compared.whole is not None:
        return None
    if failure is not None:
        return cannot_be_judged(failure.message, failure.remedy)
    for unjudged in compared.unjudged:
        return cannot_be_judged(unjudged.reason, unjudged.remedy)
    return cannot_be_judged(compared.ending.reason, None)


def cannot_be_judged(reason: str, remedy: str | None) -> str:
    return f"cannot be judged: {reason}" + (f"; {remedy}" if remedy else "")


class Reasons:
    """Passes a search's events on, and remembers why it made no proposal."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._reasons: dict[str, None] = {}

    @property
    def found(self) -> tuple[str, ...]:
        """Reasons in the order they came up: of what was tried first, of what was declined after."""
        return tuple(self._reasons)

    def emit(self, event: events.Event) -> None:
        match event:
            case events.CandidateTried(outcome=outcome) if outcome is not TrialOutcome.KEPT:
                self._reasons[f"{event.technique}: {event.reason}"] = None
            case events.PlanMade():
                for decline in event.declines:
                    self._reasons[f"{decline.technique} at line {decline.line}: {decline.reason}"] = None
            case events.Message():
                self._reasons[event.message] = None
            case _:
                pass
        self._listener.emit(event)

    async def delivered(self) -> None:
        await self._listener.delivered()


def _change(code: str, before: tuple[KernelAssessment, ...], after: tuple[KernelAssessment, ...]) -> MetricChange | None:
    metric = watched(code)
    assert metric is not None, f"{code} is watched"
    old, new = metric_value(code, before), metric_value(code, after)
    if old == new:
        return None
    counted = next((launch.profile.method for item in after for launch in item.launches), Method.EMULATOR)
    method = _METHODS.get(metric.name, counted)
    return MetricChange(metric.name, old, new, metric.unit, method.value, (new > old) == metric.is_higher_better)


def _extent(change: MetricChange) -> float:
    """0..1: how far one value is from the other, as a share of the larger."""
    return abs(change.after - change.before) / max(abs(change.after), abs(change.before))
