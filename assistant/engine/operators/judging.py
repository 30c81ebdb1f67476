"""A candidate for an operator against its reference: both run on the same inputs, in processes of their own, and what they left is judged.

The candidate runs as often as calls of its extensions depend on each other: each run asks for calls whose answers it lacks, and the
emulator gives them before the next one.
"""

from __future__ import annotations

import asyncio
import shutil
from functools import partial
from pathlib import Path
from typing import Any

from assistant.engine.job import CANNOT_ANSWER, DONE, NO, Ending, Job, Stopwatch
from assistant.engine.judge import Verdict, verdict_event
from assistant.engine.operators.evidence import evidence_of, reference_cases
from assistant.engine.operators.extensions import ExtensionRuns
from assistant.engine.operators.profiling import NO_TORCH, torch_of
from assistant.engine.operators.reading import OperatorPair, runnable_file
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.model.profile import Severity
from assistant.model.source import Source
from assistant.model.verification import CannotJudge, Outcome, VerificationResult, verdict_in_words
from assistant.operators.judge import judge
from assistant.operators.task import Task
from assistant.ports.lab import LabFailure
from assistant.serialize import encode

__all__ = ["judge_operator"]

_MOST_RUNS = 40
"""Of a candidate: one more than calls of extensions that wait for each other."""
_FAILS_CANDIDATE = frozenset({"not_built", "crashed", "timed_out", "out_of_memory"})
"""Kinds of failure that speak against the candidate; any other one is the lab's own."""


async def judge_operator(job: Job, pair: OperatorPair, options: OperatorOptions) -> Ending:
    """Is the candidate right? Reports the verdict, without a speed: nothing is timed without a GPU."""
    result = await _judged(job, pair, options)
    if isinstance(result, LabFailure):
        return job.failed(result)
    if isinstance(result, CannotJudge):
        job.say(Severity.ERROR, result.reason, result.remedy)
        return Ending(CANNOT_ANSWER, "cannot judge the candidate")
    verdict = Verdict(pair.task.name, result, None, ())
    before = Source(pair.task.path, pair.task.text)
    job.emit(verdict_event(job, before.sha256, pair.candidate.source.sha256, verdict))
    if result.outcome is Outcome.FAIL:
        return Ending(NO, f"FAIL: {pair.candidate.source.path.name} does not do what {pair.task.name} does")
    is_open = options.is_strict and result.outcome is Outcome.NEEDS_DECISION
    return Ending(NO if is_open else DONE, f"{verdict_in_words(result.outcome, result.caveats)}, no time without a GPU")


async def _judged(job: Job, pair: OperatorPair, options: OperatorOptions) -> VerificationResult | LabFailure:
    place = torch_of(job, pair.task)
    if place is None:
        return NO_TORCH
    sides = TorchSides(job.scratch, place, job.limits)
    try:
        watch = Stopwatch(job, "reference")
        watch.begin(f"{pair.task.name} of {pair.task.path.name} in PyTorch {place.version} on the CPU")
        order = _reference_order(job, pair.task, options)
        reference = _of_reference(await sides.run("reference", order, pair.task.path.parent, is_candidate=False))
        if isinstance(reference, LabFailure):
            return reference
        cases = await asyncio.to_thread(reference_cases, reference)
        await asyncio.to_thread(_remove_answers, sides.folder("reference"))
        watch.end(f"{len(cases)} cases")
        watch = Stopwatch(job, "candidate")
        watch.begin(f"{pair.candidate.source.path.name} on the same inputs, CUDA on the emulator")
        runs = ExtensionRuns(job, pair.candidate.source)
        candidate = await _candidate(_candidate_order(job, pair, reference, options), sides, runs)
        if isinstance(candidate, LabFailure):
            return candidate
        await runs.look_at_streams()
        watch.end(f"{runs.launch_count} launches of kernels of its own")
        given = partial(evidence_of, pair, reference, cases, candidate, runs, options)
        return judge(await asyncio.to_thread(given))
    finally:
        await sides.close()


def _remove_answers(folder: Path) -> None:
    """What a candidate must not find; it needs the inputs alone."""
    shutil.rmtree(folder / "results", ignore_errors=True)
    for name in ("answer.json", "order.json"):
        (folder / name).unlink(missing_ok=True)


