"""``workspace/textDocumentContent``: proposals as read-only documents, immutable by their id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from assistant.errors import KernelOptError
from lsp.proposals import content

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]


def register(server: KernelOptServer) -> None:
    @server.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
    def text_document_content(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        try:
            return types.TextDocumentContentResult(content(server, params.uri))
        except KernelOptError as error:
            raise JsonRpcInvalidParams(error.message) from error
