"""Inputs moved to a neighbour: how the original's own sensitivity is found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.model.elements import ElementType, parse_element_type
from assistant.verify.numbers import bits, exponent_bits, floats, largest_finite
from assistant.verify.tolerance import one_ulp

TYPES = ("half", "__nv_bfloat16", "float", "double")


def element_type(name: str) -> ElementType:
    element = parse_element_type(name)
    assert element is not None
    return element


def patterns_of(element: ElementType) -> NDArray[np.unsignedinteger]:
    """Every pattern of a type of 16 bits; of larger ones the special ones and random others."""
    if element.scalar_bytes == 2:
        return np.arange(1 << 16, dtype="<u2")
    special = int(exponent_bits(element))
    sign = 1 << 8 * element.scalar_bytes - 1
    chosen = [0, 1, 2, special - 1, special, special + 1, sign, sign | 1, sign | special - 1, sign | special]
    random = np.frombuffer(np.random.default_rng(5).bytes(4000 * element.scalar_bytes), f"<u{element.scalar_bytes}")
    return np.concatenate([np.array(chosen, random.dtype), random])


@pytest.mark.parametrize("name", TYPES)
def test_every_finite_number_but_zero_moves_to_a_neighbour_and_all_else_stays(name: str) -> None:
    element = element_type(name)
    before = patterns_of(element)
    after = bits(one_ulp(before.tobytes(), element, 3), element)
    values, moved = floats(before.tobytes(), element), floats(after.tobytes(), element)
    stays = ~np.isfinite(values) | (values == 0)
    assert (after[stays] == before[stays]).all()
    steps = after[~stays].astype(object) - before[~stays].astype(object)
    is_largest = np.abs(values[~stays]) == largest_finite(element)
    assert set(steps[~is_largest]) == {-1, 1}
    assert set(steps[is_largest]) <= {-1, 0}
    assert np.isfinite(moved[~stays]).all()


def test_another_seed_moves_other_numbers_up() -> None:
    element, data = element_type("float"), np.ones(1000, "<f4").tobytes()
    first, second = (bits(one_ulp(data, element, seed), element) for seed in (1, 2))
    assert 350 < (first != second).sum() < 650
    assert one_ulp(data, element, 1) == first.tobytes()


def test_bytes_after_the_last_number_stay() -> None:
    data = np.ones(3, "<f4").tobytes() + b"xy"
    assert one_ulp(data, element_type("float"), 1)[-2:] == b"xy"


def test_integers_stay() -> None:
    data = np.arange(10, dtype="<i4").tobytes()
    assert one_ulp(data, element_type("int"), 1) == data
