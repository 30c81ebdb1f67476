"""Memory that only the candidate's host fills before a launch: its cases begin with it, and the judge is not shown what stays of it.

Example::

    new = filled(new, case, pairs, a_recording, b_recording)    # what the candidate is run on
    side = as_found(item, new, side)                            # what it left, but for places that still hold what the host filled in
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from assistant.engine.evaluate.cases import JudgedCase
from assistant.engine.judge.case_runs import PreparedCase
from assistant.model.recording import Recording
from assistant.verify.evidence import SideRun
from assistant.verify.outputs import matching_run
from assistant.workload.derive import contents_of
from assistant.workload.host_fills import with_host_fills
from assistant.workload.recordings import NewCase
from assistant.workload.select import LaunchPair

__all__ = ["as_found", "filled"]


def filled(new: NewCase, case: JudgedCase, pairs: Sequence[LaunchPair], original: Recording | None, recording: Recording | None) -> NewCase:
    """What the candidate runs on ``case``, with what its host alone fills; ``original`` and ``recording``: both programs' launches."""
    pair = next((pair for pair in pairs if pair.a_index == case.launch_index), None)
    if pair is None or original is None or recording is None:
        return new
    return with_host_fills(new, original, pair.a_index, recording, pair.b_index)


def as_found(item: PreparedCase, new: NewCase, side: tuple[SideRun, ...]) -> tuple[SideRun, ...]:
    """The candidate's runs, as if its host had not filled what the original leaves alone: nothing there is for the kernel to write."""
    mine, own = contents_of(new), contents_of(item.case.new)
    poisoned = {buffer.id for buffer in item.case.new.recording.buffers if buffer.is_poisoned}
    still = {buffer.id for buffer in new.recording.buffers if buffer.is_poisoned}
    fills = {buffer: data for buffer, data in mine.items() if buffer not in still and (buffer in poisoned or data != own.get(buffer))}
    return tuple(_as_found(run, fills, matching_run(item.original, run.fill), poisoned, own) for run in side) if fills else side


def _as_found(run: SideRun, fills: dict[int, bytes], original: SideRun, poisoned: set[int], own: dict[int, bytes]) -> SideRun:
    after = list[tuple[int, bytes]]()
    for buffer, data in run.after:
        theirs = original.contents(buffer)
        before = bytes([original.fill]) * len(data) if buffer in poisoned else own.get(buffer, b"")
        if buffer in fills and theirs is not None and len(theirs) == len(before) == len(data) == len(fills[buffer]):
            left, start, found, first = (np.frombuffer(one, np.uint8) for one in (data, fills[buffer], theirs, before))
            after.append((buffer, np.where((left == start) & (found == first), first, left).tobytes()))
        else:
            after.append((buffer, data))
    return replace(run, after=tuple(after))
