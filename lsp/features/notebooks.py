"""Notebooks as the client has them: their cells come and go, move and change; each is a document of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types

from assistant.editor.staging import Trigger
from lsp.documents import close_document, put_document

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    def put(uris: Iterable[str], trigger: Trigger) -> None:
        """Cells that are open are looked at, the others are gone."""
        for uri in uris:
            document = server.workspace.text_documents.get(unquote(uri))  # pygls keeps them by the URI without escapes
            if document is None:
                close_document(server, uri)
            else:
                put_document(server, document, trigger)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenNotebookDocumentParams) -> None:
        put((cell.uri for cell in params.cell_text_documents), Trigger.OPENED)
        server.placing.watch()

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
        synced = [cell.document for cell in cells if unquote(cell.document) in server.workspace.text_documents]
        put(synced, Trigger.SAVED)
        for unit in (unit for uri in synced for unit in server.units.of(uri)):
            server.editor.answer_save(unit.key)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseNotebookDocumentParams) -> None:
        for cell in params.cell_text_documents:
            close_document(server, cell.uri)
