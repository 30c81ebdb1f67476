"""What a PyTorch task consists of: its functions with their shares of the least time, and the groups that one kernel could do together."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job
from assistant.engine.operators.on_gpu import gpu_sides
from assistant.engine.operators.orders import Where
from assistant.engine.operators.reading import checked_sizes
from assistant.engine.operators.reference import given_inputs
from assistant.engine.operators.timing import report_times, timed
from assistant.engine.operators.tracing import NO_TORCH, torch_of, traced
from assistant.engine.request import OperatorOptions
from assistant.measure.calibration import LAUNCH_S
from assistant.model import events
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.model.profile import Severity
from assistant.operators.breakdown import Breakdown, FusibleGroup, broken_down, least_time_s
from assistant.operators.graph import Graph
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.profile.quantity import counted_noun, format_quantity

__all__ = ["profile_operator"]

_METHOD = "bytes and operations from shapes, at the target's peaks; float32 products at its FP32 units; no measurement"


async def profile_operator(job: Job, task: Task, options: OperatorOptions, *, is_timed: bool) -> Ending:
    """The functions of PyTorch that one call of the task's model makes; ``is_timed``: on a GPU also how long it takes.

    Raises UsageError for sizes that the task does not have.
    """
    checked_sizes(task, options.sizes)
    where = Where(sizes=dict(options.sizes))
    graph = await traced(job, task, where)
    if isinstance(graph, LabFailure):
        return job.failed(graph)
    found = broken_down(graph, job.target)
    if not found.calls:
        return Ending(CANNOT_ANSWER, f"{task.name} calls no function of PyTorch that computes")
    separate_s = sum(found.times_s)
    job.emit(
        events.OperatorsFound(
            job=job.id,
            name=task.name,
            target=job.target.name,
            functions=tuple(_functions(found, separate_s)),
            groups=tuple(_group(group, job) for group in found.groups),
            moved_bytes=found.moved_bytes,
            least_time_s=found.least_time_s,
            separate_time_s=separate_s,
            method=_METHOD,
        )
    )
    launches_s = LAUNCH_S * len(found.calls)
    if separate_s < launches_s:
        message = f"at these sizes launches cost more: about {format_quantity(LAUNCH_S, 's')} for each function (model)"
        job.say(Severity.INFORMATION, message, "profile it at the sizes that you run")
    if is_timed:
        await _time(job, task, options, graph)
    functions = counted_noun(len(found.calls), "function call")
    groups = counted_noun(len(found.groups), "group")
    return Ending(DONE, f"{functions} of PyTorch; {groups} that one kernel could do" if found.groups else f"{functions} of PyTorch")


async def _time(job: Job, task: Task, options: OperatorOptions, graph: Graph) -> None:
    """Nothing without a GPU; why it is not timed with one is said."""
    place = torch_of(job, task)
    sides = NO_TORCH if place is None else gpu_sides(job, place, None)
    if sides is None:
        return
    if isinstance(sides, LabFailure):
        job.say_failure(sides)
        return
    try:
        there = Where("cuda", dict(options.sizes))
        reference = await given_inputs(job, task, options, sides, there)
        times = reference if isinstance(reference, LabFailure) else await timed(job, task, None, reference, options, sides, there)
    finally:
        await sides.close()
    if isinstance(times, LabFailure):
        job.say(Severity.WARNING, f"it is not timed: {times.message}", times.remedy)
    else:
        report_times(job, task, times, there, graph)


def _functions(found: Breakdown, separate_s: float) -> Iterator[OperatorFunction]:
    """Calls of one function at one line together, the costliest first."""
    rows: dict[tuple[str, int | None], list[int]] = {}
    for place, call in enumerate(found.calls):
        rows.setdefault((call.name, call.line), []).append(place)
    for (name, line), places in sorted(rows.items(), key=lambda row: -sum(found.times_s[place] for place in row[1])):
        calls, time_s = [found.calls[place] for place in places], sum(found.times_s[place] for place in places)
        yield OperatorFunction(
            name=name,
            line=line,
            call_count=len(calls),
            moved_bytes=sum(call.moved_bytes for call in calls),
            operation_count=sum(call.operations for call in calls),
            least_time_s=time_s,
            share_ratio=time_s / separate_s if separate_s else 0.0,
        )


def _group(group: FusibleGroup, job: Job) -> OperatorGroup:
    return OperatorGroup(
        names=tuple(call.name for call in group.calls),
        lines=tuple(sorted({call.line for call in group.calls if call.line is not None})),
        moved_bytes=group.moved_bytes,
        separate_bytes=group.moved_bytes + group.saved_bytes,
        least_time_s=group.least_time_s,
        separate_time_s=sum(least_time_s(call, job.target) for call in group.calls),
    )
