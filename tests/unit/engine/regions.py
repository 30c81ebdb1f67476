"""Programs whose launches do not correspond, as they were counted and predicted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.cuda.parse import parse
from assistant.engine.evaluate.assessment import AssessedLaunch, Assessment, CountedRun, KernelAssessment
from assistant.engine.evaluate.evaluation import Evaluation
from assistant.engine.judge.program_speed import unpaired_speed
from assistant.engine.reading import read_version
from assistant.engine.request import JobRequest
from assistant.measure.targets import target
from assistant.model.build import CompilerMissing, Flags
from assistant.model.comparison import Comparison
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import WORK_KINDS, DeviceStep, RecordedLaunch, Recording, ShapeCount, Upload
from assistant.ports.lab import Program, ProgramRun, RunLimits
from assistant.workload.recordings import RecordingWriter
from tests.contracts.fake_clock import Clock

REASON = "B launches both, which A does not"
A = """__global__ void first(float *x) { x[0] = 1; /* takes 30 us */ }
__global__ void second(float *x) { x[0] += 2; /* takes 50 us */ }
"""
B = "__global__ void both(float *x) { x[0] = 3; /* takes 40 us */ }\n"
UPLOAD = Upload("k", "b", 64, 0, 0, False, 0)
Evaluated = Callable[..., Evaluation]


@pytest.fixture
def evaluated(tmp_path: Path, assessed: Callable[..., tuple[KernelAssessment, ...]]) -> Evaluated:
    """A version whose program asked for these steps, in order: a kernel's name, or another kind; kernels take ``predicted`` seconds."""

    def make(text: str, steps: str, predicted: float = 1e-5, streams: int = 1, uploads: tuple[Upload, ...] = ()) -> Evaluation:
        file = tmp_path / f"{abs(hash((text, steps)))}.cu"
        file.write_text(text)
        version = read_version(JobRequest(file, tmp_path), Flags())
        (template,) = assessed()
        (launch,) = template.launches
        config = launch.profile.config
        names = [kernel.name for kernel in version.kernels]
        words = steps.split()
        started = [word for word in words if word in names]
        kept = tuple(RecordedLaunch(index, f"{name}(float*)", config, (), (), "", 0) for index, name in enumerate(started))
        shapes = tuple(ShapeCount(f"{name}(float*)", config, max(1, started.count(name))) for name in names)
        asked = tuple(
            DeviceStep("launch", names.index(word), number % streams) if word in names else DeviceStep(word, -1, 0, _bytes_of(word))
            for number, word in enumerate(words)
        )
        recording = Recording((), kept, (), (), shape_counts=shapes, operations=(), uploads=uploads, steps=asked)
        folder = file.with_suffix(".recording")
        RecordingWriter(folder).write(recording)
        items = tuple(
            replace(template, kernel=kernel, instance=f"{kernel.name}(float*)", launches=(_taking(launch, predicted),))
            for kernel in version.kernels
        )
        run = ProgramRun(0, None, False, False, False, b"", b"", folder, recording, len(kept), (), (), ())
        counted = CountedRun((), (), (), run)
        return Evaluation(version, counted, Assessment(CompilerMissing("", ""), counted, items))

    return make


def _bytes_of(kind: str) -> int:
    return 64 if kind in WORK_KINDS else 0


def _taking(launch: AssessedLaunch, time_s: float) -> AssessedLaunch:
    return replace(launch, predicted=replace(launch.predicted, time_s=time_s))


async def told(before: Evaluation, after: Evaluation, clock: Clock | None = None) -> Comparison:
    found = await unpaired_speed(job_with(clock), None, before, after, REASON, clock)
    assert found.comparison is not None
    return found.comparison


def job_with(clock: Clock | None = None, region: str | None = None) -> Any:
    return SimpleNamespace(
        lab=SimpleNamespace(timing=clock), seeds=(3, 5), request=SimpleNamespace(region=region), limits=RunLimits(), target=target("h200")
    )


def ran(**spans: tuple[tuple[str, int, int], ...]) -> Callable[[Program], ProgramRun]:
    """Runs of programs whose first kernel has this name: (kernel or kind, start, end) in ns."""

    def run(program: Program) -> ProgramRun:
        names = [kernel.name for kernel in parse(program.sources[0]).kernels]
        shapes = tuple(ShapeCount(f"{name}(float*)", LaunchConfig(Dim3(4), Dim3(64)), 1) for name in names)
        steps = tuple(
            DeviceStep("launch", names.index(name), 0, 0, start, end) if name in names else DeviceStep(name, -1, 0, 64, start, end)
            for name, start, end in spans[names[0]]
        )
        recording = Recording((), (), (), (), shape_counts=shapes, steps=steps)
        return ProgramRun(0, None, False, False, False, b"", b"", None, recording, len(steps), (), (), ())

    return run


def of_a_gpu(evaluation: Evaluation, uploaded: tuple[str, ...] | None = ()) -> Evaluation:
    """As the GPU's own recorder sees it."""
    assert evaluation.counted.run is not None and evaluation.counted.run.recording is not None
    recording = replace(evaluation.counted.run.recording, uploads=None, uploaded_names=uploaded, are_waits_seen=False)
    return replace(evaluation, counted=replace(evaluation.counted, run=replace(evaluation.counted.run, recording=recording)))
