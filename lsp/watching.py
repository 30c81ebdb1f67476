"""Watches the workspace folders for a client that does not watch files itself.

A home folder or the root of the file system is not watched: a single file was opened there, not a project.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.uris import to_fs_path
from pygls.workspace import Workspace

from assistant.errors import CannotAnswerError
from lsp.client import Client
from lsp.messages import with_remedy

__all__ = ["FolderWatch"]


class FolderWatch:
    """The workspace folders of a client."""

    def __init__(self, client: Client, changed: Callable[[tuple[str, ...]], None]) -> None:
        """``changed`` gets the URIs of changed files."""
        self._client = client
        self._changed = changed
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, workspace: Workspace) -> None:
        """Watch every workspace folder until ``close``."""
        folders = (to_fs_path(uri) for uri in workspace.folders)
        roots = {Path(folder).resolve() for folder in folders if folder}
        if not roots and workspace.root_path:
            roots = {Path(workspace.root_path).resolve()}
        self._tasks = [asyncio.create_task(self._watch(root)) for root in sorted(roots) if _is_project(root)]

    async def _watch(self, root: Path) -> None:
        from assistant.editor.watch import changes  # watchdog: only where the client does not watch

        try:
            async with changes(root) as batches:
                async for batch in batches:
                    self._changed(tuple(path.as_uri() for path in batch))
        except CannotAnswerError as error:
            self._client.log(with_remedy(error), types.MessageType.Warning)

    async def close(self) -> None:
        """Stop watching."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []


def _is_project(root: Path) -> bool:
    return root.is_dir() and root not in (Path.home().resolve(), Path(root.anchor))
