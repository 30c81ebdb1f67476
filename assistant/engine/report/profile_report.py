"""A whole profile as one value, for a front end that shows it as a page: the events' numbers with their source lines.

Pure. The counters are those of the ``profile`` and ``profile_summary`` events, so that a page and ``--json`` cannot differ. Example::

    report = profile_report(job, evaluation, profiles)
    report.kernels[0].launches[0].heat   # (LineHeat(line=11, excess_sectors=131100, sectors_ratio=0.98, …), …)
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from assistant.engine.evaluate import AssessedLaunch, Evaluation, KernelAssessment
from assistant.engine.job import Job
from assistant.engine.report.profile_parts import LineHeat, line_heat
from assistant.engine.report.reports import summary_event
from assistant.model import events
from assistant.model.build import KernelResources, Occupancy
from assistant.model.comparison import PredictedTime
from assistant.model.source import Kernel, ParsedSource
from assistant.profile.roofline import Roofline, roofline
from assistant.record import Record

__all__ = ["KernelReport", "LaunchReport", "ProfileReport", "profile_report"]

_ProfileOfLaunch = dict[tuple[str, int], events.Profile]
"""Profile events by instance and launch index."""


class LaunchReport(Record):
    """One launch shape."""

    profile: events.Profile
    summary: events.ProfileSummary
    predicted: PredictedTime
    occupancy: Occupancy | None
    roofline: Roofline
    heat: tuple[LineHeat, ...]


class KernelReport(Record):
    """One kernel instance with its launch shapes, the costliest first."""

    kernel: str
    instance: str
    line: int
    ranges: tuple[tuple[int, int], ...]
    """First and last line of the kernel and of the device functions that it calls, in source order."""
    resources: KernelResources | None
    predicted_time_s: float
    """Over all its launches."""
    launches: tuple[LaunchReport, ...]


class ProfileReport(Record):
    """Everything ``profile`` found on one source."""

    path: Path
    text: str
    kernels: tuple[KernelReport, ...]
    """The costliest first; those of which no launch was shown are left out."""
    unshown_count: int
    """Launch shapes that were counted but not shown one by one (``--launches``)."""


def profile_report(job: Job, evaluation: Evaluation, profiles: Iterable[events.Profile]) -> ProfileReport:
    """The report of an assessed workload, of the launches that were shown."""
    source = evaluation.version.source
    known = {(event.instance, event.launch): event for event in profiles}
    kernels = [_kernel(job, evaluation.version.about(item.kernel).parsed, item, known) for item in evaluation.assessment.kernels]
    unshown_count = sum(len(item.launches) for item in evaluation.assessment.kernels) - len(known)
    shown = sorted((kernel for kernel in kernels if kernel.launches), key=lambda kernel: -kernel.predicted_time_s)
    return ProfileReport(source.path, source.text, tuple(shown), unshown_count)


def _kernel(job: Job, parsed: ParsedSource, item: KernelAssessment, profiles: _ProfileOfLaunch) -> KernelReport:
    launches = tuple(
        _launch(job, item, launch, profiles[item.instance, launch.profile.index])
        for launch in sorted(item.launches, key=lambda one: -one.count * one.predicted.time_s)
        if (item.instance, launch.profile.index) in profiles
    )
    return KernelReport(
        kernel=item.kernel.key,
        instance=item.instance,
        line=item.kernel.line,
        ranges=_ranges(parsed, item.kernel),
        resources=item.resources,
        predicted_time_s=item.predicted_time_s,
        launches=launches,
    )


def _launch(job: Job, item: KernelAssessment, launch: AssessedLaunch, event: events.Profile) -> LaunchReport:
    return LaunchReport(
        profile=event,
        summary=summary_event(job, item, launch),
        predicted=launch.predicted,
        occupancy=launch.occupancy,
        roofline=roofline(launch.profile, launch.predicted, job.target),
        heat=line_heat(event.lines),
    )


def _ranges(parsed: ParsedSource, kernel: Kernel) -> tuple[tuple[int, int], ...]:
    """None of a kernel whose text is not at hand."""
    if not kernel.line:
        return ()
    source = parsed.source
    return tuple(sorted((source.line_of(span.start), source.line_of(span.end)) for span in parsed.code_spans_of(kernel)))
