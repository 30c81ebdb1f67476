"""Boundary shapes: where kernels break, within what the block allows."""

from __future__ import annotations

from pathlib import Path

from assistant.model.workload import DeclaredWorkload
from assistant.workload.blocks import parse_sidecar
from assistant.workload.boundary import MAX_SHAPE_COUNT, boundary_shapes


def sizes(extra: str = "", shapes: str = "{ n = 4096 }") -> list[dict[str, int]]:
    text = f"[workload.k]\ngrid = 'ceil(n/32)'\nblock = 128\nshapes = [{shapes}]\n{extra}"
    (workload,) = parse_sidecar(Path("/k"), text)
    assert isinstance(workload, DeclaredWorkload), workload
    result = boundary_shapes(workload)
    assert all(shape.weight == 0 and shape.is_boundary for shape in result)
    return [dict(shape.sizes) for shape in result]


def test_one_sizes_next_to_the_tiles_and_primes_are_boundary_shapes() -> None:
    values = {shape["n"] for shape in sizes()}
    assert {1, 31, 32, 33, 127, 128, 129, 97, 1021} <= values


def test_a_shape_without_a_launch_is_left_out() -> None:
    assert 0 not in {shape["n"] for shape in sizes()}
    assert all(shape["n"] % 4 == 0 for shape in sizes("args = { x = 'zeros(n/4)' }"))


def test_rules_are_honoured() -> None:
    values = {shape["n"] for shape in sizes("sizes = { n = { min = 64, max = 1024, multiple_of = 64 } }")}
    assert values and all(64 <= n <= 1024 and n % 64 == 0 for n in values)


def test_a_block_without_boundary_shapes_has_none() -> None:
    assert sizes("boundary = false") == []


def test_sizes_vary_together_and_alone_and_stay_few() -> None:
    shapes = sizes(shapes="{ n = 256, m = 512 }")
    assert len(shapes) == MAX_SHAPE_COUNT
    assert any(s["n"] == s["m"] for s in shapes) and any(s["n"] != s["m"] for s in shapes)


def test_twice_the_smallest_shape_and_a_prime_beyond_it_are_boundary_shapes() -> None:
    assert {128, 89} <= {shape["n"] for shape in sizes(shapes="{ n = 64 }")}
    assert max(shape["n"] for shape in sizes("sizes = { n = { max = 64 } }", "{ n = 64 }")) <= 64


def test_a_square_is_grown_wide_and_high() -> None:
    grown = [shape for shape in sizes(shapes="{ n = 64, m = 64 }") if min(shape.values()) > 64]
    assert any(s["n"] > s["m"] for s in grown) and any(s["n"] < s["m"] for s in grown)


def test_what_already_runs_many_threads_is_not_grown() -> None:
    assert max(shape["n"] for shape in sizes(shapes="{ n = 1048576 }")) <= 1048576
