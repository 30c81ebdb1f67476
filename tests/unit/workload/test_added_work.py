"""What B does on the GPU beyond A: further launches, copies and fills."""

from __future__ import annotations

from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import DeviceOperations, Recording, ShapeCount
from assistant.workload.added_work import added_launches, added_operations, are_operations_known

SMALL, LARGE = LaunchConfig(Dim3(1), Dim3(64)), LaunchConfig(Dim3(2), Dim3(32))


def recording(*launched: tuple[str, LaunchConfig, int], operations: tuple[DeviceOperations, ...] | None = ()) -> Recording:
    counts = tuple(ShapeCount(f"{kernel}(float*)", config, count) for kernel, config, count in launched)
    return Recording((), (), (), (), shape_counts=counts, operations=operations)


def test_a_kernel_that_only_b_launches_is_added_work() -> None:
    a, b = recording(("sum", SMALL, 1)), recording(("sum", SMALL, 1), ("work", SMALL, 3))
    assert added_launches(a, b) == ("3 launches of work",)
    assert added_launches(b, a) == ()


def test_another_grid_and_another_name_of_the_only_kernel_are_no_further_launches() -> None:
    assert added_launches(recording(("sum", SMALL, 4)), recording(("sum", LARGE, 4))) == ()
    assert added_launches(recording(("sum", SMALL, 1)), recording(("fast_sum", SMALL, 1))) == ()
    assert added_launches(recording(("sum", SMALL, 1)), recording(("fast_sum", SMALL, 2))) == ("1 launch",)


def test_fills_and_copies_are_added_work_by_number_or_by_size() -> None:
    fill, larger = DeviceOperations("fill", 1, 1024), DeviceOperations("fill", 1, 4096)
    copies = DeviceOperations("copy_on_device", 2, 512)
    assert added_operations(recording(), recording(operations=(fill, copies))) == ("1 fill, 1,024 bytes", "2 copies on the GPU, 512 bytes")
    assert added_operations(recording(operations=(fill,)), recording(operations=(larger,))) == ("1 fill, 3,072 bytes",)
    assert added_operations(recording(operations=(larger, copies)), recording(operations=(fill,))) == ()


def test_who_sees_no_copies_says_so() -> None:
    assert are_operations_known(recording(), recording())
    assert not are_operations_known(recording(), recording(operations=None))
