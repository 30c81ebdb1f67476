"""Memory that only one kernel of a program uses, and never for what an earlier launch left there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import BufferState, DeviceOperations, RecordedBuffer, RecordedLaunch, Recording, ShapeCount, Transfer
from assistant.workload.unread import restored_variables, unread_buffers

CONFIG = LaunchConfig(Dim3(1), Dim3(32), 0)
SCRATCH, RESULT = 0, 1


def launch(index: int, kernel: str, *poisoned: int, read: tuple[int, ...] = ()) -> RecordedLaunch:
    states = [BufferState(buffer, "", None, buffer in poisoned) for buffer in (*poisoned, *read)]
    return RecordedLaunch(index, kernel, CONFIG, (), tuple(states), "a.cu", 1)


def recording(*launches: RecordedLaunch) -> Recording:
    buffers = tuple(RecordedBuffer(identity, 64, 256 * identity, None, "device") for identity in (SCRATCH, RESULT))
    counts = tuple(ShapeCount(one.kernel, CONFIG, 1) for one in launches)
    copied = Transfer("memcpy", "", 64, 0, "float", RESULT)
    return Recording(buffers, launches, (copied,), (), shape_counts=counts, operations=(DeviceOperations("copy_to_host", 1, 64),))


FOUND = recording(launch(0, "align", SCRATCH, RESULT), launch(1, "print", read=(RESULT,)))


def test_memory_of_a_single_kernel_that_nothing_copies_is_unread() -> None:
    assert unread_buffers(FOUND, 0) == {SCRATCH}


@pytest.mark.parametrize(
    "other",
    [
        recording(launch(0, "align", SCRATCH, RESULT), launch(1, "print", read=(SCRATCH,))),
        recording(launch(0, "align", SCRATCH, RESULT), launch(1, "align", RESULT, read=(SCRATCH,))),
        replace(FOUND, transfers=(*FOUND.transfers, Transfer("memcpy", "", 64, 0, "float", SCRATCH))),
        replace(FOUND, transfers=(*FOUND.transfers, Transfer("exit", "", 64, 0, "float", None))),
        replace(FOUND, operations=(DeviceOperations("copy_on_device", 1, 64),)),
        replace(FOUND, operations=None),
        replace(FOUND, shape_counts=(*FOUND.shape_counts, ShapeCount("print", CONFIG, 4))),
    ],
)
def test_what_may_be_read_somewhere_is_not(other: Recording) -> None:
    assert unread_buffers(other, 0) == frozenset()


def test_variables_that_every_launch_sets_back_are_restored() -> None:
    def changes(*after: str) -> frozenset[str]:
        states = ((BufferState(SCRATCH, "a", one), BufferState(RESULT, "a", "b")) for one in after)
        launches = tuple(RecordedLaunch(i, "k", CONFIG, (), both, "a.cu", 1) for i, both in enumerate(states))
        names = (replace(FOUND.buffers[SCRATCH], symbol="ns::ticket"), replace(FOUND.buffers[RESULT], symbol="total"))
        return restored_variables(replace(FOUND, launches=launches, buffers=names))

    assert changes("a", "a") == {"ticket"} and changes("a", "b") == changes() == restored_variables(None) == frozenset()
