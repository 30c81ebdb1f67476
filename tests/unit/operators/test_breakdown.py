"""What a model's functions take at least, and which of them one kernel could do together."""

from __future__ import annotations

from assistant.measure.targets import target
from assistant.operators.breakdown import Breakdown, broken_down
from assistant.operators.graph import FunctionCall, Graph, TensorUse

H200 = target("h200")
SIZE = 1 << 26
"""Bytes of a tensor: more than L2 holds."""


def use(memory: int, size: int = SIZE) -> TensorUse:
    return TensorUse(memory, size, "float32", (size // 4,), True)


def call(name: str, kind: str, reads: tuple[int, ...], writes: tuple[int, ...], operations: int = 0) -> FunctionCall:
    return FunctionCall(name, 3, kind, tuple(map(use, reads)), tuple(map(use, writes)), operations)  # pyright: ignore[reportArgumentType]


def broken(*calls: FunctionCall, given: tuple[int, ...] = (0,), results: tuple[int, ...]) -> Breakdown:
    return broken_down(Graph(tuple(map(use, given)), (), calls, tuple(map(use, results))), H200)


def names(found: Breakdown) -> list[tuple[str, ...]]:
    return [tuple(call.name for call in group.calls) for group in found.groups]


def test_a_chain_is_one_group_that_moves_its_ends_alone() -> None:
    found = broken(call("mul", "pointwise", (0,), (1,)), call("relu", "pointwise", (1,), (2,)), results=(2,))
    (group,) = found.groups
    assert (group.moved_bytes, group.saved_bytes) == (2 * SIZE, 2 * SIZE)
    assert found.moved_bytes == 2 * SIZE and sum(found.times_s) > found.least_time_s


def test_what_is_used_later_is_still_written() -> None:
    found = broken(
        *(call("mul", "pointwise", (0,), (1,)), call("relu", "pointwise", (1,), (2,)), call("mm", "product", (1, 2), (3,), 8)), results=(3,)
    )
    assert found.groups[0].moved_bytes == 3 * SIZE


def test_a_product_and_a_reduction_across_rows_end_a_group() -> None:
    mul, relu = call("mul", "pointwise", (0,), (1,)), call("relu", "pointwise", (2,), (3,))
    assert names(broken(mul, call("mm", "product", (1, 0), (2,), 8), relu, results=(3,))) == []
    assert names(broken(mul, call("sum", "reduction", (1,), (2,)), relu, results=(3,))) == [("mul", "sum")]
    assert names(broken(mul, call("sum", "rows", (1,), (2,)), relu, results=(3,))) == [("mul", "sum", "relu")]


def test_branches_that_meet_are_one_group() -> None:
    sin, exp = call("sin", "pointwise", (0,), (1,)), call("exp", "pointwise", (0,), (2,))
    found = broken(sin, exp, call("neg", "pointwise", (2,), (3,)), call("div", "pointwise", (1, 3), (4,)), results=(4,))
    assert names(found) == [("sin", "exp", "neg", "div")] and found.groups[0].moved_bytes == 2 * SIZE


def test_two_chains_side_by_side_are_two_groups() -> None:
    of_p = [call("sin", "pointwise", (0,), (1,)), call("neg", "pointwise", (1,), (2,))]
    of_q = [call("cos", "pointwise", (5,), (6,)), call("abs", "pointwise", (6,), (7,))]
    found = broken(of_p[0], of_q[0], of_p[1], of_q[1], given=(0, 5), results=(2, 7))
    assert names(found) == [("sin", "neg"), ("cos", "abs")]


def test_functions_that_share_nothing_are_no_group() -> None:
    found = broken(call("mul", "pointwise", (0,), (1,)), call("relu", "pointwise", (2,), (3,)), given=(0, 2), results=(1, 3))
    assert found.groups == ()


def test_bytes_or_operations_bound_a_function() -> None:
    by_bytes, by_operations = broken(
        call("mul", "pointwise", (0,), (1,)), call("mm", "product", (1, 0), (2,), 10**14), results=(2,)
    ).times_s
    assert by_bytes == max(2 * SIZE / H200.l2_bytes_per_s, (2 * SIZE - H200.l2_bytes) / H200.dram_bytes_per_s)
    assert by_operations == 10**14 / (2 * H200.fp32_lanes_per_sm * H200.sm_count * H200.clock_hz)
