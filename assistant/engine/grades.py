"""Grade a counted launch against the machine code of its kernel."""

from __future__ import annotations

from dataclasses import replace

from assistant.build.grading import grade
from assistant.model.build import KernelCode
from assistant.model.profile import LaunchProfile

__all__ = ["graded"]
