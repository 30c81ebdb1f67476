"""What each side is ordered to do, as the worker that runs PyTorch reads it.

Example::

    order = reference_order(job, task, options, Where("cuda"))
    answer = await sides.run("reference", order, task.path.parent, is_candidate=False)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from assistant.engine.job import Job
from assistant.engine.operators.reading import OperatorPair, runnable_file
from assistant.engine.request import OperatorOptions
from assistant.operators.task import Task
from assistant.record import Record
from assistant.serialize import encode

__all__ = ["Where", "candidate_order", "operators_order", "reference_order", "timing_order"]

_TIMED_S = 2.0
"""Rounds of turns go on for so long, where the least number of them did not take longer."""


class Where(Record):
    """Where a side's tensors lie, and what sizes of the task are other than its text says."""

    device: str = "cpu"
    """PyTorch's word: ``cpu`` or ``cuda``."""
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])

    def name(self, side: str) -> str:
        """Of a folder for a side here: sides elsewhere may run at the same time."""
        return "_".join((side, self.device, *(f"{name}{value}" for name, value in self.sizes.items())))


def reference_order(job: Job, task: Task, options: OperatorOptions, where: Where, *, varies_model: bool = False) -> dict[str, Any]:
    """``varies_model``: whether other sizes that the constructor reads are tried, too."""
    return {
        "role": "reference",
        "device": where.device,
        **_of_task(job, task, where),
        "seeds": list(job.seeds[: len(job.seeds) // 2]),
        "size_trials": _size_trials(task, where.sizes),
        "model_trials": _model_trials(task, where.sizes) if varies_model else [],
        "is_short": False,
        "backward": options.is_backward,
    }


def operators_order(job: Job, task: Task, where: Where) -> dict[str, Any]:
    """Which functions of PyTorch one call consists of."""
    return {"role": "operators", **_of_task(job, task, where), "seed": job.seeds[0]}


def candidate_order(job: Job, pair: OperatorPair, reference: dict[str, Any], options: OperatorOptions, where: Where) -> dict[str, Any]:
    """``reference``: what the reference's side answered."""
    return {
        "role": "candidate",
        "device": where.device,
        **_of_candidate(job, pair),
        "seed": job.seeds[-1],
        "backward": options.is_backward,
        "models": reference["models"],
        "cases": [{name: case[name] for name in ("inputs", "model", "cotangents")} for case in reference["cases"]],
    }


def timing_order(
    job: Job, task: Task, pair: OperatorPair | None, reference: dict[str, Any], options: OperatorOptions, where: Where
) -> dict[str, Any]:
    """Of the task's own draws. ``pair``: None where the reference is timed alone."""
    first = reference["models"][0]
    given = [case["inputs"] for case in reference["cases"] if case["kind"] == "given" and case["model"] == 0]
    return {
        "role": "timing",
        "device": where.device,
        **_of_task(job, task, where),
        "seed": job.seeds[0],
        "model": first,
        "inputs": given,
        "baselines": list(options.baselines),
        "time_s": _TIMED_S,
        "candidate": None if pair is None else _of_candidate(job, pair),
    }


def _of_task(job: Job, task: Task, where: Where) -> dict[str, Any]:
    file = str(_task_file(job, task))
    return {"path": file, "class": task.name, "folder": str(task.path.parent), "sizes": dict(where.sizes)}


def _of_candidate(job: Job, pair: OperatorPair) -> dict[str, Any]:
    source, launcher = pair.candidate.source, pair.candidate.launcher
    path = runnable_file(source.path, source.text, job.scratch / "candidate_text")
    return {
        "path": str(path),
        "closed": sorted({str(pair.task.path), str(_task_file(job, pair.task))} - {str(path), str(source.path)}),
        "class": pair.candidate.class_name,
        "folder": str(source.path.parent),
        "launcher": None if launcher is None else _table(encode(launcher)),
    }


def _task_file(job: Job, task: Task) -> Path:
    return runnable_file(task.path, task.text, job.scratch / "task_text")


def _size_trials(task: Task, sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """Other values of the sizes that can be changed without changing the model: odd ones, one, and an empty batch."""
    free = {size.name: sizes.get(size.name, size.value) for size in task.free_sizes}
    if not free:
        return []
    odd = {name: value // 2 + 1 for name, value in free.items()}
    ones = dict.fromkeys(free, 1)
    empty = {name: 0 if number == 0 else value for number, (name, value) in enumerate(free.items())}
    return [odd, ones, empty]


def _model_trials(task: Task, sizes: Mapping[str, int]) -> list[dict[str, int]]:
    """Other values of the sizes that the model has, all at once, then each alone: where four neighbours fit they do not, and the other way
    round. The first that the reference takes is tried."""
    other = {size.name: _other_size(sizes.get(size.name, size.value)) for size in task.model_sizes}
    alone = [{name: value} for name, value in other.items()] if len(other) > 1 else []
    return [other, *alone] if other else []


def _other_size(value: int) -> int:
    return 4 * (value // 4 + 1) if value % 4 else value // 2 + 1


def _table(launcher: dict[str, Any]) -> dict[str, Any]:
    """Pairs as tables."""
    return launcher | {name: dict(launcher[name]) for name in ("inputs", "outputs", "types", "weights")}
