"""Runs of a job's programs whose streams are late, each made once: a comparison asks for them once a kernel.

Knows nothing of what they are held against (``streams``).
"""

from __future__ import annotations

from assistant.ports import Lab, LabFailure, Program, ProgramRun, RunLimits

__all__ = ["LateRuns"]


class LateRuns:
    """``Lab.run_streams``, with what it answered kept for the job."""

    def __init__(self) -> None:
        self._made: dict[tuple[Program, bool], ProgramRun | LabFailure] = {}

    async def run(self, lab: Lab, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        key = (program, is_late)
        if key not in self._made:
            self._made[key] = await lab.run_streams(program, is_late, limits)
        return self._made[key]
