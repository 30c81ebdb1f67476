"""A candidate judged without a GPU: PyTorch on the CPU, its kernels on the emulator.

The candidate runs as often as calls of its extensions depend on each other: each run asks for calls whose answers it lacks, and the
emulator gives them before the next one.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from assistant.engine.job import Job, Stopwatch
from assistant.engine.operators.evidence import against_candidate, evidence_of, whole_answer
from assistant.engine.operators.extensions import ExtensionRuns
from assistant.engine.operators.orders import Where, candidate_order
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.operators.reference import ran_reference
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchSides
from assistant.model.verification import VerificationResult
from assistant.operators.judge import judge
from assistant.ports.lab import LabFailure

__all__ = ["judged_on_emulator"]

_MOST_RUNS = 40
"""Of a candidate: one more than calls of extensions that wait for each other."""
_TOO_MUCH = frozenset({"timed_out", "out_of_memory"})


async def judged_on_emulator(
    job: Job, pair: OperatorPair, options: OperatorOptions, sides: TorchSides, where: Where, *, gpu_judges_too: bool = False
) -> VerificationResult | LabFailure:
    """``gpu_judges_too``: what takes too long here is then no fault of the candidate's."""
    found = await ran_reference(job, pair, options, sides, where)
    if isinstance(found, LabFailure):
        return found
    watch = Stopwatch(job, "candidate")
    watch.begin(f"{pair.candidate.source.path.name} on the same inputs, CUDA on the emulator")
    runs = ExtensionRuns(job, pair.candidate.source)
    candidate = await _candidate(candidate_order(job, pair, found.answer, options, where), sides, runs)
    if isinstance(candidate, LabFailure):
        return candidate
    ended = candidate["failure"]
    if gpu_judges_too and (runs.gave_up is not None or (ended is not None and ended["kind"] in _TOO_MUCH)):
        return LabFailure("timed_out", runs.gave_up or ended["message"], "make sizes of the task constants that only get_inputs() reads")
    await runs.look_at_streams()
    watch.end(f"{runs.launch_count} launches of kernels of its own")
    given = partial(evidence_of, pair, found.answer, found.cases, candidate, runs.seen, options)
    return judge(await asyncio.to_thread(given))


async def _candidate(order: dict[str, Any], sides: TorchSides, runs: ExtensionRuns) -> dict[str, Any] | LabFailure:
    """Its last answer, in which every call of an extension has been answered."""
    folder = sides.folder("candidate")
    answered: list[list[str]] = []
    for _ in range(_MOST_RUNS):
        answer = await sides.run("candidate", order, folder, is_candidate=True)
        if isinstance(answer, LabFailure):
            return against_candidate(answer)
        answer = whole_answer(answer)
        if answer["calls"] == answered:
            return _unsupported(answer) or answer
        answered = answer["calls"]
        for index, (request, calls) in enumerate(zip(answer["extensions"], answered, strict=True)):
            failure = await runs.answer(index, request, calls, folder)
            if failure is not None:
                return against_candidate(failure)
    return LabFailure("unsupported", "the candidate asks for other calls of its extensions in each run", "have it draw no random numbers")


def _unsupported(answer: dict[str, Any]) -> LabFailure | None:
    """What the candidate uses that cannot be run here: that says nothing against it."""
    passes = [left for case in answer.get("cases", ()) for left in case.values() if left is not None]
    for failure in (answer["failure"], *(left["failure"] for left in passes)):
        if failure is not None and failure["kind"] == "unsupported":
            return LabFailure("unsupported", failure["message"], "docs/how-to/operators.md lists what the emulator has of PyTorch")
    return None
