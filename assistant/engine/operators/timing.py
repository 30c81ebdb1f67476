"""How long the reference and a candidate take on a GPU, as PyTorch runs the reference and as it compiles it."""

from __future__ import annotations

import asyncio
from typing import Any

from assistant.engine.job import Job, Stopwatch
from assistant.engine.judge import speed_report
from assistant.engine.operators.orders import Where, timing_order
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.model import events
from assistant.model.code_events import OperatorKernel, OperatorRatio, OperatorTime
from assistant.operators.breakdown import broken_down
from assistant.operators.graph import Graph
from assistant.operators.task import Task
from assistant.operators.timing import ContenderTime, OperatorTiming, Ratio, compared
from assistant.ports.lab import LabFailure

__all__ = ["report_times", "timed"]


async def timed(
    job: Job, task: Task, pair: OperatorPair | None, reference: dict[str, Any], options: OperatorOptions, sides: TorchSides, where: Where
) -> OperatorTiming | LabFailure:
    """``reference``: what its side answered on the GPU; ``pair``: None where it is timed alone."""
    watch = Stopwatch(job, "timing")
    watch.begin(f"{', '.join(options.baselines)}{'' if pair is None else ' and the candidate'}; PyTorch compiles first")
    order = timing_order(job, task, pair, reference, options, where)
    answer = await sides.run("timing", order, sides.folder("timing"), is_candidate=pair is not None)
    if isinstance(answer, LabFailure):
        return answer
    failure = answer["failure"]
    if failure is not None:
        return LabFailure(failure["kind"], failure["message"], "try again")
    found = await asyncio.to_thread(compared, answer, job.seeds[0])
    watch.end(f"{len(answer['rounds'])} rounds")
    return found


def report_times(job: Job, task: Task, times: OperatorTiming, where: Where, graph: Graph | LabFailure) -> None:
    """Send the times, and the least that any implementation takes; ``graph``: of a call at these sizes."""
    bound_s = None if isinstance(graph, LabFailure) else broken_down(graph, job.target).least_time_s
    job.emit(
        events.OperatorTimed(
            job=job.id,
            name=task.name,
            device=job.device,
            sizes=dict(where.sizes),
            times=tuple(map(_time, times.times)),
            ratios=tuple(map(_ratio, times.ratios)),
            graphed=tuple(map(_ratio, times.graphed)),
            bound_s=bound_s,
            left_out=tuple(f"{name}: {reason}" for name, reason in times.left_out),
            method=times.method,
        )
    )


def _time(found: ContenderTime) -> OperatorTime:
    kernels = tuple(OperatorKernel(each.name, each.launch_count, each.time_s) for each in found.kernels)
    return OperatorTime(found.name, found.call_s, found.device_s, kernels)


def _ratio(found: Ratio) -> OperatorRatio:
    return OperatorRatio(found.baseline, speed_report(found.call), speed_report(found.device))
