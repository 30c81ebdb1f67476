"""Cases of our own making, tried on one version under the emulator's checks: one on which the original is not clean counts nowhere.

Nothing that reads or writes where it must not is ever started on a GPU. Example::

    trials = await try_version(job, program, cases, limit_s=2.0)
    [trial.reason for trial in trials]     # [None, "has a problem there: out-of-bounds read …"]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assistant.engine.evaluate import write_cases
from assistant.engine.ids import new_id
from assistant.engine.job import Job
from assistant.engine.judge.replaying import POISON, CaseTrial, LeftContents, TryCases, startable
from assistant.ports.lab import LabFailure, Program, ReplayOptions
from assistant.workload.recordings import NewCase

__all__ = ["trials_of", "try_version"]

_EVERY_CHECK = "check"


def trials_of(job: Job, program: Program) -> TryCases:
    """What tries cases on this program."""
    return partial(try_version, job, program)


async def try_version(job: Job, program: Program, cases: Sequence[NewCase], limit_s: float, is_checked: bool = True) -> list[CaseTrial]:
    """One trial per case, in order; a case that takes longer than ``limit_s`` does not count."""
    if not cases:
        return []
    limits = replace(job.limits, wall_s=min(job.limits.wall_s, limit_s))
    written = write_cases(job.scratch / new_id("K"), cases)
    mode = _checking_mode(job) if is_checked else "plain"
    replayed = await job.lab.replay(startable(program, cases), written, ReplayOptions(mode=mode, fill=POISON), limits)
    if isinstance(replayed, LabFailure):
        return [CaseTrial(case, None, ()) for case in cases]
    contents = LeftContents(replayed.blobs)
    return [CaseTrial(case, run, contents.of(run.after), mode == _EVERY_CHECK) for case, run in zip(cases, replayed.cases, strict=True)]


def _checking_mode(job: Job) -> str:
    """The emulator's checks alone: ``check`` would also start the cases under a GPU's sanitizer."""
    return _EVERY_CHECK if job.lab.timing is None else "grade"
