"""What a GPU alone shows of launches that the emulator cannot run: that they ran and what they left, without counters and checks.

Example::

    uncounted(cases, replayed, "the emulator does not support tensor-core fragments (wmma)", "NVIDIA H200")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assistant.model.profile import LaunchProfile, Method, Problem
from assistant.model.recording import RecordedLaunch
from assistant.model.workload import Case
from assistant.ports.lab import CaseRun, LabFailure, ReplayRun
from assistant.workload.recordings import read_recording

__all__ = ["bare_profile", "reason_of", "unchecked", "uncounted"]


def reason_of(failure: LabFailure) -> str:
    """What of the source the emulator cannot run, in its own words."""
    first = failure.first_error
    return failure.message if first is None else first.message


def uncounted(cases: Sequence[Case], replayed: ReplayRun, reason: str, device: str) -> ReplayRun:
    """A plain replay with a profile per launch that holds its configuration alone (``blocks_counted`` is 0), and why it does."""
    runs = (
        replace(run, profiles=_bare_profiles(case, device), problems=(*run.problems, _not_looked_at(reason)))
        for case, run in zip(cases, replayed.cases, strict=True)
    )
    return replace(replayed, cases=tuple(runs))


def unchecked(cases: Sequence[Case], reason: str, blobs: Path) -> ReplayRun:
    """In the place of checks that could not be made: nothing but the reason."""
    run = CaseRun(
        ok=True,
        error=None,
        after=(),
        guards_intact=True,
        repeat_difference=None,
        problems=(_not_looked_at(reason),),
        profiles=(),
        is_comparable=False,
    )
    return ReplayRun((run,) * len(cases), blobs)


def _bare_profiles(case: Case, device: str) -> tuple[LaunchProfile, ...]:
    by_index = {launch.index: launch for launch in read_recording(case.recording).launches}
    return tuple(bare_profile(position, by_index[index], device) for position, index in enumerate(case.launches))


def bare_profile(position: int, launch: RecordedLaunch, device: str) -> LaunchProfile:
    """That it ran, and how it was started."""
    return LaunchProfile(
        index=position,
        kernel=launch.kernel,
        config=launch.config,
        method=Method.EVENTS,
        device=device,
        blocks_counted=0,
        accesses=(),
        executions=(),
        instructions=(),
        unique_sectors=None,
        block_unique_sectors=None,
        problems=(),
        file=launch.file,
        line=launch.line,
    )


def _not_looked_at(reason: str) -> Problem:
    """No defect: what the lab could not do."""
    return Problem("unsupported", f"races, bounds and uninitialised reads: {reason}", "", 0, None, None, None, None, None, 1)
