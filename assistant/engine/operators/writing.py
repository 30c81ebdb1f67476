"""The first kernel of a PyTorch task that has no CUDA: written by rules, judged against the reference, kept unless it fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from assistant.config import find_workspace, workspace_folder
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job
from assistant.engine.operators.judging import judge_operator
from assistant.engine.operators.reading import OperatorPair, candidate_of
from assistant.engine.operators.tracing import traced
from assistant.engine.request import OperatorOptions
from assistant.model import events
from assistant.model.source import Source
from assistant.operators.first_kernel import Declined, first_kernel
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure

__all__ = ["kept", "write_operator"]

_FOLDER = "operators"


async def write_operator(job: Job, task: Task, options: OperatorOptions) -> Ending:
    """Leaves the kernel in the workspace's ``.kernelopt`` folder; a person's own files stay as they are."""
    graph = await traced(job, task)
    if isinstance(graph, LabFailure):
        return job.failed(graph)
    first = first_kernel(graph, task.name, task.parameters)
    if isinstance(first, Declined):
        return Ending(CANNOT_ANSWER, f"rules write no kernel for {task.name}: {first.reason}")
    source = Source(job.scratch / f"{task.path.stem}.cu", first.text)
    await asyncio.to_thread(source.path.write_text, first.text, "utf-8")
    ended = await judge_operator(job, OperatorPair(task, candidate_of(source)), options)
    if ended.exit_code == CANNOT_ANSWER:
        return ended
    if ended.exit_code != DONE:
        return Ending(NO, f"the kernel that rules wrote is not what {task.name} computes, and is not kept")
    path = await asyncio.to_thread(kept, task.path, first.text)
    job.emit(events.KernelWritten(job.id, task.name, str(path)))
    return replace(ended, reason=f"a first kernel of {task.name}: {ended.reason}")


def kept(task: Path, text: str) -> Path:
    """Where the kernel now is. A kernel that was kept before stays as it is: a person may have gone on with it."""
    folder = workspace_folder(find_workspace(task)) / _FOLDER
    folder.mkdir(exist_ok=True)
    name = f"{task.parent.name}_{task.stem}"
    places = (folder / f"{name}{ending}.cu" for ending in chain(("",), (f"_{number}" for number in count(2))))
    path = next(place for place in places if not place.exists() or place.read_text("utf-8") == text)
    path.write_text(text, "utf-8")
    return path
