"""Fixtures that the end-to-end tests of several front ends share."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import Cli, Ended, adopt_orphans, working_cli


@pytest.fixture(scope="session", autouse=True)
def _orphans_come_here() -> None:  # pyright: ignore[reportUnusedFunction]
    adopt_orphans()


@dataclass(frozen=True)
class Offered:
    """A folder in which ``optimize transpose.cu`` has just made its proposal."""

    cli: Cli
    ended: Ended
    """That run, with its events."""
    source: Path
    proposal: dict[str, Any]
    plan: dict[str, Any]
    """The first plan of that run."""
    original: str

    @property
    def id(self) -> str:
        return self.proposal["id"]

    @property
    def text(self) -> str:
        """What stands in the file now."""
        return self.source.read_text("utf-8")


@pytest.fixture(scope="session")
def _offered_once(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Offered, Path]]:  # pyright: ignore[reportUnusedFunction]
    """One run of optimize for all tests, and a copy of the memory that it left."""
    with working_cli(tmp_path_factory.mktemp("offered"), "offered") as cli:
        source = cli.small("transpose.cu")
        original = source.read_text("utf-8")
        ended = cli.run("optimize", source, "--json")
        assert ended.code == 0, ended.said
        memory = cli.home.with_name("memory")
        shutil.copytree(cli.home, memory, ignore=shutil.ignore_patterns("cache"))
        yield Offered(cli, ended, source, ended.one("proposal"), ended.all("plan")[0], original), memory


@pytest.fixture
def freshly_offered(_offered_once: tuple[Offered, Path]) -> Offered:
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
