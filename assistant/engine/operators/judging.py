"""A candidate for an operator against its reference: both run on the same inputs, in processes of their own, and what they left is judged.

Without a GPU that is all. With one, the emulator looks at sizes that it can take, for what only it sees; then the GPU runs both at the
task's own sizes, and times them where the candidate is not wrong.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from assistant.engine.job import Ending, Job
from assistant.engine.operators.emulated import judged_on_emulator
from assistant.engine.operators.judged import JudgedOperator, reported_operator
from assistant.engine.operators.on_gpu import OnGpu, gpu_sides, judged_on_gpu
from assistant.engine.operators.orders import Where
from assistant.engine.operators.reading import OperatorPair, checked_sizes
from assistant.engine.operators.timing import report_times, timed
from assistant.engine.operators.tracing import NO_TORCH, torch_of, traced
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.model.comparison import Comparison
from assistant.model.verification import CannotJudge, Outcome, Verification, VerificationFinding, VerificationResult
from assistant.operators.graph import Graph, moved
from assistant.operators.merging import merged
from assistant.operators.task import Task
from assistant.operators.timing import EAGER
from assistant.ports.lab import LabFailure

__all__ = ["judge_operator", "judged_operator"]

_EMULATED_SIZE = 97
"""Sizes that can be changed are no larger than this on the emulator where a GPU judges too: no multiple of a warp or block."""
_EMULATED_BYTES, _EMULATED_OPERATIONS = 4 << 20, 2e8
"""Of one call: more takes the emulator minutes."""


async def judge_operator(job: Job, pair: OperatorPair, options: OperatorOptions) -> Ending:
    """Is the candidate right, and on a GPU how fast? The verdict is reported. Raises UsageError for sizes that the task does not have."""
    return reported_operator(job, pair, options, await judged_operator(job, pair, options))


async def judged_operator(job: Job, pair: OperatorPair, options: OperatorOptions) -> JudgedOperator | LabFailure:
    """As `judge_operator`, with nothing reported of the verdict."""
    checked_sizes(pair.task, options.sizes)
    place = torch_of(job, pair.task)
    if place is None:
        return NO_TORCH
    gpu = gpu_sides(job, place, pair)
    if isinstance(gpu, LabFailure):
        return gpu
    sides = TorchSides(job.scratch, place, job.limits)
    try:
        if gpu is None:
            result, speed = await judged_on_emulator(job, pair, options, sides, Where("cpu", dict(options.sizes))), None
        else:
            result, speed = await _with_gpu(job, pair, options, sides, gpu)
    finally:
        await sides.close()
        if gpu is not None:
            await gpu.close()
    if isinstance(result, LabFailure):
        return result
    return JudgedOperator(result, speed, "no time without a GPU" if gpu is None else "not timed")


async def _with_gpu(
    job: Job, pair: OperatorPair, options: OperatorOptions, sides: TorchSides, gpu: TorchSides
) -> tuple[VerificationResult | LabFailure, Comparison | None]:
    where = Where("cuda", dict(options.sizes))
    emulated, found, graph = await asyncio.gather(
        _looked_at(job, pair, options, sides), judged_on_gpu(job, pair, options, gpu, where), traced(job, pair.task, where)
    )
    if isinstance(emulated, CannotJudge):
        return emulated, None
    if isinstance(found, LabFailure):
        return found, None
    result = _both(emulated, found)
    if isinstance(result, CannotJudge) or result.outcome is Outcome.FAIL:
        return result, None
    times = await timed(job, pair.task, pair, found.reference, options, gpu, where)
    if isinstance(times, LabFailure):
        return replace(result, missing_checks=(*result.missing_checks, f"speed: {times.message}")), None
    if times.is_wrong:
        return _wrong_when_timed(result), None
    if times.suspicion is not None:
        return replace(result, missing_checks=(*result.missing_checks, f"speed: {times.suspicion}")), None
    report_times(job, pair.task, times, where, graph)
    eager = times.of(EAGER)
    return result, None if eager is None else eager.call


def _wrong_when_timed(result: Verification) -> Verification:
    message = "when it is timed it leaves other values than the reference: it does less work then"
    finding = VerificationFinding("remembered", Outcome.FAIL, message)
    return replace(result, outcome=Outcome.FAIL, findings=(finding, *result.findings))


def _both(emulated: Verification | LabFailure, found: OnGpu) -> VerificationResult:
    if isinstance(found.result, CannotJudge):
        return found.result
    if isinstance(emulated, Verification):
        return merged(emulated, found.result)
    missing = f"races, bounds and uninitialised reads: {emulated.message}"
    return replace(found.result, missing_checks=(*found.result.missing_checks, missing))


async def _looked_at(job: Job, pair: OperatorPair, options: OperatorOptions, sides: TorchSides) -> VerificationResult | LabFailure:
    """By the emulator, at sizes that it can take; a failure says why it was not."""
    where = Where("cpu", _small(pair.task))
    graph = await traced(job, pair.task, where)
    if isinstance(graph, LabFailure):
        return graph
    too_much = _too_much(graph)
    if too_much is not None:
        return LabFailure("unsupported", too_much, "make sizes of the task constants that only get_inputs() reads")
    return await judged_on_emulator(job, pair, options, sides, where, gpu_judges_too=True)


def _small(task: Task) -> dict[str, int]:
    return {size.name: _EMULATED_SIZE for size in task.free_sizes if size.value > _EMULATED_SIZE}


def _too_much(graph: Graph) -> str | None:
    moved_bytes = moved([*graph.given, *graph.results])
    operations = sum(call.operations for call in graph.calls)
    if moved_bytes <= _EMULATED_BYTES and operations <= _EMULATED_OPERATIONS:
        return None
    return f"one call is too much for the emulator ({moved_bytes / 2**20:.3g} MiB, {operations:.2g} operations)"
