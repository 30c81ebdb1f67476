"""``initialized`` and ``shutdown``; ``initialize`` is answered before this is loaded."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from assistant.build.units import HEADER_SUFFIXES
from lsp.client import Client
from lsp.settings import SECTION
from lsp.settings_sync import SettingsSync
from lsp.watching import FolderWatch

__all__ = ["register"]

_WATCHED = (
    "**/*.cu",
    *(f"**/*{suffix}" for suffix in sorted(HEADER_SUFFIXES)),
    "**/kernelopt.toml",
    "**/pyproject.toml",
    "**/compile_commands.json",
    "**/*.rsp",
    "**/*.kernelopt.toml",
    "**/.kernelopt/{programs,builds}.json",
    "**/.kernelopt/cmake/**/reply/index-*.json",
)


def register(
    server: LanguageServer, client: Client, settings: SettingsSync, watch: FolderWatch, close: Callable[[], Awaitable[None]]
) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:  # not a coroutine: the next message may already open a document
        if client.takes_configuration:
            settings.expect()
            client.spawn(settings.pull())
        if client.wants_settings_registration:
            client.spawn(_register_configuration(server))
        if client.watches_files:
            client.spawn(_register_watchers(server))
        else:
            watch.start(server.workspace)

    @server.feature(types.SHUTDOWN)
    async def shutdown(*_: object) -> None:
        await close()


async def _register_configuration(server: LanguageServer) -> None:
    registration = types.Registration(
        "kernelopt-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationRegistrationOptions(SECTION)
    )
    await server.client_register_capability_async(types.RegistrationParams([registration]))


async def _register_watchers(server: LanguageServer) -> None:
    watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("kernelopt-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))
