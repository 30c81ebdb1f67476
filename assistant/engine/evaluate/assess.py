"""Assess a version as it stands: build, counters, grades, occupancy, predicted time, findings. The same path for every candidate.

Example::

    match await assess(job, version, counted):
        case Assessment(kernels=kernels): ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TypeVar

from assistant.build.aggregation import aggregated_atomics
from assistant.build.cfg import backward_branches
from assistant.build.local_accesses import local_accesses
from assistant.build.mix import line_instructions
from assistant.build.occupancy import occupancy
from assistant.config import user_paths
from assistant.cuda.loops import source_loops
from assistant.cuda.same_names import plain_instance
from assistant.engine.evaluate.assessment import AssessedLaunch, Assessment, CountedKernel, CountedRun, KernelAssessment
from assistant.engine.evaluate.building import build_files
from assistant.engine.evaluate.facts import source_facts
from assistant.engine.evaluate.grades import graded, grading_input
from assistant.engine.evaluate.kept_executions import executions_of
from assistant.engine.evaluate.outer_definitions import outer_definitions_of
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.measure.model import predict
from assistant.model.build import Build, BuildFailure, BuildResult, KernelCode, KernelResources, Occupancy
from assistant.model.device import Architecture
from assistant.model.profile import LaunchProfile
from assistant.model.source import Kernel, SourceLoop
from assistant.profile.consistency import consistent
from assistant.profile.context import CountedLaunch, FindContext
from assistant.profile.facts import LoopFacts, SourceFacts
from assistant.profile.findings import FindResult, find
from assistant.profile.signature import signature
from assistant.record import Record

_Named = TypeVar("_Named", KernelResources, KernelCode)

__all__ = ["assess", "findings_of_launch"]


async def assess(job: Job, version: SourceVersion, counted: CountedRun, first_evidence: int = 1) -> Assessment | BuildFailure:
    """Judge what ``counted`` shows, compiled with the instances that it launched. Without a CUDA compiler all stays ``estimated``."""
    build = await _built(job, version, counted)
    if isinstance(build, BuildFailure):
        return build
    kernels: list[KernelAssessment] = []
    for item in counted.kernels:
        about = version.about(item.kernel)
        assessed = _assess_kernel(job, about, counted, item, build if isinstance(build, Build) else None, first_evidence)
        first_evidence += len(assessed.evidence)
        kernels.append(assessed)
    return Assessment(build, counted, tuple(kernels))


async def _built(job: Job, version: SourceVersion, counted: CountedRun) -> BuildResult:
    """With the instances that were launched, each compiled in its kernel's file."""

    async def compile_file(about: SourceVersion) -> BuildResult:
        instances = tuple(item.instance for item in counted.kernels if version.about(item.kernel).source.path == about.source.path)
        return await job.lab.build(replace(about.program, kernels=instances), job.target.architecture)

    return await build_files(version, (item.kernel for item in counted.kernels), compile_file)


def _assess_kernel(
    job: Job, version: SourceVersion, counted: CountedRun, item: CountedKernel, build: Build | None, first_evidence: int
) -> KernelAssessment:
    resources = None if build is None else _matching(version, item, build.resources)
    code = None if build is None else _matching(version, item, build.code)
    loops = source_loops(version.source)
    graded_as = _Code(code, loops, keeps_registers=resources is None or resources.spill_store_bytes + resources.spill_load_bytes == 0)
    launches = tuple(
        CountedLaunch(
            _graded(version, item.kernel, group.profile, graded_as, counted),
            _occupancy(job.architecture, group.profile, resources),
            group.count,
        )
        for group in item.groups
    )
    found = find(_context(job, version, item.kernel, launches, _Built(resources, code), first_evidence))
    assessed = tuple(
        AssessedLaunch(
            launch.profile,
            launch.occupancy,
            predict(launch.profile, resources, launch.occupancy, job.target),
            launch.weight,
            group.shape,
        )
        for launch, group in zip(launches, item.groups, strict=True)
    )
    costliest = max(assessed, key=lambda launch: launch.total_time_s)
    return KernelAssessment(
        kernel=item.kernel,
        instance=item.instance,
        launches=assessed,
        resources=resources,
        code=code,
        findings=found.findings,
        evidence=found.evidence,
        signature=signature(costliest.profile, costliest.occupancy, costliest.predicted),
        file=version.source.path,
    )


