"""A candidate judged on a GPU: both sides run there, at the task's own sizes, and the profiler of PyTorch says which kernels ran."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant.config import user_paths
from assistant.engine.job import Job, Stopwatch
from assistant.engine.operators.evidence import against_candidate, evidence_of, seen_on_gpu, whole_answer
from assistant.engine.operators.orders import Where, candidate_order
from assistant.engine.operators.reading import OperatorPair
from assistant.engine.operators.reference import ran_reference
from assistant.engine.request import OperatorOptions
from assistant.lab.torch_sides import TorchGpu, TorchSides
from assistant.model.profile import Severity
from assistant.model.verification import VerificationResult
from assistant.operators.judge import judge
from assistant.ports.lab import LabFailure
from assistant.program.torch_place import TorchPlace
from assistant.record import Record

__all__ = ["OnGpu", "gpu_sides", "judged_on_gpu"]

_BUILDS = "torch"
_KEPT_BUILDS = 100
"""Folders of extensions that are kept, the last used."""
_BUILD_S = 300.0
"""What nvcc and PyTorch may take to compile, besides the time of a run."""
_MEMORY_BYTES = 16 << 30
"""Of the host's, besides a run's own: PyTorch's libraries for CUDA, compilers, and the inputs once more."""


class OnGpu(Record, eq=False):
    """A verdict, and what the reference's side answered: times are taken of the same inputs."""

    result: VerificationResult
    reference: dict[str, Any]


def gpu_sides(job: Job, place: TorchPlace, pair: OperatorPair | None) -> TorchSides | LabFailure | None:
    """Sides on the job's GPU; None where it has none, or where PyTorch has none and it was not asked for by name."""
    gpu = job.lab.describe().gpu
    if gpu is None:
        return None
    if place.cuda is None:
        message = f"PyTorch {place.version} of {place.python} is built for CPUs alone"
        if job.request.device not in (None, "auto"):
            return LabFailure("unsupported", f"{message}: it does not see {gpu.name}", "install a build for CUDA: https://pytorch.org")
        job.say(Severity.WARNING, f"{message}: nothing is timed", "install a build for CUDA: https://pytorch.org")
        return None
    capability = ".".join(map(str, gpu.compute_capability))
    limits = replace(job.limits, wall_s=job.limits.wall_s + _BUILD_S, memory_bytes=job.limits.memory_bytes + _MEMORY_BYTES)
    builds = _builds(f"{place.version} {gpu.name} {'' if pair is None else pair.candidate.source.text}")
    scratch = job.scratch / "gpu"
    scratch.mkdir(exist_ok=True)
    return TorchSides(scratch, place, limits, TorchGpu(gpu.uuid, capability, builds))


async def judged_on_gpu(job: Job, pair: OperatorPair, options: OperatorOptions, sides: TorchSides, where: Where) -> OnGpu | LabFailure:
    found = await ran_reference(job, pair, options, sides, where)
    if isinstance(found, LabFailure):
        return found
    watch = Stopwatch(job, "candidate")
    watch.begin(f"{pair.candidate.source.path.name} on the same inputs; its extensions are built first")
    order = candidate_order(job, pair, found.answer, options, where)
    answer = await sides.run("candidate", order, sides.folder("candidate"), is_candidate=True)
    candidate = against_candidate(answer) if isinstance(answer, LabFailure) else _whole(answer)
    if isinstance(candidate, LabFailure):
        return candidate
    seen = seen_on_gpu(candidate)
    watch.end("which kernels ran is not known" if seen.launch_count is None else f"{seen.launch_count} launches of kernels of its own")
    given = partial(evidence_of, pair, found.answer, found.cases, candidate, seen, options)
    return OnGpu(judge(await asyncio.to_thread(given)), found.answer)


def _whole(answer: dict[str, Any]) -> dict[str, Any] | LabFailure:
    """A GPU that stays busy is no fault of the candidate's."""
    failure = answer["failure"]
    if failure is not None and failure["kind"] == "busy":
        return LabFailure("busy", failure["message"], "try again, or use --device cpu")
    return whole_answer(answer)


def _builds(key: str) -> Path:
    """A folder for what is compiled for this candidate, which no other candidate writes to."""
    root = user_paths().cache / _BUILDS
    folder = root / hashlib.sha256(key.encode()).hexdigest()[:24]
    folder.mkdir(parents=True, exist_ok=True)
    folder.touch()
    by_age = sorted(root.iterdir(), key=_last_used, reverse=True)
    for old in by_age[_KEPT_BUILDS:]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0  # another job has just removed it
