"""Settings and workspace folders, applied live."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from lsp.client import plain
from lsp.settings import SECTION

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["pull", "register"]

_WARNING = types.MessageType.Warning
_ANSWER_S = 5.0
"""How long the client may take before the log says that background work waits for its settings."""


def register(server: KernelOptServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if server.client.takes_configuration:
            server.spawn(pull(server))
        else:
            _take(server, plain(params.settings))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.files_changed(tuple(change.uri for change in params.changes))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.apply_configuration()


async def pull(server: KernelOptServer) -> None:
    """Ask the client for our section. Until it answers, nothing runs unasked that it may have forbidden; an error is an answer: none."""
    items = [types.ConfigurationItem(section=SECTION)]
    asked = asyncio.ensure_future(server.workspace_configuration_async(types.ConfigurationParams(items)))
    answered, _ = await asyncio.wait((asked,), timeout=_ANSWER_S)
    if not answered:
        server.client.log("the editor has not said its settings (workspace/configuration): nothing runs unasked until it does", _WARNING)
    try:
        answers: list[Any] = list(await asked)
    except JsonRpcException:
        answers = []
    _take(server, plain(answers[0]) if answers else {})


def _take(server: KernelOptServer, settings: object) -> None:
    server.configuration.take(settings)
    server.apply_configuration()
