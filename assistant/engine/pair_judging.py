"""What one judgement of a saved edit tells a pair session, gathered from the job's events and what it looked at.

Example::

    heard = Heard()
    async for event in session.weigh(request, baseline, heard.keep):
        heard.hear(event)
    heard.answer(kernel)      # Judged(outcome=PASS, …)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from assistant.build.architectures import architecture
from assistant.engine.assess import KernelAssessment
from assistant.engine.constraints import Constraint, broken
from assistant.engine.metrics import metric_value, watched, watched_codes
from assistant.engine.rebased import comparison_of
from assistant.engine.records import costliest
from assistant.engine.workbench import Looked
from assistant.measure.targets import target
from assistant.model import events
from assistant.model.build import Diagnostic
from assistant.model.comparison import Comparison
from assistant.model.pair import MetricChange
from assistant.model.plan import Step
from assistant.model.profile import Finding, Method, Severity
from assistant.model.source import ParsedSource
from assistant.model.verification import Label, Outcome
from assistant.ports import Planner, PlanRequest

__all__ = ["Heard", "Judged", "Reasons"]

_METHODS = {"spill_bytes": Method.PTXAS, "occupancy": Method.OCCUPANCY}
"""Of metrics that are not the profile's own."""


@dataclass(frozen=True)
class Judged:
    """One version against the baseline."""

    verdict: events.ComparisonMade | None
    """None where the workload or the machine cannot judge."""
    trouble: str | None
    """Why not, or the first error of a text that does not compile, in words."""
    before: tuple[KernelAssessment, ...] = ()
    after: tuple[KernelAssessment, ...] = ()
    """Empty where the version does not build or run."""
    parsed: ParsedSource | None = None
    """The version's text; None where it does not build or run."""

    @property
    def outcome(self) -> Outcome | None:
        return None if self.verdict is None else Outcome(self.verdict.verification.outcome)

    @property
    def speed(self) -> Comparison | None:
        return None if self.verdict is None or self.verdict.speed is None else comparison_of(self.verdict.speed)

    @property
    def labels(self) -> tuple[Label, ...]:
        return () if self.verdict is None else tuple(Label(label) for label in self.verdict.verification.labels)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is left to mend, most costly first."""
        found = [finding for item in self.after for finding in item.findings]
        return tuple(sorted(found, key=lambda finding: -(finding.estimated_cost_ratio or 0.0)))

    async def steps(self, planner: Planner) -> tuple[Step, ...]:
        """What a planner that runs nothing would try on the version, best first."""
        if self.parsed is None or self.verdict is None or not self.after:
            return ()
        main, chosen = costliest(self.after), target(self.verdict.device.target)
        limits = architecture(chosen.architecture)
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
        )
        return (await planner.plan(request)).steps

    def moved(self) -> tuple[MetricChange, ...]:
        """Counters that differ: those that speak for the verdict first, most changed first."""
        if not self.before or not self.after:
            return ()
        found = [change for code in watched_codes() if (change := _change(code, self.before, self.after)) is not None]
        is_faster = self.speed is None or self.speed.ratio >= 1.0
        return tuple(sorted(found, key=lambda change: (change.is_better is not is_faster, -_extent(change))))

    def breaks(self, constraints: Iterable[Constraint]) -> tuple[str, ...]:
        """Constraints that the version does not keep to, each with the reason."""
        return tuple(
            f"{constraint.words}: {reason}"
            for constraint in constraints
            if constraint.rules is not None and self.after
            for reason in broken(constraint.rules, self.before, self.after, self.labels)
        )


@dataclass
class Heard:
    """Listens to one judging job."""

    verdict: events.ComparisonMade | None = None
    errors: list[Diagnostic] = field(default_factory=list[Diagnostic])
    troubles: list[events.Message] = field(default_factory=list[events.Message])
    ended: events.JobEnded | None = None
    _looked: tuple[Looked, Looked] | None = None

    def keep(self, before: Looked, after: Looked) -> None:
        self._looked = (before, after)

    def hear(self, event: events.Event) -> None:
        match event:
            case events.ComparisonMade():
                self.verdict = event  # the overall one is the last
            case events.Diagnostics():
                self.errors.extend(event.diagnostics)
            case events.Message(severity=Severity.ERROR):
                self.troubles.append(event)
            case events.JobEnded():
                self.ended = event
            case _:
                pass

    def answer(self, kernel: str) -> Judged:
        """``kernel``: its qualified name."""
        before, after = ((), ()) if self._looked is None else (side.kernel(kernel) for side in self._looked)
        parsed = None if self._looked is None else self._looked[1].subject.parsed
        return Judged(self.verdict, self._trouble(), before, after, parsed)

    def _trouble(self) -> str | None:
        if self.errors:
            first = self.errors[0]
            return f"does not compile: line {first.line}: {first.message.splitlines()[0]}"
        if self.verdict is not None:
            return None
        if self.troubles:
            first = self.troubles[0]
            return f"cannot be judged: {first.message}" + (f"; {first.remedy}" if first.remedy else "")
        return f"cannot be judged: {self.ended.reason if self.ended else 'the job ended without an answer'}"


@dataclass
class Reasons:
    """Listens to one search: the proposal that it makes, or why it makes none."""

    proposal: events.ProposalMade | None = None
    ended: events.JobEnded | None = None
    _reasons: dict[str, None] = field(default_factory=dict[str, None])

    @property
    def told(self) -> tuple[str, ...]:
        """Reasons in the order they came up: of what was tried first, of what was declined after."""
        return tuple(self._reasons)

    def hear(self, event: events.Event) -> None:
        match event:
            case events.ProposalMade():
                self.proposal = event
            case events.CandidateTried(outcome=outcome) if outcome != "kept":
                self._reasons[f"{event.technique}: {event.reason}"] = None
            case events.PlanMade():
                for decline in event.declines:
                    self._reasons[f"{decline.technique} at line {decline.line}: {decline.reason}"] = None
            case events.Message():
                self._reasons[event.message] = None
            case events.JobEnded():
                self.ended = event
            case _:
                pass


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
