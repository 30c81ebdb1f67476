"""Ratios of times as people read them, also of what became a thousand times as slow: never ``0.00x``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assistant.model.comparison import SpeedOutcome, format_interval, format_ratio, speed_in_words

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("ratio", "words"), [(1.834, "1.83"), (132.44, "132.44"), (0.5, "0.50"), (0.0423, "0.042"), (0.00417, "0.0042"), (3.2e-6, "3.2e-06")]
)
def test_two_digits_of_a_ratio_are_shown_at_least(ratio: float, words: str) -> None:
    assert format_ratio(ratio) == words
    assert speed_in_words(SpeedOutcome.SLOWER, ratio, ()) == f"SLOWER {words}x"


def test_an_interval_stands_behind_its_ratio_where_there_is_one() -> None:
    assert f"{format_ratio(0.0042)}x{format_interval(0.0041, 0.00431)}" == "0.0042x [0.0041, 0.0043]"
    assert format_interval(None, None) == ""


def test_nobody_writes_a_speeds_ratio_by_other_rules() -> None:
    """Of the performance model's own errors and of shares other digits are right."""
    others = {"assistant/measure/scoring.py", "assistant/profile/fact_words.py", "assistant/model/comparison.py"}
    found = [
        f"{path}:{number}"
        for folder in ("assistant", "lsp")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if str(path.relative_to(ROOT)) not in others
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"\{[^{}]*:\.2f\}x", line)
    ]
    assert not found
