"""What a language model wrote says so in its code actions."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.memory.store import open_store
from assistant.model.comparison import Comparison, SpeedOutcome
from assistant.model.profile import Signature
from assistant.model.proposal import Proposal, ProposalState
from assistant.model.verification import Outcome, Verification
from tests.changes import change
from tests.unit.lsp.session import opened

_BEFORE = "__global__ void k(float *x)\n{\n    x[threadIdx.x] = 2.0;\n}\n"
_AFTER = _BEFORE.replace("2.0", "2.0f")
_TAGS: dict[str, Any] = {"textDocument": {"codeAction": {"tagSupport": {"valueSet": [1]}}}}
_LLM_GENERATED = 1
_BY_RULES = Proposal(
    id="P0000000001",
    job="J1",
    path=Path("/nowhere/k.cu"),
    kernel="k(float *)",
    techniques=("float-literals",),
    summary="keep single precision",
    files=change(Path("/nowhere/k.cu"), _BEFORE, _AFTER),
    labels=(),
    assumptions=(),
    verification=Verification(Outcome.PASS, (), (), (), "kernel", (), ()),
    comparison=Comparison(SpeedOutcome.PREDICTED, 1.5, None, None, None, "model error 1.28x median", (), "model"),
    evidence=(),
    predictions=(),
    explanation="",
    signature=Signature("fp64", ()),
    state=ProposalState.OPEN,
    created_ms=1,
)
_IN_PARTS = _BEFORE.replace(
    "{\n", "{\n    float y = 0.5;\n    y = y + 1;\n    y = y + 2;\n    y = y + 3;\n    y = y + 4;\n    y = y + 5;\n    y = y + 6;\n"
)
_BY_MODEL = replace(_BY_RULES, model="small-coder-7b")


def _actions(folder: Path, proposal: Proposal, capabilities: dict[str, Any], text: str = _BEFORE) -> list[dict[str, Any]]:
    """At the kernel, about the proposal."""

    async def ask() -> list[dict[str, Any]]:
        """The code actions at the start of the proposal's file."""
        async with opened(folder, capabilities) as session:
            uri = proposal.path.as_uri()
            session.open(uri, text)
            place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
            return session.ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": []}})

    with open_store(folder / "memory.sqlite") as store:
        store.add_proposal(Path("/nowhere"), proposal)
    return [action for action in asyncio.run(ask()) if "proposal" in action["command"]["command"]]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))


def test_a_models_edit_is_tagged_and_named_as_such(tmp_path: Path) -> None:
    actions = _actions(tmp_path, _BY_MODEL, _TAGS)
    assert {action["command"]["command"].rpartition(".")[2] for action in actions} == {"preview", "accept", "reject", "explain", "edit"}
    assert all(action["tags"] == [_LLM_GENERATED] for action in actions)
    assert all(" ≈1.50x predicted, " in action["title"] and action["title"].endswith(", by model small-coder-7b") for action in actions)


def test_every_action_names_the_edit_and_its_kernel(tmp_path: Path) -> None:
    titles = [action["title"].partition(": ")[2] for action in _actions(tmp_path, _BY_RULES, {})]
    gain = "float literals of k: ≈1.50x predicted"
    assert titles == [f"preview {gain}", f"accept {gain}, right", f"reject {gain}", f"explain {gain}", f"edit {gain}"]


def test_a_client_that_knows_no_tags_reads_it_in_the_title(tmp_path: Path) -> None:
    actions = _actions(tmp_path, _BY_MODEL, {})
    assert actions and all(
        "tags" not in action and "≈1.50x predicted" in action["title"] and action["title"].endswith(", by model small-coder-7b")
        for action in actions
    )


def test_an_edit_by_rules_is_no_models(tmp_path: Path) -> None:
    actions = _actions(tmp_path, _BY_RULES, _TAGS)
    assert actions and all("tags" not in action and "by model" not in action["title"] for action in actions)


@pytest.mark.parametrize(
    ("after", "parts"),
    [
        (
            _IN_PARTS.replace("0.5", "0.5f").replace("2.0", "2.0f"),
            [f"{verb} hunk {which}" for which in ("1 of 2 (line 3)", "2 of 2 (line 10)") for verb in ("accept", "skip")],
        ),
        (_IN_PARTS.replace("float y = 0.5", "float z = 0.5").replace("2.0", "z"), []),
    ],
    ids=["hunks apart", "hunks that only work together"],
)
def test_only_what_can_work_apart_is_accepted_or_skipped_apart(tmp_path: Path, after: str, parts: list[str]) -> None:
    proposal = replace(_BY_RULES, files=change(_BY_RULES.path, _IN_PARTS, after))
    titles = [action["title"] for action in _actions(tmp_path, proposal, {}, _IN_PARTS)]
    assert [title.removeprefix("kernelopt: ").partition(" of float literals")[0] for title in titles if "hunk" in title] == parts
