"""Whether a kernel computes what the user's own function computes."""

import numpy as np

from assistant.model.elements import parse_element_type
from assistant.verify.agreement import disagreement


def check(values: np.ndarray, reference: np.ndarray, spelled: str) -> str | None:
    element = parse_element_type(spelled)
    assert element is not None
    stored = reference.astype(np.float64) if element.is_floating else reference
    found = disagreement(values.tobytes(), stored.tobytes(), element)
    return None if found is None else str(found)


def _floats(count: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(count).astype(np.float32)


def test_another_order_of_summation_agrees() -> None:
    rows = _floats(1 << 16).reshape(64, -1)
    assert check(np.cumsum(rows, axis=1)[:, -1].astype(np.float32), rows.astype(np.float64).sum(axis=1), "float") is None


def test_one_wrong_value_among_a_million_is_found_at_its_place() -> None:
    values = _floats(1 << 20)
    wrong = values.copy()
    wrong[123456] += 0.01
    told = check(wrong, values, "float")
    assert told is not None and told.startswith("[123456] is ") and "(1 of 1048576 values differ)" in told


def test_nan_and_infinity_stand_at_the_same_places() -> None:
    values = np.array([1.0, np.nan, np.inf, -np.inf], np.float32)
    assert check(values, values, "float") is None
    assert check(values[::-1].copy(), values, "float") is not None
    assert "nan" in (check(np.array([1.0, np.nan], np.float32), np.array([1.0, 2.0]), "float") or "")


def test_integers_are_equal_or_differ() -> None:
    values = np.arange(8, dtype=np.int64) + (1 << 60)
    assert check(values, values, "long long") is None
    assert check(values, values + (np.arange(8) == 3), "long long") == (
        f"[3] is {(1 << 60) + 3}, the reference has {(1 << 60) + 4} (1 of 8 values differ)"
    )


def test_values_near_zero_are_held_against_the_size_of_the_output() -> None:
    reference = np.array([1.0, -1.0, 0.0, 2.0])
    assert check((reference + 1e-6).astype(np.float32), reference, "float") is None
    assert check((reference + 1e-3).astype(np.float32), reference, "float") is not None
