"""Which folder is the workspace, and where the user's files lie."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from assistant.config import find_project, find_workspace, user_paths, workspace_folder
from assistant.disk.texts import MOST_SOURCE_BYTES


@pytest.mark.parametrize(
    ("marker", "content"),
    [("kernelopt.toml", ""), ("pyproject.toml", "[tool.kernelopt]\n"), ("pyproject.toml", "[ tool.kernelopt.build ]\n")],
)
def test_the_nearest_folder_with_configuration_is_the_workspace(workspace: Path, marker: str, content: str) -> None:
    inner = workspace / "a" / "b"
    inner.mkdir(parents=True)
    (workspace / ".git").mkdir()
    (workspace / "a" / marker).write_text(content)
    assert find_workspace(inner / "k.cu") == workspace / "a"


def test_a_git_folder_or_worktree_file_makes_a_workspace(workspace: Path) -> None:
    (workspace / ".git").write_text("gitdir: elsewhere\n")
    (workspace / "src").mkdir()
    assert find_workspace(workspace / "src" / "k.cu") == workspace


def test_a_pyproject_without_our_section_does_not(workspace: Path) -> None:
    (workspace / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (workspace / "src").mkdir()
    assert find_workspace(workspace / "src" / "k.cu") == workspace / "src"


def test_without_any_mark_the_files_folder_is_the_workspace(workspace: Path) -> None:
    assert find_workspace(workspace / "k.cu") == workspace
    assert find_workspace(workspace) == workspace


def test_a_link_leads_to_the_same_workspace(workspace: Path, tmp_path: Path) -> None:
    (workspace / ".git").mkdir()
    (tmp_path / "link").symlink_to(workspace)
    assert find_workspace(tmp_path / "link" / "k.cu") == workspace


def test_kernelopt_home_holds_all_of_the_users_files(home: Path) -> None:
    paths = user_paths()
    assert {paths.memory.parent, paths.cache.parent, paths.config.parent, paths.trust.parent} == {home}


def test_without_it_the_platforms_folders_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("KERNELOPT_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    paths = user_paths()
    assert paths.memory == tmp_path / "data" / "kernelopt" / "memory.sqlite3"
    assert paths.trust.parent == paths.memory.parent
    assert paths.cache == tmp_path / "cache" / "kernelopt"
    assert paths.config == tmp_path / "config" / "kernelopt" / "config.toml"


def test_gits_eyes_never_see_the_workspace_folder(workspace: Path) -> None:
    subprocess.run(("git", "init", "-q", str(workspace)), check=True)
    (workspace_folder(workspace) / "recording.json").write_text("{}")
    assert workspace_folder(workspace) == workspace / ".kernelopt"
    status = subprocess.run(("git", "-C", str(workspace), "status", "--porcelain"), check=True, capture_output=True, text=True)
    assert status.stdout == ""


@pytest.mark.parametrize(
    ("files", "root"),
    [
        ({"setup.py": ""}, "."),
        ({"pyproject.toml": "[project]\n"}, "."),
        ({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES CUDA)\n", "src/CMakeLists.txt": ""}, "."),
        ({"CMakeLists.txt": "project(all)", "src/CMakeLists.txt": "PROJECT (part)"}, "."),
        ({"CMakeLists.txt": "add_subdirectory(src)", "src/CMakeLists.txt": "project(part)"}, "src"),
        ({"src/meson.build": "project('p', 'cuda')"}, "src"),
        ({"Makefile": "", "src/Makefile": "", "src/deep/Makefile": ""}, "."),
        ({"Makefile": "", "src/deep/Makefile": ""}, "src/deep"),
        ({"setup.py": "", "src/CMakeLists.txt": "project(part)"}, "."),
        ({"main.cu": "int main() {}"}, "."),
        (
            {"main.cu": "int main(int argc, char **argv)\n{}", "src/bench.cu": "int\nmain() {}", "src/run.cu": "  auto main() -> int {}"},
            "src",
        ),
        ({"main.cu": "int main() {}", "src/deep/k.cu": "int main() {}"}, "src/deep"),
        ({"main.cu": "// int main() is elsewhere", "src/k.cu": "int domain(int x);"}, "src/deep"),
        ({"main.cu": "int main() {}", "src/Makefile": ""}, "src"),
        ({}, "src/deep"),
    ],
)
def test_a_build_without_a_workspace_says_where_its_sources_are(workspace: Path, files: dict[str, str], root: str) -> None:
    (workspace / "src" / "deep").mkdir(parents=True)
    for name, text in files.items():
        (workspace / name).write_text(text)
    file = workspace / "src" / "deep" / "k.cu"
    assert find_project(file) == workspace / root
    assert find_workspace(file) == workspace / "src" / "deep"  # memory and .kernelopt stay where they were


def test_a_workspace_is_the_project(workspace: Path) -> None:
    (workspace / "Makefile").touch()
    (workspace / "src").mkdir()
    (workspace / "src" / "kernelopt.toml").touch()
    assert find_project(workspace / "src" / "k.cu") == workspace / "src"


def test_the_home_folder_is_no_project(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(workspace))
    (workspace / "Makefile").touch()
    (workspace / "src").mkdir()
    assert find_project(workspace / "src" / "k.cu") == workspace / "src"


def test_a_script_that_loads_an_extension_marks_the_project(workspace: Path) -> None:
    (workspace / "native" / "cuda").mkdir(parents=True)
    file = workspace / "native" / "cuda" / "k.cu"
    assert find_project(file) == workspace / "native" / "cuda"
    (workspace / "ops.py").write_text("from torch.utils.cpp_extension import load\n")
    assert find_project(file) == workspace


def test_a_file_larger_than_any_source_is_not_looked_into(workspace: Path) -> None:
    """It took 20 seconds for 3 GiB, whatever was asked for in that folder."""
    (workspace / "src").mkdir()
    main, file = workspace / "main.cu", workspace / "src" / "k.cu"
    main.write_text("int main() {}\n")
    assert find_project(file) == workspace
    with main.open("ab") as large:
        large.truncate(MOST_SOURCE_BYTES + 1)
    assert find_project(file) == workspace / "src"


def test_headers_beside_sources_are_one_project(workspace: Path) -> None:
    for name in ("include/blur", "src"):
        (workspace / name).mkdir(parents=True)
    header, main = workspace / "include" / "blur" / "blur.cuh", workspace / "src" / "app.cu"
    assert find_project(header) == header.parent, "nothing there runs it"
    main.write_text("int main() {}")
    assert find_project(header) == find_project(main) == workspace
    assert find_project(workspace / "src" / "other.cu") == workspace
    assert find_workspace(header) == header.parent, "what is kept stays where it was"
    main.unlink()
    (workspace / "src" / "apps").mkdir()
    (workspace / "src" / "apps" / "main.cu").write_text("int main() {}")
    assert find_project(header) == workspace


def test_what_is_kept_in_a_folder_belongs_to_it_though_nothing_marks_it(workspace: Path) -> None:
    kept = workspace_folder(workspace) / "operators"
    kept.mkdir()
    assert find_workspace(kept / "k.cu") == find_workspace(kept) == workspace
