"""``workspace/textDocumentContent``: proposals as read-only documents, immutable by their id."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from assistant.errors import KernelOptError
from lsp.proposals import Proposals

__all__ = ["register"]


def register(server: LanguageServer, proposals: Proposals) -> None:
    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    def text_document_content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        try:
            return types.TextDocumentContentResult(proposals.content(params.uri))
        except KernelOptError as error:
            raise JsonRpcInvalidParams(error.message) from error
