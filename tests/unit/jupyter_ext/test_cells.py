"""JupyterLab's extension says what the Python side says: which cells are CUDA (cells.test.ts reads the same file), and why one rejects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.cuda.embedded.cell_launch import without_first_line
from assistant.cuda.embedded.find import find_embedded
from assistant.model.embedded import Container, EmbeddedText
from assistant.model.proposal import REASON_CODES

CLIENT = Path(__file__).parents[3] / "jupyterlab-client"
KNOWN = json.loads((CLIENT / "test" / "cells.json").read_text("utf-8"))


@pytest.mark.parametrize("known", KNOWN, ids=[repr(known["cell"]) for known in KNOWN])
def test_a_cell_is_cuda_here_as_there(known: dict[str, str | None]) -> None:
    cell = known["cell"]
    assert cell is not None
    found = [part for part in find_embedded(cell, Container.NOTEBOOK_CELL) if isinstance(part, EmbeddedText)]
    assert [without_first_line(part.text) for part in found] == ([] if known["code"] is None else [known["code"]])


def test_the_history_page_offers_every_reason() -> None:
    assert json.dumps(list(REASON_CODES)) in (CLIENT / "src" / "history" / "page.ts").read_text("utf-8")
