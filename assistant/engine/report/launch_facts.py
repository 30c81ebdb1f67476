"""What a kernel's launches had in common, as events: one for each kernel whose launches were seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.engine.evaluate import CountedRun, facts_of_launches
from assistant.engine.job import Job
from assistant.engine.report.reports import other_file
from assistant.engine.source_version import SourceVersion
from assistant.model import events
from assistant.workload.recorded_words import in_words

__all__ = ["launch_facts_events"]


def launch_facts_events(job: Job, version: SourceVersion, seen: Sequence[CountedRun]) -> Iterator[events.LaunchFacts]:
    """Facts of the version's kernels in source order; of several runs, the first that launched the kernel counts."""
    for kernel in version.kernels:
        found = (facts_of_launches(version, counted, kernel) for counted in seen)
        facts = next((each for each in found if each is not None), None)
        if facts is not None:
            file = other_file(job, version.about(kernel).source.path)
            yield events.LaunchFacts(job.id, kernel.key, facts, in_words(facts), file)
