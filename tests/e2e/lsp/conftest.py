"""Fixtures of the language server's end-to-end tests: each test (or module) has a memory and a server of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pytest_asyncio import is_async_test

from tests.e2e.cli.harness import Cli, adopt_orphans, make_cli, no_orphans
from tests.e2e.lsp.editor import Editor, start

Start = Callable[..., Awaitable[Editor]]

MULTI_HUNK = "pipeline.cu"


@pytest.fixture(scope="session", autouse=True)
def _orphans_come_here() -> None:  # pyright: ignore[reportUnusedFunction]
    adopt_orphans()


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """A folder, a home and a command line that shares them."""
    return make_cli(tmp_path)


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
    with no_orphans():
        editors = SharedEditors(make_cli(tmp_path_factory.mktemp("shared")))
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


@dataclass(frozen=True)
class Offered:
    """A folder in which ``optimize transpose.cu`` has just made its proposal."""

    cli: Cli
    source: Path
    proposal: dict[str, Any]
    original: str

    @property
    def id(self) -> str:
        return self.proposal["id"]


@pytest.fixture(scope="session")
def _offered_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Offered, Path]:  # pyright: ignore[reportUnusedFunction]
    """One run of optimize for all tests, and a copy of the memory that it left."""
    cli = make_cli(tmp_path_factory.mktemp("offered"))
    source = cli.example("transpose.cu")
    original = source.read_text("utf-8")
    ended = cli.run("optimize", source, "--json")
    assert ended.code == 0, ended.said
    memory = cli.home.with_name("memory")
    shutil.copytree(cli.home, memory, ignore=shutil.ignore_patterns("cache"))
    return Offered(cli, source, ended.one("proposal"), original), memory


@pytest.fixture
def offered(_offered_once: tuple[Offered, Path]) -> Offered:
    """The same folder and memory as after that run: proposals name absolute paths, so it is put back, not copied."""
    made, memory = _offered_once
    for folder in (made.cli.folder, made.cli.home):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != "cache":
                path.unlink()
    made.source.write_text(made.original, "utf-8")
    shutil.copytree(memory, made.cli.home, dirs_exist_ok=True)
    return made
