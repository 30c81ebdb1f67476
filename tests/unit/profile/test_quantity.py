"""Numbers for people."""

import pytest

from assistant.profile.quantity import format_quantity


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (16777216, "sectors", "16,777,216 sectors"),
        (2.5e-4, "s", "250 µs"),
        (4e-9, "s", "4 ns"),
        (1.5, "s", "1.5 s"),
        (0.478, "ratio", "0.478"),
        (31.25, "sectors/request", "31.2 sectors/request"),
    ],
)
def test_a_quantity_reads_as_people_say_it(value: float, unit: str, expected: str) -> None:
    assert format_quantity(value, unit) == expected
