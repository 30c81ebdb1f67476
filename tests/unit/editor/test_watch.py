"""Changes of CUDA sources below a folder, as the system tells of them."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from watchdog.observers.api import ObservedWatch
from watchdog.observers.inotify import InotifyEmitter

from assistant.editor.watch import changes

_DEADLINE_S = 20.0


async def _next(batches: AsyncIterator[frozenset[Path]]) -> set[str]:
    return {path.name for path in await asyncio.wait_for(anext(batches), _DEADLINE_S)}


async def _batch(root: Path, change: Callable[[], object]) -> set[str]:
    """Names in the first batch after ``change``."""
    async with changes(root, settle_s=0.1) as batches:
        await asyncio.to_thread(change)
        return await _next(batches)


async def test_sources_headers_and_setups_count_and_nothing_else(tmp_path: Path) -> None:
    def write() -> None:
        for name in ("a.cu", "b.cuh", "kernelopt.toml", "includes_CUDA.rsp", "notes.txt", ".hidden.cu"):
            (tmp_path / name).write_text("x")

    assert await _batch(tmp_path, write) == {"a.cu", "b.cuh", "kernelopt.toml", "includes_CUDA.rsp"}


async def test_a_folder_that_is_moved_in_brings_its_files(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for folder in (root, elsewhere / "inner", elsewhere / ".git"):
        folder.mkdir(parents=True)
    for path in (elsewhere / "a.cu", elsewhere / "inner" / "b.cu", elsewhere / ".git" / "c.cu"):
        path.write_text("x")
    assert await _batch(root, lambda: elsewhere.rename(root / "moved")) == {"a.cu", "b.cu"}


async def test_a_link_that_leads_back_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "before").mkdir(parents=True)
    (root / "a.cu").write_text("x")
    (root / "before" / "b.cu").write_text("x")
    (root / "before" / "loop").symlink_to("..")
    async with changes(root, settle_s=0.1) as batches:
        await asyncio.to_thread((root / "before").rename, root / "moved")
        found = await asyncio.wait_for(anext(batches), _DEADLINE_S)
    assert {str(path.relative_to(root)) for path in found} == {"before/b.cu", "moved/b.cu"}


async def test_a_watch_that_ends_while_something_changes_says_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Watchdog's thread calls it an error that it finds its watch ended."""
    async with changes(tmp_path):
        pass
    emitter = InotifyEmitter(queue.Queue(), ObservedWatch(str(tmp_path), recursive=True))
    emitter.queue_events(0.0)  # as that thread does where its watch ends between two looks
    assert caplog.messages == []
