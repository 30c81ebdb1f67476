"""What a PyTorch task consists of: its functions with their shares of the least time, and the groups that one kernel could do together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from assistant.config import find_project
from assistant.engine.job import CANNOT_ANSWER, DONE, Ending, Job, Stopwatch
from assistant.engine.operators.reading import runnable_file
from assistant.lab.torch_sides import TorchSides
from assistant.measure.calibration import LAUNCH_S
from assistant.model import events
from assistant.model.code_events import OperatorFunction, OperatorGroup
from assistant.model.profile import Severity
from assistant.operators.breakdown import Breakdown, FusibleGroup, broken_down, least_time_s
from assistant.operators.graph import Argument, FunctionCall, Graph, TensorUse
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.profile.quantity import counted_noun, format_quantity
from assistant.program.torch_place import TorchPlace, torch_place

__all__ = ["NO_TORCH", "graph_of", "profile_operator", "torch_of", "traced"]

NO_TORCH = LabFailure("unsupported", "PyTorch is not installed where this project's scripts find it", "pip install 'kernelopt[torch]'")
_METHOD = "bytes and operations from shapes, at the target's peaks; float32 products at its FP32 units; nothing is timed"


async def profile_operator(job: Job, task: Task) -> Ending:
    """The functions of PyTorch that one call of the task's model makes."""
    graph = await traced(job, task)
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
    functions = counted_noun(len(found.calls), "function call")
    groups = counted_noun(len(found.groups), "group")
    return Ending(DONE, f"{functions} of PyTorch; {groups} that one kernel could do" if found.groups else f"{functions} of PyTorch")


async def traced(job: Job, task: Task) -> Graph | LabFailure:
    """One call on the task's own inputs."""
    place = torch_of(job, task)
    if place is None:
        return NO_TORCH
    answer = await _asked(job, task, place)
    if isinstance(answer, LabFailure):
        return answer
    failure = answer["failure"]
    return graph_of(answer) if failure is None else LabFailure(failure["kind"], failure["message"], "run the task by itself")


def torch_of(job: Job, task: Task) -> TorchPlace | None:
    """The PyTorch that the task runs in; None where none is installed."""
    return torch_place(job.request.torch_project or find_project(task.path))


async def _asked(job: Job, task: Task, place: TorchPlace) -> dict[str, Any] | LabFailure:
    sides = TorchSides(job.scratch, place, job.limits)
    path = runnable_file(task.path, task.text, job.scratch / "task_text")
    order = {"role": "operators", "path": str(path), "class": task.name, "folder": str(task.path.parent), "seed": job.seeds[0]}
    try:
        watch = Stopwatch(job, "operators")
        watch.begin(f"{task.name} of {task.path.name} in PyTorch {place.version}")
        answer = await sides.run("operators", order, task.path.parent, is_candidate=False)
        watch.end(f"{task.name} of {task.path.name} in PyTorch {place.version}")
    finally:
        await sides.close()
    return answer


def graph_of(answer: Mapping[str, Any]) -> Graph:
    """What PyTorch's process wrote."""
    return Graph(
        inputs=tuple(map(_argument, answer["inputs"])),
        weights=tuple((each["name"], _use(each)) for each in answer["weights"]),
        calls=tuple(map(_call, answer["calls"])),
        results=_uses(answer["results"]),
    )


def _call(saved: Mapping[str, Any]) -> FunctionCall:
    return FunctionCall(
        name=saved["name"],
        line=saved["line"],
        kind=saved["kind"],
        reads=_uses(saved["reads"]),
        writes=_uses(saved["writes"]),
        operations=saved["operations"],
        arguments=tuple(map(_argument, saved["arguments"])),
        named=tuple((name, _argument(value)) for name, value in saved["named"].items()),
    )


def _argument(saved: Any) -> Argument:
    if isinstance(saved, dict):
        return _use(cast("dict[str, Any]", saved))
    return tuple(map(_item, cast("list[Any]", saved))) if isinstance(saved, list) else saved


def _item(saved: Any) -> Any:
    return _use(cast("dict[str, Any]", saved)) if isinstance(saved, dict) else saved


def _uses(saved: Sequence[Mapping[str, Any]]) -> tuple[TensorUse, ...]:
    return tuple(map(_use, saved))


def _use(saved: Mapping[str, Any]) -> TensorUse:
    return TensorUse(saved["memory"], saved["bytes"], saved["dtype"], tuple(saved["shape"]), saved["is_whole"])


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
