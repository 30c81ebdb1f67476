"""PyTorch tasks in Python documents, as a client sees them: lenses, actions, and nothing in other Python."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.lsp.session import Session, opened
from tests.unit.operators.test_texts import TASK

LINE = TASK.splitlines().index("class Model(torch.nn.Module):")
PLAIN = "import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n"
WITH_KERNEL = f'{TASK}\nSOURCE = r"""\n__global__ void k(float* x) {{ x[0] = 1.0f; }}\n"""\nmodule = cupy.RawModule(code=SOURCE)\n'


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("KERNELOPT_HOME", str(tmp_path))


def played(folder: Path, text: str, script: Callable[[Session, str], Any]) -> Any:
    """What ``script`` returns of a server with one Python document."""

    async def play() -> Any:
        async with opened(folder) as session:
            uri = (folder / "task.py").as_uri()
            session.open(uri, text, "python")
            return script(session, uri)

    return asyncio.run(play())


def lenses(session: Session, uri: str) -> list[tuple[int, str, dict[str, Any]]]:
    found = session.ask("textDocument/codeLens", {"textDocument": {"uri": uri}})
    return [(lens["range"]["start"]["line"], lens["command"]["command"], lens["command"]["arguments"][0]) for lens in found]


def actions(session: Session, uri: str, line: int) -> list[str]:
    place = {"start": {"line": line, "character": 0}, "end": {"line": line, "character": 0}}
    found = session.ask("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": place, "context": {"diagnostics": []}})
    return [action["title"] for action in found]


def test_lenses_stand_over_the_class_of_a_task(tmp_path: Path) -> None:
    found = played(tmp_path, TASK, lenses)
    about = {"uri": (tmp_path / "task.py").as_uri(), "op": "Model"}
    assert found == [(LINE, "kernelopt.profile", about), (LINE, "kernelopt.optimize", about)]


def test_other_python_has_none_and_opens_no_memory(tmp_path: Path) -> None:
    assert played(tmp_path, PLAIN, lambda session, uri: (lenses(session, uri), session.server.parts.backend.opened)) == ([], None)
    assert not (tmp_path / "memory.sqlite").exists()


def test_actions_stand_in_the_lines_of_the_class_alone(tmp_path: Path) -> None:
    def script(session: Session, uri: str) -> tuple[list[str], list[str]]:
        return actions(session, uri, LINE + 2), actions(session, uri, 0)

    assert played(tmp_path, TASK, script) == (["kernelopt: profile Model", "kernelopt: optimize Model"], [])


def test_kernels_in_strings_keep_their_own_lenses(tmp_path: Path) -> None:
    found = played(tmp_path, WITH_KERNEL, lenses)
    assert {("op" in arguments, "kernel" in arguments) for _, _, arguments in found} == {(True, False), (False, True)}


def test_a_document_that_becomes_none_or_is_closed_loses_them(tmp_path: Path) -> None:
    def script(session: Session, uri: str) -> list[Any]:
        change = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": PLAIN}]}
        session.notify("textDocument/didChange", change)
        left = lenses(session, uri)
        session.notify("textDocument/didChange", {**change, "contentChanges": [{"text": TASK}]})
        again = lenses(session, uri)
        session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return [left, len(again), session.server.parts.units.task(uri)]

    assert played(tmp_path, TASK, script) == [[], 2, None]
