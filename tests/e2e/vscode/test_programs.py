"""A CMake project in VS Code: its header is profiled through the target that includes it, and an edit of two files is one decision."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assistant.memory.store import open_store
from tests.e2e.cli.harness import DATA, Cli
from tests.e2e.vscode.conftest import OpenWindow

if TYPE_CHECKING:
    from tests.e2e.vscode.window import Window

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDER = "512, 512>>>"


@dataclass(frozen=True)
class Project:
    """A configured build, with a proposal for the launches of a header's kernel: one in the header, one in the benchmark."""

    cli: Cli
    header: Path
    bench: Path
    proposal: str

    def decisions(self) -> list[str]:
        with open_store(self.cli.home / "memory.sqlite3") as store:
            return [decision.kind.value for decision in store.decisions(self.proposal)]

    @property
    def texts(self) -> tuple[str, str]:
        """On disk."""
        return self.header.read_text("utf-8"), self.bench.read_text("utf-8")


@pytest.fixture
def project(cli: Cli, folder: Path) -> Project:
    shutil.copytree(DATA / "programs" / "cmake_header", folder, dirs_exist_ok=True)
    header = folder / "include" / "vec" / "scale.cuh"
    assert cli.run("program", header, "--configure").code == 0
    ended = cli.run("optimize", header, "--allow-host-code", "--accept", "none", "--json")
    assert ended.code == 0, ended.said
    return Project(cli, header, folder / "bench" / "bench.cu", ended.one("proposal")["id"])


async def test_a_header_is_profiled_through_its_cmake_target_and_an_edit_of_two_files_is_one_decision(
    open_window: OpenWindow, project: Project
) -> None:
    window = await open_window(project.cli.folder)
    await window.open_file("scale.cuh")
    named = await window.see(window.lens("via bench"))
    assert "CMake's target bench" in (await named.get_attribute("title") or "")
    await (await window.see(window.lens("Profile"))).click()
    await window.let_run()
    await window.see(window.lenses, "PREDICTED")
    await window.shoot("profiled")
    await (await window.see(window.lens("Proposal: "))).click()
    await window.see(window.threads, "Hunk 1 of 2")
    await window.shoot("preview")
