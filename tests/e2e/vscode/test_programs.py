"""A CMake project in VS Code: its header, C++ by its name, is profiled through its target, and an edit of two files is one decision."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assistant.memory.store import open_store
from tests.e2e.cli.harness import DATA, Cli
from tests.e2e.editors.stage import as_cpp_header
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
    header = as_cpp_header(folder)
    assert cli.run("program", header, "--configure").code == 0
    ended = cli.run("optimize", header, "--allow-host-code", "--accept", "none", "--json")
    assert ended.code == 0, ended.said
    return Project(cli, header, folder / "bench" / "bench.cu", ended.one("proposal")["id"])


@pytest.mark.thorough
async def test_a_header_is_profiled_through_its_cmake_target_and_an_edit_of_two_files_is_one_decision(
    open_window: OpenWindow, project: Project
) -> None:
    original = project.texts
    window = await open_window(project.cli.folder)
    await window.open_file("scale.hpp")
    named = await window.see(window.lens("via bench (CMake)"))
    assert "CMake's target bench" in (await named.get_attribute("title") or "")
    await window.focus_editor()
    await window.command("kernelopt: Profile the Kernel at the Cursor")
    await window.let_run()
    await window.webview("Source, with heat")
    await window.shoot("profiled")

    await window.open_file("scale.hpp")
    await window.click(window.lens("Review"))
    await window.unfold_threads()
    own = await window.see(window.threads, "Hunk 1 of 2")
    await window.see(own, "more in bench/bench.cu")
    await window.shoot("preview")
    await window.click(own.get_by_role("link", name="Leave it out"))
    await window.see(own, "Left out of Accept")
    await window.click(window.title_buttons.get_by_role("button", name="Accept"))
    await window.until(lambda: project.decisions() == ["partially_accepted"])
    await window.see_notification("judged on the current text")
    await window.shoot("partly")
    await window.open_file("bench.cu")
    await window.see(window.text, "256>>>")
    await undo(window, project, ["partially_accepted", "undone"])

    await window.open_file("scale.hpp")
    await window.click(window.lens("Accept"))
    await window.see_choice("Accept all of it")
    await window.shoot("asked")
    await window.choose("Accept all of it")
    await window.until(lambda: project.decisions()[2:] == ["accepted"])
    await window.see(window.text, "256>>>")
    await window.shoot("accepted")
    await undo(window, project, ["partially_accepted", "undone", "accepted", "undone"])
    assert project.texts == original


async def undo(window: Window, project: Project, decisions: list[str]) -> None:
    """Take back the accept; of an edit of several files VS Code asks which to undo."""
    await window.focus_editor()
    await window.page.keyboard.press("Control+Z")
    await window.shoot("undo")
    await window.until(lambda: project.decisions() == decisions)
