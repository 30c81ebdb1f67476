"""A notebook that an editor has open: its cells are documents of the editor, told of through notebook synchronization.

Example::

    notebook = Notebook(editor, cli.folder / "a.ipynb", ["import cupy as cp", "%%cu\\n__global__ void k() {}"])
    await editor.until(lambda: editor.codes(notebook.cells[1]))
    editor.replace(notebook.cells[1], "void k", "void other")
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path

from lsprotocol import types

from tests.e2e.lsp.editor import Document, Editor

__all__ = ["Notebook"]


class Notebook:
    """Cells have URIs as VS Code makes them: an escaped fragment, which says nothing of their place."""

    def __init__(self, editor: Editor, path: Path, texts: Sequence[str]) -> None:
        self._editor = editor
        self._numbers = count()
        self._version = 1
        self.uri = path.as_uri()
        editor.closers.append(self.close)
        self.cells = [self._cell(text) for text in texts]
        notebook = types.NotebookDocument(self.uri, "jupyter-notebook", 1, [_entry(cell) for cell in self.cells])
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, [_item(cell) for cell in self.cells]))

    def insert(self, index: int, text: str, language: str = "python") -> Document:
        cell = self._cell(text)
        self.cells.insert(index, cell)
        array = types.NotebookCellArrayChange(index, 0, [_entry(cell)])
        self._tell(types.NotebookDocumentCellChanges(types.NotebookDocumentCellChangeStructure(array, did_open=[_item(cell, language)])))
        return cell

    def remove(self, cell: Document) -> None:
        array = types.NotebookCellArrayChange(self.cells.index(cell), 1)
        self.cells.remove(cell)
        del self._editor.documents[cell.uri]
        closed = [types.TextDocumentIdentifier(cell.uri)]
        self._tell(types.NotebookDocumentCellChanges(types.NotebookDocumentCellChangeStructure(array, did_close=closed)))

    def move_to_front(self, cell: Document) -> None:
        """The documents stay open; only their order changes."""
        old = len(self.cells)
        self.cells.remove(cell)
        self.cells.insert(0, cell)
        array = types.NotebookCellArrayChange(0, old, [_entry(item) for item in self.cells])
        self._tell(types.NotebookDocumentCellChanges(types.NotebookDocumentCellChangeStructure(array)))

    def save(self) -> None:
        identifier = types.NotebookDocumentIdentifier(self.uri)
        self._editor.client.notebook_document_did_save(types.DidSaveNotebookDocumentParams(identifier))

    def close(self) -> None:
        self._editor.closers.remove(self.close)
        closed = [types.TextDocumentIdentifier(cell.uri) for cell in self.cells]
        for cell in self.cells:
            del self._editor.documents[cell.uri]
        identifier = types.NotebookDocumentIdentifier(self.uri)
        self._editor.client.notebook_document_did_close(types.DidCloseNotebookDocumentParams(identifier, closed))

    def _cell(self, text: str) -> Document:
        uri = self.uri.replace("file:", "vscode-notebook-cell:") + f"#W{next(self._numbers)}sZmlsZQ%3D%3D"
        cell = Document(uri, text, send=self._send)
        self._editor.documents[uri] = cell
        return cell

    def _send(self, identifier: types.VersionedTextDocumentIdentifier, change: types.TextDocumentContentChangePartial) -> None:
        self._tell(types.NotebookDocumentCellChanges(text_content=[types.NotebookDocumentCellContentChanges(identifier, [change])]))

    def _tell(self, cells: types.NotebookDocumentCellChanges) -> None:
        self._version += 1
        identifier = types.VersionedNotebookDocumentIdentifier(self._version, self.uri)
        change = types.NotebookDocumentChangeEvent(cells=cells)
        self._editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(identifier, change))


def _entry(cell: Document) -> types.NotebookCell:
    return types.NotebookCell(types.NotebookCellKind.Code, cell.uri)


def _item(cell: Document, language: str = "python") -> types.TextDocumentItem:
    return types.TextDocumentItem(cell.uri, language, cell.version, cell.text)
