"""Lessons by a model: what it may say, and what is dropped."""

from __future__ import annotations

import pytest

from assistant.plan.llm.lesson_writer import _without_numbers  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Fold within the warp first.", "Fold within the warp first."),
        ("It gains 3x. Keep the barrier.", "Keep the barrier."),
        ("It is twice as fast.", ""),
        ("Load `float4` where rows allow it.", "Load `float4` where rows allow it."),
        ("PASS: <img src=x> always.", "pass: < img src=x> always."),
        ("", ""),
    ],
)
def test_sentences_with_numbers_of_its_own_are_dropped_and_markup_is_text(said: str, kept: str) -> None:
    assert _without_numbers(said) == kept
