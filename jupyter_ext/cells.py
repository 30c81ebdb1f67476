"""A notebook's cell as a source: its CUDA text, the path it goes by in memory, and having a front end replace it.

Which file a notebook is, only its front end knows for sure: Jupyter Server says it in ``JPY_SESSION_NAME``, VS Code in a variable of the
namespace. The path is a name for memory, as the language server makes it (``lsp.embedded``). Replacing goes through the labextension,
over one comm for each request. Example::

    cell = cell_of(code, notebook_path(namespace), cell_id="a1")
    cell.path            # /w/train.ipynb.halve.cu
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from assistant.cuda.edits import apply_edits, lines_of
from assistant.cuda.embedded.find import find_alone
from assistant.cuda.embedded.names import name_of, own_name, path_in
from assistant.cuda.embedded.replace import replace as replaced
from assistant.editor.line_words import renumbered
from assistant.errors import UsageError
from assistant.model.embedded import Container, EmbeddedText
from assistant.model.source import Source, Span, TextEdit
from assistant.record import Record

__all__ = [
    "Cell",
    "CellEdit",
    "Comm",
    "NewCell",
    "Replacement",
    "captured_cell",
    "cell_of",
    "insert_cell",
    "notebook_path",
    "replace_cell",
    "same_cell",
]

TARGET = "kernelopt.cells"
"""The comm target of the labextension (``jupyterlab-client``)."""
_PROTOCOL = 1
_NO_NOTEBOOK = "notebook.ipynb"
_ANSWER_S = 5.0
"""A page that has the cell answers at once; longer, and there is none."""


class Cell(Record):
    """A cell that was run."""

    id: str | None
    """The front end's own; None where it gives none."""
    code: str
    """All of it, the magic's line included."""
    embedded: EmbeddedText
    path: Path
    """What memory calls the CUDA text; no file."""

    @property
    def text(self) -> str:
        return self.embedded.text

    @property
    def source(self) -> Source:
        return Source(self.path, self.text)

    @property
    def key(self) -> str:
        return str(self.path)

    def line_of(self, line: int) -> int:
        """The number that the notebook gives in this cell to a line (from 1) of the CUDA text."""
        start = sum(map(len, lines_of(self.text)[: max(0, line - 1)]))
        return self.code.count("\n", 0, self.embedded.to_container(start)) + 1

    def said(self, words: str) -> str:
        """Words about the CUDA text, with its lines numbered as the notebook numbers them."""
        return renumbered(words, self.line_of)

    def with_text(self, text: str) -> str:
        """The whole cell with another CUDA text. Raises UsageError where the cell cannot hold it."""
        edits = replaced(self.embedded, (TextEdit(Span(0, len(self.text)), text),))
        made = apply_edits(self.code, edits) if isinstance(edits, tuple) else None
        if not isinstance(made, str):
            raise UsageError("the cell cannot hold the edit", "change the text by hand: %kernelopt show prints the diff")
        return made


class CellEdit(Record):
    """One request to a front end."""

    cell_id: str
    expected: str
    replacement: str
    proposal_id: str


class NewCell(Record):
    """One request to a front end: a code cell below another."""

    below_id: str
    code: str


class Replacement(Record):
    """What came of a request."""

    is_done: bool
    reason: str = ""
    """``changed``, ``missing``, ``read_only`` or ``protocol``; empty where there was no answer."""
    message: str = ""


class Comm(Protocol):
    """What of a comm is used."""

    def on_msg(self, callback: Callable[[Mapping[str, Any]], None]) -> None: ...

    def on_close(self, callback: Callable[[Mapping[str, Any]], None]) -> None: ...

    def close(self) -> None: ...


OpenComm = Callable[[str, dict[str, Any]], Comm]
"""(target, data) → a comm that is being opened."""


def cell_of(code: str, notebook: Path, cell_id: str | None, file: Path | None = None) -> Cell:
    """``file``: what the text goes by instead of a name of the notebook's. Raises UsageError for a cell that holds no CUDA text."""
    found = [item for item in find_alone(code, Container.NOTEBOOK_CELL) if isinstance(item, EmbeddedText)]
    if not found or not found[0].kind.is_cell_magic:
        raise UsageError("the cell holds no CUDA text", "begin it with %%kernelopt and put the kernel on the next lines")
    path = file or path_in(notebook, name_of(found[0]))
    return Cell(cell_id, code, found[0], path)


