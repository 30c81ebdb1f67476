"""Memory that only the candidate's host fills before a launch: its cases begin with it, and the judge is not shown what stays of it.

Example::

    new = filled(new, case, pairs, a_recording, b_recording)    # what the candidate is run on
    side = as_found(case.new, original, new, side)              # what it left, but for what the host filled in
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assistant.engine.evaluate import JudgedCase
from assistant.model.recording import Recording
from assistant.verify.evidence import SideRun
from assistant.verify.numbers import MaskArray
from assistant.verify.outputs import matching_run
from assistant.workload.derive import contents_of
from assistant.workload.host_fills import with_host_fills
from assistant.workload.recordings import NewCase
from assistant.workload.select import LaunchPair

__all__ = ["as_found", "filled"]


def filled(new: NewCase, case: JudgedCase, pairs: Sequence[LaunchPair], original: Recording | None, recording: Recording | None) -> NewCase:
    """What the candidate runs on ``case``, with what its host alone fills; ``original`` and ``recording``: both programs' launches."""
    pair = case.pair_in(pairs)
    if pair is None or original is None or recording is None:
        return new
    return with_host_fills(new, original, pair.a_index, recording, pair.b_index)


def as_found(own: NewCase, original: tuple[SideRun, ...], new: NewCase, side: tuple[SideRun, ...]) -> tuple[SideRun, ...]:
    """The candidate's runs, as if its host had not filled what the original leaves alone: nothing there is for the kernel to write.

    ``own``, ``original``: what the original is run on, and its runs.
    """
    mine, its = contents_of(new), contents_of(own)
    poisoned = {buffer.id for buffer in own.recording.buffers if buffer.is_poisoned}
    still = {buffer.id for buffer in new.recording.buffers if buffer.is_poisoned}
    fills = {buffer: data for buffer, data in mine.items() if buffer not in still and (buffer in poisoned or data != its.get(buffer))}
    if not fills:
        return side
    left_alone = {buffer: _left_alone(original, buffer, None if buffer in poisoned else its.get(buffer)) for buffer in fills}
    return tuple(_as_found(run, fills, matching_run(original, run.fill), left_alone) for run in side)


def _left_alone(original: Sequence[SideRun], buffer: int, before: bytes | None) -> MaskArray | None:
    """Which bytes no run of the original changes; ``before``: None of memory that begins with each run's own fill, so that a result which
    happens to be one fill is none of the other."""
    kept: MaskArray | None = None
    for run in original:
        after = run.contents(buffer)
        first = bytes([run.fill]) * len(after or b"") if before is None else before
        if after is None or len(after) != len(first):
            continue
        same = np.frombuffer(after, np.uint8) == np.frombuffer(first, np.uint8)
        kept = same if kept is None or len(kept) != len(same) else kept & same
    return kept


def _as_found(run: SideRun, fills: Mapping[int, bytes], original: SideRun, left_alone: Mapping[int, MaskArray | None]) -> SideRun:
    after = list[tuple[int, bytes]]()
    for buffer, data in run.after:
        theirs, alone = original.contents(buffer), left_alone.get(buffer)
        if alone is not None and theirs is not None and len(theirs) == len(data) == len(fills[buffer]) == len(alone):
            left, start, found = (np.frombuffer(one, np.uint8) for one in (data, fills[buffer], theirs))
            after.append((buffer, np.where((left == start) & alone, found, left).tobytes()))
        else:
            after.append((buffer, data))
    return replace(run, after=tuple(after))
