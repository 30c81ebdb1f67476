"""Which axes the dimensions of a tensor run along, through its views."""

from __future__ import annotations

import pytest

from assistant.operators.axes import Alignment, Axis, NoLayoutError, SplitError, Window, behind_broadcast, home_alignment, split_for
from assistant.operators.graph import TensorUse

N, M, K, HALF = Axis("n", 4), Axis("m", 6), Axis("k", 24), Axis("half", 3)


def use(shape: tuple[int, ...], strides: tuple[int, ...] = (), offset: int = 0) -> TensorUse:
    return TensorUse(0, 96, "float32", shape, is_whole=not strides, strides=strides, offset=offset, memory_bytes=96)


@pytest.mark.parametrize(
    ("view", "alignment", "home", "expected"),
    [
        (use((6, 4), (1, 6)), ((M,), (N,)), use((4, 6)), ((N,), (M,))),
        (use((4, 6), (1, 0)), ((N,), (M,)), use((4, 1)), ((N,), ())),
        (use((1, 24), (24, 1)), ((), (N, M)), use((4, 6)), ((N,), (M,))),
        (use((4, 1, 6), (6, 6, 1)), ((N,), (), (M,)), use((24,)), ((N, M),)),
        (use((4, 6), (6, 1)), ((N,), (M,)), use((1, 4, 6), (24, 6, 1)), ((), (N,), (M,))),
    ],
    ids=["transposed", "expanded", "merged", "split", "with-ones"],
)
def test_a_view_is_followed_to_the_dimensions_of_its_memory(
    view: TensorUse, alignment: Alignment, home: TensorUse, expected: Alignment
) -> None:
    assert home_alignment(view, alignment, home) == expected


@pytest.mark.parametrize(
    ("view", "alignment", "expected"),
    [
        (use((4, 3), (6, 1)), ((N,), (HALF,)), ((N,), Window((HALF,), (1,), 0, 6))),
        (use((4, 3), (6, 1), 3), ((N,), (HALF,)), ((N,), Window((HALF,), (1,), 3, 6))),
        (use((4, 3), (6, 2), 1), ((N,), (HALF,)), ((N,), Window((HALF,), (2,), 1, 6))),
        (use((6,), (1,), 18), ((M,),), (Window((), (), 3, 4), (M,))),
        (use((4,), (6,), 2), ((N,),), ((N,), Window((), (), 2, 6))),
        (use((3, 4), (1, 6), 3), ((HALF,), (N,)), ((N,), Window((HALF,), (1,), 3, 6))),
        (use((4, 6), (6, 1)), ((N,), Window((HALF,), (2,), 1, 6)), ((N,), Window((HALF,), (2,), 1, 6))),
        (use((4, 3), (6, 2)), ((N,), Window((), (), 2, 3)), ((N,), Window((), (), 4, 6))),
    ],
    ids=["first", "second", "every-other", "row", "column", "transposed", "of-all", "of-a-part"],
)
def test_a_part_of_a_tensor_is_a_window_of_its_dimensions(view: TensorUse, alignment: Alignment, expected: Alignment) -> None:
    assert home_alignment(view, alignment, use((4, 6))) == expected


@pytest.mark.parametrize(
    ("view", "alignment"),
    [(use((4,), (7,)), ((N,),)), (use((4, 3), (6, 1), 4), ((N,), (HALF,))), (use((4, 6), (6, 1), 6), ((N,), (M,)))],
    ids=["diagonal", "over-the-edge", "behind-the-end"],
)
def test_other_views_have_no_layout(view: TensorUse, alignment: Alignment) -> None:
    with pytest.raises(NoLayoutError):
        home_alignment(view, alignment, use((4, 6)))


@pytest.mark.parametrize(("strides", "inner"), [((1,), 6)])
def test_an_axis_over_two_dimensions_has_to_be_two(strides: tuple[int, ...], inner: int) -> None:
    with pytest.raises(SplitError) as raised:
        home_alignment(use((24,), strides), ((K,),), use((4, 6)))
    assert (raised.value.axis, raised.value.inner) == (K, inner)


def test_groups_are_the_outer_axes_of_a_dimension() -> None:
    assert split_for((N, M), 6) == ((N,), (M,)) and split_for((N, M), 24) == ((), (N, M))
    with pytest.raises(SplitError) as raised:
        split_for((K,), 8)
    assert raised.value.inner == 8
    with pytest.raises(NoLayoutError):
        split_for((K,), 7)


def test_what_is_broadcast_has_no_axis_there() -> None:
    assert behind_broadcast((1, 6), (2, 4, 6), ((K,), (N,), (M,))) == ((), (M,))
    with pytest.raises(NoLayoutError):
        behind_broadcast((4,), (4, 6), ((N,), (M,)))