def captured_cell(code: str, embedded: EmbeddedText | None, text: str, selector: str, notebook: Path, cell_id: str | None) -> Cell:
    """A kernel's text that Python code launched: the string of the cell that was run, else a CUDA cell that is not made yet."""
    if embedded is not None:
        return Cell(cell_id, code, embedded, path_in(notebook, own_name(text)))
    return cell_of(f"%%kernelopt {selector}\n{text}", notebook, None)


def notebook_path(namespace: Mapping[str, object]) -> Path:
    """The notebook's file, as far as it is known: said by its front end, else by the command line that executes it."""
    name = namespace.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME") or _executed_notebook() or _NO_NOTEBOOK
    path = Path(str(name))
    return path if path.is_absolute() else (Path.cwd() / path.name).resolve()


def _executed_notebook() -> Path | None:
    """The notebook on the command line of the kernel's parent (``jupyter nbconvert --execute lab.ipynb``); None where there is none."""
    parent = Path("/proc") / str(os.getppid())
    try:
        words = (parent / "cmdline").read_bytes().decode("utf-8", "surrogateescape").split("\0")
        folder = (parent / "cwd").readlink()
    except OSError:
        return None
    named = (folder / word for word in words[1:] if word.endswith(".ipynb"))
    return next((path.resolve() for path in named if path.is_file()), None)


def same_cell(cell: Cell, text: str) -> Cell:
    """The cell after its CUDA text became ``text``."""
    code = cell.with_text(text)
    texts = (item for item in find_alone(code, Container.NOTEBOOK_CELL) if isinstance(item, EmbeddedText))
    found = next((item for item in texts if item.text == text), None)
    assert found is not None, "what was put into the cell is read out of it again"
    return replace(cell, code=code, embedded=found)


def replace_cell(edit: CellEdit, open_comm: OpenComm, on_later: Callable[[bool], None], wait_s: float = _ANSWER_S) -> Replacement:
    """Ask for the edit and wait for the answer, on a thread that does not read the kernel's messages.

    ``on_later`` hears whether the edit stands, each time that the user undoes or redoes it.
    """
    data = {"request": "replace", "cell_id": edit.cell_id, "expected": edit.expected, "replacement": edit.replacement}
    return _answer_to(data | {"proposal_id": edit.proposal_id}, open_comm, on_later, wait_s)


def insert_cell(new: NewCell, open_comm: OpenComm, wait_s: float = _ANSWER_S) -> Replacement:
    """Ask for a new cell and wait for the answer, on a thread as ``replace_cell``."""
    return _answer_to({"request": "insert", "cell_id": new.below_id, "code": new.code}, open_comm, _unheard, wait_s)


def _answer_to(request: dict[str, str], open_comm: OpenComm, on_later: Callable[[bool], None], wait_s: float) -> Replacement:
    answers = _Answers(on_later)
    comm = open_comm(TARGET, {"protocol": _PROTOCOL, **request})
    comm.on_msg(answers.heard)
    comm.on_close(answers.closed)
    answer = answers.first(wait_s)
    if not answer.is_done:
        comm.close()
    return answer


def _unheard(is_kept: bool) -> None:
    """Who undoes a new cell has only that."""


class _Answers:
    """What pages say to one request: the first ``done`` wins, ``missing`` only if no other says more."""

    def __init__(self, on_later: Callable[[bool], None]) -> None:
        self._on_later = on_later
        self._condition = threading.Condition()
        self._answer: Replacement | None = None
        self._is_missing = False

    def first(self, wait_s: float) -> Replacement:
        with self._condition:
            self._condition.wait_for(lambda: self._answer is not None, wait_s)
            if self._answer is None:
                self._answer = Replacement(False, "missing" if self._is_missing else "", "no page with this cell answered")
            return self._answer

    def heard(self, message: Mapping[str, Any]) -> None:
        data = message["content"]["data"]
        status = data.get("status")
        with self._condition:
            if self._answer is None:
                self._take(status, str(data.get("reason", "")), str(data.get("message", "")))
                return
            is_kept = self._answer.is_done
        if is_kept and status in ("done", "undone"):
            self._on_later(status == "done")

    def closed(self, message: Mapping[str, Any]) -> None:
        del message
        with self._condition:
            if self._answer is None and not self._is_missing:
                self._answer = Replacement(False, "", "the front end has no kernelopt extension")
                self._condition.notify_all()

    def _take(self, status: object, reason: str, message: str) -> None:
        if status == "done":
            self._answer = Replacement(True)
        elif reason == "missing":
            self._is_missing = True
            return
        else:
            self._answer = Replacement(False, reason, message)
        self._condition.notify_all()
