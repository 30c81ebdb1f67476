"""Launches that A repeats although they do nothing new, and that B makes less often: a benchmark's loop that is cut short.

What repetitions are for (a time, a check, nothing at all) no run shows, and none of them changes what reaches the host. A launch is a
repetition where it has the arguments of an earlier one, and either finds what that one found or leaves all as it is; steps of a simulation
do neither. Example::

    fewer_repeats(recording_of_a, recording_of_b)     # FewerRepeats("poly", 20, 1); None where B repeats as often
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from assistant.model.recording import PassedArguments, RecordedLaunch, Recording
from assistant.record import Record
from assistant.workload.select import kernel_name, plain_bytes

__all__ = ["FewerRepeats", "fewer_repeats"]

_Passed = tuple[bytes, ...]
"""The arguments of a launch without their addresses."""
_Places = tuple[tuple[int, int], ...]
"""Buffers and offsets that its pointers lead to."""
_Key = tuple[str, _Passed, _Places]


class FewerRepeats(Record):
    """The launch of A's that B repeats less often."""

    kernel: str
    """As of ``kernel_name``."""
    a_count: int
    b_count: int
    """0: B does not launch it, nor anything in its place as often."""


def fewer_repeats(a: Recording, b: Recording) -> FewerRepeats | None:
    """The first one; None also where a program was run in part, as nothing shows then what later launches leave.

    A kernel that B does not launch may be part of another one, or a fill or a copy: then B does something else as often.
    """
    if a.first_partial is not None or b.first_partial is not None:
        return None
    by_kernel: dict[str, Counter[_Passed]] = defaultdict(Counter)
    for (name, passed, _), count in _counts(b).items():
        by_kernel[name][passed] += count
    for name, passed, count in _repeated(a):
        own = by_kernel.get(name)
        made = _most_work(b) if own is None else own[passed] or max(own.values())
        if made < count:
            return FewerRepeats(name, count, 0 if own is None else made)
    return None


def _repeated(recording: Recording) -> Iterator[tuple[str, _Passed, int]]:
    """Kernel, arguments and number of launches that all do the same as the first."""
    launches: dict[_Key, list[RecordedLaunch]] = defaultdict(list)
    for launch in recording.launches:
        launches[_key(launch)].append(launch)
    counts = _counts(recording)
    for key, group in launches.items():
        if counts[key] > 1 and _is_repetition(group):
            yield key[0], key[1], counts[key]


def _is_repetition(group: Sequence[RecordedLaunch]) -> bool:
    """Whether all behind the first do nothing new; False where that is not known."""
    left = {tuple(state.after for state in launch.buffers) for launch in group}
    if len(group) == 1 or len(left) != 1 or None in next(iter(left)):
        return False
    found = [tuple(state.before for state in launch.buffers) for launch in group]
    return all(before in left or before in found[:index] for index, before in enumerate(found[1:], 1))


def _most_work(recording: Recording) -> int:
    """How often the program does what it does most often: a kernel, fills, or copies on the device."""
    launches: Counter[str] = Counter()
    for shape in recording.shape_counts:
        launches[kernel_name(shape.kernel)] += shape.count
    operations = (item.count for item in recording.operations or () if item.kind in ("fill", "copy_on_device"))
    return max((*launches.values(), *operations), default=0)


def _counts(recording: Recording) -> Counter[_Key]:
    counts: Counter[_Key] = Counter(_key(launch) for launch in recording.launches)
    for passed in recording.passed:
        counts[_key(passed)] += passed.count
    return counts


def _key(launch: RecordedLaunch | PassedArguments) -> _Key:
    places = tuple((pointer.buffer, pointer.buffer_offset_bytes) for argument in launch.arguments for pointer in argument.pointers)
    return kernel_name(launch.kernel), tuple(map(plain_bytes, launch.arguments)), places
