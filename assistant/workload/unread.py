"""Which memory of a launch the rest of its program never looks at: what stands there after it is scratch, as far as this program goes.

Example::

    unread_buffers(recording, 3)     # frozenset({7}): only this kernel has it, writes it before it reads it, and nothing copies it
"""

from __future__ import annotations

from collections import Counter

from assistant.model.recording import Recording

__all__ = ["unread_buffers"]


def unread_buffers(recording: Recording, index: int) -> frozenset[int]:
    """Ids of allocations that only launches of this launch's kernel are passed, each of which writes them before it reads them, and that
    are copied nowhere. None where launches of other kernels, or copies on the device, are not seen whole."""
    launch = recording.launch(index)
    others = [one for one in recording.launches if one.kernel != launch.kernel]
    kept, counted = Counter(one.kernel for one in others), Counter[str]()
    for shape in recording.shape_counts:
        counted[shape.kernel] += shape.count
    del counted[launch.kernel]
    operations = recording.operations
    if counted != kept or operations is None or any(one.kind == "copy_on_device" and one.count for one in operations):
        return frozenset()
    if any(transfer.buffer is None for transfer in recording.transfers):
        return frozenset()
    seen = {state.buffer for one in others for state in one.buffers} | {transfer.buffer for transfer in recording.transfers}
    own = [one for one in recording.launches if one.kernel == launch.kernel]
    read_first = {state.buffer for one in own for state in one.buffers if not state.is_poisoned}
    allocations = {buffer.id for buffer in recording.buffers if buffer.symbol is None and buffer.space == "device"}
    return frozenset(state.buffer for state in launch.buffers if state.buffer in allocations - seen - read_first)
