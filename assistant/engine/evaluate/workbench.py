"""Look at one version of a source: run its workload with counters on, build it, assess it. One call for originals and candidates."""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate.assess import Assessment, KernelAssessment, assess
from assistant.engine.evaluate.cases import Effort, declared_cases, write_cases
from assistant.engine.evaluate.counting import OTHER_ORDER, Counted, count_cases, run_program
from assistant.engine.evaluate.live import count_live
from assistant.engine.evaluate.recount import is_moderate, proposed_corrections, with_second_run
from assistant.engine.evaluate.version import candidate_version
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.subject import Subject, as_candidate, holder_of
from assistant.model.build import Build, BuildFailure
from assistant.model.profile import Correction
from assistant.ports.lab import LabFailure
from assistant.record import Record
from assistant.verify.labels import Version

__all__ = [
    "Looked",
    "count",
    "look",
    "look_at_failed",
    "observe",
    "repeat_limited",
    "repeat_run",
    "without_workload",
]

_COUNTING_SEED = 20240229
"""Declared shapes are counted on one fixed draw, so that two versions are counted on the same values."""


class Looked(Record):
    """One version, counted and assessed."""

    subject: Subject
    counted: Counted
    assessment: Assessment
    measured: Assessment | None = None
    """The same by the GPU's own counters, by which edits are planned; None where nobody read them."""

    @property
    def version(self) -> Version:
        return candidate_version(self.subject, self.assessment)

    def kernel(self, key_name: str) -> tuple[KernelAssessment, ...]:
        """Instances of the kernel with this qualified name: an edit may change its parameters, and so its key."""
        return tuple(item for item in self.assessment.kernels if item.kernel.qualified_name == key_name)

    def planned(self, key_name: str) -> tuple[KernelAssessment, ...]:
        """As `kernel`, by the GPU's own counters where they were read."""
        measured = self.assessment if self.measured is None else self.measured
        return tuple(item for item in measured.kernels if item.kernel.qualified_name == key_name)

    @property
    def next_evidence(self) -> int:
        """The first number that no fact of this version has."""
        assessments = (self.assessment, *(() if self.measured is None else (self.measured,)))
        return 1 + max((int(fact.id[1:]) for each in assessments for item in each.kernels for fact in item.evidence), default=0)


async def count(
    job: Job, subject: Subject, mode: str = "count", corrections: tuple[Correction, ...] = (), order_seed: int = 0
) -> Counted | LabFailure:
    """Run the subject's workload: the arrays bound to it, else its ``main()``, which must succeed, else its declared shapes.

    ``order_seed`` as in ``Lab.run``, for a ``main()``.
    """
    if subject.request.live is not None:
        return await count_live(job, subject, subject.request.live, mode, corrections)
    if subject.parsed.has_main:
        counted = await run_program(job, subject, mode, corrections, order_seed)
        return counted if isinstance(counted, LabFailure) else counted.failure or counted
    if not subject.declared:
        return without_workload(subject)
    return await _count_declared(job, subject, mode, corrections)


async def observe(job: Job, subject: Subject) -> tuple[Counted, ...] | LabFailure:
    """Every workload of the subject, ``main()`` and declared shapes alike, run with all checks on, however the program ends."""
    if subject.request.live is not None:
        live = await count_live(job, subject, subject.request.live, "check")
        return live if isinstance(live, LabFailure) else (live,)
    if not subject.parsed.has_main and not subject.declared:
        return without_workload(subject)
    seen: list[Counted] = []
    if subject.parsed.has_main:
        program = await run_program(job, subject, "check")
        if isinstance(program, LabFailure):
            return program
        seen.append(program)
    if subject.declared:
        declared = await _count_declared(job, subject, "check")
        if isinstance(declared, LabFailure):
            return declared
        seen.append(declared)
    return tuple(seen)


async def _count_declared(job: Job, subject: Subject, mode: str, corrections: tuple[Correction, ...] = ()) -> Counted | LabFailure:
    effort = Effort((_COUNTING_SEED,), 1, mode, with_injected=False, with_boundary=False, is_confirming=False)
    cases = [case for workload in subject.declared for case in declared_cases(subject, workload, effort)]
    written = write_cases(job.scratch / new_id("K"), [case.new for case in cases])
    startable = tuple(sorted({launch.kernel for case in cases for launch in case.new.recording.launches}))
    return await count_cases(job, subject, written, startable, mode, corrections)


