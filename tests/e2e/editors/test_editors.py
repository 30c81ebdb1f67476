"""Real editors, set up by the documentation's own snippets, take a source from a compiler error to a proposal that is undone."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli.harness import adopt_orphans, make_cli, no_orphans
from tests.e2e.editors.packages import EMACS, HELIX, NEOVIM, NEW_NEOVIM, OLD_EMACS, OLD_NEOVIM, Packaged
from tests.e2e.editors.stage import Stage, emacs_command, emacs_says, make_project_stage, make_stage, neovim_command

NEOVIMS = [
    (NEOVIM, "neovim-0.10.lua"),
    (OLD_NEOVIM, "neovim-0.7.lua"),
    *([(NEW_NEOVIM, "neovim-0.11.lua")] if NEW_NEOVIM.is_unpacked else []),
]
"""Neovim 0.11 and later only where somebody unpacked one: Debian has no release with it."""


@pytest.fixture(scope="session", autouse=True)
def _orphans_come_here() -> None:  # pyright: ignore[reportUnusedFunction]
    adopt_orphans()


@pytest.fixture
def stage(tmp_path: Path) -> Generator[Stage]:
    with no_orphans():
        yield make_stage(make_cli(tmp_path))


def need(editor: Packaged) -> None:
    if not editor.is_unpacked:
        pytest.skip(f"{editor.name} is not there: make editors")


def check(stage: Stage, seen: dict[str, Any]) -> None:
    """What every editor must have shown, and what memory must hold."""
    assert seen.get("problem") is None, f"{seen['problem']}\nafter: {seen['steps']}\nsaid: {seen['said']}"
    assert any("expected" in message for message in seen["diagnostics"])
    assert len(seen["questions"]) == 1 and "Run it?" in seen["questions"][0], "running the program is asked once"
    assert seen["preview"].startswith("--- ") and "+    __shared__ float tile[32][32 + 1];" in seen["preview"]
    assert seen["is_late_edit_refused"] is True, "an edit of an older text must not be made"
    assert "__shared__ float tile" in seen["accepted"] and seen["is_undone"] is True
    assert stage.decisions() == ["accepted", "undone"]


@pytest.mark.thorough
@pytest.mark.parametrize(("editor", "snippet"), NEOVIMS, ids=lambda value: getattr(value, "name", ""))
def test_neovim_undoes_what_it_accepted(stage: Stage, editor: Packaged, snippet: str) -> None:
    need(editor)
    seen = stage.play(*neovim_command(editor, snippet))
    check(stage, seen)
    assert seen["filetype"] == "cuda"
    assert "Optimize" in seen["lenses"]


@pytest.mark.thorough
def test_neovim_shows_the_profile_of_a_header_in_its_program_and_undoes_an_edit_of_two_files(tmp_path: Path) -> None:
    need(NEOVIM)
    stage = make_project_stage(make_cli(tmp_path))
    with no_orphans():
        command, variables = neovim_command(NEOVIM, "neovim-0.10.lua", "drive_files.lua")
        seen = stage.play(command, variables | {"KERNELOPT_TEST_OTHER": str(stage.cli.folder / "bench" / "bench.cu")})
    assert seen.get("problem") is None, f"{seen['problem']}\nafter: {seen['steps']}"
    assert stage.source.suffix == ".hpp", "Neovim takes it for C++"
    assert "counted" in seen["profile"] and "CPU emulator" in seen["profile"], seen["profile"]
    assert seen["via"] == "via bench (CMake)" and seen["proposal"] == "Review"
    assert seen["is_undone"] and stage.decisions() == ["accepted", "undone"], "hunks that only work together are no choices of their own"


def test_neovim_has_one_server_for_the_files_below_a_folder_that_nothing_marks(stage: Stage) -> None:
    need(NEOVIM)
    (stage.cli.folder / "include").mkdir()
    header = stage.cli.write("include/half.h", "__global__ void half(float *x) { x[threadIdx.x] *= 0.5f; }\n")
    (stage.cli.folder / "kernelopt.toml").unlink(missing_ok=True)
    command, variables = neovim_command(NEOVIM, "neovim-0.10.lua", "drive_servers.lua")
    first, second = stage.play(command, variables | {"KERNELOPT_TEST_OTHER": str(header)})["servers"]
    assert first == second, "another server asks again what may run"


@pytest.mark.thorough
def test_emacs_undoes_what_it_accepted(stage: Stage) -> None:
    need(EMACS)
    check(stage, stage.play(*emacs_command(EMACS, "emacs-eglot.el", stage.source)))


@pytest.mark.parametrize("editor", [EMACS, OLD_EMACS], ids=lambda editor: editor.name)
def test_emacs_takes_its_configuration_and_knows_the_keys(editor: Packaged) -> None:
    need(editor)
    assert emacs_says(editor, "emacs-eglot.el", '(lookup-key cuda-mode-map (kbd "C-c k a"))') == "kernelopt-accept"
    assert emacs_says(editor, "emacs-eglot.el", '(assoc-default "k.cuh" auto-mode-alist \'string-match)') == "cuda-mode"


def test_helix_finds_the_server_for_cuda(stage: Stage) -> None:
    need(HELIX)
    assert "✓ kernelopt: " in stage.helix_health(HELIX, "helix-languages.toml", "cpp"), "Helix opens .cu as C++"
