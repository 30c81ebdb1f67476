"""Fixtures of the language server's end-to-end tests: each test (or module) has a memory and a server of its own."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pytest_asyncio import is_async_test

from tests.e2e.cli.harness import Cli, no_orphans, working_cli
from tests.e2e.conftest import Offered
from tests.e2e.lsp.editor import Editor, start

Start = Callable[..., Awaitable[Editor]]

MULTI_HUNK = "pipeline.cu"


@pytest.fixture
def cli(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Cli]:
    """A folder, a home and a command line that shares them. In modules marked ``new_process`` servers are started as editors start them."""
    with working_cli(tmp_path) as made:
        made.is_loaded = request.node.get_closest_marker("new_process") is None
        yield made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one module share an event loop, so that they can share a server."""
    for item in items:
        if Path(__file__).parent in item.path.parents and is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


class SharedEditors:
    """Servers that the tests of one module share, by what they were started with; starting one, and its job host, is most of a test."""

    def __init__(self, cli: Cli) -> None:
        self.cli = cli
        self._editors: dict[str, Editor] = {}

    async def __call__(self, **options: Any) -> Editor:
        """A warm editor that has nothing open and has seen nothing."""
        key = repr(sorted(options.items()))
        if key not in self._editors:
            self._editors[key] = await start(self.cli, **options)
        return self._editors[key]

    async def clear(self) -> None:
        """After each test."""
        for editor in self._editors.values():
            await editor.clear()

    async def stop(self) -> None:
        for editor in self._editors.values():
            await editor.stop()
        assert [editor.complaints for editor in self._editors.values() if editor.complaints] == []


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def _shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[SharedEditors]:  # pyright: ignore[reportUnusedFunction]
    with working_cli(tmp_path_factory.mktemp("shared"), "shared") as cli, no_orphans():
        editors = SharedEditors(cli)
        yield editors
        await editors.stop()


@pytest.fixture
def shared_cli(_shared: SharedEditors, request: pytest.FixtureRequest) -> Cli:
    """A folder of the test's own, in the home of the module's servers."""
    folder = _shared.cli.folder / re.sub(r"\W+", "-", request.node.name)
    folder.mkdir()
    return replace(_shared.cli, folder=folder)


@pytest_asyncio.fixture(loop_scope="module")
async def shared_editor(_shared: SharedEditors) -> AsyncGenerator[Start]:
    """As ``open_editor``, for tests that only open documents: the server may have served another test before."""
    yield _shared
    await _shared.clear()


@pytest_asyncio.fixture(loop_scope="module")
async def open_editor(cli: Cli) -> AsyncGenerator[Start]:
    """Starts editors on that home; afterwards each must end cleanly, without an unhandled error or a process left."""
    editors: list[Editor] = []

    async def opened(**options: Any) -> Editor:
        editors.append(await start(options.pop("cli", cli), **options))
        return editors[-1]

    with no_orphans():
        yield opened
        for editor in editors:
            await editor.stop()
    assert [editor.complaints for editor in editors if editor.complaints] == []


@pytest.fixture
def offered(freshly_offered: Offered) -> Offered:
    """A folder in which ``optimize transpose.cu`` has just made its proposal."""
    return freshly_offered
