"""Few modules call the next stage of an `optimize`, and the page that lists them is current."""

from __future__ import annotations

from pathlib import Path

from tests.unit.engine.test_search import folder
from tests.unit.engine.walk import PAGE, page, walked

__all__ = ["folder"]

MOST_MODULES = 25
"""So many can be held in mind by a person who reads the engine for the first time."""


async def test_few_modules_call_the_next_stage_and_the_page_lists_them(folder: Path) -> None:
    walk = await walked(folder)
    assert 10 < len(walk) <= MOST_MODULES, sorted(walk)
    assert page(walk) == PAGE.read_text("utf-8"), "python -m tests.unit.engine.walk"
