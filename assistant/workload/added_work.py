"""What a run of B does on the GPU that A's does not, and that no ratio of paired launches holds: launches, copies, fills.

Example::

    added_operations(recording_of_a, recording_of_b)     # ("1 fill, 4,096 bytes",)
"""

from __future__ import annotations

from collections import Counter

from assistant.model.recording import DeviceOperations, Recording
from assistant.workload.select import kernel_name

__all__ = ["added_launches", "added_operations", "are_operations_known"]

_WORDS = {"copy_to_device": "copy to the GPU", "copy_to_host": "copy to the host", "copy_on_device": "copy on the GPU", "fill": "fill"}


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
    return tuple(_counted(count, f"launch of {name}" if name else "launch", "launches") for name, count in (after - before).items())


def added_operations(a: Recording, b: Recording) -> tuple[str, ...]:
    """Copies and fills that B makes more of, or that are larger; one phrase for each kind."""
    before = {item.kind: item for item in a.operations or ()}
    found = list[str]()
    for item in b.operations or ():
        known = before.get(item.kind, DeviceOperations(item.kind, 0, 0))
        count, size_bytes = item.count - known.count, item.size_bytes - known.size_bytes
        if count > 0 or size_bytes > 0:
            what = _counted(max(count, 1), _WORDS[item.kind], "copies" if item.kind.startswith("copy") else "fills")
            found.append(f"{what}, {max(size_bytes, 0):,} bytes")
    return tuple(found)


def _launch_counts(recording: Recording) -> Counter[str]:
    counts: Counter[str] = Counter()
    for shape in recording.shape_counts:
        counts[kernel_name(shape.kernel)] += shape.count
    return counts


def _counted(count: int, one: str, many: str) -> str:
    """``1 launch of work``, ``3 launches of work``: ``many`` stands for the first word."""
    return f"1 {one}" if count == 1 else f"{count:,} {' '.join((many, *one.split(' ')[1:]))}"
