"""Line numbers in words, as the document around a CUDA text counts its lines."""

from __future__ import annotations

import pytest

from assistant.editor.line_words import renumbered


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("race at line 14 +1", "race at line 15 +1"),
        ("also on lines 4, 5 and 7; 3 lines become 5", "also on lines 5, 6 and 8; 3 lines become 5"),
        ("line 9, block (0, 0, 0)", "line 10, block (0, 0, 0)"),
        ("the other access is in sum.cuh, line 9", "the other access is in sum.cuh, line 9"),
        ("online 3, outline 4, line x", "online 3, outline 4, line x"),
    ],
)
def test_numbers_of_lines_are_those_of_the_document(words: str, said: str) -> None:
    assert renumbered(words, lambda line: line + 1) == said
