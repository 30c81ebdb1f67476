"""Which memory of a launch the rest of its program never looks at, and which variables carry nothing from one launch to the next.

Example::

    unread_buffers(recording, 3)     # frozenset({7}): only this kernel has it, writes it before it reads it, and nothing copies it
"""

from __future__ import annotations

from collections import Counter

from assistant.model.recording import Recording

__all__ = ["restored_variables", "unread_buffers"]


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


def restored_variables(recording: Recording | None) -> frozenset[str]:
    """Names, without namespaces, of device variables that each recorded launch leaves as it found them: a counter of blocks that is
    set back. None without a recording."""
    if recording is None:
        return frozenset()
    kept, changed = set[int](), set[int]()
    for state in (state for launch in recording.launches for state in launch.buffers):
        (kept if state.after == state.before else changed).add(state.buffer)
    symbols = ((buffer.id, buffer.symbol) for buffer in recording.buffers if buffer.symbol is not None)
    return frozenset(name.rpartition("::")[2] for identity, name in symbols if identity in kept - changed)
