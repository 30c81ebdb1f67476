"""What running and counting one version of the text showed.

Example::

    evaluation = await evaluate(job, version)
    evaluation.kernel("blur")[0].predicted_time_s
"""

from __future__ import annotations

from dataclasses import replace

from assistant.engine.evaluate.assessment import Assessment, CountedRun, KernelAssessment
from assistant.engine.source_version import SourceVersion
from assistant.model.source import Kernel
from assistant.record import Record

__all__ = ["Evaluation"]


class Evaluation(Record):
    """One version, counted and assessed."""

    version: SourceVersion
    counted: CountedRun
    assessment: Assessment
    measured: Assessment | None = None
    """The same by the GPU's own counters, by which edits are planned; None where they were not read."""

    def about(self, kernel: Kernel) -> Evaluation:
        """What it showed of the selected kernels in the file that holds ``kernel``, which is then in question: all that is counted of an
        edit of that file."""
        version = self.version.about(kernel)
        measured = None if self.measured is None else _only(self.measured, version)
        return replace(self, version=version, assessment=_only(self.assessment, version), measured=measured)

    def kernel(self, key_name: str) -> tuple[KernelAssessment, ...]:
        """Instances of the kernel with this qualified name: an edit may change its parameters, and so its key."""
        return tuple(item for item in self.assessment.kernels if item.kernel.qualified_name == key_name)

    def planned(self, key_name: str) -> tuple[KernelAssessment, ...]:
        """As `kernel`, by the GPU's own counters where they were read."""
        return tuple(item for item in self.planned_kernels if item.kernel.qualified_name == key_name)

    @property
    def planned_kernels(self) -> tuple[KernelAssessment, ...]:
        """All kernels in question, by the GPU's own counters where they were read."""
        return (self.assessment if self.measured is None else self.measured).kernels

    @property
    def launched_kernels(self) -> tuple[Kernel, ...]:
        """Kernels in question that the workload launches, each once."""
        return tuple(dict.fromkeys(item.kernel for item in self.assessment.kernels))

    @property
    def next_evidence(self) -> int:
        """The first number that no fact of this version has."""
        assessments = (self.assessment, *(() if self.measured is None else (self.measured,)))
        return 1 + max((int(fact.id[1:]) for each in assessments for item in each.kernels for fact in item.evidence), default=0)


def _only(assessment: Assessment, version: SourceVersion) -> Assessment:
    """What was assessed of the kernels that are in question."""
    return replace(assessment, kernels=tuple(item for item in assessment.kernels if item.kernel in version.kernels))
