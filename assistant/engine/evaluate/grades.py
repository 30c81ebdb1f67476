"""Grade a counted launch against the machine code of its kernel."""

from __future__ import annotations

from dataclasses import replace

from assistant.build.grading import GradingInput, grade
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile
from assistant.model.source import Kernel, SourceLoop

__all__ = ["graded", "grading_input"]


def graded(request: GradingInput) -> LaunchProfile:
    """The profile with every access ``exact``, or ``estimated`` with the reason."""
    return replace(request.profile, accesses=grade(request))


def grading_input(
    profile: LaunchProfile, code: KernelCode | None, kernel: Kernel, loops: tuple[SourceLoop, ...], last_line: int
) -> GradingInput:
    """``last_line``: where the kernel's definition ends."""
    return GradingInput(profile, code, loops, (kernel.line, last_line))
