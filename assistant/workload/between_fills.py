"""Which launches may be replayed as one call, although the program fills memory between them: a replay has no fills.

Replays set memory right before a call, and not between its launches. A launch that needs what a fill left, as a counter that is zero again,
begins a call of its own, for which it finds what it found in the program. Example::

    parts_between_fills(recording, steps, range(4))     # ((0,), (1,)) of fill, launch, fill, launch on one counter
"""

from __future__ import annotations

from collections.abc import Sequence

from assistant.model.recording import Recording
from assistant.workload.regions import OrderedStep, launches_of

__all__ = ["parts_between_fills"]


def parts_between_fills(recording: Recording, steps: Sequence[OrderedStep], chosen: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The launches among the chosen steps (``RecordedLaunch.index``), in order, those of a part to be replayed as one call.

    All of them must be in the recording. What copies between host and device put between launches makes no part.
    """
    indices = iter(launches_of(steps, chosen))
    parts, part = list[tuple[int, ...]](), list[int]()
    left: dict[int, str | None] = {}
    """By buffer: what the part's launches leave in it."""
    in_doubt = set[int]()
    """Of these, the buffers that a fill may have changed since."""
    for place in chosen:
        if steps[place].kind == "fill":
            in_doubt |= left.keys()
        if not steps[place].is_launch:
            continue
        launch = recording.launch(next(indices))
        if any(state.buffer in in_doubt and state.before != left[state.buffer] for state in launch.buffers):
            parts.append(tuple(part))
            part, left, in_doubt = list[int](), dict[int, str | None](), set[int]()
        part.append(launch.index)
        left |= {state.buffer: state.after for state in launch.buffers}
        in_doubt -= {state.buffer for state in launch.buffers}
    return (*parts, tuple(part)) if part else tuple(parts)
