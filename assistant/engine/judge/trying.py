"""Cases of our own making, tried on one version under the emulator's checks: one on which the original is not clean counts nowhere.

Nothing that reads or writes where it must not is ever started on a GPU. Example::

    trials = await try_version(job, subject, cases, limit_s=2.0)
    [trial.reason for trial in trials]     # [None, "has a problem there: out-of-bounds read …"]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from assistant.engine.evaluate.cases import write_cases
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge.references import LeftContents, startable
from assistant.engine.subject import Subject
from assistant.ports.lab import CaseRun, LabFailure, ReplayOptions
from assistant.record import Record
from assistant.verify.evidence import SideRun
from assistant.verify.numbers import bits, element_of
from assistant.verify.problems import UNSUPPORTED
from assistant.workload.derive import contents_of
from assistant.workload.recordings import NewCase

__all__ = ["POISON", "Trial", "try_version"]

_EVERY_CHECK = "check"
POISON = 0xAB
"""What memory with arbitrary contents holds in a trial."""


class Trial(Record):
    """One case, tried on one version."""

    case: NewCase
    run: CaseRun | None
    """None where the lab could not run it."""
    after: tuple[tuple[int, bytes], ...]
    """(buffer id, contents that it left)."""
    is_checked: bool = False
    """With every check on that this lab has."""

    @property
    def problem_kinds(self) -> frozenset[str]:
        return frozenset() if self.run is None else frozenset(problem.kind for problem in self.run.problems)

    @property
    def written(self) -> dict[int, int]:
        """Components that it changes, per buffer."""
        before = contents_of(self.case)
        counts: dict[int, int] = {}
        for buffer in self.case.recording.buffers:
            after, first = dict(self.after).get(buffer.id), before.get(buffer.id, b"")
            if after is None or len(after) != len(first):
                continue
            start, element = bytes([POISON]) * len(first) if buffer.is_poisoned else first, element_of(buffer.element_type, len(first))
            counts[buffer.id] = int(np.count_nonzero(bits(after, element) != bits(start, element)))
        return counts

    @property
    def is_unsupported(self) -> bool:
        """Whether the emulator cannot look at this launch."""
        return self.run is None or UNSUPPORTED in self.problem_kinds

    @property
    def checked(self) -> SideRun | None:
        """It as the run with every check on that a judge wants; None where not every check was, or it did not come to its end."""
        run = self.run
        if run is None or not self.is_checked or run.error is not None or not run.is_comparable:
            return None
        return SideRun(self.after, None, POISON, run.guards_intact, run.repeat_difference, run.problems)

    def unclean(self, usual: Collection[str]) -> str | None:
        """Why it does not count; None where it does. ``usual``: kinds of problems that the original has on recorded values."""
        if self.run is None:
            return "was not tried"
        if self.run.error is not None:
            return f"does not run: {self.run.error}"
        if not self.run.guards_intact:
            return "writes beyond the end of a buffer"
        problem = next((one for one in self.run.problems if one.kind not in usual and one.kind != UNSUPPORTED), None)
        return None if problem is None else f"has a problem there: {problem.message}"


async def try_version(job: Job, subject: Subject, cases: Sequence[NewCase], limit_s: float, is_checked: bool = True) -> list[Trial]:
    """One trial per case, in order; a case that takes longer than ``limit_s`` does not count."""
    if not cases:
        return []
    limits = replace(job.limits, wall_s=min(job.limits.wall_s, limit_s))
    written = write_cases(job.scratch / new_id("K"), cases)
    mode = _checking_mode(job) if is_checked else "plain"
    replayed = await job.lab.replay(startable(subject, cases), written, ReplayOptions(mode=mode, fill=POISON), limits)
    if isinstance(replayed, LabFailure):
        return [Trial(case, None, ()) for case in cases]
    contents = LeftContents(replayed.blobs)
    return [Trial(case, run, contents.of(run.after), mode == _EVERY_CHECK) for case, run in zip(cases, replayed.cases, strict=True)]


def _checking_mode(job: Job) -> str:
    """The emulator's checks alone: ``check`` would also start the cases under a GPU's sanitizer."""
    return _EVERY_CHECK if job.lab.timing is None else "grade"
