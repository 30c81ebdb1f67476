"""Documents are opened, changed, saved and closed."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.editor.staging import Trigger
from lsp.backend import Backend
from lsp.documents import Documents
from lsp.scratch import ScratchCopies
from lsp.units import Units

__all__ = ["register"]


def register(server: LanguageServer, units: Units, backend: Backend, documents: Documents, scratch: ScratchCopies) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        documents.put(params.text_document.uri, Trigger.OPENED)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        documents.put(params.text_document.uri, Trigger.TYPED)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        documents.put(params.text_document.uri, Trigger.SAVED)
        for unit in units.of(params.text_document.uri):
            scratch.saved(unit.path, unit.text)
            backend.editor.answer_save(unit.key)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents.close(params.text_document.uri)
