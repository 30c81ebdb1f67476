"""What a job says of kernels in other files than its own: left out where its file is shown, given to sources that are open there. Pure.

Example::

    own(job_events)                        # what is shown in the job's own file
    of_file(job_events, Path("/p/a.cuh"))  # the same job as if it were about a.cuh
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assistant.cuda.same_names import without_file
from assistant.model import event_parts, events

__all__ = ["files_named_in", "of_file", "own"]

_OfKernel = (
    events.KernelFound
    | events.MachineCode
    | events.Profile
    | events.ProfileSummary
    | events.LaunchFacts
    | events.CheckEnded
    | events.FindingsFound
)


def own(reported: Iterable[events.Event]) -> list[events.Event]:
    """Without what is reported of kernels in other files."""
    mine = (event for event in reported if not isinstance(event, _OfKernel) or event.file is None)
    return [_as_written(event) if isinstance(event, _OfKernel) else event for event in mine]


def files_named_in(reported: Iterable[events.Event]) -> tuple[Path, ...]:
    """Other files than the job's own of whose kernels something is said."""
    return tuple(dict.fromkeys(Path(event.file) for event in reported if isinstance(event, _OfKernel) and event.file is not None))


def of_file(reported: Iterable[events.Event], file: Path) -> list[events.Event]:
    """What is reported of the kernels in ``file``, of its lines, and of the job as a whole."""
    events_of_job = tuple(reported)
    job_file = next((event.file for event in events_of_job if isinstance(event, events.JobStarted)), "")
    return [kept for event in events_of_job if (kept := _seen_from(event, str(file), job_file)) is not None]


def _seen_from(event: events.Event, file: str, job_file: str) -> events.Event | None:
    """The event as one of a job on ``file``; None for what is not shown there."""
    match event:
        case events.KernelFound(launches=launches) if event.file == file:
            seen = tuple(_launch_seen_from(launch, file, job_file) for launch in launches)
            return _as_written(replace(event, file=None, launches=seen))
        case (
            events.MachineCode()
            | events.Profile()
            | events.ProfileSummary()
            | events.LaunchFacts()
            | events.CheckEnded()
            | events.FindingsFound()
        ) if event.file == file:
            return _as_written(replace(event, file=None))
        case events.Diagnostics(diagnostics=diagnostics):
            mine = tuple(diagnostic for diagnostic in diagnostics if diagnostic.file == file)
            return replace(event, diagnostics=mine) if mine else None
        case events.Message(line=line) if line is not None:
            return event if event.file == file else None
        case events.JobStarted() | events.JobEnded() | events.Message() | events.TimelineFound():
            return event
        case _:
            return None


def _as_written(event: _OfKernel) -> events.Event:
    """The kernel as its file has it: of several files that have one of that name, it is this one's."""
    name = without_file(event.kernel)
    return event if name == event.kernel else replace(event, kernel=name)


def _launch_seen_from(launch: event_parts.LaunchFound, file: str, job_file: str) -> event_parts.LaunchFound:
    place = launch.file or job_file
    return replace(launch, file=None if place == file else place)
