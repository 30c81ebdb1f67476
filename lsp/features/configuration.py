"""Changed settings, files and workspace folders are applied at once."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from lsp.backend import Backend
from lsp.client import Client, plain
from lsp.settings_sync import SettingsSync

__all__ = ["register"]


def register(server: LanguageServer, client: Client, settings: SettingsSync, backend: Backend) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if client.takes_configuration:
            client.spawn(settings.pull())
        else:
            settings.take(plain(params.settings))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        backend.files_changed(tuple(change.uri for change in params.changes))

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_workspace_folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        settings.apply()
