"""Further runs of a job's programs, each made once: a comparison asks for them once a kernel, a search once a candidate.

Knows nothing of what they are held against (``streams``, ``judging``).
"""

from __future__ import annotations

from assistant.ports.lab import Lab, LabFailure, Program, ProgramRun, RunLimits

__all__ = ["FurtherRuns"]


class FurtherRuns:
    """What the lab answered, kept for the job."""

    def __init__(self) -> None:
        self._of_streams: dict[tuple[Program, bool], ProgramRun | LabFailure] = {}
        self._fused: dict[Program, ProgramRun | LabFailure] = {}

    async def of_streams(self, lab: Lab, program: Program, is_late: bool, limits: RunLimits) -> ProgramRun | LabFailure:
        """``Lab.run_streams``."""
        key = (program, is_late)
        if key not in self._of_streams:
            self._of_streams[key] = await lab.run_streams(program, is_late, limits)
        return self._of_streams[key]

    async def fused(self, lab: Lab, program: Program, limits: RunLimits) -> ProgramRun | LabFailure:
        """``Lab.run`` with multiplications and additions fused, as a compiler may."""
        if program not in self._fused:
            self._fused[program] = await lab.run(program, "fused", limits, record=True)
        return self._fused[program]
