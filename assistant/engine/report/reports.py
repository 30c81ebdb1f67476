"""The core's values as events. Pure; the one place that knows both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assistant.cuda.changes import changes_diff
from assistant.engine.job import Job
from assistant.engine.judge import speed_report, verification_report
from assistant.model import event_parts, events
from assistant.model.profile import InstructionMix, LaunchProfile, LineAccess
from assistant.model.proposal import ALTERNATIVE_MARK, Proposal
from assistant.profile.bottleneck import NOT_COUNTED, bottleneck
from assistant.profile.roofline import roofline
from assistant.profile.speed_of_light import speed_of_light

if TYPE_CHECKING:  # front ends show proposals without what judges kernels
    from assistant.engine.evaluate import AssessedLaunch, KernelAssessment
    from assistant.engine.report.coach import TimedLaunch
    from assistant.profile.findings import FindResult

__all__ = ["findings_event", "other_file", "profile_event", "proposal_event", "summary_event"]

_TOTALS = ("requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts")
_CLASSES = tuple(InstructionMix.__dataclass_fields__)


def profile_event(job: Job, assessed: KernelAssessment, launch: AssessedLaunch, found: FindResult) -> events.Profile:
    """One launch's counters, with its findings and their evidence."""
    profile = launch.profile
    return events.Profile(
        job=job.id,
        kernel=assessed.kernel.key,
        instance=assessed.instance,
        launch=profile.index,
        grid=profile.config.grid.axes,
        block=profile.config.block.axes,
        shared_bytes=profile.config.shared_bytes,
        device=job.device,
        method=profile.method.value,
        totals=_totals(profile),
        instructions=_mix(profile),
        lines=tuple(_line(access) for access in profile.accesses),
        findings=tuple(
            event_parts.ProfileFinding(f.code, f.line, f.severity.value, f.message, f.evidence, f.estimated_cost_ratio)
            for f in found.findings
        ),
        evidence=found.evidence,
        problems=profile.problems,
        shape=launch.shape or None,
        predicted=launch.predicted if launch.is_counted else None,
        occupancy=launch.occupancy,
        roofline=roofline(profile, launch.predicted, job.target) if launch.is_counted else None,
        stalls=profile.stalls,
        file=other_file(job, assessed.file),
    )


def other_file(job: Job, file: Path) -> str | None:
    """The file as events name it: None where it is the one that the job is about."""
    return None if file == job.request.file else str(file)


def summary_event(job: Job, assessed: KernelAssessment, launch: AssessedLaunch, timed: TimedLaunch | None = None) -> events.ProfileSummary:
    """How often a launch shape happens, what limits it and, where it was timed, how long it takes."""
    config = launch.profile.config
    predicted_light = speed_of_light(launch.profile, launch.predicted, job.target) if launch.is_counted else None
    light = predicted_light if timed is None else timed.light
    return events.ProfileSummary(
        job=job.id,
        kernel=assessed.kernel.key,
        instance=assessed.instance,
        grid=config.grid.axes,
        block=config.block.axes,
        shared_bytes=config.shared_bytes,
        launch_count=max(1, round(launch.count)),
        bottleneck=bottleneck(launch.profile, launch.predicted) if launch.is_counted else NOT_COUNTED,
        predicted_time_s=launch.predicted.time_s if launch.is_counted else None,
        shape=launch.shape or None,
        speed_of_light_ratio=None if light is None else light.ratio,
        speed_of_light_limit=None if light is None else light.limit,
        measured=None if timed is None else timed.measured,
        file=other_file(job, assessed.file),
    )


def findings_event(job: Job, assessed: KernelAssessment) -> events.FindingsFound:
    return events.FindingsFound(job.id, assessed.instance, assessed.findings, assessed.evidence, other_file(job, assessed.file))


def proposal_event(job_id: str, proposal: Proposal) -> events.ProposalMade:
    """A proposal as it is shown; its diff is against the texts it was made for."""
    return events.ProposalMade(
        job=job_id,
        id=proposal.id,
        kernel=proposal.kernel,
        file=str(proposal.path),
        techniques=proposal.techniques,
        summary=proposal.summary,
        diff=changes_diff(proposal.files),
        hunk_ids=tuple(hunk.id for hunk in proposal.hunks),
        labels=tuple(label.value for label in proposal.labels),
        assumptions=proposal.assumptions,
        verification=verification_report(proposal.verification),
        speed=speed_report(proposal.comparison),
        evidence=proposal.evidence,
        explanation=proposal.explanation,
        state=proposal.state.value,
        model=proposal.model,
        files=tuple(map(str, proposal.paths)),
        alternatives=tuple(_alternative(proposal, number) for number in range(1, len(proposal.alternatives) + 1)),
    )


def _alternative(proposal: Proposal, number: int) -> events.AlternativeReport:
    one = proposal.alternatives[number - 1]
    return events.AlternativeReport(
        id=f"{proposal.id}{ALTERNATIVE_MARK}{number}",
        techniques=one.techniques,
        summary=one.summary,
        labels=tuple(label.value for label in one.labels),
        assumptions=one.assumptions,
        verification=verification_report(one.verification),
        speed=speed_report(one.comparison),
    )


def _line(access: LineAccess) -> event_parts.ProfileLine:
    return event_parts.ProfileLine(
        file=access.file,
        line=access.line,
        op=access.op,
        requests=access.requests,
        active_threads=access.active_threads,
        sectors=access.sectors,
        ideal_sectors=access.ideal_sectors,
        wavefronts=access.wavefronts,
        ideal_wavefronts=access.ideal_wavefronts,
        grade=access.grade.value,
        grade_reason=access.grade_reason,
    )


def _totals(profile: LaunchProfile) -> dict[str, int]:
    """``<space> <kind> <counter>`` → sum over lines, for the counters that apply."""
    totals: dict[str, int] = {}
    for access in profile.accesses:
        for counter in _TOTALS:
            value: int | None = getattr(access, counter)
            if value is not None:
                name = f"{access.op} {counter}".replace(" ", "_")
                totals[name] = totals.get(name, 0) + value
    return totals


def _mix(profile: LaunchProfile) -> InstructionMix:
    return InstructionMix(**{name: sum(getattr(line.mix, name) for line in profile.instructions) for name in _CLASSES})
