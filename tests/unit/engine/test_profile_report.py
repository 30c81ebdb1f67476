"""A whole profile as one value: kernels and launches by what they cost, those that were shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from assistant.cuda.parse import parse
from assistant.engine.job import Job
from assistant.engine.report.profile_report import profile_report
from assistant.engine.report.reports import profile_event
from assistant.engine.request import JobRequest
from assistant.engine.source_version import Selection, version_of
from assistant.measure.targets import target
from assistant.model.build import Flags
from assistant.model.event_parts import Device
from assistant.model.source import Source
from assistant.ports.lab import Program
from assistant.profile.findings import FindResult

TEXT = """\
__device__ float f(float x)
{
    return x;
}
__device__ float g(float x) { return x; }
__global__ void k(float *c)
{
    c[0] = f(c[1]);
}
"""
REQUEST = JobRequest(Path("/k.cu"), Path("/"))
JOB = cast("Job", SimpleNamespace(id="J1", target=target("h200"), device=Device("a device", "cpu", "h200"), request=REQUEST))


def test_the_costliest_comes_first_and_what_was_not_shown_is_counted(assessed: Any) -> None:
    parsed = parse(Source(Path("/w/k.cu"), TEXT))
    (item,) = assessed()
    (launch,) = item.launches

    def kernel(name: str, *costs: float) -> Any:
        launches = tuple(
            replace(
                launch,
                profile=replace(launch.profile, index=index),
                predicted=replace(launch.predicted, time_s=cost / (index + 2)),
                count=index + 2,
            )
            for index, cost in enumerate(costs)
        )
        return replace(item, kernel=parsed.kernels[0], instance=name, launches=launches)

    kernels = (
        kernel("cheap", 1.0, 3.0, 2.0),
        kernel("unshown", 9.0),
        kernel("dear", 5.0, 4.0),
        replace(kernel("unseen", 1.0), kernel=replace(parsed.kernels[0], line=0)),
    )
    shown = [
        profile_event(JOB, of, one, FindResult((), ()))
        for of in kernels
        if of.instance != "unshown"
        for one in of.launches
        if of.instance != "dear" or one.profile.index
    ]
    version = version_of(parsed, Program((parsed.source,), Flags()), Selection())
    evaluation = cast("Any", SimpleNamespace(version=version, assessment=SimpleNamespace(kernels=kernels)))
    report = profile_report(JOB, evaluation, shown)
    assert (report.path, report.text, report.unshown_count) == (Path("/w/k.cu"), TEXT, 2)
    assert [(of.instance, [one.profile.launch for one in of.launches]) for of in report.kernels] == [
        ("dear", [1]),
        ("cheap", [1, 2, 0]),
        ("unseen", [0]),
    ]
    assert [of.ranges for of in report.kernels] == [((1, 4), (6, 9)), ((1, 4), (6, 9)), ()]
    assert [one.summary.launch_count for one in report.kernels[1].launches] == [3, 4, 2]
