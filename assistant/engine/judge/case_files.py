"""Cases on disk for a lab to replay, and what its runs left there, next to the event loop.

Example::

    written = await written_cases(job.scratch, cases)
    replayed = await job.lab.replay(startable(version.program, cases), written, ReplayOptions(fill=POISON), limits)
    (await left_contents(replayed, cases)).of(replayed.cases[0].after)      # ((buffer id, its bytes), …)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from assistant.engine.evaluate import write_cases
from assistant.engine.ids import new_id
from assistant.engine.judge.replaying import LeftContents
from assistant.engine.threads import in_thread
from assistant.model.workload import Case
from assistant.ports.lab import ReplayRun
from assistant.workload.recordings import NewCase

__all__ = ["left_contents", "written_cases"]


async def written_cases(scratch: Path, cases: Sequence[NewCase]) -> tuple[Case, ...]:
    """The cases on disk, for a lab to replay."""
    return await in_thread(write_cases, scratch / new_id("K"), cases)


async def left_contents(replayed: ReplayRun, cases: Iterable[NewCase]) -> LeftContents:
    """What the runs of the replay left. What ``cases`` hold is not read again: most kernels leave most buffers as they were."""
    contents = LeftContents(replayed.blobs, {name: data for case in cases for name, data in case.blobs.items()})
    await in_thread(contents.read, [left for run in replayed.cases if run.is_comparable for left in (run.after, *run.varied)])
    return contents
