"""For how long several waited side by side."""

from __future__ import annotations

import pytest

from assistant.lab.waited import covered_s


@pytest.mark.parametrize(
    ("spans", "covered"),
    [
        ([], 0.0),
        ([(1.0, 3.0)], 2.0),
        ([(5.0, 6.0), (1.0, 3.0)], 3.0),
        ([(1.0, 3.0), (2.0, 5.0)], 4.0),
        ([(1.0, 9.0), (2.0, 3.0), (8.0, 10.0)], 9.0),
    ],
)
def test_what_overlaps_counts_once(spans: list[tuple[float, float]], covered: float) -> None:
    assert covered_s(spans) == covered
