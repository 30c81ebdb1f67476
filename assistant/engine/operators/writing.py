"""The first version of a PyTorch task in CUDA, which a search goes on from: a person's own, or one that rules write; judged in any case."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from assistant.config import find_workspace, workspace_folder
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job
from assistant.engine.operators.judging import judge_operator
from assistant.engine.operators.reading import OperatorPair, operator_candidate
from assistant.engine.operators.tracing import traced
from assistant.engine.request import OperatorOptions
from assistant.model import events
from assistant.model.source import Source
from assistant.operators.first_kernel import Declined, FirstKernel, first_kernel
from assistant.operators.graph import Graph
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["FirstVersion", "first_version", "judged_first", "kept", "rules_first", "run_folder", "written_first"]

_FOLDER = "operators"


class FirstVersion(Record):
    """A version that is right, or for a person to decide on, in a file."""

    pair: OperatorPair
    ending: Ending
    """How the job ends where nothing better is found."""


class Written(Record):
    """A first kernel, and the graph of the model that it was written for."""

    graph: Graph
    kernel: FirstKernel | Declined


async def rules_first(job: Job, task: Task) -> Written | Ending:
    """What rules write."""
    graph = await traced(job, task)
    if isinstance(graph, LabFailure):
        return job.failed(graph)
    return Written(graph, first_kernel(graph, task.name, task.parameters))


async def first_version(job: Job, task: Task, options: OperatorOptions) -> FirstVersion | Ending:
    """Written by rules; it stays in the workspace's ``.kernelopt`` folder, a person's own files stay as they are."""
    found = await rules_first(job, task)
    if isinstance(found, Ending):
        return found
    if isinstance(found.kernel, Declined):
        return Ending(CANNOT_ANSWER, f"rules write no kernel for {task.name}: {found.kernel.reason}")
    return await written_first(job, task, found.kernel, options)


async def written_first(job: Job, task: Task, kernel: FirstKernel, options: OperatorOptions) -> FirstVersion | Ending:
    """Judged, and kept unless it fails."""
    source = Source(job.scratch / f"{task.path.stem}.cu", kernel.text)
    await asyncio.to_thread(source.path.write_text, kernel.text, "utf-8")
    ended = await judge_operator(job, OperatorPair(task, operator_candidate(source)), options)
    if ended.exit_code == CANNOT_ANSWER:
        return ended
    if ended.exit_code != DONE:
        return Ending(NO, f"the kernel that rules wrote is not what {task.name} computes, and is not kept")
    path = await asyncio.to_thread(kept, task.path, kernel.text)
    job.emit(events.KernelWritten(job.id, task.name, str(path)))
    pair = OperatorPair(task, operator_candidate(Source(path, kernel.text)))
    return FirstVersion(pair, replace(ended, reason=f"a first kernel of {task.name}: {ended.reason}"))


async def judged_first(job: Job, pair: OperatorPair, options: OperatorOptions) -> FirstVersion | Ending:
    """A person's own candidate: nothing is searched from one that is wrong."""
    ended = await judge_operator(job, pair, options)
    return ended if ended.exit_code != DONE else FirstVersion(pair, ended)


def kept(task: Path, text: str) -> Path:
    """Where the kernel now is. A kernel that was kept before stays as it is: a person may have gone on with it."""
    folder = _folder(task)
    folder.mkdir(exist_ok=True)
    name = f"{task.parent.name}_{task.stem}"
    places = (folder / f"{name}{ending}.cu" for ending in chain(("",), (f"_{number}" for number in count(2))))
    path = next(place for place in places if not place.exists() or place.read_text("utf-8") == text)
    path.write_text(text, "utf-8")
    return path


def run_folder(task: Path, candidate: Path) -> Path:
    """Of the program that calls a candidate."""
    return _folder(task) / f"{task.parent.name}_{task.stem}_{candidate.stem}"


def _folder(task: Path) -> Path:
    return workspace_folder(find_workspace(task)) / _FOLDER
