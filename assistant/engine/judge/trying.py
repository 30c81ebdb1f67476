"""Cases of our own making, tried on one version under the emulator's checks: one on which the original is not clean counts nowhere.

Nothing that reads or writes where it must not is ever started on a GPU. Example::

    trials = await try_version(job, program, cases, limit_s=2.0)
    [trial.reason for trial in trials]     # [None, "has a problem there: out-of-bounds read …"]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from assistant.engine.job import Job
from assistant.engine.judge.case_files import left_contents, written_cases
from assistant.engine.judge.replaying import POISON, CaseTrial, TryCases, startable
from assistant.ports.lab import LabFailure, Program, ReplayOptions
from assistant.workload.emulated_blocks import emulated_part, with_fewest_blocks
from assistant.workload.recordings import NewCase

__all__ = ["in_part", "trials_of", "try_version"]

_EVERY_CHECK = "check"


def trials_of(job: Job, program: Program) -> TryCases:
    """What tries cases on this program."""
    return partial(try_version, job, program)


async def try_version(job: Job, program: Program, cases: Sequence[NewCase], limit_s: float, is_checked: bool = True) -> list[CaseTrial]:
    """One trial per case, in order; a case that takes longer than ``limit_s`` does not count.

    Where a GPU runs launches whole, a trial is of the blocks that the emulator runs of them, and so is ``CaseTrial.case``.
    """
    if not cases:
        return []
    if is_checked and job.lab.timing is not None:
        return await _try_in_part(job, program, [in_part(case) for case in cases], limit_s)
    return await _try(job, program, cases, limit_s, is_checked)


async def _try_in_part(job: Job, program: Program, cases: Sequence[NewCase], limit_s: float) -> list[CaseTrial]:
    """Where the chosen blocks of a launch take too long, fewer of them."""
    trials = await _try(job, program, cases, limit_s, is_checked=True)
    fewer: dict[int, NewCase] = {}
    for index, trial in enumerate(trials):
        least = with_fewest_blocks(trial.case.recording, trial.case.launches) if trial.is_late and trial.case.origin.is_own_size else None
        if least is not None:
            fewer[index] = replace(trial.case, recording=least)
    again = await _try(job, program, list(fewer.values()), limit_s, is_checked=True) if fewer else []
    for index, trial in zip(fewer, again, strict=True):
        trials[index] = trial
    return trials


async def _try(job: Job, program: Program, cases: Sequence[NewCase], limit_s: float, is_checked: bool) -> list[CaseTrial]:
    limits = replace(job.limits, wall_s=min(job.limits.wall_s, limit_s))
    written = await written_cases(job.scratch, cases)
    mode = _checking_mode(job, cases) if is_checked else "plain"
    replayed = await job.lab.replay(startable(program, cases), written, ReplayOptions(mode=mode, fill=POISON, kept="any"), limits)
    if isinstance(replayed, LabFailure):
        return [CaseTrial(case, None, ()) for case in cases]
    contents = await left_contents(replayed, cases)
    return [CaseTrial(case, run, contents.of(run.after), mode == _EVERY_CHECK) for case, run in zip(cases, replayed.cases, strict=True)]


def in_part(case: NewCase) -> NewCase:
    """The part of the case that the emulator runs where a GPU runs all of it: all of a small case, and of a case without such a part."""
    part = emulated_part(case.recording, case.launches, is_own_size=case.origin.is_own_size)
    return case if isinstance(part, str) else replace(case, recording=part)


def _checking_mode(job: Job, cases: Sequence[NewCase]) -> str:
    """The emulator's checks alone: ``check`` would also start recorded and declared cases under a GPU's sanitizer."""
    return _EVERY_CHECK if job.lab.timing is None or all(case.origin.is_derived for case in cases) else "grade"
