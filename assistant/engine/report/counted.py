"""The profile of a version that was evaluated, as events: what ``profile`` answers, and what a search shows before it edits anything.

Example::

    await report_original(job, evaluation, is_timed=True)
"""

from __future__ import annotations

from collections.abc import Iterator

from assistant.engine.evaluate import Evaluation, findings_of_launch
from assistant.engine.job import Job
from assistant.engine.report.coach import LaunchTimes, launch_times
from assistant.engine.report.launch_facts import launch_facts_events
from assistant.engine.report.machine_code import machine_code_events
from assistant.engine.report.reports import profile_event, summary_event
from assistant.engine.report.timeline import report_timeline
from assistant.model import events
from assistant.model.build import Build
from assistant.model.timeline import HOLDS_MIGRATION
from assistant.profile.findings import FindResult

__all__ = ["launch_events", "report_original", "report_summaries"]


def launch_events(job: Job, evaluation: Evaluation) -> Iterator[events.Profile]:
    """Counted launches of the selected kernels, in program order, as many as asked for."""
    shown = sorted(
        ((item, launch) for item in evaluation.assessment.kernels for launch in item.launches),
        key=lambda pair: pair[1].profile.index,
    )
    next_evidence = 1 + sum(len(item.evidence) for item in evaluation.assessment.kernels)
    for item, launch in shown[: job.request.launch_count]:
        found = FindResult(item.findings, item.evidence)
        if len(item.launches) > 1:
            found = findings_of_launch(job, evaluation.version.about(item.kernel), item, launch, next_evidence)
            next_evidence += len(found.evidence)
        yield profile_event(job, item, launch, found)


async def report_original(job: Job, evaluation: Evaluation, *, is_timed: bool) -> None:
    """What a search starts from: its launches and their summaries.

    ``is_timed``: with the program's timeline, else, where no time of it can be had from one, with the time of each launch shape.
    """
    job.emit(*launch_events(job, evaluation))
    timeline = await report_timeline(job, evaluation) if is_timed else None
    is_to_be_timed = is_timed and (timeline is None or HOLDS_MIGRATION in timeline.notes)
    report_summaries(job, evaluation, await launch_times(job, evaluation) if is_to_be_timed else None)


def report_summaries(job: Job, evaluation: Evaluation, times: LaunchTimes | None) -> None:
    """A summary of each launch shape, what all launches had in common, machine code; ``times``: None where nothing was timed."""
    for item in evaluation.assessment.kernels:
        for launch in item.launches:
            if launch.profile.blocks_counted or times is not None:  # else nothing is known that a prediction could rest on
                job.emit(summary_event(job, item, launch, None if times is None else times.of(item, launch)))
    job.emit(*launch_facts_events(job, evaluation.version, (evaluation.counted,)))
    if isinstance(evaluation.assessment.build, Build):
        job.emit(*machine_code_events(job, evaluation.version, evaluation.assessment.build))
