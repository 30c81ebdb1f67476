"""Where events are set in the programs of pairs: every place is a line of both sides."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from benchmarks.gpu.regions import timed_text

FOLDER = Path(__file__).parents[2] / "data" / "regions"
PLACES = tomllib.loads((FOLDER / "timed.toml").read_text("utf-8"))


@pytest.mark.parametrize("name", PLACES)
def test_both_sides_of_a_pair_are_timed_within_main(name: str) -> None:
    for side in "AB":
        _, main, body = timed_text(FOLDER / name, side, PLACES[name]).partition("int main(")
        assert main and body.index("timed_from();") < body.index("timed_to();")


def test_a_line_that_is_missing_is_an_error() -> None:
    with pytest.raises(ValueError, match="no line begins with"):
        timed_text(FOLDER / "split_k", "A", {"from": "nothing<<<", "to": "cudaMemcpy(ha, c"})
