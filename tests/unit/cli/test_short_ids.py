"""People read short ids on the terminal; JSON keeps the long ones."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from assistant.cli.console import for_people
from assistant.cli.layout import Page
from assistant.memory import open_store
from tests.contracts.stored import Given

LONG = "P01M7WGD161PT7SHV51M65B2M5E"


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    with open_store(tmp_path / "memory.sqlite3") as store:
        store.add_proposal(Given.workspace, Given.proposal(LONG))


def test_a_long_id_in_a_sentence_is_put_as_the_number_in_the_workspace() -> None:
    assert for_people(f"kernelopt accept {LONG} · kernelopt reject {LONG}") == "kernelopt accept P1 · kernelopt reject P1"
    printed = io.StringIO()
    Page(Console(file=printed)).put(f"proposal {LONG}")
    assert printed.getvalue() == "proposal P1\n"


def test_other_words_and_unknown_ids_stay() -> None:
    unknown = LONG.replace("M5E", "M5F")
    assert for_people(f"J01M7WGD161PT7SHV51M65B2M5E and {unknown}") == f"J01M7WGD161PT7SHV51M65B2M5E and {unknown}"
