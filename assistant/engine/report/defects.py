"""Problems that runs exposed, each given to the kernel whose launch or whose line it is on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.engine.evaluate import CountedRun
from assistant.engine.source_version import SourceVersion
from assistant.model.problems import merge_problems
from assistant.model.profile import Problem
from assistant.model.source import Kernel

__all__ = ["problems_by_kernel"]


def problems_by_kernel(version: SourceVersion, seen: Sequence[CountedRun]) -> dict[str, tuple[Problem, ...]]:
    """Problems of each selected kernel's launches; those of no known kernel go to the one on whose lines they stand, else to the
    first, and say which one was launched."""
    found: dict[str, list[Problem]] = {kernel.key: [] for kernel in version.kernels}
    reported: set[Problem] = set()
    unlisted: dict[Problem, str] = {}
    for profile in (profile for counted in seen for profile in counted.profiles):
        kernel = version.kernel_of(profile.kernel)
        if kernel is not None:
            reported.update(map(_place, profile.problems))
            found.get(kernel.key, []).extend(profile.problems)
        else:
            unlisted.update((_place(problem), profile.kernel) for problem in profile.problems)
    launched = [item.kernel.key for counted in seen for item in counted.kernels] or list(found)
    for problem in (problem for counted in seen for problem in counted.problems if _place(problem) not in reported):
        owner = next((kernel.key for kernel in version.kernels if _holds(version.about(kernel), kernel, problem)), launched[0])
        launched_as = unlisted.get(_place(problem))
        found[owner].append(problem if launched_as is None else replace(problem, message=f"in {launched_as}: {problem.message}"))
    return {key: merge_problems(problems) for key, problems in found.items()}


def _holds(version: SourceVersion, kernel: Kernel, problem: Problem) -> bool:
    """Whether the problem stands on the kernel's lines; ``version``: with the kernel's file in question."""
    is_elsewhere = bool(problem.file) and Path(problem.file).name != version.source.path.name
    return not is_elsewhere and kernel.line <= problem.line <= version.source.line_of(kernel.span.end)


def _place(problem: Problem) -> Problem:
    """The problem without what differs from thread to thread."""
    return replace(problem, message="", block=None, thread=None, address=None, count=0)
