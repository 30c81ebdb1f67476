"""The first version of a PyTorch task in CUDA, which a search goes on from: a person's own, or one that rules write; judged in any case."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from assistant.config import find_workspace, workspace_folder
from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job
from assistant.engine.operators.orders import Where
from assistant.engine.operators.reading import OperatorPair, operator_candidate
from assistant.engine.operators.tracing import traced
from assistant.engine.request import OperatorOptions
from assistant.model import events
from assistant.model.source import Source
from assistant.operators.first_kernel import Declined, first_kernel
from assistant.operators.graph import Graph
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["FirstVersion", "Unwritten", "WriteOperator", "declined", "first_version", "judged_first", "kept", "kept_first", "run_folder"]

_FOLDER = "operators"


class FirstVersion(Record):
    """A version that is right, or for a person to decide on, in a file."""

    pair: OperatorPair
    ending: Ending
    """How the job ends where nothing better is found."""


class Unwritten(Record):
    """A task for which rules write no kernel."""

    task: Task
    graph: Graph
    reason: str


JudgePair = Callable[[Job, OperatorPair], Awaitable[Ending]]
"""The judge of operators, which reports its verdict."""
WriteOperator = Callable[[Job, Unwritten], Awaitable[FirstVersion | Ending]]
"""Who writes a kernel where rules do not."""


async def first_version(job: Job, task: Task, options: OperatorOptions, judge: JudgePair, write: WriteOperator) -> FirstVersion | Ending:
    """Written by rules, else by ``write``; it stays in the workspace's ``.kernelopt`` folder, a person's own files stay as they are."""
    graph = await traced(job, task, Where(sizes=dict(options.sizes)))
    if isinstance(graph, LabFailure):
        return job.failed(graph)
    found = first_kernel(graph, task.name, task.parameters)
    if isinstance(found, Declined):
        return await write(job, Unwritten(task, graph, found.reason))
    source = Source(job.scratch / f"{task.path.stem}.cu", found.text)
    await asyncio.to_thread(source.path.write_text, found.text, "utf-8")
    ended = await judge(job, OperatorPair(task, operator_candidate(source), is_for_any_model=found.is_for_any_model))
    if ended.exit_code == CANNOT_ANSWER:
        return ended
    if ended.exit_code != DONE:
        return Ending(NO, f"the kernel that rules wrote is not what {task.name} computes, and is not kept")
    return await kept_first(job, task, found.text, replace(ended, reason=f"a first kernel of {task.name}: {ended.reason}"))


def declined(job: Job, unwritten: Unwritten, why: str = "") -> Ending:
    """Nobody wrote one."""
    job.emit(events.KernelDeclined(job.id, unwritten.task.name, unwritten.reason))
    return Ending(CANNOT_ANSWER, f"rules write no kernel for {unwritten.task.name}: {unwritten.reason}{why}")


async def kept_first(job: Job, task: Task, text: str, ending: Ending) -> FirstVersion:
    """A kernel that was judged, in a file; reported."""
    path = await asyncio.to_thread(kept, task.path, text)
    job.emit(events.KernelWritten(job.id, task.name, str(path)))
    return FirstVersion(OperatorPair(task, operator_candidate(Source(path, text))), ending)


async def judged_first(job: Job, pair: OperatorPair, judge: JudgePair) -> FirstVersion | Ending:
    """A person's own candidate: nothing is searched from one that is wrong."""
    ended = await judge(job, pair)
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
