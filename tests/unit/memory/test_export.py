"""Everything can be taken out again, and only one module speaks SQL to a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assistant.memory import ForgetScope, MemoryStore, export_lines
from assistant.model.attempt import Attempt
from assistant.model.proposal import ProposalState
from assistant.serialize import decode

ROOT = Path(__file__).parents[3]


def test_every_record_is_one_line_with_its_texts(store: MemoryStore, given: Any) -> None:
    for index in range(3):
        store.add_attempt(given.attempt(f"C{index}", created_ms=index))
    store.add_proposal(given.workspace, given.proposal())
    store.decide(given.decision(), frozenset({ProposalState.OPEN}))
    lines = [json.loads(line) for line in export_lines(store)]
    assert [line.pop("record") for line in lines] == ["attempt"] * 3 + ["proposal", "decision"]
    assert decode(Attempt, lines[0]) == given.attempt("C0", created_ms=0)
    assert lines[3]["files"][0]["after_text"] == given.proposal().files[0].after_text
    assert lines[3]["state"] == "accepted"


def test_what_was_forgotten_is_not_exported(store: MemoryStore, given: Any) -> None:
    store.add_attempt(given.attempt())
    store.forget(ForgetScope(workspace=given.workspace), now_ms=9)
    assert list(export_lines(store)) == []


def test_only_the_database_module_imports_sqlite() -> None:
    modules = [
        module.relative_to(ROOT).as_posix()
        for folder in ("kernelopt", "assistant", "lsp", "jupyter_ext")
        for module in (ROOT / folder).rglob("*.py")
        if "import sqlite3" in module.read_text("utf-8")
    ]
    assert modules == ["assistant/memory/database.py"]
