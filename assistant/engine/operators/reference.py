"""The reference of a task, run on all inputs by itself, before any candidate."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

from assistant.engine.job import Job, Stopwatch
from assistant.engine.operators.evidence import reference_cases
from assistant.engine.operators.orders import Where, reference_order
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.operators.evidence import ReferenceCase
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["RanReference", "given_inputs", "of_reference", "ran_reference"]


class RanReference(Record, eq=False):
    """What its process answered, and the cases read from the files that it left."""

    answer: dict[str, Any]
    cases: tuple[ReferenceCase, ...]


async def ran_reference(
    job: Job, pair: OperatorPair, options: OperatorOptions, sides: TorchSides, where: Where
) -> RanReference | LabFailure:
    """Its results are removed from the disk once they are read."""
    task = pair.task
    watch = Stopwatch(job, "reference")
    place = "CPU" if where.device == "cpu" else "GPU"
    watch.begin(f"{task.name} of {task.path.name} in PyTorch {sides.place.version} on the {place}")
    order = reference_order(job, task, options, where, varies_model=pair.is_for_any_model)
    answer = of_reference(await sides.run("reference", order, task.path.parent, is_candidate=False))
    if isinstance(answer, LabFailure):
        return answer
    cases = await asyncio.to_thread(reference_cases, answer)
    await asyncio.to_thread(_remove_answers, sides.folder("reference"))
    watch.end(f"{len(cases)} cases")
    return RanReference(answer, cases)


async def given_inputs(job: Job, task: Task, options: OperatorOptions, sides: TorchSides, where: Where) -> dict[str, Any] | LabFailure:
    """What the reference's side answers of the task's own draws alone: enough to time it, and to call a candidate once."""
    order = {**reference_order(job, task, options, where), "is_short": True, "size_trials": [], "seeds": list(job.seeds[:1])}
    return of_reference(await sides.run("reference", order, task.path.parent, is_candidate=False))


def _remove_answers(folder: Path) -> None:
    """Remove what a candidate must not find; it needs the inputs alone."""
    shutil.rmtree(folder / "results", ignore_errors=True)
    for name in ("answer.json", "order.json"):
        (folder / name).unlink(missing_ok=True)


def of_reference(answer: dict[str, Any] | LabFailure) -> dict[str, Any] | LabFailure:
    """The answer of a reference that ran; else why it did not."""
    if isinstance(answer, LabFailure):
        return LabFailure(answer.kind, f"the reference: {answer.message}", answer.remedy)
    failure = answer["failure"]
    return answer if failure is None else LabFailure(failure["kind"], f"the reference: {failure['message']}", "run the task by itself")
