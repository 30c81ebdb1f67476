"""One code-server with the installed extension and one browser for a module; each test has a window and a memory of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
import pytest_asyncio

from assistant.memory.store import open_store
from assistant.model.proposal import ProposalState
from tests.e2e.cli.harness import Cli, make_cli, no_orphans
from tests.e2e.vscode.chromium import launch_options
from tests.e2e.vscode.code_server import CodeServer, code_server, install, servers
from tests.e2e.vscode.parts import extension, is_outdated, missing
from tests.e2e.vscode.programs import WAVES

if TYPE_CHECKING:
    from playwright.async_api import Browser

    from tests.e2e.vscode.window import Window

Settings: TypeAlias = "Callable[[Mapping[str, object]], None]"
OpenWindow: TypeAlias = "Callable[..., Awaitable[Window]]"

QUIET = '[background]\nverify = "off"\nprofile = "off"\n\n[limits]\ncandidates = 1\n'
"""Nothing but the compiler runs unasked, and a search tries one edit of a kernel: what it finds is not what these tests are about."""
_SIZE = {"width": 1440, "height": 900}


@pytest.fixture(scope="session", autouse=True)
def _parts() -> None:  # pyright: ignore[reportUnusedFunction]
    if (reason := missing()) is not None:
        pytest.skip(f"{reason}: make vscode")


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command line that shares its memory with the editor."""
    return make_cli(tmp_path_factory.mktemp("vscode"))


@pytest.fixture(scope="session")
def _installed(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> Path:  # pyright: ignore[reportUnusedFunction]
    """A user's data folder with the extension, installed from its package as a person would."""
    assert not is_outdated(), "the packed extension is older than its sources: make vscode"
    data = tmp_path_factory.mktemp("user")
    said = install(cli, data, extension())
    assert "successfully installed" in said, said
    return data


@pytest.fixture(scope="module")
def served(cli: Cli, _installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[CodeServer]:
    """One code-server for a module's tests; nothing that it started is alive afterwards."""
    data = tmp_path_factory.mktemp("user") / "data"
    shutil.copytree(_installed, data)
    with no_orphans(), code_server(cli, data, {"kernelopt.server.python": sys.executable}) as running:
        yield running


@dataclass(frozen=True)
class Offered:
    """A folder in which ``optimize waves.cu`` has just made its proposal, of three hunks."""

    cli: Cli
    source: Path
    id: str
    original: str

    def decisions(self, proposal: str | None = None) -> list[str]:
        """What memory holds of a proposal, the first one unless said, oldest first."""
        with open_store(self.cli.home / "memory.sqlite3") as store:
            return [decision.kind.value for decision in store.decisions(proposal or self.id)]

    def reasons(self) -> list[tuple[str | None, str | None]]:
        with open_store(self.cli.home / "memory.sqlite3") as store:
            return [(decision.reason_code, decision.reason) for decision in store.decisions(self.id)]

    def open_ids(self) -> list[str]:
        with open_store(self.cli.home / "memory.sqlite3") as store:
            return [proposal.id for proposal in store.proposals() if proposal.state is ProposalState.OPEN]


@pytest.fixture(scope="session")
def _offered_once(cli: Cli) -> tuple[Offered, Path]:  # pyright: ignore[reportUnusedFunction]
    """One run of optimize for all tests, and a copy of the memory that it left."""
    source = cli.write("waves.cu", WAVES)
    cli.write("kernelopt.toml", QUIET)
    ended = cli.run("optimize", source, "--json", "--allow-host-code")
    assert ended.code == 0, ended.said
    memory = cli.home.with_name("memory")
    shutil.copytree(cli.home, memory, ignore=shutil.ignore_patterns("cache"))
    return Offered(cli, source, ended.one("proposal")["id"], source.read_text("utf-8")), memory


@pytest.fixture
def offered(folder: Path, _offered_once: tuple[Offered, Path]) -> Offered:
    """The same folder and memory as after that run: proposals name absolute paths, so it is put back, not copied."""
    made, memory = _offered_once
    assert made.source.parent == folder
    made.source.write_text(made.original, "utf-8")
    shutil.copytree(memory, made.cli.home, dirs_exist_ok=True)
    return made


@pytest.fixture
def folder(cli: Cli) -> Path:
    """The folder that a window is opened on, empty but for settings, with a memory that knows nothing."""
    for place in (cli.folder, cli.home):
        for path in place.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != "cache":
                path.unlink()
    cli.write("kernelopt.toml", QUIET)
    return cli.folder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def chromium(served: CodeServer) -> AsyncGenerator[Browser]:
    """A browser that is closed before code-server is."""
    from playwright.async_api import async_playwright  # here, as the tests are skipped where it is not installed

    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(**(launch_options() or {}))
        yield started
        await started.close()


@pytest.fixture
def shots(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Where the test's pictures go: ``$KERNELOPT_SCREENSHOTS``, or its temporary folder."""
    kept = os.environ.get("KERNELOPT_SCREENSHOTS")
    folder = Path(kept or tmp_path / "screenshots") / re.sub(r"\W+", "-", request.node.name)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture
def settings(folder: Path) -> Callable[[Mapping[str, object]], None]:
    """Writes the folder's ``.vscode/settings.json``, which a window that is open takes up."""
    (folder / ".vscode").mkdir()
    path = folder / ".vscode" / "settings.json"
    path.write_text("{}", "utf-8")

    def change(values: Mapping[str, object]) -> None:
        path.write_text(json.dumps(values), "utf-8")

    return change


@pytest.fixture
def user_settings(served: CodeServer) -> Generator[Settings]:
    """Adds to the user's own settings, for windows that are opened in the same test."""
    before = served.settings
    yield lambda values: served.set(before | dict(values))
    served.set(before)


@pytest_asyncio.fixture(loop_scope="session")
async def open_window(chromium: Browser, served: CodeServer, shots: Path) -> AsyncGenerator[OpenWindow]:
    """Opens windows on folders; each has a browser profile of its own, and its last sight is kept as a picture.

    No window of an earlier test is at work when the next begins: its server would keep answers in the memory that all share.
    """
    from tests.e2e.vscode.window import Window

    windows: list[Window] = []

    async def opened(folder: Path, *, is_trusted: bool = True) -> Window:
        """A new browser window that shows the folder."""
        served.forget()
        context = await chromium.new_context(viewport=_SIZE, reduced_motion="reduce", permissions=["clipboard-read", "clipboard-write"])
        windows.append(Window(await context.new_page(), shots))
        await windows[-1].visit(served.address(folder), is_trusted=is_trusted)
        return windows[-1]

    yield opened
    for window in windows:
        await window.shoot("end")
        await window.leave()
        await window.until(lambda: not servers())
        await window.page.context.close()
