"""Which launches stand for a recording, and which launch of B answers which of A."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from assistant.cuda.struct_layouts import layout_named
from assistant.model.launch import Dim3, LaunchConfig
from assistant.model.recording import (
    BufferState,
    PointerField,
    RecordedArgument,
    RecordedBuffer,
    RecordedLaunch,
    Recording,
    ShapeCount,
)
from assistant.model.source import Parameter, Span
from assistant.workload.recordings import blob_name
from assistant.workload.select import Pairing, ProgramLevelOnly, kernel_name, pair_launches, select_launches

N = (
    Parameter("p", "float *", Span(0, 0), True, False, False, "float"),
    Parameter("n", "int", Span(0, 0), False, False, False, None),
)


CONFIG = LaunchConfig(Dim3(1), Dim3(256))


def launch(index: int, kernel: str, n: int, block: int = 256, buffer: int = 0) -> RecordedLaunch:
    arguments = (
        RecordedArgument(8, f"{index:016x}", (PointerField(0, buffer, 0),)),
        RecordedArgument(4, n.to_bytes(4, "little").hex(), ()),
    )
    config = LaunchConfig(Dim3(-(-n // block)), Dim3(block))
    return RecordedLaunch(index, kernel, config, arguments, (BufferState(buffer, "0" * 64, None),), "k.cu", 1)


def recording(*launches: RecordedLaunch, size: int = 4096) -> Recording:
    buffers = tuple(RecordedBuffer(i, size, 4096 * i, None, "device") for i in range(3))
    return Recording(buffers, launches, (), ())


def test_the_largest_smallest_and_most_frequent_shapes_are_chosen() -> None:
    sizes = [100, 5000, 300, 300, 300, 700, 20, 900, 900]
    chosen = select_launches(recording(*(launch(i, "k", n) for i, n in enumerate(sizes))), "k", N)
    assert [(c.shape, c.weight) for c in chosen] == [("n=5000", 1.0), ("n=300", 3.0), ("n=20", 1.0)]
    assert [c.index for c in chosen] == [1, 2, 6]


def test_launches_that_were_not_kept_count_as_well() -> None:
    kept = launch(0, "k", 512)
    whole = replace(recording(kept), shape_counts=(ShapeCount("k", kept.config, 40), ShapeCount("l", kept.config, 7)))
    assert [c.weight for c in select_launches(whole, "k", N)] == [40.0]


def test_another_kernel_is_not_chosen() -> None:
    assert select_launches(recording(launch(0, "other", 4)), "k") == ()


def test_launches_pair_in_order_and_take_the_configuration_of_b() -> None:
    a = recording(launch(0, "k", 512), launch(1, "k", 1024))
    b = recording(launch(0, "k", 512, 128, buffer=1), launch(1, "k", 1024, 128, buffer=1))
    result = pair_launches(a, b)
    assert isinstance(result, Pairing)
    assert [(p.a_index, p.b_index, p.config.block.x) for p in result.pairs] == [(0, 0, 128), (1, 1, 128)]


def test_a_pair_is_started_with_the_clusters_of_b() -> None:
    clustered = replace(launch(0, "k", 512, 128), cluster=Dim3(4))
    result = pair_launches(recording(launch(0, "k", 512)), recording(clustered))
    assert isinstance(result, Pairing) and result.pairs[0].cluster == Dim3(4)


def test_single_kernels_pair_whatever_they_are_called() -> None:
    result = pair_launches(recording(launch(0, "slow", 4)), recording(launch(0, "fast", 4)))
    assert isinstance(result, Pairing) and result.kernels == (("slow", "fast"),)


def test_a_changed_template_argument_still_pairs() -> None:
    a = recording(launch(0, "tr<0>(float*)", 4), launch(1, "sum(float*)", 4))
    b = recording(launch(0, "tr<1>(float*)", 4), launch(1, "sum(float*)", 4))
    result = pair_launches(a, b)
    assert isinstance(result, Pairing) and ("tr<0>(float*)", "tr<1>(float*)") in result.kernels


def test_more_launches_leave_only_the_program_level() -> None:
    result = pair_launches(recording(launch(0, "k", 4)), recording(launch(0, "k", 2), launch(1, "k", 2)))
    assert isinstance(result, ProgramLevelOnly) and "1 times by A and 2 by B" in result.reason


def test_of_launches_that_were_kept_in_part_those_of_both_programs_pair() -> None:
    """A's grids change with every launch, B's with every other one: other launches are kept."""
    a = replace(recording(launch(0, "k", 4), launch(2, "k", 6), launch(3, "k", 7)), shape_counts=(ShapeCount("k", CONFIG, 5),))
    b = replace(recording(launch(0, "k", 4, 64), launch(1, "k", 5, 64), launch(3, "k", 7, 64)), shape_counts=(ShapeCount("k", CONFIG, 5),))
    result = pair_launches(a, b)
    assert isinstance(result, Pairing) and [(pair.a_index, pair.b_index) for pair in result.pairs] == [(0, 0), (3, 3)]
    other = replace(recording(launch(1, "k", 5)), shape_counts=(ShapeCount("k", CONFIG, 5),))
    assert isinstance(apart := pair_launches(a, other), ProgramLevelOnly) and "no launch of k was kept of both" in apart.reason


def test_launches_of_which_nothing_was_kept_correspond_where_both_programs_make_as_many() -> None:
    def made(*counts: tuple[str, int]) -> Recording:
        return replace(recording(launch(0, "small", 4)), shape_counts=tuple(ShapeCount(name, CONFIG, count) for name, count in counts))

    a, same = made(("small", 1), ("large", 3)), made(("small", 1), ("large", 3))
    result = pair_launches(a, same)
    assert isinstance(result, Pairing) and [pair.kernel for pair in result.pairs] == ["small"]
    assert result.kernels == (("small", "small"), ("large", "large"))
    assert (
        isinstance(more := pair_launches(a, made(("small", 1), ("large", 4))), ProgramLevelOnly)
        and "3 times by A and 4 by B" in more.reason
    )
    other = pair_launches(a, made(("small", 1), ("large", 3), ("added", 1)))
    assert isinstance(other, ProgramLevelOnly) and other.reason == "B launches added, which A does not"


def test_another_argument_leaves_only_the_program_level() -> None:
    result = pair_launches(recording(launch(0, "k", 4)), recording(launch(0, "k", 5)))
    assert isinstance(result, ProgramLevelOnly) and "argument 2 differs" in result.reason


@pytest.mark.parametrize(("theirs", "is_paired"), [(0.1 + 1e-9, True), (0.1001, False), (float("nan"), False)])
def test_a_number_that_only_rounding_tells_apart_is_the_same_argument(theirs: float, is_paired: bool) -> None:
    def launched(step: float) -> Recording:
        base = launch(0, "axpy(float*, int, double)", 4)
        return recording(replace(base, arguments=(*base.arguments, RecordedArgument(8, struct.pack("<d", step).hex(), ()))))

    a, b = launched(0.1), launched(theirs)
    assert isinstance(pair_launches(a, b), Pairing) == is_paired


def test_bytes_between_the_members_of_a_struct_belong_to_no_member() -> None:
    layout = layout_named("struct Plane { long stride; int w; };", "Plane")

    def launched(stride: int, padding: int) -> Recording:
        base = launch(0, "copy(float*, int, Plane)", 4)
        return recording(
            replace(base, arguments=(*base.arguments, RecordedArgument(16, struct.pack("<qii", stride, 7, padding).hex(), ())))
        )

    def is_paired(mine: Recording, other: Recording) -> bool:
        return isinstance(pair_launches(mine, other, {"Plane": layout}.get), Pairing)

    assert is_paired(launched(64, 1), launched(64, 2)) and not is_paired(launched(64, 1), launched(65, 1))
    assert not isinstance(pair_launches(launched(64, 1), launched(64, 2)), Pairing)


def test_of_a_librarys_kernel_only_values_of_known_types_are_compared() -> None:
    """Between the members of what a library passes by value stands what its stack held before, at unknown places."""
    symbol = "at::native::fill(float*, int, at::native::filled)"

    def launched(n: int, passed: int) -> Recording:
        base = launch(0, symbol, n)
        library = replace(base, arguments=(*base.arguments, RecordedArgument(16, struct.pack("<qii", 64, 7, passed).hex(), ())))
        return recording(library, launch(1, "k(float*, int)", 4))

    def is_paired(mine: Recording, other: Recording, own: str) -> bool:
        return isinstance(pair_launches(mine, other, is_own=lambda kernel: kernel.startswith(own)), Pairing)

    assert is_paired(launched(4, 1), launched(4, 2), "k")
    assert not is_paired(launched(4, 1), launched(5, 1), "k")
    assert not is_paired(launched(4, 1), launched(4, 2), "at::native::fill")


def test_another_buffer_size_leaves_only_the_program_level() -> None:
    result = pair_launches(recording(launch(0, "k", 4)), recording(launch(0, "k", 4), size=8192))
    assert isinstance(result, ProgramLevelOnly) and "another buffer" in result.reason


def test_an_added_kernel_leaves_only_the_program_level() -> None:
    a = recording(launch(0, "k", 4), launch(1, "l", 4))
    b = recording(launch(0, "k", 4), launch(1, "l", 4), launch(2, "m", 4))
    assert isinstance(pair_launches(a, b), ProgramLevelOnly)


def test_the_name_of_an_instance_is_found() -> None:
    assert kernel_name("void ns::tr<1, (int)2>(float*, float const*)") == "ns::tr"
    assert kernel_name("(anonymous namespace)::shift(float*)") == "shift"
    assert kernel_name("k") == "k"


def test_a_launch_on_an_empty_field_does_not_stand_for_later_ones() -> None:
    zeros, some, more = blob_name(bytes(4096)), "1" * 64, "2" * 64

    def step(index: int, before: str, after: str) -> RecordedLaunch:
        return replace(launch(index, "k", 512), buffers=(BufferState(0, before, after),))

    def chosen(*steps: RecordedLaunch) -> int:
        return select_launches(recording(*steps), "k", N)[0].index

    assert chosen(step(0, zeros, zeros), step(1, zeros, some), step(2, some, more), step(3, more, some)) == 2
    assert chosen(step(0, some, more), step(1, more, some)) == 0
    assert chosen(step(0, some, some), step(1, zeros, some)) == 1


def test_a_floating_scalar_of_zero_is_a_shape_of_its_own_and_other_values_are_not() -> None:
    beta = Parameter("beta", "float", Span(0, 0), False, False, False, None)
    betas = [0.0, 0.25, 0.5, 0.0, 0.75]
    launches = [
        replace(one, arguments=(*one.arguments, RecordedArgument(4, struct.pack("<f", value).hex(), ())))
        for one, value in zip([launch(index, "k", 100) for index in range(5)], betas, strict=True)
    ]
    chosen = select_launches(recording(*launches), "k", (*N, beta))
    assert [(c.index, c.weight) for c in chosen] == [(0, 2.0), (1, 3.0)]
