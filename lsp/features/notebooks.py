"""Notebooks: their cells are opened, moved, changed and closed; each is a document of its own."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.staging import Trigger
from lsp.backend import Backend
from lsp.documents import Documents
from lsp.placing import CellEdits
from lsp.texts import open_document
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend, documents: Documents, placing: CellEdits) -> None:
    def put(uris: Iterable[str], trigger: Trigger) -> None:
        """Read the cells that are open, close the others."""
        for uri in uris:
            documents.put(uri, trigger)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        put((cell.uri for cell in params.cell_text_documents), Trigger.OPENED)
        placing.watch()

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeNotebookDocumentParams) -> None:
        cells = params.change.cells
        if cells is None:
            return
        if cells.structure is not None:
            put((cell.uri for cell in cells.structure.did_close or ()), Trigger.OPENED)
            put((cell.uri for cell in cells.structure.did_open or ()), Trigger.OPENED)
        put((change.document.uri for change in cells.text_content or ()), Trigger.TYPED)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveNotebookDocumentParams) -> None:
        notebook = server.workspace.get_notebook_document(notebook_uri=params.notebook_document.uri)
        cells = () if notebook is None else notebook.cells
        synced = [cell.document for cell in cells if open_document(server.workspace, cell.document) is not None]
        put(synced, Trigger.SAVED)
        for unit in (unit for uri in synced for unit in units.of(uri)):
            backend.editor.answer_save(unit.key)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            documents.close(cell.uri)
