"""Edits that the editor is asked for are of the text that it has."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.unit.lsp.session import Session, opened

_URI = "file:///nowhere/k.cu"
_KERNEL = "__global__ void k(float *x)\n{\n    x[threadIdx.x] = 2.0f;\n}\n"
_VERSIONED: dict[str, Any] = {"workspace": {"workspaceEdit": {"documentChanges": True}}}


def _type_above(session: Session) -> None:
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    change = {"textDocument": {"uri": _URI, "version": 2}, "contentChanges": [{"range": place, "text": "// typed\n\n"}]}
    session.notify("textDocument/didChange", change)


def _asked(folder: Path, capabilities: dict[str, Any], *, is_typed_in: bool) -> tuple[list[Any], list[str]]:
    """Edits asked for, and messages shown, after a command and a keystroke that came in one read."""

    async def play() -> tuple[list[Any], list[str]]:
        """Asks for a workload block; the edits and messages that were sent."""
        async with opened(folder, capabilities) as session:
            session.open(_URI, _KERNEL)
            session.ask("workspace/executeCommand", {"command": "kernelopt.workload.init", "arguments": [{"uri": _URI}]})
            if is_typed_in:
                _type_above(session)
            await asyncio.sleep(0.01)
            asked = [message["params"]["edit"] for message in session.sent if message.get("method") == "workspace/applyEdit"]
            messages = [message["params"]["message"] for message in session.sent if message.get("method") == "window/showMessage"]
            return asked, messages

    return asyncio.run(play())


@pytest.mark.parametrize("capabilities", [_VERSIONED, {}])
def test_what_was_typed_behind_a_command_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capabilities: dict[str, Any]
) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    asked, messages = _asked(tmp_path, capabilities, is_typed_in=True)
    assert asked == []
    assert messages == ["the editor did not apply the edit: kernelopt: declare a workload"]


def test_an_edit_names_the_version_that_it_was_made_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))
    (edit,), messages = _asked(tmp_path, _VERSIONED, is_typed_in=False)
    assert [change["textDocument"] for change in edit["documentChanges"]] == [{"uri": _URI, "version": 1}]
    assert messages == []
