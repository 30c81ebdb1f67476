"""Kernels of which nothing is known but their names: those after what the lab does not run, and those that no file of the program shows.

Example::

    report_unreached(job, version, (run,))    # "not reached, as the program was stopped: later, sum (reduce.cuh)"
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.engine.evaluate import CountedRun
from assistant.engine.job import Job
from assistant.engine.source_version import SourceVersion
from assistant.model.profile import Severity
from assistant.model.source import Kernel
from assistant.workload.select import kernel_name

__all__ = ["is_unreached", "report_unlisted", "report_unreached"]


def is_unreached(version: SourceVersion, kernel: Kernel, seen: Sequence[CountedRun]) -> bool:
    """Whether the program left something out and launched no such kernel."""
    has_left_out = any(counted.run is not None and counted.run.left_out for counted in seen)
    return has_left_out and not any(version.kernel_of(p.kernel) == kernel for counted in seen for p in counted.profiles)


def report_unreached(job: Job, version: SourceVersion, seen: Sequence[CountedRun]) -> None:
    """One warning that names them all."""
    names = [_named(version, kernel) for kernel in version.kernels if is_unreached(version, kernel, seen)]
    if names:
        was_stopped = any(counted.run is not None and counted.run.stopped_at for counted in seen)
        why = "as the program was stopped" if was_stopped else "by what was run of the program"
        job.say(Severity.WARNING, f"not reached, {why}: {', '.join(names)}")


def report_unlisted(job: Job, version: SourceVersion, seen: Sequence[CountedRun]) -> None:
    """One line that names kernels which were launched and stand in no file: a macro of a header may make them."""
    launched = dict.fromkeys(p.kernel for counted in seen for p in counted.profiles)
    names = [kernel_name(instance) for instance in launched if version.kernel_of(instance) is None]
    if names:
        job.say(Severity.INFORMATION, f"launched too, and not found as text in the program's files: {', '.join(dict.fromkeys(names))}")


def _named(version: SourceVersion, kernel: Kernel) -> str:
    file = version.about(kernel).source.path
    return kernel.key if file == version.source.path or file.name in kernel.key else f"{kernel.key} ({file.name})"
