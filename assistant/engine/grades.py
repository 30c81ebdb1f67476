"""Grade a counted launch against the machine code of its kernel."""

from __future__ import annotations

from dataclasses import replace

from assistant.build.grading import GradingInput, grade
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile
from assistant.model.source import Kernel, SourceLoop

__all__ = ["graded"]


def graded(profile: LaunchProfile, code: KernelCode | None, kernel: Kernel, loops: tuple[SourceLoop, ...], last_line: int) -> LaunchProfile:
    """The profile with every access ``exact``, or ``estimated`` with the reason."""
    request = GradingInput(profile, code, loops, (kernel.line, last_line))
    return replace(profile, accesses=grade(request))