async def look(job: Job, subject: Subject, first_evidence: int = 1) -> Looked | LabFailure:
    """Count and assess; a source that the CUDA compiler refuses is a failure of kind ``not_built``."""
    counted = await count(job, subject)
    if isinstance(counted, LabFailure):
        return await _blamed(job, subject, counted)
    assessment = await assess(job, subject, counted, first_evidence)
    if isinstance(assessment, Assessment) and isinstance(assessment.build, Build) and is_moderate(counted):
        counted = await _count_again(job, subject, counted, proposed_corrections(subject, assessment))
        assessment = await assess(job, subject, counted, first_evidence)
    if isinstance(assessment, BuildFailure):
        message = f"{assessment.compiler} does not compile {subject.source.path.name}"
        return LabFailure("not_built", message, "mend the errors above", assessment.diagnostics)
    return Looked(subject, counted, assessment)


async def _blamed(job: Job, subject: Subject, failure: LabFailure) -> LabFailure:
    """What only the emulator's own compiler refuses is beyond the emulator, and no mistake in the source."""
    build = await job.lab.build(subject.program, job.target.architecture) if failure.kind == "not_built" else None
    if not isinstance(build, Build):
        return failure
    message = f"the emulator cannot build what {build.compiler} compiles"
    return replace(failure, kind="unsupported", message=message, remedy="compare on a GPU, or in a source without what is named above")


async def look_at_failed(job: Job, subject: Subject, first_evidence: int = 1) -> Looked | LabFailure:
    """A program that did not end with status 0, counted and assessed all the same: its kernels may show what is wrong."""
    counted = await run_program(job, subject)
    if isinstance(counted, LabFailure):
        return counted
    assessment = await assess(job, subject, counted, first_evidence)
    if isinstance(assessment, BuildFailure) or not assessment.kernels:
        return LabFailure("not_built", "nothing to look at", "")
    return Looked(subject, counted, assessment)


async def _count_again(job: Job, subject: Subject, counted: Counted, corrections: tuple[Correction, ...]) -> Counted:
    """With the machine code's corrections and with races looked for; as it was where the second run fails."""
    second = await count(job, subject, "grade", corrections)
    return counted if isinstance(second, LabFailure) else with_second_run(counted, second, corrections)


async def repeat_run(job: Job, subject: Subject, counted: Counted) -> Counted | None:
    """The original's program once more, with every check on and its threads in another order; counted again where checking takes too long.

    So what depends on the order of threads differs from the first run for certain, not by luck. None for declared workloads and where the
    second run fails.
    """
    if counted.run is None:
        return None
    for mode in ("check", "count"):
        again = await count(job, subject, mode, order_seed=OTHER_ORDER)
        if not isinstance(again, LabFailure):
            return again
    return None


async def repeat_limited(job: Job, subject: Subject, counted: Counted) -> Counted | LabFailure | None:
    """``repeat_run`` under the limits of candidates, so that what limits alone change is masked and not held against them.

    A failure where the program, which has run, does not run limited: no candidate could be judged by it. None for declared workloads.
    """
    again = await repeat_run(job, as_candidate(subject), counted)
    if again is not None or counted.run is None:
        return again
    limited = await count(job, as_candidate(subject))
    if not isinstance(limited, LabFailure):
        return limited
    return LabFailure(
        "cannot_judge",
        f"the program runs, but not as candidates must (no sockets, files written only in a private copy of its folder): {limited.message}",
        f"let it write only below its working folder, or declare a workload: kernelopt init {subject.source.path}",
    )


def without_workload(subject: Subject) -> LabFailure:
    path = subject.source.path
    init = f"kernelopt init {path} writes a workload block to start from"
    in_editor = "the editor's action 'declare a workload' writes one into the text"
    message = f"{path.name} has no main() and declares no workload, so there is nothing to run"
    return LabFailure("no_workload", message, init if holder_of(path) is None else in_editor)
