"""Watching files for a client that does not: the workspace folders, by watchdog.

Whole home folders and the file system's root are left alone: somebody opened a single file there, not a project.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.uris import to_fs_path

from assistant.errors import CannotAnswerError

if TYPE_CHECKING:
    from lsp.server import KernelOptServer

__all__ = ["watch_folders"]


def watch_folders(server: KernelOptServer) -> list[asyncio.Task[None]]:
    """One task for each workspace folder; whoever starts them cancels them."""
    folders = (to_fs_path(uri) for uri in server.workspace.folders)
    roots = {Path(folder).resolve() for folder in folders if folder}
    if not roots and server.workspace.root_path:
        roots = {Path(server.workspace.root_path).resolve()}
    return [asyncio.create_task(_watch(server, root)) for root in sorted(roots) if _is_project(root)]


def _is_project(root: Path) -> bool:
    return root.is_dir() and root not in (Path.home().resolve(), Path(root.anchor))


async def _watch(server: KernelOptServer, root: Path) -> None:
    from assistant.editor.watch import changes  # watchdog: only where the client does not watch

    try:
        async for batch in changes(root):
            server.files_changed(tuple(path.as_uri() for path in batch))
    except CannotAnswerError as error:
        server.client.log(f"{error.message}; {error.remedy}", types.MessageType.Warning)
