"""Documents exactly as the client has them.

pygls takes form feeds and Unicode's separators for line ends, which LSP does not: an edit below one would land on another line (seen with
pygls 2.1.1; this can go when ``TextDocument.lines`` follows the specification).
"""

from __future__ import annotations

import logging
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from lsp.positions import Positions

__all__ = ["SYNC", "ExactWorkspace", "open_document"]

SYNC = types.TextDocumentSyncKind.Incremental
_log = logging.getLogger(__name__)


class ExactWorkspace(Workspace):
    """A workspace whose documents follow the specification; changes of documents that are not open are ignored."""

    def update_text_document(self, text_doc: types.VersionedTextDocumentIdentifier, change: types.TextDocumentContentChangeEvent) -> None:
        if unquote(text_doc.uri) in self.text_documents:
            super().update_text_document(text_doc, change)
        else:
            _log.warning("%s was changed, but is not open", text_doc.uri)

    def update_notebook_document(self, params: types.DidChangeNotebookDocumentParams) -> None:
        if self.get_notebook_document(notebook_uri=params.notebook_document.uri) is not None:
            super().update_notebook_document(params)
        else:
            _log.warning("%s was changed, but is not open", params.notebook_document.uri)

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        encoding = types.PositionEncodingKind(self.position_encoding)
        return _ExactDocument(doc_uri, source, version, language_id, encoding)


class _ExactDocument(TextDocument):
    def __init__(
        self, uri: str, source: str | None, version: int | None, language_id: str | None, encoding: types.PositionEncodingKind
    ) -> None:
        super().__init__(uri, source, version, language_id)
        self._encoding = encoding

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._source = change.text
            return
        text = self.source
        positions = Positions(text, self._encoding)
        start, end = positions.offset(change.range.start), positions.offset(change.range.end)
        self._source = text[: len(text) if start is None else start] + change.text + text[len(text) if end is None else end :]


def open_document(workspace: Workspace, uri: str) -> TextDocument | None:
    """The document or cell with the client's latest text; None for one that is not open."""
    return workspace.text_documents.get(unquote(uri))  # pygls keeps them by the URI without escapes
