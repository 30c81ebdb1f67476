"""Zeros that are structure (padding, a tail) are told from zeros that are data."""

from __future__ import annotations

import numpy as np

from assistant.workload.zeros import structural_zeros

RANDOM = np.random.default_rng(1)


def image(rows: int = 20, pitch: int = 32) -> np.ndarray:
    return RANDOM.uniform(1, 2, (rows, pitch))


def test_the_tail_behind_what_is_in_use_is_structure() -> None:
    values = np.concatenate([RANDOM.uniform(1, 2, 90), np.zeros(10)])
    assert structural_zeros(values, ()).nonzero()[0].tolist() == list(range(90, 100))


def test_padding_of_rows_is_structure_where_a_row_is_as_long() -> None:
    values = image()
    values[:, 27:] = 0
    mask = structural_zeros(values.reshape(-1), (32,)).reshape(values.shape)
    assert mask[:, 27:].all() and not mask[:, :27].any()
    assert not structural_zeros(values.reshape(-1), (31,))[:-5].any()


def test_a_border_is_structure_and_zeros_inside_are_data() -> None:
    values = image()
    values[0] = values[-1] = values[:, 0] = values[:, -1] = 0
    values[5, 5] = 0
    mask = structural_zeros(values.reshape(-1), (32,)).reshape(values.shape)
    assert mask[0].all() and mask[:, -1].all() and not mask[5, 5]


def test_a_nearly_empty_buffer_has_no_structure() -> None:
    values = np.zeros(320 * 192)
    values[96 * 320 + 160] = 1000
    assert not structural_zeros(values, (320, 192)).any()


def test_no_zeros_no_structure() -> None:
    assert not structural_zeros(image().reshape(-1), (32,)).any() and not structural_zeros(np.zeros(0), (4,)).any()