def findings_of_launch(
    job: Job, version: SourceVersion, assessed: KernelAssessment, launch: AssessedLaunch, first_evidence: int
) -> FindResult:
    """What one of several launch shapes shows by itself; a kernel's findings are those of its costliest one."""
    counted = (CountedLaunch(launch.profile, launch.occupancy, launch.count),)
    return find(_context(job, version, assessed.kernel, counted, _Built(assessed.resources, assessed.code), first_evidence))


def _context(
    job: Job,
    version: SourceVersion,
    kernel: Kernel,
    launches: tuple[CountedLaunch, ...],
    built: _Built,
    first_evidence: int,
) -> FindContext:
    blocks = tuple(dict.fromkeys(launch.profile.config.block for launch in launches))
    others = (*version.sources[1:], *version.headers)
    facts = source_facts(version.parsed, kernel, blocks, outer_definitions_of(version, kernel), others)
    facts = _placed(facts, version, launches)
    return FindContext(
        kernel=kernel.key,
        launches=launches,
        target=job.target,
        predict=predict,
        resources=built.resources,
        facts=_with_unrolled(facts, built.code, version.source.path.name),
        first_evidence_number=first_evidence,
    )


def _with_unrolled(facts: SourceFacts, code: KernelCode | None, file: str) -> SourceFacts:
    """Which loops of known count the compiler left as loops: those that a branch goes back to, on no line of a loop in them."""
    if code is None or all(loop.trip_count is None for loop in facts.loops):
        return facts
    branches = backward_branches(code)
    if any(branch.line == 0 for branch in branches):
        return facts
    lines = [branch.line for branch in branches if PurePath(branch.file).name == file]

    def is_unrolled(loop: LoopFacts) -> bool:
        inner = [other for other in facts.loops if other.depth > loop.depth and loop.line <= other.line <= loop.end_line]
        own = (line for line in lines if loop.line <= line <= loop.end_line)
        return all(any(other.line <= line <= other.end_line for other in inner) for line in own)

    return replace(facts, loops=tuple(replace(loop, is_unrolled=is_unrolled(loop)) for loop in facts.loops))


def _placed(facts: SourceFacts, version: SourceVersion, launches: Sequence[CountedLaunch]) -> SourceFacts:
    """With the name of their file, where counters use it: those of headers are then distinguished."""
    named = replace(facts, file=version.source.path.name)
    counted = {line.file for launch in launches for line in (*launch.profile.accesses, *launch.profile.executions)}
    return named if any(map(named.is_of, counted)) else facts


class _Built(Record):
    """What the compiler made of a kernel; nothing of it where it was not built."""

    resources: KernelResources | None
    code: KernelCode | None


class _Code(Record):
    """What a launch is graded against."""

    code: KernelCode | None
    loops: tuple[SourceLoop, ...]
    keeps_registers: bool
    """None is spilled to local memory."""


def _graded(version: SourceVersion, kernel: Kernel, profile: LaunchProfile, against: _Code, counted: CountedRun) -> LaunchProfile:
    """Graded against the machine code, whose classes its lines get; a GPU's own counters stay as they are."""
    if profile.is_of_hardware:
        return consistent(profile)
    code, loops = against.code, against.loops
    request = grading_input(profile, code, kernel, loops, version.source.line_of(kernel.span.end))
    corrected = graded(replace(request, corrections=counted.corrections, is_order_checked=counted.is_order_checked))
    if code is None:
        return consistent(corrected)
    combined = aggregated_atomics(code)
    accesses = tuple(replace(a, is_aggregated=a.op == "global atomic" and (a.file, a.line) in combined) for a in corrected.accesses)
    ran = executions_of(user_paths().cache, code, profile, loops)
    if against.keeps_registers and not any(access.op.startswith("local") for access in accesses):
        accesses = (*accesses, *local_accesses(code, ran))
    return consistent(replace(corrected, accesses=accesses, instructions=line_instructions(code, profile, ran)))


def _occupancy(limits: Architecture, profile: LaunchProfile, resources: KernelResources | None) -> Occupancy | None:
    if resources is None:
        return None
    return occupancy(
        limits,
        threads_per_block=profile.config.block.count,
        registers_per_thread=resources.registers_per_thread,
        shared_bytes=resources.static_shared_bytes + profile.config.shared_bytes,
    )


def _matching(version: SourceVersion, counted: CountedKernel, items: tuple[_Named, ...]) -> _Named | None:
    """What a compiler made of a kernel's instance."""
    alike = (item for item in items if plain_instance(item.kernel) == plain_instance(counted.instance))
    return next((item for item in alike if not counted.kernel.file or version.kernel_of(item.kernel) == counted.kernel), None)
