"""What ``check`` reports of each kernel in addition to its problems: how often it was launched, whether it leaves the same bytes again.

Example::

    repeats = Repeats(version, seen, problems_by_kernel(version, seen))
    if repeats.are_open:
        repeats.compare(await count(job, version))
    repeats.of(kernel).is_deterministic
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.engine.evaluate import (
    ARBITRARY,
    FAILED,
    NO_SECOND_RUN,
    RACY,
    CountedKernel,
    CountedRun,
    Repeatability,
    combined,
    compare_runs,
)
from assistant.engine.source_version import SourceVersion
from assistant.model.problems import GARBAGE, RACES, is_refused
from assistant.model.profile import Problem
from assistant.model.source import Kernel
from assistant.ports.lab import LabFailure
from assistant.record import Record

__all__ = ["Launches", "Repeats", "launches_of"]


class Launches(Record):
    """The launches of a kernel."""

    count: int
    refused_count: int
    """Those whose configuration is not allowed: no thread of them ran."""


def launches_of(version: SourceVersion, kernel: Kernel, seen: Sequence[CountedRun]) -> Launches:
    """In all workloads together."""
    ran = sum(round(group.count) for item in _counted(kernel, seen) for group in item.groups)
    refused = [p for counted in seen for p in counted.profiles if is_refused(p) and version.kernel_of(p.kernel) == kernel]
    return Launches(ran + len(refused), len(refused))


class Repeats:
    """Repeatability of every selected kernel; what two runs of ``main()`` must show is open until they are compared."""

    def __init__(self, version: SourceVersion, seen: Sequence[CountedRun], problems: Mapping[str, Sequence[Problem]]) -> None:
        self._seen = seen
        self._main = seen[0] if version.has_main else None
        self._found: dict[str, Repeatability] = {}
        self._open: dict[str, frozenset[str]] = {}
        """By kernel: its instances that ran in ``main()``."""
        for kernel in version.kernels:
            kinds = {problem.kind for problem in problems[kernel.key]}
            if kinds & RACES:
                self._found[kernel.key] = RACY
            elif kinds & GARBAGE:
                self._found[kernel.key] = ARBITRARY
            else:
                self._look(kernel)

    @property
    def are_open(self) -> bool:
        """Whether a second run of ``main()`` would show more."""
        return bool(self._open)

    def of(self, kernel: Kernel) -> Repeatability:
        return self._found[kernel.key]

    def compare(self, again: CountedRun | LabFailure) -> None:
        """Judge what is open by a second run of ``main()``."""
        first = None if self._main is None else self._main.recording
        second = again.recording if isinstance(again, CountedRun) and (again.failure is None or _is_stopped(again)) else None
        for key, instances in self._open.items():
            found = NO_SECOND_RUN if first is None or second is None else compare_runs(first, second, instances)
            self._found[key] = combined([found, self._found[key]])
        self._open = {}

    def _look(self, kernel: Kernel) -> None:
        """What the workloads seen so far show; launches that were refused show nothing."""
        instances = {item.instance for item in _counted(kernel, self._seen)}
        found = [known for counted in self._seen for instance, known in counted.repeatability if instance in instances]
        self._found[kernel.key] = combined(found)
        if self._main is None:
            return
        ran = frozenset(p.kernel for p in self._main.profiles if p.kernel in instances)
        if not ran:
            return
        if self._main.failure is not None and not _is_stopped(self._main):
            self._found[kernel.key] = combined([FAILED, *found])
        else:
            self._open[kernel.key] = ran


def _counted(kernel: Kernel, seen: Sequence[CountedRun]) -> list[CountedKernel]:
    return [item for counted in seen for item in counted.kernels if item.kernel.key == kernel.key]


def _is_stopped(counted: CountedRun) -> bool:
    """Whether the lab ended the program, which it does at the same place again."""
    return counted.run is not None and counted.run.stopped_at is not None
