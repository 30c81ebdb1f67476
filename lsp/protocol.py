"""LSP as this server speaks it: `initialize` is answered before anything else is loaded, and expected failures are errors with a remedy.

What a handler raises on purpose (`KernelOptError`), or because of a file, becomes the error answer of the request. A notification has no
answer, so its error is shown once as a warning.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from concurrent.futures import Future
from typing import Any, Protocol

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method

from assistant.errors import KernelOptError
from lsp.client import Client
from lsp.messages import in_words, with_remedy
from lsp.offered import COMMANDS, METHODS, NOTEBOOK_SYNC, SCHEME
from lsp.texts import SYNC, ExactWorkspace

__all__ = ["LazyServer", "ServerProtocol"]

_REQUEST_FAILED = types.LSPErrorCodes.RequestFailed.value
"""The request was valid, but it failed."""

_OPTIONS = {method: options for method, options in METHODS.items() if options is not None}
_OF_TEXTS = frozenset({None, types.TEXT_DOCUMENT_DID_CHANGE, types.CANCEL_REQUEST, types.SET_TRACE})
"""Messages that need no up-to-date document: answers of the client, and changes of a text."""


class LazyServer(Protocol):
    """A server that loads what answers everything but ``initialize`` when it is asked to."""

    @property
    def client(self) -> Client: ...

    def load(self) -> None:
        """Register every feature, if that has not been done."""
        ...

    def catch_up(self) -> None:
        """Read every document whose reading was put off."""
        ...


class ServerProtocol(LanguageServerProtocol):
    """Answers ``initialize`` before anything else is loaded; keeps documents exactly as the client has them."""

    def __init__(self, server: Any, converter: Any) -> None:
        """``server``: a `LanguageServer` that is a `LazyServer`; pygls passes it while it is being made."""
        super().__init__(server, converter)
        self._ours: LazyServer = server

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        if self._workspace is not None:
            raise JsonRpcInvalidRequest("initialize was already answered: a server serves one client")
        self._ours.client.introduce(params)
        result = yield from super().lsp_initialize(params)
        plain = self.workspace
        folders = list(plain.folders.values())
        self._workspace = ExactWorkspace(plain.root_uri, SYNC, folders, plain.position_encoding)
        encoding = types.PositionEncodingKind(plain.position_encoding)
        offered = ServerCapabilitiesBuilder(
            params.capabilities, set(METHODS), _OPTIONS, list(COMMANDS), SYNC, NOTEBOOK_SYNC, encoding
        ).build()
        offered.workspace = offered.workspace or types.WorkspaceOptions()
        offered.workspace.text_document_content = types.TextDocumentContentOptions(schemes=[SCHEME])
        result.capabilities = self.server_capabilities = offered
        asyncio.get_running_loop().call_soon(self._ours.load)  # once the answer is on its way
        return result

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: types.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        if params.command in COMMANDS and len(params.arguments or ()) != 1:
            raise JsonRpcInvalidParams(f"{params.command} takes one object")
        try:
            return (yield from super().lsp_workspace__execute_command(params))
        except JsonRpcInvalidParams as error:  # the handler itself is not called in here
            message = error.message if error.__context__ is None else f"{params.command}: {in_words(error.__context__)}"
            raise JsonRpcInvalidParams(message) from error

    def handle_message(self, message: Any) -> None:
        if self._workspace is not None:
            self._ours.load()
            if getattr(message, "method", None) not in _OF_TEXTS:
                self._ours.catch_up()
        super().handle_message(message)

    def _send_handler_result(self, future: Future[Any], *, msg_id: str | int) -> None:
        message = None if future.cancelled() else _refusal(future.exception())
        if message is None:
            super()._send_handler_result(future, msg_id=msg_id)
            return
        self._request_futures.pop(msg_id, None)
        self._send_response(msg_id, error=JsonRpcException(message, _REQUEST_FAILED).to_response_error())

    def _check_handler_result(self, future: Future[Any]) -> None:
        message = None if future.cancelled() else _refusal(future.exception())
        if message is None:
            super()._check_handler_result(future)
        else:
            self._ours.client.say_once(message)


def _refusal(error: BaseException | None) -> str | None:
    """The message of an expected failure, with its remedy; None for any other."""
    if isinstance(error, KernelOptError):
        return with_remedy(error)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return None
