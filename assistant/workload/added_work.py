"""What a run of B does on the GPU that A's does not, and that no ratio of paired launches holds: launches, copies, fills.

Example::

    added_operations(recording_of_a, recording_of_b)     # ("1 fill, 4,096 bytes",)
"""

from __future__ import annotations

from collections import Counter

from assistant.model.recording import STEP_WORDS, DeviceOperations, Recording
from assistant.workload.select import kernel_name

__all__ = ["added_launches", "added_operations", "are_operations_known"]


def are_operations_known(a: Recording, b: Recording) -> bool:
    """Whether both recordings hold copies and fills; they always hold launches."""
    return a.operations is not None and b.operations is not None


def added_launches(a: Recording, b: Recording) -> tuple[str, ...]:
    """Per kernel that B launches more often: another grid or block is no further launch.

    The only kernels of both sides are one, whatever they are called.
    """
    before, after = _launch_counts(a), _launch_counts(b)
    if len(before) == len(after) == 1:
        before, after = Counter({"": before.total()}), Counter({"": after.total()})
    added = (after - before).items()
    return tuple(f"{_counted(count, 'launch', 'launches')}{f' of {name}' if name else ''}" for name, count in added)


def added_operations(a: Recording, b: Recording) -> tuple[str, ...]:
    """Copies and fills that B makes more of, or that are larger; one phrase for each kind."""
    before = {item.kind: item for item in a.operations or ()}
    found = list[str]()
    for item in b.operations or ():
        known = before.get(item.kind, DeviceOperations(item.kind, 0, 0))
        count, size_bytes = item.count - known.count, item.size_bytes - known.size_bytes
        if count > 0 or size_bytes > 0:
            found.append(f"{_counted(max(count, 1), *STEP_WORDS[item.kind])}, {max(size_bytes, 0):,} bytes")
    return tuple(found)


def _launch_counts(recording: Recording) -> Counter[str]:
    counts: Counter[str] = Counter()
    for shape in recording.shape_counts:
        counts[kernel_name(shape.kernel)] += shape.count
    return counts


def _counted(count: int, one: str, many: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {many}"