def _reference_order(job: Job, task: Task, options: OperatorOptions) -> dict[str, Any]:
    return {
        "role": "reference",
        "path": str(_task_file(job, task)),
        "class": task.name,
        "folder": str(task.path.parent),
        "seeds": list(job.seeds[: len(job.seeds) // 2]),
        "sizes": {},
        "size_trials": _size_trials(task),
        "is_short": False,
        "backward": options.is_backward,
    }


def _task_file(job: Job, task: Task) -> Path:
    return runnable_file(task.path, task.text, job.scratch / "task_text")


def _size_trials(task: Task) -> list[dict[str, int]]:
    """Other values of the sizes that can be changed without changing the model: odd ones, one, and an empty batch."""
    free = task.free_sizes
    if not free:
        return []
    odd = {size.name: size.value // 2 + 1 for size in free}
    ones = {size.name: 1 for size in free}
    empty = {size.name: 0 if number == 0 else size.value for number, size in enumerate(free)}
    return [odd, ones, empty]


def _of_reference(answer: dict[str, Any] | LabFailure) -> dict[str, Any] | LabFailure:
    if isinstance(answer, LabFailure):
        return LabFailure(answer.kind, f"the reference: {answer.message}", answer.remedy)
    failure = answer["failure"]
    return answer if failure is None else LabFailure(failure["kind"], f"the reference: {failure['message']}", "run the task by itself")


async def _candidate(order: dict[str, Any], sides: TorchSides, runs: ExtensionRuns) -> dict[str, Any] | LabFailure:
    """Its last answer, in which every call of an extension has been answered."""
    folder = sides.folder("candidate")
    answered: list[list[list[Any]]] = []
    for _ in range(_MOST_RUNS):
        answer = await sides.run("candidate", order, folder, is_candidate=True)
        if isinstance(answer, LabFailure):
            return _against_candidate(answer)
        if answer["calls"] == answered:
            return _unsupported(answer) or answer
        answered = answer["calls"]
        for index, (request, calls) in enumerate(zip(answer["extensions"], answered, strict=True)):
            failure = await runs.answer(index, request, calls, folder)
            if failure is not None:
                return _against_candidate(failure)
    return LabFailure("unsupported", "the candidate asks for other calls of its extensions in each run", "have it draw no random numbers")


def _unsupported(answer: dict[str, Any]) -> LabFailure | None:
    """What the candidate uses that cannot be run here: that says nothing against it."""
    passes = [left for case in answer.get("cases", ()) for left in case.values() if left is not None]
    for failure in (answer["failure"], *(left["failure"] for left in passes)):
        if failure is not None and failure["kind"] == "unsupported":
            return LabFailure("unsupported", failure["message"], "docs/how-to/operators.md lists what the emulator has of PyTorch")
    return None


def _candidate_order(job: Job, pair: OperatorPair, reference: dict[str, Any], options: OperatorOptions) -> dict[str, Any]:
    source, launcher = pair.candidate.source, pair.candidate.launcher
    path = runnable_file(source.path, source.text, job.scratch / "candidate_text")
    return {
        "role": "candidate",
        "path": str(path),
        "closed": sorted({str(pair.task.path), str(_task_file(job, pair.task))} - {str(path), str(source.path)}),
        "class": pair.candidate.class_name,
        "folder": str(source.path.parent),
        "launcher": None if launcher is None else _table(encode(launcher)),
        "seed": job.seeds[-1],
        "backward": options.is_backward,
        "models": reference["models"],
        "cases": [{name: case[name] for name in ("inputs", "model", "cotangents")} for case in reference["cases"]],
    }


def _table(launcher: dict[str, Any]) -> dict[str, Any]:
    """Pairs as tables."""
    return launcher | {name: dict(launcher[name]) for name in ("inputs", "outputs", "types", "weights")}


def _against_candidate(failure: LabFailure) -> dict[str, Any] | LabFailure:
    """As the answer of a candidate that failed as a whole, where that is its own fault."""
    if failure.kind not in _FAILS_CANDIDATE:
        return failure
    return {"failure": {"kind": failure.kind, "message": failure.message}, "cases": [], "replaced": [], "reads_reference": False}
