"""Changes of CUDA sources below a folder, in batches: what an editor that does not watch files, or no editor at all, needs.

A batch ends when nothing has changed for a moment, so that a save, a build or a checkout is one batch. Example::

    async with changes(Path("src")) as batches:
        async for paths in batches: ...        # frozenset({Path("src/a.cu")})
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from assistant.build.units import HEADER_SUFFIXES
from assistant.editor.setup_files import is_choice, is_setup
from assistant.errors import CannotAnswerError

__all__ = ["changes", "is_source", "is_watched"]

_SUFFIXES = HEADER_SUFFIXES | {".cu"}
_HIDDEN_PREFIX = "."
"""``.git``, ``.venv``, ``.kernelopt`` and the like hold no sources of the user."""
_SETTLE_S = 0.3
_RELEVANT = frozenset({"modified", "created", "moved", "deleted", "closed"})
_APPEARING = frozenset({"created", "moved"})
_ENDED = "called when the thread is inactive"
"""Watchdog's thread says so, as an error, where its watch ends between two looks: every watch ends."""


logging.getLogger("watchdog.observers.inotify").addFilter(lambda record: not record.getMessage().endswith(_ENDED))


def is_source(path: Path) -> bool:
    """Whether kernels are looked for in it."""
    return path.suffix == ".cu"


def is_watched(path: Path, root: Path) -> bool:
    """Whether a change of the file can change the results of a source."""
    try:
        inside = path.relative_to(root)
    except ValueError:
        return False
    if is_choice(path):
        return True
    is_hidden = any(part.startswith(_HIDDEN_PREFIX) for part in inside.parts)
    is_relevant = path.suffix in _SUFFIXES or is_setup(path) or path.name.endswith(".kernelopt.toml")
    return is_relevant and not is_hidden


@asynccontextmanager
async def changes(root: Path, settle_s: float = _SETTLE_S) -> AsyncGenerator[AsyncIterator[frozenset[Path]]]:
    """Batches of changed files below ``root``, without end: every change after the context is entered is in one.

    A file that is read inside the context is therefore read as it is, or a batch names it. Raises CannotAnswerError where the system
    cannot watch the folder.
    """
    queue: asyncio.Queue[Path] = asyncio.Queue()
    observer = Observer()
    observer.schedule(_Handler(root, asyncio.get_running_loop(), queue), str(root), recursive=True)
    try:
        await asyncio.to_thread(observer.start)  # looks through the whole folder
    except OSError as error:
        remedy = "raise fs.inotify.max_user_watches, or watch a smaller folder"
        raise CannotAnswerError(f"{root} cannot be watched: {error.strerror or error}", remedy) from error
    try:
        yield _batches(queue, settle_s)
    finally:
        observer.stop()
        await asyncio.to_thread(observer.join)


async def _batches(queue: asyncio.Queue[Path], settle_s: float) -> AsyncIterator[frozenset[Path]]:
    while True:
        batch = {await queue.get()}
        while True:
            try:
                async with asyncio.timeout(settle_s):
                    batch.add(await queue.get())
            except TimeoutError:
                break
        yield frozenset(batch)


class _Handler(FileSystemEventHandler):
    """Called on watchdog's thread."""

    def __init__(self, root: Path, loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[Path]) -> None:
        self._root = root
        self._loop = loop
        self._queue = queue

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type not in _RELEVANT:
            return
        for name in (event.src_path, event.dest_path):
            path = Path(name.decode() if isinstance(name, bytes) else name)
            if not name:
                continue
            paths = _below(path) if event.is_directory and event.event_type in _APPEARING else () if event.is_directory else (path,)
            for changed in paths:
                if is_watched(changed, self._root):
                    self._loop.call_soon_threadsafe(self._queue.put_nowait, changed)


def _below(folder: Path) -> Iterator[Path]:
    """Files of a folder that came as a whole: there are no events for them. A link to a folder is not followed: it may lead back here."""
    if folder.is_symlink():
        return
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if not name.startswith(_HIDDEN_PREFIX)]
        yield from (Path(parent) / file for file in files)
