"""What a job says of several files: each is shown its own part of it."""

from __future__ import annotations

from pathlib import Path

from assistant.editor.shared_answers import of_file, own
from assistant.model.build import Diagnostic, DiagnosticSeverity
from assistant.model.event_parts import LaunchFound
from assistant.model.events import CheckEnded, Diagnostics, Event, JobEnded, JobStarted, KernelFound, Message, TimelineFound
from assistant.model.profile import Severity
from assistant.workload.timeline import TimedWork, build_timeline, work_of

HEADER, OTHER = "/p/k.cuh", "/p/sums.cu"


def kernel(name: str, file: str | None, launched_in: str | None) -> KernelFound:
    launch = LaunchFound(7, "main", "1", "32", None, (), False, launched_in)
    return KernelFound("J1", name, 3, (), (), (), (), (launch,), (), file)


def error(file: str) -> Diagnostic:
    return Diagnostic(file, 4, 1, DiagnosticSeverity.ERROR, "expected a ;", compiler="nvcc")


REPORTED: tuple[Event, ...] = (
    JobStarted("J1", "check", "/p/main.cu", "cpu", "rung"),
    Message("J1", Severity.WARNING, "a line of main.cu", file="/p/main.cu", line=2),
    Diagnostics("J1", (error(HEADER), error(OTHER))),
    kernel("first", None, None),
    kernel("scale", HEADER, None),
    kernel("sum", OTHER, OTHER),
    CheckEnded("J1", "first", (), True, 1),
    CheckEnded("J1", "scale", (), True, 2, file=HEADER),
    JobEnded("J1", 0, "no problem found"),
)


def kernels(events: list[Event]) -> list[tuple[str, str | None]]:
    return [(event.kernel, event.file) for event in events if isinstance(event, KernelFound | CheckEnded)]


def test_the_jobs_own_file_is_shown_its_own_kernels() -> None:
    assert kernels(own(REPORTED)) == [("first", None), ("first", None)]
    assert [type(event).__name__ for event in own(REPORTED)][:3] == ["JobStarted", "Message", "Diagnostics"]


def test_another_file_is_shown_its_kernels_as_if_the_job_were_about_it() -> None:
    seen = of_file(REPORTED, Path(HEADER))
    assert kernels(seen) == [("scale", None), ("scale", None)]
    assert [type(event).__name__ for event in seen] == ["JobStarted", "Diagnostics", "KernelFound", "CheckEnded", "JobEnded"]
    assert [diagnostic.file for event in seen if isinstance(event, Diagnostics) for diagnostic in event.diagnostics] == [HEADER]
    (found,) = (event for event in seen if isinstance(event, KernelFound))
    assert [launch.file for launch in found.launches] == ["/p/main.cu"], "launched in what was the job's own file"


def test_what_the_program_as_a_whole_does_is_told_in_each_of_its_files() -> None:
    timeline = build_timeline([TimedWork(work_of("launch", "scale(float*)"), 0, 0.0, 1.0)])
    told = TimelineFound("J1", "all of it is in scale", timeline, "one run")
    assert of_file((*REPORTED, told), Path(HEADER))[-1] == own((*REPORTED, told))[-1] == told


def test_a_launch_in_the_other_file_itself_is_its_own() -> None:
    (found,) = (event for event in of_file(REPORTED, Path(OTHER)) if isinstance(event, KernelFound))
    assert (found.kernel, [launch.file for launch in found.launches]) == ("sum", [None])
