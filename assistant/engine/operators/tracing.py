"""The functions of PyTorch that one call of a task's model makes, as a process that has PyTorch writes them down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from assistant.config import find_project
from assistant.engine.job import Job, Stopwatch
from assistant.engine.operators.orders import Where, operators_order
from assistant.lab.torch_sides import TorchSides
from assistant.operators.graph import Argument, Filled, FunctionCall, Graph, TensorUse
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.program.torch_place import TorchPlace, torch_place

__all__ = ["NO_TORCH", "graph_of", "torch_of", "traced"]

NO_TORCH = LabFailure("unsupported", "PyTorch is not installed where this project's scripts find it", "pip install 'kernelopt[torch]'")


async def traced(job: Job, task: Task, where: Where | None = None) -> Graph | LabFailure:
    """One call on the task's own inputs, at the sizes of ``where``."""
    place = torch_of(job, task)
    if place is None:
        return NO_TORCH
    answer = await _asked(job, task, place, where or Where())
    if isinstance(answer, LabFailure):
        return answer
    failure = answer["failure"]
    return graph_of(answer) if failure is None else LabFailure(failure["kind"], failure["message"], "run the task by itself")


def torch_of(job: Job, task: Task) -> TorchPlace | None:
    """The PyTorch that the task runs in; None where none is installed."""
    return torch_place(job.request.torch_project or find_project(task.path))


async def _asked(job: Job, task: Task, place: TorchPlace, where: Where) -> dict[str, Any] | LabFailure:
    sides = TorchSides(job.scratch, place, job.limits)
    order = operators_order(job, task, where)
    try:
        watch = Stopwatch(job, "operators")
        watch.begin(f"{task.name} of {task.path.name} in PyTorch {place.version}")
        answer = await sides.run(where.name("operators"), order, task.path.parent, is_candidate=False)
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
        filled=tuple(Filled(_use(each), each["first"], each["step"]) for each in answer["filled"]),
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
    return TensorUse(
        memory=saved["memory"],
        bytes=saved["bytes"],
        dtype=saved["dtype"],
        shape=tuple(saved["shape"]),
        is_whole=saved["is_whole"],
        strides=tuple(saved["strides"]),
        offset=saved["offset"],
        memory_bytes=saved["memory_bytes"],
    )
