"""Names that edits make of the author's."""

from __future__ import annotations

import pytest

from assistant.plan.expert.writing.style import Style


@pytest.mark.parametrize(
    ("words", "snake", "camel"),
    [
        (("floor_", "i"), "floor_i", "floorI"),
        (("own", "_gain"), "own_gain", "ownGain"),
        (("warp", "parts_", "x"), "warp_parts_x", "warpPartsX"),
        (("own", "_"), "own", "own"),
        (("floor_",), "floor_", "floor_"),
    ],
)
def test_underscores_at_the_ends_of_words_do_not_add_up(words: tuple[str, ...], snake: str, camel: str) -> None:
    assert Style(" ", "    ", is_camel=False).name(*words) == snake
    assert Style(" ", "    ", is_camel=True).name(*words) == camel
