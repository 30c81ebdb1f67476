"""initialized, shutdown; ``initialize`` is answered before this is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from lsp.features.configuration import pull
from lsp.settings import SECTION
from lsp.watching import watch_folders

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["register"]

_WATCHED = (
    "**/*.cu",
    "**/*.cuh",
    "**/*.h",
    "**/*.hpp",
    "**/kernelopt.toml",
    "**/pyproject.toml",
    "**/compile_commands.json",
    "**/*.rsp",
    "**/*.kernelopt.toml",
)


def register(server: KernelOptServer) -> None:
    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:  # at once: a document may be opened right behind it
        if server.client.takes_configuration:
            server.configuration.expect()
            server.spawn(pull(server))
        if server.client.waits_to_tell_settings:
            server.spawn(_register_configuration(server))
        if server.client.watches_files:
            server.spawn(_register_watchers(server))
        else:
            server.watching = watch_folders(server)

    @server.feature(types.SHUTDOWN)
    async def shutdown(*_: object) -> None:
        await server.close()


async def _register_configuration(server: KernelOptServer) -> None:
    registration = types.Registration(
        "kernelopt-settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, types.DidChangeConfigurationRegistrationOptions(SECTION)
    )
    await server.client_register_capability_async(types.RegistrationParams([registration]))


async def _register_watchers(server: KernelOptServer) -> None:
    watchers = [types.FileSystemWatcher(pattern) for pattern in _WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("kernelopt-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    await server.client_register_capability_async(types.RegistrationParams([registration]))
