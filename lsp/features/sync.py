"""Documents as the client has them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types

from assistant.editor.staging import Trigger
from lsp.documents import close_document, put_document

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    def put(uri: str, trigger: Trigger) -> None:
        document = server.workspace.text_documents.get(unquote(uri))  # pygls keeps them by the URI without escapes
        if document is not None:
            put_document(server, document, trigger)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        put(params.text_document.uri, Trigger.OPENED)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        put(params.text_document.uri, Trigger.TYPED)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        put(params.text_document.uri, Trigger.SAVED)
        for unit in server.units.of(params.text_document.uri):
            server.edits.saved(unit.path, unit.text)
            server.editor.answer_save(unit.key)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        close_document(server, params.text_document.uri)
