"""Real editors, set up by the documentation's own snippets, take a source from a compiler error to a proposal that is undone."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import adopt_orphans, make_cli, no_orphans
from tests.e2e.editors.packages import NEOVIM, OLD_NEOVIM, Packaged
from tests.e2e.editors.stage import Stage, make_stage, neovim_command


@pytest.fixture(scope="session", autouse=True)
def _orphans_come_here() -> None:  # pyright: ignore[reportUnusedFunction]
    adopt_orphans()


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with no_orphans():
        yield make_stage(make_cli(tmp_path))


def check(stage: Stage, seen: dict[str, Any]) -> None:
    """What every editor must have shown, and what memory must hold."""
    assert seen.get("problem") is None, f"{seen['problem']}\nafter: {seen['steps']}\nsaid: {seen['said']}"
    assert any("expected" in message for message in seen["diagnostics"])
    assert seen["preview"].startswith("--- ") and "+    __shared__ float tile[32][32 + 1];" in seen["preview"]
    assert "__shared__ float tile" in seen["accepted"] and seen["is_undone"]
    assert stage.decisions() == ["accepted", "undone"]


@pytest.mark.parametrize(("editor", "snippet"), [(NEOVIM, "neovim-0.10.lua"), (OLD_NEOVIM, "neovim-0.7.lua")], ids=["0.10", "0.7"])
def test_neovim(stage: Stage, editor: Packaged, snippet: str) -> None:
    seen = stage.play(*neovim_command(editor, snippet))
    check(stage, seen)
    assert seen["filetype"] == "cuda"
    assert {"Optimize", "Profile", "Verify"} <= set(seen["lenses"])
